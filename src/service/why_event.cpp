#include "service/why_event.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "service/event_text.h"
#include "service/summary.h"

namespace hyla::service {
namespace {

using record::Events;
using record::LogEntry;

std::string in_ticks(std::string_view text) { return '`' + std::string(text) + '`'; }

/// How an event came about, as a clause behind "because".
class Reason {
 public:
  Reason(const Events& events, const LogEntry& entry, const std::string& time_unit)
      : entry_(entry), cause_(entry.cause == 0 ? nullptr : events.find(entry.cause)), unit_(time_unit) {
    const auto has_passed = [](const LogEntry& one) { return one.kind != "start"; };
    const auto first = std::find_if(events.entries.begin(), events.entries.end(), has_passed);
    cause_is_start_ =
        cause_ == nullptr && (entry.cause == 0 || first == events.entries.end() || entry.cause < first->sequence);
  }

  std::string text() const {
    const std::string_view kind = entry_.kind;
    if (kind == "start") return "the run starts";
    if (kind == "stop") return entry_.text == "stop-time" ? "the stop time is reached" : std::string(entry_.text);
    if (kind == "message" || kind == "unhandled" || kind == "deferred") return message("it was sent");
    if (kind == "process") return "what the process waited for came with " + cause();
    if (kind == "internal" || kind == "output") return "its time to advance was over" + after("set by");
    if (kind == "external" || kind == "confluent") return "messages arrived, sent in " + cause();
    if (kind == "require") return "it does not hold any more" + after("since");
    if (!entry_.trigger.empty()) return of_trigger();
    return "an action of " + cause() + " does so";
  }

 private:
  std::string cause() const {
    if (cause_ != nullptr) return "event " + std::to_string(entry_.cause);
    if (cause_is_start_) return "the start of the run";
    return "event " + std::to_string(entry_.cause) + ", which the file does not tell";
  }
  std::string duration() const {
    if (cause_ == nullptr || !(entry_.time > cause_->time)) return "";
    return short_number(entry_.time - cause_->time) + (unit_.empty() ? "" : ' ' + unit_);
  }
  /// ", set by event 3", with the time between if there is one.
  std::string after(std::string_view how) const { return ", " + std::string(how) + ' ' + cause(); }
  std::string message(std::string_view otherwise) const {
    std::string text = entry_.message.empty() ? std::string(otherwise) : in_ticks(entry_.message) + " arrived";
    if (!entry_.data.empty()) text += " with " + std::string(entry_.data);
    if (!entry_.sender.empty()) return text + ", sent by " + std::string(entry_.sender) + " in " + cause();
    return text + ", sent in " + cause();
  }
  std::string guarded() const { return entry_.condition.empty() ? "" : " and " + in_ticks(entry_.condition) + " held"; }
  std::string of_condition() const {
    std::string text =
        entry_.condition.empty() ? "its condition came to hold" : in_ticks(entry_.condition) + " came to hold";
    if (!duration().empty()) return text + ", " + duration() + " after " + cause() + " changed what it reads";
    return text + (cause_ == nullptr ? "; no event has changed what it reads since " + cause()
                                     : " when " + cause() + " changed what it reads");
  }
  std::string of_trigger() const {
    const std::string_view trigger = entry_.trigger;
    if (trigger == "on") return message("a signal was raised") + guarded();
    if (trigger == "when") return of_condition();
    if (trigger == "done") return "all that its state holds had ended" + after("with") + guarded();
    if (trigger == "auto") return "it waits for nothing: the state was entered by " + cause() + guarded();
    const std::string length = duration();
    std::string text = length.empty() ? "its time had come" : length + " had passed since " + cause();
    if (trigger == "every")
      text = length.empty() ? "its period was over" : "its period of " + length + " was over, counted from " + cause();
    return text + guarded();
  }

