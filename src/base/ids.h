// Typed four-byte ids and the stores they index: the project's replacement for pointers between records.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace hyla::base {

/// An index into the store of one kind of record. A default-constructed id is "none".
template <class Tag>
struct Id {
  static constexpr std::uint32_t kNone = UINT32_MAX;
  std::uint32_t index = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t i) : index(static_cast<std::uint32_t>(i)) {}
  constexpr explicit operator bool() const { return index != kNone; }
  friend constexpr bool operator==(Id, Id) = default;
  friend constexpr auto operator<=>(Id, Id) = default;
};

/// A growing sequence of records, addressed by their typed id. Ids stay valid; references do not survive add().
template <class IdType, class Record>
class Store {
 public:
  IdType add(Record record) {
    records_.push_back(std::move(record));
    return IdType(records_.size() - 1);
  }
  const Record& operator[](IdType id) const {
    HYLA_CHECK(id.index < records_.size(), "id outside its store");
    return records_[id.index];
  }
  Record& operator[](IdType id) {
    HYLA_CHECK(id.index < records_.size(), "id outside its store");
    return records_[id.index];
  }
  std::size_t size() const { return records_.size(); }
  bool contains(IdType id) const { return id.index < records_.size(); }
  IdType id_at(std::size_t index) const { return IdType(index); }
  auto begin() const { return records_.begin(); }
  auto end() const { return records_.end(); }
  auto begin() { return records_.begin(); }
  auto end() { return records_.end(); }
  std::size_t memory() const { return records_.capacity() * sizeof(Record); }

 private:
  std::vector<Record> records_;
};

}  // namespace hyla::base

template <class Tag>
struct std::hash<hyla::base::Id<Tag>> {
  std::size_t operator()(hyla::base::Id<Tag> id) const noexcept { return id.index; }
};
