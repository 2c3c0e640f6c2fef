// Memory, counted by the allocations themselves.
//
// A program that links this replaces operator new, which costs time: programs that measure times of code that allocates
// do without it.
#pragma once

#include <cstddef>
#include <functional>

namespace hyla::bench {

/// What `work` takes from the heap: at its peak, and what it still holds when it returns.
struct HeapUse {
  std::size_t peak = 0;
  std::size_t kept = 0;
};
HeapUse heap_use(const std::function<void()>& work);

}  // namespace hyla::bench
