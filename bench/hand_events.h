// Discrete-event programs as one writes them by hand in C++: what the engine is measured against.
//
// Each does the same work as one of the models: the same random variates by logarithm, the same figures. None of them
// can do anything else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyla::bench {

/// M/M/1 with arrival rate 0.9 and service rate 1 on a calendar that takes any event: a priority queue of
/// std::function. The mean time in the system of so many customers.
double mm1_calendar(std::uint64_t customers);

/// The same with one variable for the next arrival and one for the next departure: no calendar at all.
double mm1_two_clocks(std::uint64_t customers);

/// PHOLD on a binary or four-ary heap of times and process numbers; the time of the last event.
double phold_binary(std::uint32_t processes, std::uint64_t events);
double phold_four_ary(std::uint32_t processes, std::uint64_t events);

/// Atomic models as numbers: who receives what each of them sends, and who receives what comes from outside.
struct StoneGraph {
  std::vector<std::vector<std::uint32_t>> receivers;
  std::vector<std::uint32_t> fed;
};

enum class StoneKind { LI, HI, HO, HOmod };

/// The DEVStone model of so many levels, flattened.
StoneGraph flat_devstone(StoneKind kind, std::size_t width, std::size_t depth);

/// Internal and external transitions together that one message from outside causes; a confluent one counts as two.
std::uint64_t run_devstone(const StoneGraph& graph);

/// The same number in closed form.
std::uint64_t devstone_transitions(StoneKind kind, std::uint64_t width, std::uint64_t depth);

}  // namespace hyla::bench
