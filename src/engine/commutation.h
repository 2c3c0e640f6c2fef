// How ideal switches find the states that agree with each other, in one instant.
//
// Parts such as diodes change their states by conditions over quantities that depend on the states of all of them. At
// first all whose conditions hold change in one event step; mostly that leads to states that agree. If a combination
// comes back they change one by one from then on, always the first of them in the order of the model: the rule of the
// least index, by which complementary pivoting cannot go round (Murty 1974). If a combination comes back again and
// again even so, there is none that agrees.
//
// A combination of states can leave no solution: two diodes join two sources without a resistance. What is not
// determined then is the current through them. Whoever has a condition over it leaves its state, tentatively, those
// first that have not changed in this instant; if that leads back to the same combination the next one is tried.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/cluster.h"

namespace hyla::engine {

struct Cluster;
struct Run;

/// What has happened to a cluster in the present instant.
struct Commutation {
  /// A combination of states that was met, with what does not follow from it.
  struct Combination {
    std::vector<std::uint8_t> equations;  ///< active ones
    std::vector<double> values;           ///< of what is integrated or held
    std::uint64_t slots = 0;              ///< a mark of everything else that the objects remember
    int returns = 0;
  };
  struct Fired {
    ObjectRef object;
    Index watch = kNone;
  };
  std::vector<Combination> met;
  std::vector<Fired> fired;  ///< conditions, in their order
  bool one_by_one = false;
  std::uint32_t forced = kNone;  ///< a condition whose event was raised though it does not hold
  /// By active equations without a solution: conditions that were tried.
  std::map<std::vector<std::uint8_t>, std::vector<std::uint32_t>> tried;

  bool is_clear() const { return fired.empty() && tried.empty(); }
  void clear();
};

/// The event of a condition runs.
void note_fired(Run& run, Cluster& cluster, ObjectRef object, Index watch);
/// The values of the cluster agree with its equations. False: that has been so again and again, and the run is over.
bool note_combination(Run& run, Cluster& cluster);
/// Whether only the first condition that holds may raise its event.
bool is_one_by_one(const Cluster& cluster);

/// Whether the event of a condition is to happen though it does not hold; once.
bool take_forced(Cluster& cluster, std::uint32_t condition);

/// The active equations leave the variables open and cannot be solved: raises the event of a condition over one of
/// them. False: there is none that was not tried.
bool leave_combination(Run& run, Cluster& cluster, const std::vector<std::uint8_t>& equations,
                       const std::vector<std::uint32_t>& open);

/// "`Net.d1` and `Net.d2`": whose states were changed to leave combinations without a solution; empty: nobody's.
std::string names_of_tried(const Run& run, const Cluster& cluster);

}  // namespace hyla::engine
