#include "record/compare_events.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace hyla::record {
namespace {

/// The times at which the same happened in both runs: places of the entries.
struct Sequences {
  std::vector<std::size_t> a, b;
};
using Kinds = std::unordered_map<std::string, Sequences>;

/// A reaction without a label is named by its line, which changes when something else in the file is edited.
std::string_view without_line(std::string_view reaction) { return reaction.substr(0, reaction.find('@')); }

void append_identity(std::string& text, const Events& events, const LogEntry& entry) {
  for (const std::string_view part :
       {entry.kind, object_in_model(entry.object, events.model), entry.chart, entry.from, entry.to,
        without_line(entry.reaction), entry.message, entry.process, entry.trigger, entry.text}) {
    (text += part) += '\n';
  }
}

bool is_end(const LogEntry& entry) { return entry.kind == "stop"; }

template <class Member>
std::size_t sort_in(const Events& events, double reach, Member member, Kinds& kinds) {
  std::string identity;
  std::size_t count = 0;
  for (std::size_t i = 0; i < events.entries.size(); ++i) {
    const LogEntry& entry = events.entries[i];
    if (is_end(entry) || entry.time > reach) continue;
    identity.clear();
    append_identity(identity, events, entry);
    (kinds[identity].*member).push_back(i);
    ++count;
  }
  return count;
}

class Alignment {
 public:
  Alignment(const Events& a, const Events& b, const EventTolerances& tolerances)
      : a_(a), b_(b), tolerances_(tolerances), until_(tolerances.until) {
    Kinds kinds;
    for (const Events* events : {&a, &b}) {
      if (!events->entries.empty()) until_ = std::min(until_, events->entries.back().time);
    }
    const double reach = until_ + tolerances.time;  // the partner of the last event may come a little later
    result_.a_count = sort_in(a, reach, &Sequences::a, kinds);
    result_.b_count = sort_in(b, reach, &Sequences::b, kinds);
    for (const auto& [identity, sequences] : kinds) pair(sequences);
    std::sort(pairs_.begin(), pairs_.end());
    judge_pairs();
    compare_endings();
    std::stable_sort(result_.differences.begin(), result_.differences.end(),
                     [](const EventDifference& one, const EventDifference& other) { return one.time < other.time; });
    if (!result_.differences.empty()) result_.instead = find_instead(result_.differences.front());
  }

  ComparedEvents take() && { return std::move(result_); }

 private:
  double distance(std::size_t a, std::size_t b) const { return std::abs(a_.entries[a].time - b_.entries[b].time); }

  /// Pairs what is near or in turn; an event whose successor fits better has no partner.
  void pair(const Sequences& both) {
    std::size_t i = 0, j = 0;
    while (i < both.a.size() && j < both.b.size()) {
      const double apart = distance(both.a[i], both.b[j]);
      if (!(apart <= tolerances_.time)) {
        if (i + 1 < both.a.size() && distance(both.a[i + 1], both.b[j]) < apart) {
          only_in_a(both.a[i++]);
          continue;
        }
        if (j + 1 < both.b.size() && distance(both.a[i], both.b[j + 1]) < apart) {
          only_in_b(both.b[j++]);
          continue;
        }
      }
      pairs_.push_back({both.a[i++], both.b[j++]});
    }
    while (i < both.a.size()) only_in_a(both.a[i++]);
    while (j < both.b.size()) only_in_b(both.b[j++]);
  }

  void only_in_a(std::size_t place) { only({EventDifferenceKind::OnlyInA, &a_.entries[place], nullptr}); }
  void only_in_b(std::size_t place) { only({EventDifferenceKind::OnlyInB, nullptr, &b_.entries[place]}); }
  /// Within the tolerance of the end the partner may lie behind it.
  void only(EventDifference difference) {
    difference.time = (difference.a == nullptr ? difference.b : difference.a)->time;
    if (difference.time <= until_ - tolerances_.time) {
      result_.differences.push_back(difference);
    } else if (difference.time <= until_) {
      ++result_.at_end;
    }
  }

