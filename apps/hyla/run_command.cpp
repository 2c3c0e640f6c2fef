#include "run_command.h"

#include <string>
#include <utility>

#include "interrupt.h"
#include "progress_line.h"
#include "report.h"
#include "service/summary.h"

namespace hyla::app {
namespace {

/// Lines for standard output, collected unless somebody looks on.
class Lines {
 public:
  explicit Lines(ProgressLine& progress) : progress_(progress), is_watched_(is_terminal(Stream::Out)) {}
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;
  ~Lines() { flush(); }

  void add(std::string_view line) {
    (text_ += line) += '\n';
    if (is_watched_ || text_.size() >= kMost) flush();
  }
  /// False if nobody reads any more.
  bool flush() {
    if (text_.empty()) return is_read_;
    progress_.erase();
    is_read_ = write(Stream::Out, text_);
    text_.clear();
    return is_read_;
  }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  ProgressLine& progress_;
  std::string text_;
  bool is_watched_;
  bool is_read_ = true;
};

/// Settings of the file count before those of the command line.
bool add_parameters(const RunCommand& command, const service::FileSystem& files, service::RunRequest& request) {
  if (command.parameters_file.empty()) return true;
  const base::Result<std::string> text = files.read(command.parameters_file);
  if (!text.ok()) {
    complain(text.message());
    return false;
  }
  base::Result<std::vector<service::ParameterSetting>> settings =
      service::parse_parameters(command.parameters_file, text.value());
  if (!settings.ok()) {
    complain(settings.message());
    return false;
  }
  std::vector<service::ParameterSetting> all = std::move(settings).value();
  all.insert(all.end(), request.settings.begin(), request.settings.end());
  request.settings = std::move(all);
  return true;
}

service::RunReport run(const RunCommand& command, const service::RunRequest& request,
                       const service::FileSystem& files) {
  ProgressLine progress(shows_progress(command.progress));
  Lines lines(progress);
  service::RunWatcher watcher;
  if (command.trace) watcher.trace = [&](std::string_view line) { lines.add(line); };
  watcher.print = [&](std::string_view text) {
    if (command.json || command.request.output_file == "-") {
      write(Stream::Error, std::string(text) + '\n');
    } else {
      lines.add(text);
    }
  };
  watcher.progress = [&](const service::RunProgress& now) {
    progress.show(now);
    return lines.flush() && !is_interrupted();
  };
  end_on_interrupt();
  return service::run_model(request, files, watcher);
}

}  // namespace

int execute_run(const RunCommand& command) {
  const service::Disk disk;
  service::RunRequest request = command.request;
  if (!add_parameters(command, disk, request)) return kCouldNotRun;
  const service::RunReport outcome = run(command, request, disk);
  if (command.json) {
    write(Stream::Out, service::summary_json(outcome));
  } else {
    report(outcome, command.colour);
    write(request.output_file == "-" ? Stream::Error : Stream::Out,
          service::summary_text(outcome, {.histograms = command.histograms, .timing = true}));
  }
  if (!outcome.failures.empty()) return kCouldNotRun;
  return outcome.model_failed() ? kModelFailed : kFine;
}

}  // namespace hyla::app
