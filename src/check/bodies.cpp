// Checks what the body of a model or state says: declarations, equations, connections, blocks.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/actions.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/messages.h"
#include "check/passes.h"
#include "check/spans.h"
#include "model/entry_values.h"
#include "syntax/literals.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

class BodyChecker {
 public:
  BodyChecker(Context& context, BodyId body) : context_(context), body_(body) {}

  void check() {
    // Copies of the lists: checking may add records, which moves the bodies.
    const Body body = context_.model.bodies[body_];
    for (VariableId id : body.variables) {
      settle_variable(context_, id);
      check_variable_value(context_, id);
    }
    for (PartId id : body.parts) check_part(id);
    for (PlugId id : body.plugs) check_plug(id);
    for (PortId id : body.ports) settle_port(context_, id);
    for (MailboxId id : body.mailboxes) settle_mailbox(context_, id);
    for (StatisticId id : body.statistics) check_statistic(id);
    for (EquationId id : body.equations) check_equation(context_, id);
    const std::vector<Origin> loose = context_.loose_items[body_];
    for (const Origin& origin : loose) check_loose(origin);
    for (ReactionId id : body.reactions) check_reaction(context_, id);
    for (ProcessId id : body.processes) check_process(id);
    for (ChartId id : body.charts) check_chart(context_, id);
  }

 private:
  Place place(const Origin& origin, Use use) const {
    Place result;
    result.module = origin.module;
    result.scope = origin.scope;
    result.body = body_;
    result.object_class = context_.model.bodies[body_].object_class;
    result.use = use;
    return result;
  }

  void check_part(PartId id) {
    settle_part(context_, id);
    const Origin origin = context_.part_origins[id].first;
    const syntax::Tree& tree = context_.tree(origin.module);
    const diag::Sink::Mute mute(context_.sink, origin.inherited);
    check_redefined(id);
    const NodeId type = context_.part_types[id];
    const NodeId arguments = type ? tree.find(type, NodeKind::Arguments) : NodeId{};
    Place at = place(origin, Use::Equation);
    const NodeId dimensions = tree.find(origin.node, NodeKind::Dimensions);
    if (const NodeId family = dimensions ? tree.find(dimensions, NodeKind::FamilyIndex) : NodeId{}) {
      const NodeId name = tree.child(family, 0);
      at.scope = context_.scopes.add(ScopeKind::Block, origin.scope);
      const LocalId index = context_.model.locals.add(
          {context_.intern(tree.name(name)), tree.span(name), integer_type(), kBareUnit, {}, false});
      declare_name(context_, at.scope, context_.intern(tree.name(name)), {EntityKind::Local, index.index},
                   tree.span(name));
      context_.model.parts[id].family_index = index;
    }
    const ClassId object_class = context_.model.parts[id].object_class;
    ExpressionChecker checker(context_, at);
    if (object_class) {
      const std::size_t errors = context_.sink.error_count();
      const std::vector<Argument> bound = checker.check_arguments(arguments, object_class);
      if (context_.sink.error_count() > errors) context_.spoiled_parts.insert(id.index);
      for (const Argument& argument : bound) {
        if (!model::is_given_at_entry(context_.model, context_.model.parts[id], argument)) check_fixed(argument);
      }
      context_.model.parts[id].arguments = bound;
      if (context_.model.parts[id].kind == PartKind::Object)
        require_parameters(context_, object_class, bound, context_.model.parts[id].span);
    } else if (const ExternalObjectId external = context_.model.parts[id].external) {
      const ExternalObject object = context_.model.external_objects[external];
      std::vector<SymbolId> names;
      std::vector<TypeInfo> types;
      for (LocalId local : object.parameters) {
        const Local& record = context_.model.locals[local];
        names.push_back(record.name);
        types.push_back({record.type, record.unit, record.shape, {}});
      }
      context_.model.parts[id].external_arguments = checker.match_arguments(
          arguments, names, types, object.defaults, tree.span(origin.node), context_.name(object.name));
    }
    check_occupant(id, origin);
  }

