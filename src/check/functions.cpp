#include <fmt/core.h>

#include "check/actions.h"
#include "check/expressions.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// Every way through the block ends in a `return`. Loops count only if they have no end of their own.
bool always_returns(const Model& model, BlockId block) {
  for (ActionId id : model.blocks[block].actions) {
    const Action& action = model.actions[id];
    if (action.kind == ActionKind::Return) return true;
    if (action.kind == ActionKind::If && action.blocks.size() == 2 && always_returns(model, action.blocks[0]) &&
        always_returns(model, action.blocks[1])) {
      return true;
    }
  }
  return false;
}

}  // namespace

void check_function(Context& context, FunctionId id) {
  settle_function(context, id);
  const Origin origin = context.function_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  const NodeId block = tree.find(origin.node, NodeKind::Block);
  if (!block) return;
  Place place;
  place.module = origin.module;
  place.scope = context.function_scopes[id];
  place.use = Use::Function;
  const std::size_t errors_before = context.sink.error_count();
  const BlockId checked = check_block(context, place, BlockKind::Function, block, id);
  context.model.functions[id].block = checked;
  const Function& function = context.model.functions[id];
  const bool may_fall_off = !function.results.empty() && !always_returns(context.model, checked);
  if (may_fall_off && context.sink.error_count() == errors_before) {
    context.sink
        .report(Kind::MissingReturn, function.span,
                fmt::format("function `{}` can end without a result", context.name(function.name)))
        .hint("every way through the function must reach a `return`");
  }
}

}  // namespace hyla::check
