// The files of an experiment: journals of finished members, measured data.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "experiment/journal.h"
#include "experiment/plan.h"
#include "service/files.h"
#include "service/output_file.h"

namespace hyla::service {

/// The journal of this process. One that was not asked for is begun when the experiment has taken a while.
class JournalFile {
 public:
  /// `wanted`: from the beginning on, and left there at the end. The results known already are written first.
  JournalFile(std::string path, bool wanted, std::string head, const experiment::Results& known);

  void add(const std::string& key, const experiment::MemberResult& result);
  /// All is done: an unwanted journal goes away.
  void finish(bool is_complete);
  bool is_left() const { return is_left_; }
  const std::string& path() const { return path_; }
  const std::string& failure() const { return failure_; }

 private:
  void begin();

  std::string path_;
  bool wanted_;
  std::string pending_;
  OutputFile file_;
  bool is_open_ = false, is_left_ = false;
  std::string failure_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// What the members of a journal must be for.
struct WantedJournal {
  std::string name, fingerprint;
  bool with_coverage = false;
};

/// Adds the members of a journal. The number of damaged lines.
base::Result<std::size_t> load_journal(const std::string& path, const FileSystem& files, const WantedJournal& wanted,
                                       experiment::Results& results);

/// A column of a result file: its times and numbers.
base::Result<experiment::DataColumn> load_data(const std::string& path, const std::string& column,
                                               const FileSystem& files);

/// Runs with these options must pass all measured values.
std::optional<base::Failure> check_data(const experiment::Plan& plan, const engine::RunOptions& options,
                                        const std::string& time_unit);

}  // namespace hyla::service
