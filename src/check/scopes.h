// Scopes: which names stand for what, and where.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/flat_map.h"
#include "base/ids.h"
#include "model/ids.h"

namespace hyla::check {

using ScopeId = base::Id<struct ScopeTag>;

enum class ScopeKind : std::uint8_t {
  Module,
  Class,  ///< owner: BodyId of the class's own body
  Body,   ///< a state, family or conditional; owner: BodyId
  Chart,  ///< the states and choices of a chart; owner: ChartId
  Block,  ///< actions, functions, processes
};

struct Scope {
  ScopeKind kind = ScopeKind::Module;
  ScopeId parent;
  std::uint32_t owner = UINT32_MAX;
  std::uint32_t last_entry = UINT32_MAX;  ///< newest name, linked backwards
};

class Scopes {
 public:
  ScopeId add(ScopeKind kind, ScopeId parent, std::uint32_t owner = UINT32_MAX);
  const Scope& operator[](ScopeId id) const { return scopes_[id]; }

  /// Declares the name unless the scope has it already; returns what it stood for before, if anything.
  model::Entity declare(ScopeId scope, model::SymbolId name, model::Entity entity);
  void redeclare(ScopeId scope, model::SymbolId name, model::Entity entity);
  model::Entity find_local(ScopeId scope, model::SymbolId name) const;

  /// All names of a scope, for suggestions.
  void collect_names(ScopeId scope, std::vector<model::SymbolId>& names) const;

 private:
  struct Entry {
    model::SymbolId name;
    model::Entity entity;
    std::uint32_t previous;
  };
  static std::uint64_t key(ScopeId scope, model::SymbolId name) {
    return (static_cast<std::uint64_t>(scope.index) << 32) | name.index;
  }

  base::Store<ScopeId, Scope> scopes_;
  std::vector<Entry> entries_;
  base::FlatMap table_;
};

}  // namespace hyla::check
