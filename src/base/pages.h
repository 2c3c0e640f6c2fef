// A list that grows at its end and whose elements stay where they are: pages of a fixed number of elements.
//
// Reaching an element costs one more load than in a vector. References stay good while the list grows.
#pragma once

#include <cstddef>
#include <iterator>
#include <memory>
#include <vector>

namespace hyla::base {

template <class T, std::size_t kPageBits = 8>
class Pages {
 public:
  T& operator[](std::size_t index) { return pages_[index >> kPageBits][index & kMask]; }
  const T& operator[](std::size_t index) const { return pages_[index >> kPageBits][index & kMask]; }
  T& front() { return (*this)[0]; }
  const T& front() const { return (*this)[0]; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  T& emplace_back() {
    if (size_ == pages_.size() << kPageBits) pages_.push_back(std::make_unique<T[]>(kMask + 1));
    return (*this)[size_++];
  }

  template <class List, class Element>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = Element*;
    using reference = Element&;

    Iterator() = default;
    Iterator(List& list, std::size_t index) : list_(&list), index_(index) {}
    Element& operator*() const { return (*list_)[index_]; }
    Element* operator->() const { return &(*list_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator before = *this;
      ++index_;
      return before;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    List* list_ = nullptr;
    std::size_t index_ = 0;
  };
  auto begin() { return Iterator<Pages, T>(*this, 0); }
  auto end() { return Iterator<Pages, T>(*this, size_); }
  auto begin() const { return Iterator<const Pages, const T>(*this, 0); }
  auto end() const { return Iterator<const Pages, const T>(*this, size_); }

 private:
  static constexpr std::size_t kMask = (std::size_t{1} << kPageBits) - 1;
  std::vector<std::unique_ptr<T[]>> pages_;
  std::size_t size_ = 0;
};

}  // namespace hyla::base
