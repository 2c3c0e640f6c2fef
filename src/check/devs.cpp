// Atomic DEVS models: their five functions.
#include <array>

#include <fmt/core.h>

#include "base/text.h"
#include "check/actions.h"
#include "check/assignments.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

constexpr std::array<std::string_view, 5> kNames = {"advance", "lambda", "internal", "external", "confluent"};

/// What a function is for, to somebody who forgot it.
std::string_view purpose_of(std::string_view name) {
  if (name == "advance") return "`advance { return …; }` gives the time to the next internal event";
  if (name == "lambda") return "`lambda { … }` sends what the ports promise when that time has passed";
  if (name == "internal") return "`internal { … }` says what changes when that time has passed";
  return "`external(elapsed, bag) { … }` says what happens when messages arrive";
}

DevsFunctionKind kind_of(TokenKind word) {
  switch (word) {
    case TokenKind::WordAdvance:
      return DevsFunctionKind::Advance;
    case TokenKind::WordLambda:
      return DevsFunctionKind::Lambda;
    case TokenKind::WordInternal:
      return DevsFunctionKind::Internal;
    case TokenKind::WordExternal:
      return DevsFunctionKind::External;
    default:
      return DevsFunctionKind::Confluent;
  }
}

void collect_sends(const Model& model, BlockId block, std::vector<Span>& sends) {
  for (ActionId id : model.blocks[block].actions) {
    const Action& action = model.actions[id];
    if (action.kind == ActionKind::Send) sends.push_back(action.span);
    for (BlockId inner : action.blocks) collect_sends(model, inner, sends);
  }
}

/// `lambda` sends and changes nothing, the others change and send nothing.
void judge_effects(Context& context, const DevsFunction& function) {
  if (!function.block) return;
  if (function.kind == DevsFunctionKind::Lambda) {
    for (const AssignedTarget& target : assigned_targets(context.model, function.block)) {
      context.sink.report(Kind::MisplacedStatement, target.span, "`lambda` sends messages and changes nothing")
          .hint("assign it in `internal`, which follows at once");
    }
    return;
  }
  std::vector<Span> sends;
  collect_sends(context.model, function.block, sends);
  for (Span span : sends) {
    context.sink.report(Kind::MisplacedStatement, span, "only `lambda` sends messages")
        .hint("let `advance` return 0 and send in `lambda`");
  }
}

void check_devs_function(Context& context, ClassId id, const Origin& origin) {
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Mute mute(context.sink, origin.inherited);
  const NodeId kind_node = tree.find(origin.node, NodeKind::DevsKind);
  const NodeId block = tree.find(origin.node, NodeKind::Block);
  if (!kind_node || !block) return;
  DevsFunction function;
  function.kind = kind_of(tree.first_token_kind(kind_node));
  function.span = tree.span(kind_node);
  std::vector<DevsFunction>& known = context.model.classes[id].devs_functions;
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (known[i].kind != function.kind) continue;
    // A derived atomic model replaces a function of its base by writing it again.
    if (context.inherited_devs.contains((static_cast<std::uint64_t>(id.index) << 8) |
                                        static_cast<std::uint64_t>(function.kind))) {
      known.erase(known.begin() + static_cast<std::ptrdiff_t>(i));
      break;
    }
    context.sink.report(Kind::DuplicateName, function.span, fmt::format("`{}` is written twice", tree.text(kind_node)))
        .label(known[i].span, "first here");
    return;
  }
  Place place;
  place.module = origin.module;
  place.scope = context.scopes.add(ScopeKind::Block, origin.scope);
  place.object_class = id;
  place.body = context.model.classes[id].body;
  place.use = Use::Action;
  std::vector<NodeId> names;
  for (NodeId child : tree.children(origin.node)) {
    if (tree.kind(child) == NodeKind::Name) names.push_back(child);
  }
  const std::size_t wanted = function.kind == DevsFunctionKind::External    ? 2
                             : function.kind == DevsFunctionKind::Confluent ? 1
                                                                            : 0;
  if (names.size() != wanted && !names.empty()) {  // none at all is a matter of syntax
    context.sink
        .report(Kind::WrongArguments, tree.span(origin.node),
                wanted == 2 ? "`external` takes the elapsed time and the bag" : "`confluent` takes the bag")
        .hint(wanted == 2 ? "write `external(elapsed, bag) { … }`" : "write `confluent(bag) { … }`");
  }
  for (std::size_t i = 0; i < names.size() && i < wanted; ++i) {
    const bool bag = i + 1 == wanted;
    const SymbolId symbol = context.intern(tree.name(names[i]));
    const LocalId local = context.model.locals.add({symbol,
                                                    tree.span(names[i]),
                                                    bag ? Type{TypeKind::Bag, 0, UINT32_MAX} : real_type(),
                                                    bag ? UnitId{} : context.time_unit,
                                                    {},
                                                    false});
    declare_name(context, place.scope, symbol, {EntityKind::Local, local.index}, tree.span(names[i]));
    function.parameters.push_back(local);
  }
  function.block = check_block(context, place, BlockKind::Devs, block);
  judge_effects(context, function);
  if (function.kind == DevsFunctionKind::Advance && !always_returns(tree, block)) {
    context.sink.report(Kind::MissingReturn, function.span, "`advance` can end without a result")
        .hint("return the time to the next internal event; `infinity` if there is none");
  }
  if (origin.inherited)
    context.inherited_devs.insert((static_cast<std::uint64_t>(id.index) << 8) |
                                  static_cast<std::uint64_t>(function.kind));
  context.model.classes[id].devs_functions.push_back(std::move(function));
}

}  // namespace

void check_devs(Context& context, ClassId id) {
  const Class& record = context.model.classes[id];
  if (record.kind != ClassKind::Atomic) return;
  const std::vector<Origin> items = context.loose_items[record.body];
  for (const Origin& origin : items) {
    if (context.tree(origin.module).kind(origin.node) == NodeKind::DevsFunction)
      check_devs_function(context, id, origin);
  }
  if (context.model.classes[id].is_abstract || is_incomplete(context, context.class_origins[id].scope)) return;
  std::array<bool, 5> present{};
  for (const DevsFunction& function : context.model.classes[id].devs_functions)
    present[static_cast<std::size_t>(function.kind)] = true;
  bool receives = false;
  bool sends = false;
  for (PortId port : context.model.bodies[context.model.classes[id].body].ports) {
    receives = receives || !context.model.ports[port].receives.empty();
    sends = sends || !context.model.ports[port].sends.empty();
  }
  std::vector<std::string_view> missing;
  for (const DevsFunctionKind kind :
       {DevsFunctionKind::Advance, DevsFunctionKind::Lambda, DevsFunctionKind::Internal, DevsFunctionKind::External}) {
    const bool needed = kind == DevsFunctionKind::External ? receives : kind != DevsFunctionKind::Lambda || sends;
    if (needed && !present[static_cast<std::size_t>(kind)]) missing.push_back(kNames[static_cast<std::size_t>(kind)]);
  }
  if (missing.empty()) return;
  auto entry =
      context.sink.report(Kind::IncompleteAtomic, context.model.classes[id].span,
                          fmt::format("atomic model `{}` has no {}", context.name(context.model.classes[id].name),
                                      base::quoted_list(missing)));
  for (std::string_view name : missing) entry.hint(std::string(purpose_of(name)));
}

}  // namespace hyla::check
