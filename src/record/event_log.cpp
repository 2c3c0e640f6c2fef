#include "record/event_log.h"

#include <array>
#include <charconv>

#include "base/json.h"

namespace hyla::record {
namespace {

constexpr int kVersion = 1;

/// `key` has its quotes, its colon and the comma before it.
void append_count(std::string& out, std::string_view key, std::uint64_t value) {
  std::array<char, 24> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  out += key;
  out.append(buffer.data(), result.ptr);
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  if (text.empty()) return;
  out += key;
  base::append_json_string(out, text);
}

void append_entry(std::string& out, const LogEntry& entry) {
  append_count(out, R"({"seq":)", entry.sequence);
  out += R"(,"t":)";
  base::append_json_number(out, entry.time);
  append_count(out, R"(,"step":)", entry.step);
  append_text(out, R"(,"kind":)", entry.kind);
  append_text(out, R"(,"object":)", entry.object);
  append_text(out, R"(,"chart":)", entry.chart);
  append_text(out, R"(,"from":)", entry.from);
  append_text(out, R"(,"to":)", entry.to);
  append_text(out, R"(,"reaction":)", entry.reaction);
  append_text(out, R"(,"condition":)", entry.condition);
  append_text(out, R"(,"message":)", entry.message);
  if (!entry.data.empty()) (out += R"(,"data":)") += entry.data;
  append_text(out, R"(,"sender":)", entry.sender);
  append_text(out, R"(,"process":)", entry.process);
  if (entry.cause != 0) append_count(out, R"(,"cause":)", entry.cause);
  append_text(out, R"(,"trigger":)", entry.trigger);
  append_text(out, R"(,"place":)", entry.place);
  append_text(out, R"(,"text":)", entry.text);
  out += "}\n";
}

}  // namespace

EventLog::EventLog(Output& output, const LogHeader& header) : output_(output) {
  append_count(lines_, R"({"hyla":"events","version":)", kVersion);
  append_text(lines_, R"(,"model":)", header.model);
  append_count(lines_, R"(,"seed":)", header.seed);
  if (!header.run.empty()) (lines_ += R"(,"run":)") += header.run;
  lines_ += "}\n";
}

void EventLog::add(const LogEntry& entry) {
  if (failed_) return;
  append_entry(lines_, entry);
  if (lines_.size() >= kPiece) flush();
}

bool EventLog::flush() {
  if (!failed_ && !lines_.empty()) {
    failed_ = !output_.write(lines_);
    lines_.clear();
  }
  return !failed_;
}

}  // namespace hyla::record
