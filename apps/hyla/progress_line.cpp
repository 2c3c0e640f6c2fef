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

}  // namespace

void ProgressLine::show(const service::RunProgress& progress) {
  const Clock::time_point now = Clock::now();
  if (!is_shown_ || now - last_ < kInterval) return;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  std::string text = text_of(progress, seconds);
  const std::size_t columns = std::max(kNarrowest, width(Stream::Error, 80)) - 1;  // the last would break the line
  if (text.size() > columns) text.resize(columns);
  write(Stream::Error, std::string(kErase) + text);
  is_drawn_ = true;
}

void ProgressLine::erase() {
  if (is_drawn_) write(Stream::Error, kErase);
  is_drawn_ = false;
}

}  // namespace hyla::app