  /// A parameter of a part is fixed during a run, so what it is bound to must be.
  void check_fixed(const Argument& argument) {
    const Expr* target = &context_.model.exprs[argument.target];
    while (target->op == Op::Index) target = &context_.model.exprs[context_.model.operand(*target, 0)];
    if (target->op != Op::Entity || target->entity != EntityKind::Variable) return;
    const Variable& variable = context_.model.variables[VariableId(target->ref)];
    if (variable.kind == VariableKind::Input) return;
    const ExprId changing = model::changing_operand(context_.model, argument.value);
    if (!changing) return;
    context_.sink
        .report(Kind::NotConstant, context_.model.exprs[changing].span,
                fmt::format("`{}` is fixed during a run, but this changes", context_.name(variable.name)))
        .label(variable.span, variable.is_fixed() ? "the parameter" : "its initial value is given")
        .hint(variable.is_fixed() ? "declare it `input` to let it follow a changing value" : "use parameters here");
  }

  void check_redefined(PartId id) {
    const auto before = context_.redefined_parts.find(id);
    if (before == context_.redefined_parts.end()) return;
    const Origin origin = before->second;
    const syntax::Tree& tree = context_.tree(origin.module);
    const NodeId type = tree.find(origin.node, NodeKind::TypeRef);
    const NodeId path = type ? tree.find(type, NodeKind::Path) : NodeId{};
    if (!path || !context_.model.parts[id].object_class) return;
    Entity base;
    {
      const diag::Sink::Mute mute(context_.sink);
      base = resolve_path(context_, origin.scope, origin.module, path, EntityKind::Class, "model");
    }
    const ClassId object_class = context_.model.parts[id].object_class;
    if (!base || context_.model.extends(object_class, ClassId(base.index))) return;
    context_.sink
        .report(Kind::LoosenedAttribute, context_.model.parts[id].span,
                fmt::format("`{}` is redefined as `{}`, which does not extend `{}`",
                            context_.name(context_.model.parts[id].name),
                            context_.name(context_.model.classes[object_class].name), tree.text(path)))
        .label(tree.span(path), "promised by the base model")
        .hint(fmt::format("name `{0}` or a model that extends it", tree.text(path)));
  }

  /// What stands behind `:=` of a dynamic part.
  void check_occupant(PartId id, const Origin& origin) {
    const syntax::Tree& tree = context_.tree(origin.module);
    const NodeId initial = tree.find(origin.node, NodeKind::InitialValue);
    const NodeId binding = tree.find(origin.node, NodeKind::Binding);
    const PartKind kind = context_.model.parts[id].kind;
    if (binding || (initial && kind != PartKind::Dynamic)) {
      auto entry = context_.sink.report(Kind::NotAssignable, tree.span(binding ? binding : initial),
                                        fmt::format("{} cannot be given a value like this",
                                                    kind == PartKind::Dynamic ? "a dynamic object" : "an object"));
      entry.hint(kind == PartKind::Dynamic ? "write `:=`: the occupant may be exchanged"
                                           : "write its arguments behind the model: `object a: Model(p = 1);`");
      return;
    }
    if (!initial || tree.children(initial).empty()) return;
    const NodeId node = tree.child(initial, 0);
    if (tree.kind(node) == NodeKind::NoneLiteral) return;
    const ClassId wanted = context_.model.parts[id].object_class;
    const auto occupant = check_new_object(context_, place(origin, Use::Parameter), node, wanted);
    if (occupant) context_.model.parts[id].occupant = *occupant;
  }

  void check_plug(PlugId id) {
    const Origin origin = context_.plug_origins[id];
    const syntax::Tree& tree = context_.tree(origin.module);
    const diag::Sink::Mute mute(context_.sink, origin.inherited);
    settle_plug(context_, id);
    if (tree.find(origin.node, NodeKind::InitialValue) || tree.find(origin.node, NodeKind::Binding)) {
      context_.sink.report(Kind::NotAssignable, tree.span(origin.node), "a plug has no value of its own")
          .hint("write equations for its potentials and flows");
    }
  }

