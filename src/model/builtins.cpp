#include "model/builtins.h"

#include <array>
#include <unordered_map>

namespace hyla::model {
namespace {

constexpr auto kBuiltins = std::to_array<BuiltinInfo>({
    {Builtin::None, BuiltinClass::Function, "", "", UnitRule::Free},
#define HYLA_FUNCTION(builtin, name, signature, rule) \
  {Builtin::builtin, BuiltinClass::Function, name, signature, UnitRule::rule},
#define HYLA_RANDOM(builtin, name, signature, rule) \
  {Builtin::builtin, BuiltinClass::Random, name, signature, UnitRule::rule},
#define HYLA_PROCEDURE(builtin, name, signature, rule) \
  {Builtin::builtin, BuiltinClass::Procedure, name, signature, UnitRule::rule},
#define HYLA_OBSERVER(builtin, name, signature, rule) \
  {Builtin::builtin, BuiltinClass::Observer, name, signature, UnitRule::rule},
#define HYLA_MEMBER(builtin, name) {Builtin::builtin, BuiltinClass::Member, name, "", UnitRule::Free},
#include "model/builtins.def"
#undef HYLA_FUNCTION
#undef HYLA_RANDOM
#undef HYLA_PROCEDURE
#undef HYLA_OBSERVER
#undef HYLA_MEMBER
});

using NameTable = std::unordered_map<std::string_view, Builtin>;

NameTable make_table(bool members) {
  NameTable table;
  for (const BuiltinInfo& builtin : kBuiltins) {
    if ((builtin.group == BuiltinClass::Member) == members) table.emplace(builtin.name, builtin.builtin);
  }
  return table;
}

Builtin find_in(const NameTable& table, std::string_view name) {
  const auto found = table.find(name);
  return found == table.end() ? Builtin::None : found->second;
}

}  // namespace

const BuiltinInfo& info(Builtin builtin) { return kBuiltins[static_cast<std::size_t>(builtin)]; }

std::span<const BuiltinInfo> all_builtins() { return std::span(kBuiltins).subspan(1); }

Builtin find_builtin(std::string_view name) {
  static const NameTable kTable = make_table(false);
  return find_in(kTable, name);
}

Builtin find_member(std::string_view name) {
  static const NameTable kTable = make_table(true);
  return find_in(kTable, name);
}

}  // namespace hyla::model
