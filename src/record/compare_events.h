// The events of two runs side by side: which of one run are which of the other.
//
// Two events are the same if they say the same of the same object: kind, states, reaction, message. Of each such thing
// the runs have a sequence of times, and these are paired in their order, so that neither another order of simultaneous
// events nor a time that has moved a little tears pairs apart. Numbers of events and of event steps do not count, nor
// do the lines of reactions without a label. Cost: about a microsecond an event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "record/events.h"

namespace hyla::record {

enum class EventDifferenceKind : std::uint8_t {
  OnlyInA,
  OnlyInB,
  Time,    ///< farther apart than the tolerance
  Data,    ///< the message has other values
  Ending,  ///< the runs end for other reasons, or at other times
};

struct EventDifference {
  EventDifferenceKind kind = EventDifferenceKind::OnlyInA;
  const LogEntry* a = nullptr;  ///< null if it is only in B
  const LogEntry* b = nullptr;
  double time = 0;  ///< when the runs part: the earlier one of their times
};

/// Points of time of both runs at which the same has happened. If events have changed their order these are two short
/// intervals.
struct Anchor {
  double a_begin = 0, a_end = 0;
  double b_begin = 0, b_end = 0;
};

struct EventTolerances {
  double time = 0;
  double absolute = 0, relative = 0;  ///< for numbers in messages
  double until = 0;                   ///< what comes later is not compared
};

struct ComparedEvents {
  std::size_t a_count = 0, b_count = 0;  ///< without the end of the run
  std::size_t paired = 0;
  std::size_t reordered = 0;                 ///< pairs that come in another order
  std::size_t at_end = 0;                    ///< only in one run, so near its end that the other may just miss them
  double largest_shift = 0;                  ///< of a pair, in time
  const LogEntry* most_shifted = nullptr;    ///< in A
  std::vector<EventDifference> differences;  ///< by time
  /// If the first difference is an event without partner: what the other run did next with that object; null: nothing.
  const LogEntry* instead = nullptr;
  std::vector<Anchor> anchors;  ///< by time: pairs within the tolerance
};

/// Entries in the result belong to `a` and `b`.
ComparedEvents compare_events(const Events& a, const Events& b, const EventTolerances& tolerances);

/// Whether two JSON texts are the same up to the tolerances of their numbers.
bool same_data(std::string_view a, std::string_view b, double absolute, double relative);

/// The object without the model that was run, which may have another name in the other run.
std::string_view object_in_model(std::string_view object, std::string_view model);

}  // namespace hyla::record
