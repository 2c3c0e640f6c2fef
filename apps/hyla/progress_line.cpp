#include "progress_line.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "console.h"
#include "service/summary.h"

namespace hyla::app {
namespace {

constexpr std::chrono::milliseconds kInterval(100);
constexpr std::string_view kErase = "\r\x1b[K";
constexpr std::size_t kNarrowest = 20;

std::string text_of(const service::RunProgress& progress, double seconds) {
  const auto a_second = [&](double amount) { return service::short_number(amount / seconds) + "/s"; };
  const auto events = static_cast<double>(progress.events);
  return std::to_string(static_cast<int>(100 * progress.part)) + " %   time " + service::short_number(progress.time) +
         " (" + a_second(progress.time) + ")   events " + service::short_number(events) + " (" + a_second(events) + ")";
}

std::string duration(double seconds) {
  const auto whole = static_cast<long>(seconds + 0.5);
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

std::string text_of(const service::ExperimentProgress& progress, double seconds) {
  constexpr std::size_t kBar = 24;
  const auto done = static_cast<std::size_t>(progress.part * kBar);
  std::string text = "[" + std::string(done, '#') + std::string(kBar - done, '.') + "]  " +
                     std::to_string(progress.finished) +
                     (progress.is_open ? "" : "/" + std::to_string(progress.known)) + " runs";
  if (progress.failed > 0) text += ", " + std::to_string(progress.failed) + " failed";
  constexpr double kEarly = 0.01;
  if (progress.is_open) return text + "   " + duration(seconds) + " so far";
  if (progress.part < kEarly) return text;
  return text + "   " + duration(seconds * (1 - progress.part) / progress.part) + " left";
}

}  // namespace

bool shows_progress(When choice) {
  if (choice != When::Auto) return choice == When::Always;
  return is_terminal(Stream::Error) && !is_dumb_terminal();
}

bool ProgressLine::is_due() {
  const Clock::time_point now = Clock::now();
  if (!is_shown_ || now - last_ < kInterval) return false;
  last_ = now;
  return true;
}

void ProgressLine::draw(std::string text) {
  const std::size_t columns = std::max(kNarrowest, width(Stream::Error, 80)) - 1;  // the last would break the line
  if (text.size() > columns) text.resize(columns);
  write(Stream::Error, std::string(kErase) + text);
  is_drawn_ = true;
}

void ProgressLine::show(const service::RunProgress& progress) {
  if (is_due()) draw(text_of(progress, std::chrono::duration<double>(last_ - begin_).count()));
}

void ProgressLine::show(const service::ExperimentProgress& progress) {
  if (is_due()) draw(text_of(progress, std::chrono::duration<double>(last_ - begin_).count()));
}

void ProgressLine::erase() {
  if (is_drawn_) write(Stream::Error, kErase);
  is_drawn_ = false;
}

}  // namespace hyla::app
