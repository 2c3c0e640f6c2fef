// Which equations say nothing that others do not say, though each could be matched with an unknown of its own.
//
// A matching asks where entries are, not what they are: u - v = a and u - v = b can be matched with u and v, but do not
// determine them. Here the entries are numbers. Those that stand for something that can have any value (parameters,
// partial derivatives) are given at random, see residue.h, so what is found holds for all their values.
#pragma once

#include <cstdint>
#include <vector>

#include "structure/residue.h"

namespace hyla::structure {

/// A matrix by rows.
struct ResidueMatrix {
  struct Entry {
    std::uint32_t column = 0;
    Residue value;
  };
  std::size_t columns = 0;
  std::vector<std::vector<Entry>> rows;  ///< a column once
};

/// A row that is a sum of multiples of others, which do not depend on each other.
struct Dependency {
  std::uint32_t row = 0;
  std::vector<std::uint32_t> others;  ///< ascending
};

/// All of them, by ascending row. Gauss's elimination, with pivots in short rows and columns so that little fills up.
std::vector<Dependency> dependencies(ResidueMatrix matrix);

}  // namespace hyla::structure
