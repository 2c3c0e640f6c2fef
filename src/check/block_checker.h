// The checker of one block; its statements are split over actions.cpp (control, assignments) and operations.cpp
// (messages, processes, objects).
#pragma once

#include <optional>
#include <vector>

#include "check/actions.h"
#include "check/context.h"
#include "check/expressions.h"

namespace hyla::check {

class BlockChecker {
 public:
  BlockChecker(Context& context, const Place& place, BlockKind kind, std::optional<model::FunctionId> function)
      : context_(context), tree_(context.tree(place.module)), place_(place), kind_(kind), function_(function) {}

  model::BlockId check(NodeId block);

 private:
  // actions.cpp
  void check_statement(NodeId node);
  bool allowed(NodeId node);
  model::BlockId inner(NodeId block, ScopeId scope, bool in_loop);
  void check_let(NodeId node);
  void check_variable(NodeId node);
  void check_assign(NodeId node);
  void check_equation(NodeId node);
  void check_if(NodeId node);
  model::ActionId narrow_message(model::ExprId condition, ScopeId scope, NodeId node);
  void check_for(NodeId node);
  void check_return(NodeId node);
  void check_expression(NodeId node);
  bool check_devs_call(NodeId expression);
  bool assign_dynamic(NodeId node, NodeId target_node, NodeId value_node);
  /// Reports a target that no assignment can change.
  bool check_target(model::ExprId target);
  model::LocalId declare_local(NodeId name, const TypeInfo& info, bool assignable);
  // operations.cpp
  bool is_operation(NodeKind kind) const;
  model::Type check_operation(NodeId node, const model::ResultPlace& result);
  model::Type check_send(NodeId node, model::Action& action);
  model::Type check_start(NodeId node, model::Action& action);
  model::Type check_new(NodeId node, model::Action& action);
  void check_raise(NodeId node);
  void check_stop(NodeId node);
  void check_cancel(NodeId node);
  void check_delete(NodeId node);
  void check_disconnect(NodeId node);
  bool is_declared_connection(NodeId node);
  void check_wait(NodeId node);
  void check_receive(NodeId node);
  void check_first_of(NodeId node);
  model::Awaited check_awaited(NodeId node, ScopeId scope);

  model::Action make(model::ActionKind kind, NodeId node) const;
  void add(model::Action action);
  Place place_in(ScopeId scope) const;
  ExpressionChecker expressions() const { return {context_, place_}; }
  Span span(NodeId node) const { return tree_.span(node); }
  /// The `=` of an equation.
  Span equal_sign(NodeId equation) const;

  Context& context_;
  const syntax::Tree& tree_;
  Place place_;
  BlockKind kind_;
  std::optional<model::FunctionId> function_;
  bool in_loop_ = false;
  std::vector<model::ActionId> actions_;
};

}  // namespace hyla::check
