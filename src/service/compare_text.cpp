// What a comparison of runs has found, for people.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "service/compare_files.h"
#include "service/event_text.h"
#include "service/summary.h"
#include "service/table.h"

namespace hyla::service {
namespace {

using record::ComparedVariable;
using record::Comparison;
using record::EventDifference;
using record::EventDifferenceKind;
using record::LogEntry;

constexpr std::size_t kMostVariables = 10;
constexpr std::size_t kMostNames = 6;
const std::string kIndent = "  ";

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return std::to_string(count) + ' ' + std::string(count == 1 ? one : many);
}

std::string with_unit(double value, const std::string& unit) {
  return short_number(value) + (unit.empty() ? "" : ' ' + unit);
}

/// All digits: two values may differ in the last ones.
std::string exact(double value) {
  if (record::is_absent(value)) return "none";
  if (std::isnan(value)) return "nan";
  return base::format_number(value);
}

class Text {
 public:
  explicit Text(const CompareReport& report)
      : report_(report), comparison_(*report.comparison), unit_(report.a->time_unit()) {
    if (unit_.empty()) unit_ = report.b->time_unit();
  }

  std::string all() const {
    const std::string names = report_.a->path + " and " + report_.b->path;
    std::string text = comparison_.alike() ? names + " are alike\n" : names + " differ\n";
    const EventDifference* event = comparison_.first_event();
    const ComparedVariable* variable = comparison_.first_variable();
    const bool value_is_first = event != nullptr && variable != nullptr && variable->first->time < event->time;
    if (value_is_first) text += '\n' + first_value(*variable);
    if (event != nullptr) text += '\n' + first_event(*event);
    if (variable != nullptr && !value_is_first) text += '\n' + first_value(*variable);
    if (comparison_.ends_apart) text += '\n' + ends();
    text += '\n' + figures() + table();
    for (const std::string& note : report_.notes) text += "note: " + note + '\n';
    return text;
  }

 private:
  std::string at(double time) const { return time_text(time, unit_); }

  std::string line(std::string_view run, const LogEntry& entry) const {
    return kIndent + std::string(run) + "  event " + std::to_string(entry.sequence) + " at " + at(entry.time) + ", " +
           std::string(entry.object) + ": " + event_text(entry) + '\n';
  }
  std::string instead(std::string_view run, std::string_view object) const {
    if (comparison_.events.instead != nullptr) {
      return kIndent + std::string(run) + "  not; what " + std::string(object) + " does next is\n   " +
             line("", *comparison_.events.instead);
    }
    return kIndent + std::string(run) + "  not, and nothing more with " + std::string(object) + '\n';
  }
  std::string data_lines(const EventDifference& first) const {
    return line("A", *first.a) + kIndent + "   with " + std::string(first.a->data) + '\n' + line("B", *first.b) +
           kIndent + "   with " + std::string(first.b->data) + '\n';
  }

  std::string first_event(const EventDifference& first) const {
    std::string text = "the events part at " + at(first.time) + '\n';
    switch (first.kind) {
      case EventDifferenceKind::OnlyInA:
        return text + line("A", *first.a) + instead("B", first.a->object);
      case EventDifferenceKind::OnlyInB:
        return text + instead("A", first.b->object) + line("B", *first.b);
      case EventDifferenceKind::Time: {
        const double shift = first.b->time - first.a->time;
        return text + line("A", *first.a) + line("B", *first.b) + kIndent + "   the same, " +
               with_unit(std::abs(shift), unit_) + (shift > 0 ? " later" : " earlier") + "; the time tolerance is " +
               with_unit(comparison_.time_tolerance, unit_) + '\n';
      }
      case EventDifferenceKind::Data:
        return text + data_lines(first);
      case EventDifferenceKind::Ending:
        return text + line("A", *first.a) + line("B", *first.b);
    }
    return text;
  }

  std::string ends() const {
    return "the runs end at different times\n  A  " + at(comparison_.a_end) + "\n  B  " + at(comparison_.b_end) + '\n';
  }