  const LogEntry& entry_;
  const LogEntry* cause_;
  bool cause_is_start_ = false;
  const std::string& unit_;
};

/// `Room.lamp.Off->Lit`; of a reaction without target `Room.lamp.press`; empty for what is neither.
std::string path_of(const LogEntry& entry) {
  const std::string object = std::string(entry.object) + '.';
  if (entry.kind == "transition") return object + std::string(entry.from) + "->" + std::string(entry.to);
  return entry.reaction.empty() ? "" : object + std::string(entry.reaction);
}

/// Of a transition also by the label of its reaction.
bool entry_fits(std::string_view path, const LogEntry& entry) {
  const std::string name = path_of(entry);
  if (name.empty()) return false;
  if (path_fits(path, name)) return true;
  const bool has_label = !entry.reaction.empty() && entry.kind == "transition";
  return has_label && path_fits(path, std::string(entry.object) + '.' + std::string(entry.reaction));
}

/// At the front only whole names may be left out.
bool is_end_of(std::string_view end, std::string_view name) {
  return name.ends_with(end) && (name.size() == end.size() || name[name.size() - end.size() - 1] == '.');
}

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

/// The event that a request is about; null: there is none, and the failures say why.
const LogEntry* find_event(const WhyRequest& request, const Events& events, WhyReport& report) {
  if (request.event) {
    if (const LogEntry* entry = events.find(*request.event)) return entry;
    std::string message = "`" + request.path + "` has no event " + std::to_string(*request.event);
    if (events.entries.empty()) {
      message += ": it has none at all";
    } else {
      message += "; its events have numbers from " + std::to_string(events.entries.front().sequence) + " to " +
                 std::to_string(events.entries.back().sequence) + ", with gaps";
    }
    report.failures.push_back(message);
    return nullptr;
  }
  const LogEntry* found = nullptr;
  for (const LogEntry& entry : events.entries) {
    if (!entry_fits(request.transition, entry)) continue;
    report.matches.push_back(entry.sequence);
    found = &entry;
  }
  if (found != nullptr) return found;
  std::vector<std::string> names;
  for (const LogEntry& entry : events.entries) {
    if (std::string name = path_of(entry); !name.empty()) names.push_back(std::move(name));
  }
  report.failures.push_back(no_such_path(request.transition, names, "has fired in `" + request.path + "`") +
                            "\n`hyla why MODEL.hyla --not PATH` tells why one has not fired");
  return nullptr;
}

}  // namespace

bool path_fits(std::string_view path, std::string_view name) {
  const std::string wanted = without_blanks(path);
  const std::size_t wanted_arrow = wanted.find("->"), arrow = name.find("->");
  if ((wanted_arrow == std::string::npos) != (arrow == std::string_view::npos)) return false;
  if (arrow == std::string_view::npos) return is_end_of(wanted, name);
  return is_end_of(std::string_view(wanted).substr(0, wanted_arrow), name.substr(0, arrow)) &&
         is_end_of(std::string_view(wanted).substr(wanted_arrow + 2), name.substr(arrow + 2));
}

std::string no_such_path(std::string_view path, const std::vector<std::string>& names, std::string_view where) {
  std::vector<std::string_view> candidates;
  const std::size_t depth = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
  for (const std::string_view name : names) {
    // Outer names may be left out, so as many of the inner ones are compared as were given.
    const std::size_t end = std::min(name.find("->"), name.size());
    std::size_t begin = end;
    for (std::size_t dots = 0; begin > 0; --begin) {
      if (name[begin - 1] == '.' && dots++ == depth) break;
    }
    for (const std::string_view candidate : {name.substr(begin), name}) {
      if (std::find(candidates.begin(), candidates.end(), candidate) == candidates.end())
        candidates.push_back(candidate);
    }
  }
  std::string message = "no transition or reaction `" + std::string(path) + "` " + std::string(where);
  if (const auto near = base::nearest(path, candidates))
    return message + "; did you mean `" + std::string(*near) + "`?";
  std::vector<std::string_view> shown(names.begin(), names.end());
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown.empty() ? message + "; there are none" : message + "; there are " + base::quoted_list(shown);
}

WhyReport why_event(const WhyRequest& request, const FileSystem& files) {
  WhyReport report;
  base::Result<StoredRun> run = load_run(request.path, request.events_path, EventsWanted::Must, files);
  if (!run.ok()) {
    report.failures.push_back(run.message());
    return report;
  }
  report.run = std::move(run).value();
  const Events& events = *report.run->events;
  const LogEntry* entry = find_event(request, events, report);
  const std::string unit = report.run->time_unit();
  while (entry != nullptr) {
    if (report.chain.size() == request.depth) {
      report.is_cut = true;
      break;
    }
    report.chain.push_back({entry, Reason(events, *entry, unit).text()});
    const LogEntry* cause = entry->cause == 0 ? nullptr : events.find(entry->cause);
    entry = cause != nullptr && cause->sequence < entry->sequence ? cause : nullptr;
  }
  return report;
}

}  // namespace hyla::service
