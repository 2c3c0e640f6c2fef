// Functions, external objects and processes: their parameters and results, on demand.
#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "check/build.h"
#include "check/expressions.h"
#include "check/lookup.h"
#include "check/passes.h"
#include "syntax/literals.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

namespace {

/// Parameters of functions, processes and external objects, declared in `scope`.
void read_parameters(Context& context, const Origin& origin, NodeId parameters, ScopeId scope,
                     std::vector<LocalId>& locals, std::vector<ExprId>* defaults) {
  const syntax::Tree& tree = context.tree(origin.module);
  for (NodeId node : tree.children(parameters)) {
    if (tree.kind(node) != NodeKind::Parameter) continue;
    const NodeId name = tree.find(node, NodeKind::Name);
    if (!name) continue;
    TypeInfo info;
    info.type = real_type();
    const NodeId type = tree.find(node, NodeKind::TypeRef);
    if (type) info = resolve_type(context, scope, origin.module, type);
    const NodeId binding = tree.find(node, NodeKind::Binding);
    ExprId value;
    if (binding && !tree.children(binding).empty()) {
      Place place;
      place.module = origin.module;
      place.scope = origin.scope;
      place.use = Use::Constant;
      value = ExpressionChecker(context, place)
                  .check_as(tree.child(binding, 0), info, fmt::format("`{}`", tree.name(name)));
    }
    const SymbolId symbol = context.intern(tree.name(name));
    const LocalId local = context.model.locals.add({symbol, tree.span(name), info.type, info.unit, info.shape, false});
    declare_name(context, scope, symbol, {EntityKind::Local, local.index}, tree.span(name));
    locals.push_back(local);
    if (defaults != nullptr) defaults->push_back(value);
  }
}

std::vector<Field> read_results(Context& context, const Origin& origin, NodeId results, ScopeId scope) {
  const syntax::Tree& tree = context.tree(origin.module);
  std::vector<Field> fields;
  for (NodeId node : tree.children(results)) {
    Field field;
    field.span = tree.span(node);
    NodeId type = tree.kind(node) == NodeKind::TypeRef ? node : NodeId{};
    if (tree.kind(node) == NodeKind::Parameter) {
      type = tree.find(node, NodeKind::TypeRef);
      if (const NodeId name = tree.find(node, NodeKind::Name)) field.name = context.intern(tree.name(name));
    } else if (!type) {
      continue;
    }
    TypeInfo info;
    info.type = real_type();
    if (type) info = resolve_type(context, scope, origin.module, type);
    field.type = info.type;
    field.unit = info.unit;
    field.shape = info.shape;
    fields.push_back(field);
  }
  return fields;
}

void read_signature(Context& context, FunctionId id, const Origin& origin, NodeId node) {
  const syntax::Tree& tree = context.tree(origin.module);
  const ScopeId scope = context.scopes.add(ScopeKind::Block, origin.scope);
  context.function_scopes[id] = scope;
  Function function = context.model.functions[id];
  if (const NodeId parameters = tree.find(node, NodeKind::Parameters)) {
    read_parameters(context, origin, parameters, scope, function.parameters, &function.defaults);
  }
  if (const NodeId results = tree.find(node, NodeKind::Results))
    function.results = read_results(context, origin, results, scope);
  context.model.functions[id] = std::move(function);
}

}  // namespace

void settle_function(Context& context, FunctionId id) {
  if (context.function_origins[id].second != Progress::Untouched) return;
  const diag::Sink::Voice voice(context.sink);
  context.function_origins[id].second = Progress::Done;
  const Origin origin = context.function_origins[id].first;
  read_signature(context, id, origin, origin.node);
  const syntax::Tree& tree = context.tree(origin.module);
  if (tree.kind(origin.node) != NodeKind::ExternalFunctionDecl) return;
  std::vector<std::string> texts;
  for (NodeId node : tree.children(origin.node)) {
    if (tree.kind(node) == NodeKind::StringLiteral) texts.push_back(syntax::string_value(tree.text(node)));
  }
  if (!texts.empty()) context.model.functions[id].library_symbol = texts[0];
  if (texts.size() > 1) context.model.functions[id].derivative_symbol = texts[1];
  if (!texts.empty() &&
      (texts[0].find(':') == std::string::npos || texts[0].starts_with(':') || texts[0].ends_with(':'))) {
    context.sink
        .report(Kind::BadValue, tree.span(tree.find(origin.node, NodeKind::StringLiteral)),
                "an external function is named `library:symbol`")
        .hint("for example \"libfem.so:fem_step\"");
  }
}

void settle_external_object(Context& context, ExternalObjectId id) {
  if (context.external_origins[id].second != Progress::Untouched) return;
  const diag::Sink::Voice voice(context.sink);
  context.external_origins[id].second = Progress::Done;
  const Origin origin = context.external_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  ExternalObject object = context.model.external_objects[id];
  const ScopeId scope = context.scopes.add(ScopeKind::Block, origin.scope);
  if (const NodeId parameters = tree.find(origin.node, NodeKind::Parameters)) {
    read_parameters(context, origin, parameters, scope, object.parameters, &object.defaults);
  }
  if (const NodeId text = tree.find(origin.node, NodeKind::StringLiteral))
    object.library_prefix = syntax::string_value(tree.text(text));
  for (NodeId node : tree.children(origin.node)) {
    const NodeId name = tree.kind(node) == NodeKind::Signature ? tree.find(node, NodeKind::Name) : NodeId{};
    if (!name) continue;
    Function function;
    function.name = context.intern(tree.name(name));
    function.span = tree.span(name);
    function.library_symbol = object.library_prefix + "_" + std::string(tree.name(name));
    for (FunctionId other : object.functions) {
      if (context.model.functions[other].name != function.name) continue;
      context.sink.report(Kind::DuplicateName, function.span, fmt::format("`{}` is declared twice", tree.name(name)))
          .label(context.model.functions[other].span, "first here");
    }
    const FunctionId function_id = context.model.functions.add(std::move(function));
    context.function_origins[function_id] = {{origin.module, node, origin.scope, false}, Progress::Done};
    read_signature(context, function_id, context.function_origins[function_id].first, node);
    object.functions.push_back(function_id);
  }
  context.model.external_objects[id] = std::move(object);
}

void settle_process(Context& context, ProcessId id) {
  if (context.process_origins[id].second != Progress::Untouched) return;
  context.process_origins[id].second = Progress::Done;
  const Origin origin = context.process_origins[id].first;
  const syntax::Tree& tree = context.tree(origin.module);
  const diag::Sink::Voice voice(context.sink, !origin.inherited);
  const ScopeId scope = context.scopes.add(ScopeKind::Block, origin.scope);
  context.process_scopes[id] = scope;
  std::vector<LocalId> parameters;
  std::vector<ExprId> defaults;
  if (const NodeId node = tree.find(origin.node, NodeKind::Parameters))
    read_parameters(context, origin, node, scope, parameters, &defaults);
  if (context.model.processes[id].automatic && !parameters.empty()) {
    context.sink.report(Kind::WrongArguments, context.model.locals[parameters[0]].span,
                        "an `auto process` starts by itself and gets no arguments");
  }
  context.model.processes[id].parameters = std::move(parameters);
  context.model.processes[id].defaults = std::move(defaults);
}

}  // namespace hyla::check
