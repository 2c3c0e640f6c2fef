// What `redefine` replaces.
#pragma once

#include <unordered_map>
#include <vector>

#include "check/context.h"

namespace hyla::check {

/// The entity came from an older generation of the class.
bool is_inherited(Context& context, Entity entity);

/// Reports `redefine` where it cannot stand: in a model without a base, or before an item that cannot be replaced.
bool may_redefine(Context& context, const Piece& piece, NodeId item, model::BodyId body);

/// The left side of `y = …` or `der(x) = …` as a name, none for any other equation.
SymbolId equation_key(Context& context, const syntax::Tree& tree, NodeId equation);

/// The inherited equations of one body by what a `redefine` names them by. Those that were replaced have lost their
/// origin's node.
struct InheritedEquations {
  std::unordered_map<SymbolId, std::vector<model::EquationId>> by_key, by_label;
};

/// Takes the node from the equation that a `redefine` replaces, and reports an inherited one that is defined again
/// without it. False if the new equation must not be entered.
bool replace_equation(Context& context, const Piece& piece, NodeId item, const InheritedEquations& inherited,
                      ScopeId scope, SymbolId key, SymbolId label);

void redefine_part(Context& context, const Piece& piece, NodeId declarator, model::BodyId body);

/// Finds the inherited reaction that `item` replaces among `known` and takes it out of the run.
void redefine_reaction(Context& context, const Piece& piece, NodeId item, std::vector<model::ReactionId>& listed,
                       const std::vector<model::ReactionId>& known);

model::ReactionId add_reaction(Context& context, const Origin& origin, model::BodyId body);

}  // namespace hyla::check
