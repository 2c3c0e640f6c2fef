#include "service/log_file.h"

#include "service/record_run.h"
#include "service/run_source.h"

namespace hyla::service {
namespace {

class Both : public record::Output {
 public:
  Both(record::Output& first, record::Output& second) : first_(first), second_(second) {}
  bool write(std::string_view bytes) override {
    const bool is_written = first_.write(bytes);
    return second_.write(bytes) && is_written;
  }

 private:
  record::Output& first_;
  record::Output& second_;
};

}  // namespace

bool LogFile::open(const RunRequest& request, record::Output* further, RunReport& report) {
  has_file_ = !request.events_file.empty();
  if (!has_file_ && further == nullptr) return true;
  record::Output* output = further;
  if (has_file_) {
    if (is_source(report.sources, request.events_file)) {
      report.failures.push_back("cannot write events to `" + request.events_file + "`: it is a file of the model");
      return false;
    }
    if (const auto failure = file_.open(request.events_file)) {
      report.failures.push_back(failure->message);
      return false;
    }
    if (request.threads > 1) background_ = std::make_unique<record::BackgroundOutput>(file_);
    output = background_ ? static_cast<record::Output*>(background_.get()) : &file_;
    if (further != nullptr) {
      both_ = std::make_unique<Both>(*output, *further);
      output = both_.get();
    }
  }
  log_ = std::make_unique<record::EventLog>(*output,
                                            record::LogHeader{report.model, report.seed, run_source_json(request)});
  return true;
}

void LogFile::close(RunReport& report) {
  if (!log_) return;
  log_->flush();
  if (background_) background_->finish();
  if (!has_file_) return;
  if (const auto failure = file_.close()) report.failures.push_back(failure->message);
}

}  // namespace hyla::service
