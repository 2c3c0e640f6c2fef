#include "heap_use.h"

#include <algorithm>
#include <cstdlib>
#include <new>

#include <malloc.h>

namespace {

// Counted below, in the replaced operator new.
std::size_t heap_now = 0;
std::size_t heap_peak = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  heap_now += malloc_usable_size(memory);
  heap_peak = std::max(heap_peak, heap_now);
  return memory;
}

void operator delete(void* memory) noexcept {
  if (memory != nullptr) heap_now -= malloc_usable_size(memory);
  std::free(memory);
}

void operator delete(void* memory, std::size_t /*size*/) noexcept { operator delete(memory); }

namespace hyla::bench {

HeapUse heap_use(const std::function<void()>& work) {
  const std::size_t before = heap_now;
  heap_peak = heap_now;
  work();
  return {heap_peak - before, heap_now - before};
}

}  // namespace hyla::bench