  void judge_pairs() {
    std::size_t farthest = 0;
    result_.paired = pairs_.size();
    for (const auto& [i, j] : pairs_) {
      const LogEntry& a = a_.entries[i];
      const LogEntry& b = b_.entries[j];
      const double shift = std::abs(a.time - b.time);
      if (j < farthest) ++result_.reordered;
      farthest = std::max(farthest, j);
      if (shift > result_.largest_shift) {
        result_.largest_shift = shift;
        result_.most_shifted = &a;
      }
      const double time = std::min(a.time, b.time);
      if (!(shift <= tolerances_.time)) {
        result_.differences.push_back({EventDifferenceKind::Time, &a, &b, time});
      } else if (!same_data(a.data, b.data, tolerances_.absolute, tolerances_.relative)) {
        result_.differences.push_back({EventDifferenceKind::Data, &a, &b, time});
      }
      if (shift <= tolerances_.time) add_anchor(a.time, b.time);
    }
  }

  /// Times come in the order of A. A time of B that is not later than the one before makes one anchor of both.
  void add_anchor(double a, double b) {
    std::vector<Anchor>& anchors = result_.anchors;
    Anchor fresh = {a, a, b, b};
    while (!anchors.empty() && (fresh.a_begin <= anchors.back().a_end || fresh.b_begin <= anchors.back().b_end)) {
      const Anchor& last = anchors.back();
      fresh = {std::min(last.a_begin, fresh.a_begin), std::max(last.a_end, fresh.a_end),
               std::min(last.b_begin, fresh.b_begin), std::max(last.b_end, fresh.b_end)};
      anchors.pop_back();
    }
    anchors.push_back(fresh);
  }

  void compare_endings() {
    if (!a_.is_complete || !b_.is_complete) return;
    const LogEntry& a = a_.entries.back();
    const LogEntry& b = b_.entries.back();
    const double time = std::min(a.time, b.time);
    if (time >= tolerances_.until) return;
    if (a.text == b.text && std::abs(a.time - b.time) <= tolerances_.time) return;
    result_.differences.push_back({EventDifferenceKind::Ending, &a, &b, time});
  }

  const LogEntry* find_instead(const EventDifference& difference) const {
    if (difference.a != nullptr && difference.b != nullptr) return nullptr;
    const bool is_in_a = difference.a != nullptr;
    const Events& own = is_in_a ? a_ : b_;
    const Events& other = is_in_a ? b_ : a_;
    const LogEntry* entry = is_in_a ? difference.a : difference.b;
    const std::string_view object = object_in_model(entry->object, own.model);
    std::size_t next = 0;
    for (const auto& [i, j] : pairs_) {
      const LogEntry& one = own.entries[is_in_a ? i : j];
      if (one.sequence >= entry->sequence || object_in_model(one.object, own.model) != object) continue;
      next = std::max(next, (is_in_a ? j : i) + 1);
    }
    for (; next < other.entries.size(); ++next) {
      const LogEntry& one = other.entries[next];
      if (!is_end(one) && object_in_model(one.object, other.model) == object) return &one;
    }
    return nullptr;
  }

  const Events& a_;
  const Events& b_;
  const EventTolerances& tolerances_;
  double until_;  ///< also the end of the shorter run
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
  ComparedEvents result_;
};

bool begins_number(char sign) { return sign == '-' || (sign >= '0' && sign <= '9'); }

/// Takes a number from the front.
bool take_number(std::string_view& text, double& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc();
}

}  // namespace

bool same_data(std::string_view a, std::string_view b, double absolute, double relative) {
  if (a == b) return true;
  bool in_text = false;
  while (!a.empty() && !b.empty()) {
    if (!in_text && begins_number(a.front()) && begins_number(b.front())) {
      double one = 0, other = 0;
      if (!take_number(a, one) || !take_number(b, other)) return false;
      if (!(std::abs(one - other) <= absolute + relative * std::max(std::abs(one), std::abs(other)))) return false;
      continue;
    }
    if (a.front() != b.front()) return false;
    if (in_text && a.front() == '\\' && a.size() > 1 && b.size() > 1) {
      if (a[1] != b[1]) return false;
      a.remove_prefix(1);
      b.remove_prefix(1);
    } else if (a.front() == '"') {
      in_text = !in_text;
    }
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  return a.empty() && b.empty();
}

std::string_view object_in_model(std::string_view object, std::string_view model) {
  if (!object.starts_with(model)) return object;
  if (object.size() == model.size()) return {};
  return object[model.size()] == '.' ? object.substr(model.size() + 1) : object;
}

ComparedEvents compare_events(const Events& a, const Events& b, const EventTolerances& tolerances) {
  return Alignment(a, b, tolerances).take();
}

}  // namespace hyla::record
