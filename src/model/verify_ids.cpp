#include "model/verify_steps.h"

namespace hyla::model {
namespace {

/// Checks the ids of one record after the other. Every kind of thing that holds ids has an overload of look().
class IdChecker {
 public:
  IdChecker(const Model& model, VerifyReport& report) : model_(model), report_(report) {}

  void check() {
    expressions();
    values();
    declarations();
    members();
    behaviour();
  }

 private:
  bool inside(SymbolId id) const { return id.index < model_.symbols.size(); }
  bool inside(UnitId id) const { return model_.units.contains(id); }
  bool inside(ShapeId id) const { return model_.shapes.contains(id); }
  bool inside(ExprId id) const { return model_.exprs.contains(id); }
  bool inside(ActionId id) const { return model_.actions.contains(id); }
  bool inside(BlockId id) const { return model_.blocks.contains(id); }
  bool inside(LocalId id) const { return model_.locals.contains(id); }
  bool inside(EnumId id) const { return model_.enums.contains(id); }
  bool inside(RecordId id) const { return model_.records.contains(id); }
  bool inside(MessageId id) const { return model_.messages.contains(id); }
  bool inside(ConnectorId id) const { return model_.connectors.contains(id); }
  bool inside(ProtocolId id) const { return model_.protocols.contains(id); }
  bool inside(FunctionId id) const { return model_.functions.contains(id); }
  bool inside(ExternalObjectId id) const { return model_.external_objects.contains(id); }
  bool inside(ClassId id) const { return model_.classes.contains(id); }
  bool inside(PackageId id) const { return model_.packages.contains(id); }
  bool inside(BodyId id) const { return model_.bodies.contains(id); }
  bool inside(VariableId id) const { return model_.variables.contains(id); }
  bool inside(PartId id) const { return model_.parts.contains(id); }
  bool inside(PlugId id) const { return model_.plugs.contains(id); }
  bool inside(PortId id) const { return model_.ports.contains(id); }
  bool inside(MailboxId id) const { return model_.mailboxes.contains(id); }
  bool inside(SignalId id) const { return model_.signals.contains(id); }
  bool inside(StatisticId id) const { return model_.statistics.contains(id); }
  bool inside(ProcessId id) const { return model_.processes.contains(id); }
  bool inside(EquationId id) const { return model_.equations.contains(id); }
  bool inside(ConnectionId id) const { return model_.connections.contains(id); }
  bool inside(RequirementId id) const { return model_.requirements.contains(id); }
  bool inside(ReactionId id) const { return model_.reactions.contains(id); }
  bool inside(ChartId id) const { return model_.charts.contains(id); }
  bool inside(StateId id) const { return model_.states.contains(id); }
  bool inside(ChoiceId id) const { return model_.choices.contains(id); }

  template <class Tag>
  void look(base::Id<Tag> id) {
    if (id && !inside(id)) bad_ = true;
  }
  template <class T>
  void look(const std::vector<T>& items) {
    for (const T& item : items) look(item);
  }
  void look(Type type) {
    switch (type.kind) {
      case TypeKind::Enum:
        return look(EnumId(type.ref));
      case TypeKind::Record:
        return look(RecordId(type.ref));
      case TypeKind::Message:
        return look(MessageId(type.ref));
      case TypeKind::Object:
      case TypeKind::Population:
        return look(ClassId(type.ref));
      case TypeKind::External:
        return look(ExternalObjectId(type.ref));
      case TypeKind::Connector:
        return look(ConnectorId(type.ref));
      case TypeKind::Mailbox:
        return look(MailboxId(type.ref));
      case TypeKind::Port:
        return look(PortId(type.ref));
      case TypeKind::Tuple:
        return look(FunctionId(type.ref));
      default:
        return;
    }
  }
  void look(const Field& f) { all(f.name, f.type, f.unit, f.shape, f.default_value); }
  void look(const Argument& a) { all(a.target, a.value); }
  void look(const Awaited& a) { all(a.source, a.message, a.whole, a.fields, a.where); }
  void look(const Target& t) { all(t.states, t.choice); }
  void look(const Occupant& o) { all(o.object_class, o.arguments); }
  void look(const Deferral& d) { look(d.awaited); }
  void look(const Family& f) { all(f.index, f.range, f.body); }
  void look(const Conditional& c) { all(c.condition, c.then_body, c.else_body); }
  void look(const ChoiceBranch& c) { all(c.guard, c.target, c.block); }
  void look(const DevsFunction& f) { all(f.parameters, f.block); }
  void look(const Setting& s) { all(s.name, s.value); }
  void look(const SectionObject& o) { all(o.object_class, o.arguments, o.references); }
  void look(const Section& s) { all(s.package, s.settings, s.objects); }
  void look(const Variation& v) { all(v.target, v.range); }
  void look(const Observation& o) { all(o.name, o.value, o.local); }
  void look(const Attributes& a) { all(a.min, a.max, a.nominal, a.guess, a.display); }

