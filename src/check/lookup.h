// Finding what a name stands for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "check/context.h"

namespace hyla::check {

/// Looks a name up in a scope and those around it. At the scope of a body, the states of its anonymous charts count as
/// its names. `module` is the module of the text: inherited text sees the imports of its own file, not those of the
/// derived model's.
Entity find_name(const Context& context, ScopeId scope, std::uint32_t module, SymbolId name);

/// A member of a body's scope, including the states of its anonymous charts.
Entity find_in_body(const Context& context, ScopeId scope, SymbolId name);

/// The state of that name in one of the charts, named or not, of the bodies around `scope`; none if there are several.
Entity find_state_in_charts(const Context& context, ScopeId scope, SymbolId name);

/// Declares a name and reports a second declaration, a hidden outer name, or a built-in one.
/// `hint` is what to do about a hidden name.
void declare_name(Context& context, ScopeId scope, SymbolId name, Entity entity, Span span,
                  std::string_view hint = "choose another name for one of the two");

/// Reports an unknown name with the nearest visible one, once for each class. `what` says what was looked for:
/// "variable", "model". Names in text that the parser gave up on are passed over.
void report_unknown(Context& context, ScopeId scope, std::uint32_t module, std::string_view name, Span span,
                    std::string_view what);
/// Remembers a name whose declaration is lost to a mistake that is told already.
void note_lost_name(Context& context, std::uint32_t module, SymbolId name);
/// Remembers the names in the parts of a module that could not be parsed.
void note_lost_names(Context& context, std::uint32_t module);

/// Whether the scope, or one around it, belongs to a class whose base is not known. Unknown names there may be
/// inherited ones and are not reported.
bool is_incomplete(const Context& context, ScopeId scope);

/// Whether so many names may be compared with a misspelt one; counts them.
bool may_compare(const Context& context, std::size_t names);
/// The nearest name in the scopes from `scope` outwards.
std::optional<std::string> nearest_name(const Context& context, ScopeId scope, std::string_view name);
/// The nearest name among the members of one scope only.
std::optional<std::string> nearest_member(const Context& context, ScopeId scope, std::string_view name);

/// Resolves a Path node (`flow.Queue`) to an entity of one of the wanted kinds; reports and returns none otherwise.
Entity resolve_path(Context& context, ScopeId scope, std::uint32_t module, NodeId path, EntityKind wanted,
                    std::string_view what);
/// The same without a wanted kind.
Entity resolve_path(Context& context, ScopeId scope, std::uint32_t module, NodeId path, std::string_view what);

/// The scope of an entity's members, if it has any to be reached by `.`: modules, packages, classes.
ScopeId scope_of(Context& context, Entity entity);

}  // namespace hyla::check
