// Relations behind loops cannot be written out as functions of the states. How exactly they are known, and where they
// go, is found by trying: the island is evaluated for slightly different values, and a little later.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/context.h"
#include "engine/island.h"

namespace hyla::engine {

/// Time in which the island moves noticeably: the length of its last step, or of the last one of its cluster.
double time_scale_of(const Run& run, const Island& island);

/// Puts the sizes of what the island's relations consist of in place, as the code of the guard plan does for relations
/// that can be written out: their rounding errors are in proportion to it.
void estimate_sizes(const Run& run, Island& island);

/// The relations of an island a little later, with all modes as they are now.
class LookAhead {
 public:
  LookAhead(const Run& run, Island& island);

  /// The sign of a relation, by its number in the search, as soon as it is beyond `band`; 0 if it does not get there.
  int direction(std::size_t relation, double band) const;
  /// The sign of a relation in no more than a hundred-thousandth of the time scale; 0 if it is not known.
  int sign_soon(std::size_t relation) const;

 private:
  bool advance(double time, double span);

  Island& island_;
  std::vector<std::vector<double>> later_;  ///< by distance, by relation
  std::vector<double> start_, state_, rates_[4];
};

}  // namespace hyla::engine
