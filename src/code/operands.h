// How instructions pack several things into their immediate. The compiler packs, the machine unpacks.
#pragma once

#include <cstdint>

#include "model/model.h"

namespace hyla::code {

inline std::int64_t pack(std::uint32_t lower, std::uint32_t upper) {
  return static_cast<std::int64_t>(std::uint64_t{upper} << 32 | lower);
}
inline std::uint32_t lower(std::int64_t packed) { return static_cast<std::uint32_t>(packed); }
inline std::uint32_t upper(std::int64_t packed) {
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(packed) >> 32);
}

inline std::int64_t pack_type(model::Type type) {
  return pack(type.ref, static_cast<std::uint32_t>(type.kind) << 8 | type.rank);
}
inline model::Type unpack_type(std::int64_t packed) {
  return {static_cast<model::TypeKind>(upper(packed) >> 8), static_cast<std::uint8_t>(upper(packed) & 0xFF),
          lower(packed)};
}

/// Of Send: how, and the register that holds the delay.
struct Sending {
  model::DelayKind delay_kind = model::DelayKind::None;
  bool direct = false;
  std::uint16_t delay = 0;
};
inline std::int64_t pack_sending(Sending sending) {
  return pack(static_cast<std::uint32_t>(sending.delay_kind) | (sending.direct ? 256U : 0U), sending.delay);
}
inline Sending unpack_sending(std::int64_t packed) {
  return {static_cast<model::DelayKind>(lower(packed) & 0xFF), (lower(packed) & 256U) != 0,
          static_cast<std::uint16_t>(upper(packed))};
}

/// Where an instruction can do without a register.
inline constexpr std::uint16_t kNoRegister = UINT16_MAX;

/// Of Slice and StoreSlice: two bits a dimension say how it is selected.
enum class Selector : std::uint8_t { Whole, Index, Range };
inline constexpr std::size_t kMostDimensions = 16;
inline Selector selector(std::int64_t selection, std::size_t dimension) {
  return static_cast<Selector>(static_cast<std::uint64_t>(selection) >> (2 * dimension) & 3U);
}
inline std::int64_t select(std::int64_t selection, std::size_t dimension, Selector how) {
  return selection | static_cast<std::int64_t>(static_cast<std::uint64_t>(how) << (2 * dimension));
}

/// Of ArrayArithmetic: element by element, or a scalar with every element.
struct ArrayOperation {
  model::Op op = model::Op::Add;  ///< Add, Subtract, Multiply, Divide, Power
  bool reals = true;
  bool left_scalar = false, right_scalar = false;
};
inline std::int64_t pack_operation(ArrayOperation operation) {
  return static_cast<std::int64_t>(operation.op) | (operation.reals ? 256 : 0) | (operation.left_scalar ? 512 : 0) |
         (operation.right_scalar ? 1024 : 0);
}
inline ArrayOperation unpack_operation(std::int64_t packed) {
  return {static_cast<model::Op>(packed & 0xFF), (packed & 256) != 0, (packed & 512) != 0, (packed & 1024) != 0};
}

}  // namespace hyla::code
