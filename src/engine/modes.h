// The values of relations: decided at events, held in between.
//
// Outside a band of rounding and location error a relation is decided by its value. Inside, when its equations have
// just changed or it has just become active, by the first of its time derivatives that is clearly not zero; otherwise
// it stays as it was. A relation over quantities that do not vary is exact.
#pragma once

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

inline constexpr int kHighestRate = 3;  ///< derivative of a relation that is looked at

/// The function of a search that one of its relations uses, and whether it is its negative.
std::pair<std::size_t, bool> function_of(const GuardPlan::Search& search, std::size_t relation);
/// Taylor coefficients of a relation along the solution from the present point; false if they cannot be had.
bool expand_guard(const Cluster& cluster, Island& island, const GuardPlan::Search& search, std::size_t relation,
                  double (&coefficients)[kHighestRate + 1]);

/// The value of a mode as its function says.
double by_value(ModeKind kind, double g);
/// From the relations as computed. True: the mode of an equation has changed, so that values must be computed again.
bool decide_modes(Run& run, Cluster& cluster);

/// Crossings of the island's step up to a time take effect on their modes, unless its next event is due.
void pass_crossings(Island& island, double time);
/// The value that a mode takes at a crossing; `g` there.
double mode_after(ModeKind kind, double value, const solve::Crossing& crossing, double g);
/// Whether it has that value only at the instant of the crossing.
bool is_momentary(ModeKind kind, const solve::Crossing& crossing);

/// A relation was located no better than this; so were others that have the same value or its opposite.
void widen_bands(Cluster& cluster, const GuardPlan::Guard& located, double band);

/// What has its zeros where the mode changes: g itself, or for roundings the distance to the next whole numbers.
double switching(ModeKind kind, double value, double g);

}  // namespace hyla::engine
