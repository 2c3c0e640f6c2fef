#include "check/check.h"

#include "check/context.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// The unit of `time`: seconds, unless a section of the main module says otherwise.
UnitId time_unit(Context& context) {
  const syntax::Tree& tree = context.tree(context.forest.main);
  for (std::uint32_t index = 0; index < tree.node_count(); ++index) {
    const NodeId node{index};
    if (tree.kind(node) != NodeKind::Section) continue;
    for (NodeId item : tree.children(node)) {
      if (tree.kind(item) != NodeKind::Setting || tree.text(tree.child(item, 0)) != "time_unit") continue;
      const NodeId value = tree.child(item, 1);
      if (tree.kind(value) != NodeKind::StringLiteral) continue;
      std::string_view text = tree.text(value);
      if (text.size() < 2) continue;
      text = text.substr(1, text.size() - 2);
      if (const UnitId unit = read_unit(context, text, tree.span(value))) return unit;
    }
  }
  UnitError error;
  return context.model.intern_unit(*parse_unit("s", error));
}

template <class IdType, class StoreType>
void settle_all(Context& context, const StoreType& store, void (*settle)(Context&, IdType)) {
  for (std::size_t i = 0; i < store.size(); ++i) settle(context, IdType(i));
}

}  // namespace

Model check(const Forest& forest, diag::Sink& sink) {
  Model model;
  model.units.add({{}, 1.0, "1"});  // kBareUnit
  Context context(forest, sink, model);
  context.time_unit = time_unit(context);

  declare_modules(context);
  // From here on every global name is known.
  for (std::size_t i = 0; i < model.classes.size(); ++i) declare_members(context, ClassId(i));
  // From here on the members, charts and states of every class are known; types are settled when first asked for.

  settle_aliases(context);
  settle_all<RecordId>(context, model.records, settle_record);
  settle_all<MessageId>(context, model.messages, settle_message);
  settle_all<ConnectorId>(context, model.connectors, settle_connector);
  settle_all<ProtocolId>(context, model.protocols, settle_protocol);
  settle_all<ExternalObjectId>(context, model.external_objects, settle_external_object);
  for (std::size_t i = 0; i < model.variables.size(); ++i) {
    if (model.variables[VariableId(i)].body) continue;
    settle_variable(context, VariableId(i));
    check_variable_value(context, VariableId(i));
  }
  for (const ClassId id : context.class_order) check_class(context, id);
  for (std::size_t i = 0; i < model.functions.size(); ++i) check_function(context, FunctionId(i));
  for (std::size_t i = 0; i < model.experiments.size(); ++i) check_experiment(context, ExperimentId(i));
  // From here on all records are complete; what follows judges them together and adds nothing.

  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    context.class_bodies[model.bodies[BodyId(i)].object_class].push_back(BodyId(i));
  find_endless(context);
  for (const ClassId id : context.class_order) {
    judge_charts(context, id);
    judge_definitions(context, id);
    judge_structure(context, id);
  }
  return model;
}

}  // namespace hyla::check
