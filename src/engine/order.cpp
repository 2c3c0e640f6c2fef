// Where nothing else decides, the order of scheduling does, so that messages to one object keep the order in which they
// were sent. A step of one event, by far
// the most frequent, costs nothing; one that is in order already costs one pass.
//
// `select` permutes only the events of the parts that it names, among the places that they hold: the inner models
// first, then those around them.
#include "engine/order.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "random/stream.h"

namespace hyla::engine {
namespace {

constexpr std::uint64_t kPlaceBits = 18, kObjectBits = 32, kRankBits = 2;

std::uint64_t key_of(const Run& run, const Event& event) {
  const std::uint64_t place = std::min<std::uint64_t>(event.place, (1U << kPlaceBits) - 1);
  const std::uint64_t order = run.world.objects[event.object.index].order;
  return (((std::uint64_t{event.priority_rank} << kRankBits | static_cast<std::uint64_t>(event.rank)) << kObjectBits |
           order)
          << kPlaceBits) |
         place;
}

bool precedes(const AgendaEntry& a, const AgendaEntry& b) {
  return a.key != b.key ? a.key < b.key : scheduled_before(a, b);
}

// --- drawn order ----------------------------------------------------------------------------------

/// Messages from one object to another stay in the order in which they were sent: their order is no accident.
void restore_channels(const Run& run, std::vector<AgendaEntry>& entries, const std::vector<AgendaEntry>& before) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> channels;  // (sender, receiver), place
  const auto channel_of = [&](const AgendaEntry& entry) {
    const Event& event = run.events[entry.event];
    return std::uint64_t{event.sender.index} << 32 | event.object.index;
  };
  const auto is_message = [&](const AgendaEntry& entry) {
    return run.events[entry.event].rank == Rank::Message && run.events[entry.event].sender;
  };
  for (std::uint32_t place = 0; place < entries.size(); ++place) {
    if (is_message(entries[place])) channels.emplace_back(channel_of(entries[place]), place);
  }
  std::sort(channels.begin(), channels.end());
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sent;
  for (std::uint32_t place = 0; place < before.size(); ++place) {
    if (is_message(before[place])) sent.emplace_back(channel_of(before[place]), place);
  }
  std::sort(sent.begin(), sent.end());
  for (std::size_t i = 0; i < channels.size(); ++i) entries[channels[i].second] = before[sent[i].second];
}

void shuffle(Run& run, std::vector<AgendaEntry>& entries) {
  std::sort(entries.begin(), entries.end(), scheduled_before);
  const std::vector<AgendaEntry> before = entries;
  for (std::size_t left = entries.size(); left > 1; --left) {
    const auto pick = static_cast<std::size_t>(run.order_stream.next() * static_cast<double>(left));
    std::swap(entries[left - 1], entries[std::min(pick, left - 1)]);
  }
  restore_channels(run, entries, before);
}

// --- select ---------------------------------------------------------------------------------------

/// The part of `container` in which the object lies; none if it lies outside.
ObjectRef part_around(const Run& run, ObjectRef container, ObjectRef object) {
  while (object) {
    const ObjectRef parent = run.world.objects[object.index].parent;
    if (parent == container) return object;
    object = parent;
  }
  return {};
}

struct Candidate {
  std::size_t place = 0;  ///< in the step
  ObjectRef part;
  std::size_t rank = 0;
};

/// `select [a, b, c];`: first named first, then the others.
void order_by_list(const Selection& selection, std::vector<Candidate>& candidates) {
  for (Candidate& candidate : candidates) {
    const auto found = std::find(selection.order.begin(), selection.order.end(), candidate.part);
    candidate.rank = static_cast<std::size_t>(found - selection.order.begin());
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.rank < b.rank; });
}

/// `select(imminent) { … }`: asks which part comes next until one is left.
void order_by_function(Run& run, const Selection& selection, std::vector<Candidate>& candidates) {
  Object& object = run.object(selection.container);
  std::vector<Candidate> rest = std::move(candidates);
  candidates.clear();
  while (!rest.empty()) {
    std::vector<ObjectRef> parts;
    for (const Candidate& candidate : rest) {
      if (std::find(parts.begin(), parts.end(), candidate.part) == parts.end()) parts.push_back(candidate.part);
    }
    ObjectRef chosen = parts.front();
    if (parts.size() > 1) {
      const std::int64_t dimensions[] = {static_cast<std::int64_t>(parts.size())};
      Box* imminent = run.world.heap.new_array(dimensions, false);
      for (std::size_t i = 0; i < parts.size(); ++i) imminent->slots()[i] = Slot(parts[i]);
      const Slot inputs[] = {Slot(imminent)};
      Slot result;
      const bool good = execute(run, object, selection.function, inputs, &result);
      run.world.heap.release(imminent);
      if (!good) return;
      if (std::find(parts.begin(), parts.end(), result.object) == parts.end()) {
        fail(run, diag::Kind::RunFailed, object, selection.span, "`select` has returned something that is not imminent",
             "return one of the objects in the list");
        return;
      }
      chosen = result.object;
    }
    const auto others = std::stable_partition(rest.begin(), rest.end(),
                                              [&](const Candidate& candidate) { return candidate.part == chosen; });
    candidates.insert(candidates.end(), rest.begin(), others);
    rest.erase(rest.begin(), others);
  }
}

void apply_selection(Run& run, const Selection& selection, std::vector<AgendaEntry>& entries) {
  std::vector<Candidate> candidates;
  for (std::size_t place = 0; place < entries.size(); ++place) {
    const ObjectRef part = part_around(run, selection.container, run.events[entries[place].event].object);
    if (part) candidates.push_back({place, part, 0});
  }
  if (candidates.size() < 2) return;
  std::vector<std::size_t> places;
  std::vector<Candidate> ordered = candidates;
  if (selection.function != nullptr) {
    order_by_function(run, selection, ordered);
    if (run.over) return;
  } else {
    order_by_list(selection, ordered);
  }
  const std::vector<AgendaEntry> before = entries;
  for (std::size_t i = 0; i < candidates.size(); ++i) entries[candidates[i].place] = before[ordered[i].place];
}

}  // namespace

void put_in_order(Run& run, std::vector<AgendaEntry>& entries) {
  if (entries.size() < 2) return;
  const auto begins = [&](const AgendaEntry& entry) { return run.events[entry.event].kind == EventKind::Begin; };
  if (std::any_of(entries.begin(), entries.end(), begins)) {
    // New objects begin first, in the order in which they were made.
    std::vector<AgendaEntry> others;
    std::copy_if(entries.begin(), entries.end(), std::back_inserter(others), std::not_fn(begins));
    std::erase_if(entries, std::not_fn(begins));
    std::sort(entries.begin(), entries.end(), scheduled_before);
    put_in_order(run, others);
    entries.insert(entries.end(), others.begin(), others.end());
    return;
  }
  if (run.options.random_order) {
    shuffle(run, entries);
  } else {
    for (AgendaEntry& entry : entries) entry.key = key_of(run, run.events[entry.event]);
    if (!std::is_sorted(entries.begin(), entries.end(), precedes)) {
      std::sort(entries.begin(), entries.end(), precedes);
    }
  }
  for (const Selection& selection : run.world.selections) apply_selection(run, selection, entries);
}

}  // namespace hyla::engine
