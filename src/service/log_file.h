// Where the events of a run go: to its events file, into its result file, to both or nowhere.
#pragma once

#include <memory>

#include "record/background_output.h"
#include "record/event_log.h"
#include "service/output_file.h"
#include "service/run_model.h"

namespace hyla::service {

class LogFile {
 public:
  /// `further` takes the same lines, if it is not null, and outlives this. False if the events file cannot be made,
  /// with the reason in the report.
  bool open(const RunRequest& request, record::Output* further, RunReport& report);
  /// Null: nobody wants events.
  record::EventLog* log() { return log_.get(); }
  void close(RunReport& report);

 private:
  OutputFile file_;
  bool has_file_ = false;
  std::unique_ptr<record::BackgroundOutput> background_;
  std::unique_ptr<record::Output> both_;
  std::unique_ptr<record::EventLog> log_;
};

}  // namespace hyla::service
