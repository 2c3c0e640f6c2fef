// The order in which variables are settled.
//
// A value may use variables that are declared later, and so on. Settling each when an expression meets it would go as
// deep as such a chain is long. So the names in a value are looked at first, and what they stand for is settled before
// it, with a list in place of the call stack. What is reached in other ways, through the members of objects, is still
// settled when met; there a limit of depth keeps the stack safe.
#include <vector>

#include <fmt/core.h>

#include "check/lookup.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// How many expressions may be under way at once, those around a value that is settled on demand included.
constexpr int kMaxExpressionDepth = 300;

/// Adds the variables named in a declaration that are not settled yet.
void add_needs(Context& context, VariableId id, std::vector<VariableId>& pending) {
  const Origin& origin = context.variable_origins[id].origin;
  const syntax::Tree& tree = context.tree(origin.module);
  const syntax::Node& node = tree.node(origin.node);
  for (std::uint32_t i = node.first_token + 1; i < node.end_token; ++i) {
    const syntax::Token& token = tree.token(i);
    if (token.kind != TokenKind::Identifier || tree.token(i - 1).kind == TokenKind::Dot) continue;
    const Entity entity = find_name(context, origin.scope, origin.module, context.intern(tree.text(token)));
    if (entity.kind != EntityKind::Variable) continue;
    const VariableId needed(entity.index);
    if (context.variable_origins[needed].type_progress == Progress::Untouched) pending.push_back(needed);
  }
}

void report_too_deep(Context& context, VariableId id) {
  context.sink
      .report(Kind::NestingTooDeep, context.model.variables[id].span,
              fmt::format("the value of `{}` depends on too many others in a row",
                          context.name(context.model.variables[id].name)))
      .hint("declare the type of some of them, or compute some with fewer steps");
}

}  // namespace

void settle_variable(Context& context, VariableId id) {
  if (context.variable_origins[id].type_progress != Progress::Untouched) return settle_variable_now(context, id);
  if (context.expression_depth > kMaxExpressionDepth) {
    context.variable_origins[id].type_progress = Progress::Done;
    return report_too_deep(context, id);
  }
  std::vector<VariableId> pending = {id};
  while (!pending.empty()) {
    const VariableId next = pending.back();
    VariableOrigin& origin = context.variable_origins[next];
    if (origin.type_progress != Progress::Untouched) {
      pending.pop_back();
      continue;
    }
    const std::size_t before = pending.size();
    // A typed variable that changes is settled without its value. One whose needs have been added is met again when
    // they are settled, or when it needs itself, which settling it tells.
    const bool uses_value = !origin.type_node || context.model.variables[next].is_fixed();
    if (uses_value && !origin.needs_added) {
      origin.needs_added = true;
      add_needs(context, next, pending);
    }
    if (pending.size() > before) continue;
    pending.pop_back();
    settle_variable_now(context, next);
  }
}

}  // namespace hyla::check
