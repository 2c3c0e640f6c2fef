// The messages of a mailbox in the order of taking: a ring that grows by doubling. At both ends an operation costs a
// few instructions; in the middle, where only selections and priorities reach, it moves what lies behind.
#pragma once

#include <cstddef>
#include <vector>

#include "code/heap.h"

namespace hyla::engine {

class MessageQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  code::Box* operator[](std::size_t place) const { return ring_[(first_ + place) & (ring_.size() - 1)]; }

  void push_back(code::Box* message) {
    if (size_ == ring_.size()) grow();
    at(size_++) = message;
  }
  void insert(std::size_t place, code::Box* message) {
    push_back(message);
    for (std::size_t i = size_ - 1; i > place; --i) at(i) = at(i - 1);
    at(place) = message;
  }
  code::Box* take(std::size_t place) {
    code::Box* message = at(place);
    if (place == 0) {
      first_ = (first_ + 1) & (ring_.size() - 1);
    } else {
      for (std::size_t i = place; i + 1 < size_; ++i) at(i) = at(i + 1);
    }
    --size_;
    return message;
  }

 private:
  code::Box*& at(std::size_t place) { return ring_[(first_ + place) & (ring_.size() - 1)]; }
  [[gnu::noinline]] void grow() {
    std::vector<code::Box*> wider(ring_.empty() ? 4 : 2 * ring_.size());
    for (std::size_t i = 0; i < size_; ++i) wider[i] = at(i);
    ring_ = std::move(wider);
    first_ = 0;
  }

  std::vector<code::Box*> ring_;  ///< its size is a power of two
  std::size_t first_ = 0, size_ = 0;
};

}  // namespace hyla::engine
