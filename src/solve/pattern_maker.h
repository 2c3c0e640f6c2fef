// The pattern of a sparse matrix from its entries, given in any order and more than once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/system.h"

namespace hyla::solve {

class PatternMaker {
 public:
  void add(std::uint32_t row, std::uint32_t column) { keys_.push_back(std::uint64_t{column} << 32 | row); }

  Pattern make(std::size_t size) {
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    Pattern pattern;
    pattern.size = size;
    pattern.starts.assign(size + 1, 0);
    for (const std::uint64_t key : keys_) {
      ++pattern.starts[(key >> 32) + 1];
      pattern.rows.push_back(static_cast<std::int32_t>(key & UINT32_MAX));
    }
    for (std::size_t i = 0; i < size; ++i) pattern.starts[i + 1] += pattern.starts[i];
    return pattern;
  }

 private:
  std::vector<std::uint64_t> keys_;
};

}  // namespace hyla::solve
