// The chain of causes of an event, for people and for programs.
#include "service/event_text.h"
#include "service/json_members.h"
#include "service/why_event.h"

namespace hyla::service {
namespace {

const std::string kIndent = "    ";
constexpr std::size_t kMostMatches = 10;

/// What happened, without the trigger: that stands in the reason.
std::string what(const record::LogEntry& entry) {
  record::LogEntry bare = entry;
  bare.trigger = bare.reaction = {};
  const bool has_label = entry.reaction.find('@') == std::string_view::npos;
  if (entry.kind != "transition" && has_label) bare.reaction = entry.reaction;
  return event_text(bare);
}

std::string heading(const WhyReport& report) {
  if (report.matches.size() < 2) return "";
  std::string text = "it happened " + std::to_string(report.matches.size()) + " times, in events ";
  const std::size_t skipped = report.matches.size() > kMostMatches ? report.matches.size() - kMostMatches : 0;
  if (skipped > 0) text += "… ";
  for (std::size_t i = skipped; i < report.matches.size(); ++i) {
    text += (i == skipped ? "" : ", ") + std::to_string(report.matches[i]);
  }
  return text + "; this is the last one\n\n";
}

void append_link(std::string& out, const WhyLink& link) {
  const record::LogEntry& entry = *link.entry;
  Members members(out);
  members.count("seq", entry.sequence).number("t", entry.time).count("step", entry.step).text("kind", entry.kind);
  members.text("object", entry.object).text("what", event_text(entry)).text("because", link.because);
  members.text("place", entry.place);
  if (entry.cause != 0) members.count("cause", entry.cause);
  members.end();
}

}  // namespace

std::string why_text(const WhyReport& report) {
  if (report.chain.empty()) return "";
  std::string text = heading(report);
  for (const WhyLink& link : report.chain) {
    const record::LogEntry& entry = *link.entry;
    text += "event " + std::to_string(entry.sequence) + " at " + time_text(entry.time, report.run->time_unit()) + ", " +
            std::string(entry.object) + ": " + what(entry) + '\n';
    text +=
        kIndent + "because " + link.because + (entry.place.empty() ? "" : " (" + std::string(entry.place) + ')') + '\n';
  }
  if (report.is_cut) {
    text += "… there are more causes: --depth N shows so many, --event " +
            std::to_string(report.chain.back().entry->cause) + " goes on from here\n";
  }
  for (const std::string& note : report.run->notes) text += "note: " + note + '\n';
  return text;
}

std::string why_json(const WhyReport& report) {
  std::string out;
  Members members(out);
  members.texts("failures", report.failures);
  members.texts("notes", report.run ? report.run->notes : std::vector<std::string>());
  members.array("chain", report.chain, append_link).flag("cut", report.is_cut);
  members.array("matches", report.matches, [](std::string& text, std::uint64_t one) { text += std::to_string(one); });
  members.end();
  return out + '\n';
}

}  // namespace hyla::service