  void check_statistic(StatisticId id) {
    const Origin origin = context_.statistic_origins[id];
    const syntax::Tree& tree = context_.tree(origin.module);
    const diag::Sink::Mute mute(context_.sink, origin.inherited);
    if (const NodeId type = tree.find(origin.node, NodeKind::TypeRef)) {
      const TypeInfo info = resolve_type(context_, origin.scope, origin.module, type);
      context_.model.statistics[id].unit = info.unit;
    }
    const NodeId binding = tree.find(origin.node, NodeKind::Binding);
    const bool accumulates = context_.model.statistics[id].kind == StatisticKind::Accumulate;
    if (accumulates && binding) {
      const ExprId observed = ExpressionChecker(context_, place(origin, Use::Equation))
                                  .check_real(tree.child(binding, 0), "what is accumulated");
      context_.model.statistics[id].observed = observed;
      context_.model.statistics[id].unit = context_.model.exprs[observed].unit;
    } else if (accumulates) {
      context_.sink.report(Kind::Expected, tree.span(origin.node), "`accumulate` needs what it observes")
          .hint("write `accumulate name = expression;`");
    } else if (binding) {
      context_.sink.report(Kind::NotAssignable, tree.span(binding), "a tally takes observations one by one")
          .hint("write `name.add(value);` in an action");
    }
  }

  void check_process(ProcessId id) {
    settle_process(context_, id);
    const Origin origin = context_.process_origins[id].first;
    const syntax::Tree& tree = context_.tree(origin.module);
    const diag::Sink::Mute mute(context_.sink, origin.inherited);
    const NodeId block = tree.find(origin.node, NodeKind::Block);
    if (!block) return;
    Place at = place(origin, Use::Action);
    at.scope = context_.process_scopes[id];
    const BlockId checked = check_block(context_, at, BlockKind::Process, block);
    context_.model.processes[id].block = checked;
  }

  void check_loose(const Origin& origin) {
    const syntax::Tree& tree = context_.tree(origin.module);
    const diag::Sink::Mute mute(context_.sink, origin.inherited);
    switch (tree.kind(origin.node)) {
      case NodeKind::InitialBlock:
        return add_block(origin, BlockKind::Initial, context_.model.bodies[body_].initial_blocks.size());
      case NodeKind::EntryAction:
        return add_block(origin, BlockKind::Action, context_.model.bodies[body_].entry_blocks.size());
      case NodeKind::ExitAction:
        return add_block(origin, BlockKind::Action, 0);
      case NodeKind::Hold:
        return check_hold(origin);
      case NodeKind::Connect: {
        const ConnectionId id = check_connection(context_, origin, body_, origin.node);
        if (id) context_.model.bodies[body_].connections.push_back(id);
        return;
      }
      case NodeKind::Require: {
        Place at = place(origin, Use::Condition);
        at.reads_all = true;
        const RequirementId id = check_requirement(context_, at, origin.node);
        context_.model.bodies[body_].requirements.push_back(id);
        return;
      }
      case NodeKind::Defer:
        return check_deferral(origin);
      case NodeKind::ForItem:
        return check_family(origin);
      case NodeKind::IfItem:
        return check_conditional(origin, origin.node);
      case NodeKind::Select:
      case NodeKind::SelectFunction:
        return check_select(origin);
      default:
        return;  // sections and DEVS functions belong to the class
    }
  }