  std::string first_value(const ComparedVariable& variable) const {
    const record::Deviation& first = *variable.first;
    std::string text = "the values part at " + at(first.time) + ": " + variable.name + '\n';
    const std::string unit = variable.unit.empty() ? "" : ' ' + variable.unit;
    text += kIndent + "A  " + exact(first.a) + unit + "\n" + kIndent + "B  " + exact(first.b) + unit + '\n';
    if (std::isinf(first.distance)) return text;
    text += kIndent + "   " + with_unit(first.distance, variable.unit) + " apart; ";
    if (variable.is_whole) return text + "whole numbers must be the same\n";
    return text + "the tube is " + with_unit(variable.width, variable.unit) + " wide on either side\n";
  }

  std::string figures() const {
    std::vector<std::vector<std::string>> rows;
    if (comparison_.has_events) rows.push_back({"events", events()});
    if (comparison_.has_values) rows.push_back({"variables", variables()});
    const auto only = [&](std::string_view run, const std::vector<std::string>& names) {
      if (names.empty()) return;
      rows.push_back({"only in " + std::string(run),
                      base::quoted_list(std::vector<std::string_view>(names.begin(), names.end()), kMostNames)});
    };
    only("A", comparison_.values.only_in_a);
    only("B", comparison_.values.only_in_b);
    return aligned(rows, 2, "");
  }
  std::string events() const {
    const record::ComparedEvents& events = comparison_.events;
    std::string text = std::to_string(events.a_count) + " in A, " + std::to_string(events.b_count) + " in B, " +
                       std::to_string(events.paired) + " in both";
    if (events.reordered > 0) text += ", " + std::to_string(events.reordered) + " of them in another order";
    if (events.at_end > 0) text += ", " + std::to_string(events.at_end) + " at the very end of one";
    if (events.paired > 0) text += "; at most " + with_unit(events.largest_shift, unit_) + " apart";
    text += " (tolerance " + with_unit(comparison_.time_tolerance, unit_) + ')';
    const std::size_t differences = events.differences.size();
    return differences == 0 ? text : text + "; " + counted(differences, "difference", "differences");
  }
  std::string variables() const {
    const std::size_t apart = comparison_.variables_apart();
    const record::ComparedValues& values = comparison_.values;
    return counted(values.variables.size(), "variable", "variables") + " at " +
           counted(values.points, "time", "times") + ", " +
           (apart == 0 ? "all in their tubes"
                       : std::to_string(apart) + " out of " + (apart == 1 ? "its tube" : "their tubes"));
  }

  /// The variables that are farthest apart, in widths of their tubes.
  std::string table() const {
    std::vector<const ComparedVariable*> order;
    for (const ComparedVariable& variable : comparison_.values.variables) {
      if (variable.largest.distance > 0) order.push_back(&variable);
    }
    if (order.empty()) return "";
    std::stable_sort(order.begin(), order.end(), [](const ComparedVariable* one, const ComparedVariable* other) {
      return one->excess() > other->excess();
    });
    const std::string time = unit_.empty() ? "time" : "time [" + unit_ + ']';
    std::vector<std::vector<std::string>> rows = {
        {"largest deviations", time, "A", "B", "apart", "tube", "apart/tube"}};
    for (std::size_t i = 0; i < std::min(kMostVariables, order.size()); ++i) rows.push_back(row(*order[i]));
    std::string text = '\n' + aligned(rows, 1, "");
    if (order.size() > kMostVariables) {
      text += "… and " + std::to_string(order.size() - kMostVariables) + " more that are not equal\n";
    }
    return text;
  }
  static std::vector<std::string> row(const ComparedVariable& variable) {
    const record::Deviation& largest = variable.largest;
    const std::string unit = variable.unit.empty() ? "" : " [" + variable.unit + ']';
    const double excess = variable.excess();
    const std::string part = std::isinf(excess) ? "outside" : short_number(std::ceil(excess * 1000) / 1000);
    const auto value = [](double number) { return record::is_absent(number) ? "none" : short_number(number); };
    return {variable.name + unit,
            short_number(largest.time),
            value(largest.a),
            value(largest.b),
            std::isinf(largest.distance) ? "-" : short_number(largest.distance),
            variable.is_whole ? "whole" : short_number(variable.width),
            part};
  }

  const CompareReport& report_;
  const Comparison& comparison_;
  std::string unit_;
};

}  // namespace

std::string compare_text(const CompareReport& report) {
  if (!report.comparison) return "";
  return Text(report).all();
}

}  // namespace hyla::service
