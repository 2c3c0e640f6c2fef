#include "service/experiment_files.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "base/text.h"
#include "service/load_result.h"

namespace hyla::service {
namespace {

constexpr std::chrono::milliseconds kPatience(1000);

}  // namespace

JournalFile::JournalFile(std::string path, bool wanted, std::string head, const experiment::Results& known)
    : path_(std::move(path)), wanted_(wanted), pending_(std::move(head)) {
  for (const auto& [key, result] : known) pending_ += experiment::journal_line(key, result);
  if (wanted) begin();
}

void JournalFile::begin() {
  if (is_open_ || !failure_.empty() || path_.empty()) return;
  if (const auto failure = file_.open(path_)) {
    failure_ = failure->message;
    return;
  }
  is_open_ = is_left_ = true;
  file_.write(pending_);
  pending_.clear();
}

void JournalFile::add(const std::string& key, const experiment::MemberResult& result) {
  pending_ += experiment::journal_line(key, result);
  if (!is_open_ && std::chrono::steady_clock::now() - start_ > kPatience) begin();
  if (!is_open_) return;
  file_.write(pending_);
  pending_.clear();
}

void JournalFile::finish(bool is_complete) {
  if (!is_complete) begin();
  if (!is_open_) return;
  if (const auto failure = file_.close()) failure_ = failure->message;
  is_open_ = false;
  if (!is_complete || wanted_) return;
  std::remove(path_.c_str());
  is_left_ = false;
}

base::Result<std::size_t> load_journal(const std::string& path, const FileSystem& files, const WantedJournal& wanted,
                                       experiment::Results& results) {
  const base::Result<std::string> text = files.read(path);
  if (!text.ok()) return base::Failure{text.message()};
  base::Result<experiment::Journal> journal = experiment::read_journal(text.value());
  if (!journal.ok()) return base::Failure{path + ": " + journal.message()};
  if (journal.value().name != wanted.name) {
    return base::Failure{path + " is the journal of experiment `" + journal.value().name + "`, not of `" + wanted.name +
                         "`"};
  }
  if (journal.value().fingerprint != wanted.fingerprint) {
    return base::Failure{path + " is of another version of the model or its settings; its members cannot be used"};
  }
  for (const auto& [key, result] : journal.value().results) {
    if (wanted.with_coverage && result.status == experiment::MemberStatus::Good && result.coverage.empty()) {
      return base::Failure{path +
                           " was written without --coverage, so nobody knows what its runs have reached: repeat "
                           "them with --coverage, or leave it out here"};
    }
    results[key] = result;
  }
  return journal.value().damaged;
}

base::Result<experiment::DataColumn> load_data(const std::string& path, const std::string& column,
                                               const FileSystem& files) {
  const base::Result<record::RunResult> result = load_result(path, files);
  if (!result.ok()) return base::Failure{result.message()};
  const base::Result<std::size_t> place = record::find_column(result.value().columns, column);
  if (!place.ok()) return base::Failure{path + ": " + place.message()};
  const std::vector<double> values = result.value().values(result.value().columns[place.value()]);
  experiment::DataColumn data;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double time = result.value().time[i];
    if (!std::isfinite(values[i])) continue;
    if (!data.times.empty() && time == data.times.back()) {
      data.values.back() = values[i];  // behind a jump
      continue;
    }
    data.times.push_back(time);
    data.values.push_back(values[i]);
  }
  if (data.times.empty()) return base::Failure{path + ": `" + column + "` has no numbers"};
  data.name = '`' + column + "` in " + path;
  return data;
}

std::optional<base::Failure> check_data(const experiment::Plan& plan, const engine::RunOptions& options,
                                        const std::string& time_unit) {
  using base::format_number;
  for (const experiment::DataColumn& data : plan.data) {
    const double first = data.times.front(), last = data.times.back();
    if (first >= options.start_time && last <= options.stop_time) continue;
    const std::string advice = first < options.start_time
                                   ? "leave out the earlier values, or set an earlier `start_time`"
                                   : "try `--stop-time " + format_number(last) + "`, or leave out the later values";
    return base::Failure{"the values of " + data.name + " reach from " + format_number(first) + " to " +
                         format_number(last) + ' ' + time_unit + ", and the runs from " +
                         format_number(options.start_time) + " to " + format_number(options.stop_time) + ": " + advice};
  }
  return std::nullopt;
}

}  // namespace hyla::service
