// Types, array shapes and units of values.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/ids.h"

namespace hyla::model {

enum class TypeKind : std::uint8_t {
  Error,  ///< the type of something already reported; fits everywhere, so that one mistake gives one message
  Nothing,
  None,  ///< of the literal `none`
  Real,
  Integer,
  Boolean,
  String,
  Enum,        ///< ref: EnumId
  Record,      ///< ref: RecordId
  Message,     ///< ref: MessageId
  AnyMessage,  ///< a message whose kind is known at run time only
  Object,      ///< a reference to an object; ref: ClassId
  External,    ///< ref: ExternalObjectId
  Connector,   ///< a plug; ref: ConnectorId
  Population,  ///< ref: ClassId
  Mailbox,     ///< ref: MailboxId
  Port,        ///< ref: PortId
  Statistic,
  Process,     ///< a running process, as `start` returns it
  Delivery,    ///< a message under way, as `send … after` returns it
  Connection,  ///< as `connect` returns it
  Bag,         ///< the messages that an atomic model receives at one instant
  Tuple,       ///< several results of a function; ref: FunctionId
  Reference,   ///< any variable, object or chart, in environment packages
};

/// The type of a value or of the elements of an array. The rank is the number of dimensions; sizes are in the Shape.
struct Type {
  TypeKind kind = TypeKind::Error;
  std::uint8_t rank = 0;
  std::uint32_t ref = UINT32_MAX;

  Type element() const { return {kind, 0, ref}; }
  Type with_rank(std::size_t new_rank) const { return {kind, static_cast<std::uint8_t>(new_rank), ref}; }
  bool is_error() const { return kind == TypeKind::Error; }
  bool is_scalar(TypeKind k) const { return kind == k && rank == 0; }
  bool is_number() const { return kind == TypeKind::Real || kind == TypeKind::Integer; }
  friend bool operator==(const Type&, const Type&) = default;
};

/// One dimension of an array: a size that is known, one that depends on parameters, or one left open (`[:]`).
struct Dimension {
  std::optional<std::int64_t> size;
  ExprId expr;  ///< the size as written; none for an open dimension or a literal's own size
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

struct Shape {
  std::vector<Dimension> dimensions;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// A unit of measure: powers of the SI base units and a factor to the coherent SI unit. `km` is {m: 1, factor 1000}.
struct Unit {
  enum Base : std::uint8_t { Metre, Kilogram, Second, Ampere, Kelvin, Mole, Candela };
  static constexpr std::size_t kBases = 7;
  std::array<std::int16_t, kBases> twelfths{};  ///< powers in twelfths, so that square and cube roots are exact
  double factor = 1.0;
  std::string text;  ///< as the modeller wrote it, or composed from the base units

  bool same_dimension(const Unit& other) const { return twelfths == other.twelfths; }
  /// Equal dimension and equal factor; the text does not count.
  bool same_unit(const Unit& other) const;
  bool is_one() const { return same_unit(Unit{}); }
};

/// The unit of a bare number: it fits any unit in a sum and counts as 1 in a product. Every model's first unit.
inline constexpr UnitId kBareUnit{0};

Unit multiply(const Unit& a, const Unit& b);
Unit divide(const Unit& a, const Unit& b);
/// The unit to a power; none if the power is not a multiple of a twelfth or too large.
std::optional<Unit> power(const Unit& unit, double exponent);

struct UnitError {
  std::size_t offset = 0;  ///< where in the text
  std::size_t length = 0;
  std::string message;
  std::string hint;  ///< may be empty
};

/// Reads `m/s2`, `kg.m/s2`, `m.s^-2`, `1/(m.K)`; SI prefixes before the units that take them. A `/` divides by the next
/// factor only.
std::optional<Unit> parse_unit(std::string_view text, UnitError& error);

}  // namespace hyla::model