  template <class... Items>
  void all(const Items&... items) {
    (look(items), ...);
  }

  /// Looks at all items of one record and reports the record if one is bad.
  template <class... Items>
  void record(std::string_view what, std::size_t index, const Items&... items) {
    bad_ = false;
    all(items...);
    if (bad_) report_.add(what, index, "it holds an id outside its store");
  }

  /// Calls `f(index, record)` for every record of a store.
  template <class Records, class F>
  static void each(const Records& records, F f) {
    std::size_t index = 0;
    for (const auto& one : records) f(index++, one);
  }

  void expressions() {
    each(model_.exprs, [&](std::size_t i, const Expr& e) {
      record("expression", i, e.type, e.unit, e.shape);
      if (e.first_operand > model_.operands.size() || e.operand_count > model_.operands.size() - e.first_operand) {
        return report_.add("expression", i, "its operands are outside their list");
      }
      for (const ExprId operand : model_.operands_of(e)) {
        if (operand && operand.index >= i) return report_.add("expression", i, "an operand does not come before it");
      }
    });
  }

  void values() {
    each(model_.shapes, [&](std::size_t i, const Shape& s) {
      for (const Dimension& dimension : s.dimensions) record("shape", i, dimension.expr);
    });
    each(model_.locals, [&](std::size_t i, const Local& l) { record("local", i, l.name, l.type, l.unit, l.shape); });
    each(model_.occupants, [&](std::size_t i, const Occupant& o) { record("occupant", i, o); });
    each(model_.blocks, [&](std::size_t i, const Block& b) { record("block", i, b.actions); });
    each(model_.branches,
         [&](std::size_t i, const Branch& b) { record("branch", i, b.condition, b.awaited, b.block); });
    each(model_.actions, [&](std::size_t i, const Action& a) {
      record("action", i, a.exprs, a.locals, a.blocks, a.awaited, a.delay, a.result.local, a.result.target);
    });
  }

  void declarations() {
    each(model_.enums, [&](std::size_t i, const Enum& e) { record("enum", i, e.name, e.values); });
    each(model_.records, [&](std::size_t i, const Record& r) { record("record", i, r.name, r.fields); });
    each(model_.messages, [&](std::size_t i, const Message& m) { record("message", i, m.name, m.fields); });
    each(model_.connectors, [&](std::size_t i, const Connector& c) { record("connector", i, c.name, c.fields); });
    each(model_.protocols,
         [&](std::size_t i, const Protocol& p) { record("protocol", i, p.name, p.receives, p.sends); });
    each(model_.functions, [&](std::size_t i, const Function& f) {
      record("function", i, f.name, f.parameters, f.defaults, f.results, f.block);
    });
    each(model_.external_objects, [&](std::size_t i, const ExternalObject& o) {
      record("external object", i, o.name, o.parameters, o.defaults, o.functions);
    });
    each(model_.classes, [&](std::size_t i, const Class& c) {
      record("class", i, c.name, c.module, c.base, c.base_arguments, c.outer, c.package, c.body, c.devs_functions,
             c.sections);
    });
    each(model_.packages,
         [&](std::size_t i, const Package& p) { record("package", i, p.name, p.parameters, p.models); });
    each(model_.experiments, [&](std::size_t i, const Experiment& e) {
      record("experiment", i, e.name, e.of, e.settings, e.parameters, e.variations, e.replications, e.enough,
             e.observations, e.objective, e.requirements);
    });
  }

