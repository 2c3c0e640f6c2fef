// Values at run time: one untagged word each. The checked model knows every type, so the word need not say it.
#pragma once

#include <cstdint>

namespace hyla::code {

struct Box;

/// A reference to an object that may have gone since: the generation tells. A default-constructed one is `none`.
struct ObjectRef {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;  ///< 0 only for none
  explicit operator bool() const { return generation != 0; }
  friend bool operator==(ObjectRef, ObjectRef) = default;
};

/// | type | member |
/// | --- | --- |
/// | Real | real |
/// | Integer, Boolean (0 or 1), enumeration (place from 0) | integer |
/// | String, record, message, any array, bag | box; null is the empty text, no message |
/// | reference to an object | object |
/// | port, mailbox, statistic, population: a number that the host gave out | integer |
/// | running process, delivery, connection: a handle that the host gave out, 0 for none | integer |
union Slot {
  std::int64_t integer;
  double real;
  Box* box;
  ObjectRef object;

  constexpr Slot() : integer(0) {}
  constexpr explicit Slot(std::int64_t value) : integer(value) {}
  constexpr explicit Slot(double value) : real(value) {}
  constexpr explicit Slot(Box* value) : box(value) {}
  constexpr explicit Slot(ObjectRef value) : object(value) {}
};
static_assert(sizeof(Slot) == 8);

}  // namespace hyla::code
