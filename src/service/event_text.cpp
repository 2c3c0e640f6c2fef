#include "service/event_text.h"

#include "base/text.h"

namespace hyla::service {
namespace {

/// Behind what happened, in brackets.
std::string in_brackets(std::string text) { return text.empty() ? text : " (" + text + ')'; }

std::string phrase(std::string_view words, std::string_view what) {
  return what.empty() ? std::string(words) : std::string(words) + ' ' + std::string(what);
}

std::string reaction_text(const record::LogEntry& entry) {
  const std::string trigger = trigger_text(entry);
  return "reacts" + in_brackets(trigger) + (entry.from.empty() ? "" : " in " + std::string(entry.from));
}

}  // namespace

std::string trigger_text(const record::LogEntry& entry) {
  const std::size_t at = entry.reaction.find('@');
  std::string text = entry.trigger == "auto" ? "as soon as it can" : std::string(entry.trigger);
  if (entry.trigger == "on") text = phrase("on", entry.message);
  if (entry.reaction.empty()) return text;
  if (at == std::string_view::npos) return std::string(entry.reaction) + (text.empty() ? "" : ": " + text);
  return text + (text.empty() ? "line " : ", line ") + std::string(entry.reaction.substr(at + 1));
}

std::string event_text(const record::LogEntry& entry) {
  const std::string_view kind = entry.kind;
  if (kind == "start") return phrase("starts in", entry.to);
  if (kind == "transition") {
    return std::string(entry.from) + (entry.from.empty() ? "-> " : " -> ") + std::string(entry.to) +
           in_brackets(trigger_text(entry));
  }
  if (kind == "reaction" || kind == "timeout") return reaction_text(entry);
  if (kind == "message") return phrase("gets", entry.message);
  if (kind == "unhandled") return phrase("has no use for", entry.message);
  if (kind == "deferred") return phrase("keeps for later", entry.message);
  if (kind == "process") return "process " + phrase(entry.process, "goes on");
  if (kind == "output") return "sends its output";
  if (kind == "internal" || kind == "external" || kind == "confluent") return std::string(kind) + " transition";
  if (kind == "create") return "is made";
  if (kind == "delete") return "goes away";
  if (kind == "connect") return phrase("connects", entry.text);
  if (kind == "disconnect") return phrase("disconnects", entry.text);
  if (kind == "skipped") return phrase("sends in vain:", entry.text);
  if (kind == "require") return phrase("a requirement is violated:", entry.text);
  if (kind == "terminate") return phrase("ends the run:", entry.text);
  if (kind == "stop") return phrase("the run ends:", entry.text);
  return phrase(kind, entry.text);
}

std::string time_text(double time, std::string_view unit) { return "t = " + phrase(base::format_number(time), unit); }

}  // namespace hyla::service