  void members() {
    each(model_.variables, [&](std::size_t i, const Variable& v) {
      record("variable", i, v.name, v.type, v.unit, v.shape, v.initial, v.binding, v.attributes, v.body, v.plug);
    });
    each(model_.parts, [&](std::size_t i, const Part& p) {
      record("part", i, p.name, p.object_class, p.external, p.shape, p.family_index, p.arguments, p.external_arguments,
             p.body);
      if (p.occupant) record("part", i, *p.occupant);
    });
    each(model_.plugs,
         [&](std::size_t i, const Plug& p) { record("plug", i, p.name, p.connector, p.shape, p.variables, p.body); });
    each(model_.ports, [&](std::size_t i, const Port& p) {
      record("port", i, p.name, p.shape, p.receives, p.sends, p.protocol, p.relayed, p.body);
    });
    each(model_.mailboxes, [&](std::size_t i, const Mailbox& m) {
      record("mailbox", i, m.name, m.shape, m.messages, m.order, m.order_message, m.relayed, m.body);
    });
    each(model_.signals, [&](std::size_t i, const Signal& s) { record("signal", i, s.name, s.body); });
    each(model_.statistics,
         [&](std::size_t i, const Statistic& s) { record("statistic", i, s.name, s.unit, s.observed, s.body); });
    each(model_.processes,
         [&](std::size_t i, const Process& p) { record("process", i, p.name, p.parameters, p.block, p.body); });
  }

  void behaviour() {
    each(model_.bodies, [&](std::size_t i, const Body& b) {
      record("body", i, b.object_class, b.state, b.parent, b.variables, b.parts, b.plugs, b.ports, b.mailboxes,
             b.signals, b.statistics, b.processes, b.equations, b.holds, b.connections, b.requirements, b.reactions,
             b.deferrals, b.charts, b.initial_blocks, b.entry_blocks, b.exit_blocks, b.families, b.conditionals);
      if (b.select) record("body", i, b.select->order, b.select->imminent, b.select->function);
    });
    each(model_.equations,
         [&](std::size_t i, const Equation& e) { record("equation", i, e.label, e.subject, e.left, e.right, e.body); });
    each(model_.connections, [&](std::size_t i, const Connection& c) { record("connection", i, c.from, c.to); });
    each(model_.requirements, [&](std::size_t i, const Requirement& r) {
      record("requirement", i, r.trigger, r.condition, r.goal, r.duration, r.within);
    });
    each(model_.reactions, [&](std::size_t i, const Reaction& r) {
      record("reaction", i, r.label, r.from, r.awaited, r.condition, r.every_from, r.guard, r.target, r.block, r.body);
    });
    each(model_.charts, [&](std::size_t i, const Chart& c) {
      record("chart", i, c.name, c.body, c.initial.target, c.initial.block, c.states, c.choices, c.reactions);
    });
    each(model_.states, [&](std::size_t i, const State& s) { record("state", i, s.name, s.chart, s.body); });
    each(model_.choices, [&](std::size_t i, const Choice& c) { record("choice", i, c.name, c.chart, c.branches); });
  }

  const Model& model_;
  VerifyReport& report_;
  bool bad_ = false;
};

}  // namespace

void verify_ids(const Model& model, VerifyReport& report) { IdChecker(model, report).check(); }

}  // namespace hyla::model