  /// Exit actions of a derived model come before the base's, all others after.
  void add_block(const Origin& origin, BlockKind kind, std::size_t position) {
    const syntax::Tree& tree = context_.tree(origin.module);
    const NodeId node = tree.find(origin.node, NodeKind::Block);
    if (!node) return;
    const BlockId block = check_block(context_, place(origin, Use::Action), kind, node);
    Body& body = context_.model.bodies[body_];
    std::vector<BlockId>& list = kind == BlockKind::Initial                        ? body.initial_blocks
                                 : tree.kind(origin.node) == NodeKind::EntryAction ? body.entry_blocks
                                                                                   : body.exit_blocks;
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(position), block);
  }

  void check_hold(const Origin& origin) {
    const syntax::Tree& tree = context_.tree(origin.module);
    for (NodeId node : tree.children(origin.node)) {
      if (tree.kind(node) == NodeKind::Annotation || tree.kind(node) == NodeKind::Modifier) continue;
      const ExprId held = ExpressionChecker(context_, place(origin, Use::Equation)).check(node);
      const Expr& expr = context_.model.exprs[held];
      if (expr.type.is_error()) continue;
      const bool variable = expr.entity == EntityKind::Variable && expr.op == Op::Entity && expr.operand_count == 0;
      const Variable* record = variable ? &context_.model.variables[VariableId(expr.ref)] : nullptr;
      if (record == nullptr || record->is_discrete() || record->is_fixed() || record->kind == VariableKind::Input) {
        auto entry =
            context_.sink.report(Kind::TypeMismatch, expr.span, "`hold` takes a continuous variable of the object");
        if (record != nullptr) {
          entry.label(record->span, record->type.is_scalar(TypeKind::Real)
                                        ? base::with_article(word_for(context_, expr.target()))
                                        : base::with_article(context_.model.type_name(record->type)));
        }
        continue;
      }
      context_.model.bodies[body_].holds.push_back(held);
    }
  }

  void check_deferral(const Origin& origin) {
    const syntax::Tree& tree = context_.tree(origin.module);
    for (NodeId node : tree.children(origin.node)) {
      if (tree.kind(node) != NodeKind::Event) continue;
      if (const NodeId binders = tree.find(node, NodeKind::Binders)) {
        context_.sink.report(Kind::Unexpected, tree.span(binders), "a deferred message is not opened")
            .hint("write `defer port.Message;`");
        continue;
      }
      const Awaited awaited = check_event(context_, place(origin, Use::Action), node, {}, origin.scope);
      context_.model.bodies[body_].deferrals.push_back({tree.span(node), awaited});
    }
  }

  BodyId add_inner_body(const Origin& origin, Container container, NodeId node, ScopeId scope) {
    Body inner;
    inner.object_class = context_.model.bodies[body_].object_class;
    inner.parent = body_;
    inner.state = context_.model.bodies[body_].state;
    const BodyId id = context_.model.bodies.add(std::move(inner));
    // `scope` may already hold the index of a family; the body's own scope is inside it.
    context_.body_scopes[id] = context_.scopes.add(ScopeKind::Body, scope, id.index);
    context_.containers[id] = container;
    declare_body(context_, id, {{origin.module, node, origin.inherited}});
    check_body(context_, id);
    return id;
  }

  void check_family(const Origin& origin) {
    const syntax::Tree& tree = context_.tree(origin.module);
    const NodeId name = tree.find(origin.node, NodeKind::Name);
    const NodeId body = tree.find(origin.node, NodeKind::Body);
    if (!name || !body) return;
    const std::span<const NodeId> children = tree.children(origin.node);
    const auto at = static_cast<std::size_t>(std::find(children.begin(), children.end(), name) - children.begin());
    if (at + 1 >= children.size()) return;
    Type element;
    const ExprId range =
        ExpressionChecker(context_, place(origin, Use::Parameter)).check_range(children[at + 1], element);
    const ScopeId scope = context_.scopes.add(ScopeKind::Block, origin.scope);
    const SymbolId symbol = context_.intern(tree.name(name));
    const LocalId index = context_.model.locals.add({symbol, tree.span(name), element, kBareUnit, {}, false});
    declare_name(context_, scope, symbol, {EntityKind::Local, index.index}, tree.span(name));
    const BodyId inner = add_inner_body(origin, Container::Family, body, scope);
    context_.model.bodies[body_].families.push_back({tree.span(origin.node), index, range, inner});
  }

  void check_conditional(const Origin& origin, NodeId node) {
    const syntax::Tree& tree = context_.tree(origin.module);
    std::vector<NodeId> parts;
    for (NodeId child : tree.children(node)) {
      if (tree.kind(child) != NodeKind::Annotation && tree.kind(child) != NodeKind::Modifier) parts.push_back(child);
    }
    if (parts.size() < 2) return;
    Conditional conditional;
    conditional.span = tree.span(node);
    conditional.condition = ExpressionChecker(context_, place(origin, Use::Parameter)).check_condition(parts[0]);
    conditional.then_body = add_inner_body(origin, Container::Conditional, parts[1], origin.scope);
    if (parts.size() > 2 && tree.kind(parts[2]) == NodeKind::Body) {
      conditional.else_body = add_inner_body(origin, Container::Conditional, parts[2], origin.scope);
    } else if (parts.size() > 2 && tree.kind(parts[2]) == NodeKind::IfItem) {
      // `else if`: a body that holds nothing but the next conditional.
      Body inner;
      inner.object_class = context_.model.bodies[body_].object_class;
      inner.parent = body_;
      inner.state = context_.model.bodies[body_].state;
      conditional.else_body = context_.model.bodies.add(std::move(inner));
      context_.body_scopes[conditional.else_body] =
          context_.scopes.add(ScopeKind::Body, origin.scope, conditional.else_body.index);
      context_.containers[conditional.else_body] = Container::Conditional;
      BodyChecker(context_, conditional.else_body).check_conditional(origin, parts[2]);
    }
    context_.model.bodies[body_].conditionals.push_back(conditional);
  }

  void check_select(const Origin& origin) {
    const syntax::Tree& tree = context_.tree(origin.module);
    if (context_.model.bodies[body_].select) {
      context_.sink.report(Kind::DuplicateName, tree.span(origin.node), "a model has one `select`")
          .label(context_.model.bodies[body_].select->span, "the first");
      return;
    }
    SelectOrder select;
    select.span = tree.span(origin.node);
    if (const NodeId array = tree.find(origin.node, NodeKind::ArrayLiteral)) {
      for (NodeId node : tree.children(array)) {
        const ExprId part = ExpressionChecker(context_, place(origin, Use::Equation)).check(node);
        const Expr& expr = context_.model.exprs[part];
        if (!expr.type.is_error() && expr.type.kind != TypeKind::Object) {
          context_.sink.report(Kind::TypeMismatch, expr.span, "`select` orders the objects of a model")
              .text(fmt::format("this is {}", base::with_article(context_.model.type_name(expr.type))));
        }
        select.order.push_back(part);
      }
    } else if (const NodeId name = tree.find(origin.node, NodeKind::Name)) {
      Place at = place(origin, Use::Action);
      at.scope = context_.scopes.add(ScopeKind::Block, origin.scope);
      const SymbolId symbol = context_.intern(tree.name(name));
      select.imminent =
          context_.model.locals.add({symbol, tree.span(name), {TypeKind::Reference, 1, UINT32_MAX}, {}, {}, false});
      declare_name(context_, at.scope, symbol, {EntityKind::Local, select.imminent.index}, tree.span(name));
      if (const NodeId block = tree.find(origin.node, NodeKind::Block))
        select.function = check_block(context_, at, BlockKind::Select, block);
    }
    context_.model.bodies[body_].select = std::move(select);
  }

  Context& context_;
  BodyId body_;
};

}  // namespace

void check_body(Context& context, BodyId id) { BodyChecker(context, id).check(); }

void check_class(Context& context, ClassId id) {
  check_body(context, context.model.classes[id].body);
  check_base_arguments(context, id);
  check_devs(context, id);
  check_sections(context, id);
}

}  // namespace hyla::check
