// Why reactions have not fired, for people and for programs.
#include <cmath>

#include "service/event_text.h"
#include "service/json_members.h"
#include "service/summary.h"
#include "service/why_not.h"

namespace hyla::service {
namespace {

const std::string kIndent = "  ";

std::string with_unit(double value, const std::string& unit) {
  return short_number(value) + (unit.empty() ? "" : ' ' + unit);
}

std::string conjunct_text(const ConjunctReport& one, const std::string& unit) {
  std::string text = kIndent + kIndent + (one.in_the_way ? "→ " : "  ") + '`' + one.text + '`';
  if (std::isnan(one.held)) return text + " could not be looked at\n";
  if (one.held >= 1) {
    text += " held all the time";
  } else if (one.held > 0) {
    text += " held for " + short_number(std::round(one.held * 1000) / 10) + " % of that time";
  } else {
    text += one.in_the_way ? " never held" : " held for a moment";
  }
  if (!std::isnan(one.time)) {
    text += one.in_the_way ? "; nearest at " : "; clearest at ";
    text += time_text(one.time, unit) + ": " + short_number(one.left) + " against " + short_number(one.right);
    if (one.in_the_way && one.distance > 0) text += ", " + short_number(one.distance) + " short";
  }
  return text + '\n';
}

std::string reaction_text(const ReactionReport& one, const WhyNotReport& report) {
  std::string text = one.path + (one.place.empty() ? "" : " (" + one.place + ')') + '\n';
  std::string trigger = one.trigger;
  if (!one.condition.empty()) trigger += (one.trigger == "when" ? " " : " … if ") + one.condition;
  text += kIndent + trigger + '\n' + kIndent + one.verdict + '\n';
  if (one.stays > 0 && !one.state.empty()) {
    text += kIndent + '`' + one.state + "` was active " + std::to_string(one.stays) +
            (one.stays == 1 ? " time" : " times") + ", for " + with_unit(one.time_active, report.time_unit) + " of " +
            with_unit(report.end_time - report.start_time, report.time_unit) + '\n';
  }
  if (one.stays > 0) {
    for (const ConjunctReport& conjunct : one.conjuncts) text += conjunct_text(conjunct, report.time_unit);
  }
  return text;
}

void append_conjunct(std::string& out, const ConjunctReport& one) {
  Members members(out);
  members.text("text", one.text).number("held", one.held).flag("in_the_way", one.in_the_way);
  members.number("time", one.time).number("left", one.left).number("right", one.right);
  members.number("distance", one.distance).end();
}

void append_reaction(std::string& out, const ReactionReport& one) {
  Members members(out);
  members.text("path", one.path).text("trigger", one.trigger).text("place", one.place).count("fired", one.fired);
  members.text("verdict", one.verdict).count("stays", one.stays).number("time_active", one.time_active);
  members.array("conjuncts", one.conjuncts, append_conjunct).end();
}

}  // namespace

std::string why_not_text(const WhyNotReport& report) {
  std::string text;
  for (std::size_t i = 0; i < report.reactions.size(); ++i) {
    if (i > 0) text += '\n';
    if (i == report.asked) text += "what leads there:\n\n";
    text += reaction_text(report.reactions[i], report);
  }
  return text;
}

std::string why_not_json(const WhyNotReport& report) {
  std::string out;
  Members members(out);
  members.texts("failures", report.failures).texts("notes", {});
  members.array("reactions", report.reactions, append_reaction).end();
  return out + '\n';
}

}  // namespace hyla::service
