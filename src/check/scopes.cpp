#include "check/scopes.h"

namespace hyla::check {

ScopeId Scopes::add(ScopeKind kind, ScopeId parent, std::uint32_t owner) {
  return scopes_.add({kind, parent, owner, UINT32_MAX});
}

model::Entity Scopes::declare(ScopeId scope, model::SymbolId name, model::Entity entity) {
  const std::uint32_t known = table_.find(key(scope, name));
  if (known != base::FlatMap::kMissing) return entries_[known].entity;
  entries_.push_back({name, entity, scopes_[scope].last_entry});
  const auto index = static_cast<std::uint32_t>(entries_.size() - 1);
  scopes_[scope].last_entry = index;
  table_.put(key(scope, name), index);
  return {};
}

void Scopes::redeclare(ScopeId scope, model::SymbolId name, model::Entity entity) {
  const std::uint32_t known = table_.find(key(scope, name));
  if (known == base::FlatMap::kMissing) {
    declare(scope, name, entity);
  } else {
    entries_[known].entity = entity;
  }
}

model::Entity Scopes::find_local(ScopeId scope, model::SymbolId name) const {
  const std::uint32_t known = table_.find(key(scope, name));
  return known == base::FlatMap::kMissing ? model::Entity{} : entries_[known].entity;
}

void Scopes::collect_names(ScopeId scope, std::vector<model::SymbolId>& names) const {
  for (std::uint32_t i = scopes_[scope].last_entry; i != UINT32_MAX; i = entries_[i].previous) {
    names.push_back(entries_[i].name);
  }
}

}  // namespace hyla::check
