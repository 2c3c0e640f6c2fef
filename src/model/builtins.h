// The built-in functions, methods and properties. builtins.def is the list.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hyla::model {

enum class Builtin : std::uint8_t {
  None,
#define HYLA_FUNCTION(builtin, name, signature, rule) builtin,
#define HYLA_RANDOM(builtin, name, signature, rule) builtin,
#define HYLA_PROCEDURE(builtin, name, signature, rule) builtin,
#define HYLA_OBSERVER(builtin, name, signature, rule) builtin,
#define HYLA_MEMBER(builtin, name) builtin,
#include "model/builtins.def"
#undef HYLA_FUNCTION
#undef HYLA_RANDOM
#undef HYLA_PROCEDURE
#undef HYLA_OBSERVER
#undef HYLA_MEMBER
};

/// How the unit of a built-in function's result follows from its arguments.
enum class UnitRule : std::uint8_t {
  Free,           ///< no rule; the result's unit is not known
  Dimensionless,  ///< arguments and result have no unit
  Same,           ///< all arguments have one unit, the result too
  SameToOne,      ///< all arguments have one unit, the result has none
  Keep,           ///< the result has the unit of the first argument
  Root,
  CubeRoot,
  Multiply,  ///< the units multiply
};

enum class BuiltinClass : std::uint8_t { Function, Random, Procedure, Observer, Member };

struct BuiltinInfo {
  Builtin builtin;
  BuiltinClass group;
  std::string_view name;
  std::string_view signature;  ///< see builtins.def; empty for members
  UnitRule unit_rule;
};

const BuiltinInfo& info(Builtin builtin);
std::span<const BuiltinInfo> all_builtins();
/// The built-in function of that name; Builtin::None if there is none. Members are not found.
Builtin find_builtin(std::string_view name);
/// The method or property of that name.
Builtin find_member(std::string_view name);

}  // namespace hyla::model
