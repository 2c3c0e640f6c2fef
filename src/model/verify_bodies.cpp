#include "model/verify_steps.h"

namespace hyla::model {
namespace {

/// Walks the bodies from the classes down, with a list of bodies to do in place of recursion.
class BodyChecker {
 public:
  BodyChecker(const Model& model, UsedExprs& used, VerifyReport& report)
      : model_(model),
        judge_(model, used, report),
        report_(report),
        visited_(model.bodies.size()),
        listed_states_(model.states.size()) {}

  void check() {
    for (std::size_t i = 0; i < model_.classes.size(); ++i) enter_class(ClassId(i));
    while (!to_do_.empty()) {
      const BodyId id = to_do_.back();
      to_do_.pop_back();
      body(id, model_.bodies[id]);
    }
    for (std::size_t i = 0; i < model_.states.size(); ++i) state(StateId(i), model_.states[StateId(i)]);
    for (std::size_t i = 0; i < model_.choices.size(); ++i) choice(i, model_.choices[ChoiceId(i)]);
  }

 private:
  ClassId class_of(ChartId chart) const {
    return chart && model_.charts[chart].body ? model_.bodies[model_.charts[chart].body].object_class : ClassId();
  }

  void enter_class(ClassId id) {
    const BodyId body = model_.classes[id].body;
    if (!body) return report_.add("class", id.index, "it has no body");
    if (model_.bodies[body].state) report_.add("class", id.index, "its body belongs to a state");
    enter(body, BodyId(), id);
  }

  /// Every body is met once, from its parent, in its class.
  void enter(BodyId id, BodyId parent, ClassId object_class) {
    if (!id) return report_.add("body", parent.index, "a body inside it is missing");
    if (visited_[id.index]) return report_.add("body", id.index, "it is met twice");
    visited_[id.index] = true;
    const Body& body = model_.bodies[id];
    if (body.parent != parent) report_.add("body", id.index, "its parent is not the body that holds it");
    if (body.object_class != object_class) report_.add("body", id.index, "its class is not that of the body around it");
    to_do_.push_back(id);
  }

  /// The listed records name this body as their own; calls `f(index, record)` for each.
  template <class IdType, class Record, class F>
  void members(std::string_view what, BodyId body, const std::vector<IdType>& ids,
               const base::Store<IdType, Record>& store, F f) {
    for (const IdType id : ids) {
      if (!id) {
        report_.add("body", body.index, "it lists a " + std::string(what) + " that is none");
        continue;
      }
      const Record& record = store[id];
      if constexpr (requires { record.body; }) {
        if (record.body != body) report_.add(what, id.index, "it is listed by a body that it does not name");
      }
      f(id.index, record);
    }
  }

  void body(BodyId id, const Body& body) {
    members("variable", id, body.variables, model_.variables,
            [&](std::size_t i, const Variable& v) { variable(i, v); });
    members("part", id, body.parts, model_.parts, [&](std::size_t i, const Part& p) { part(i, p); });
    members("plug", id, body.plugs, model_.plugs, [&](std::size_t i, const Plug& p) {
      if (!p.connector) report_.add("plug", i, "its connector is missing");
    });
    members("port", id, body.ports, model_.ports, [&](std::size_t, const Port& p) { judge_.use(p.relayed); });
    members("mailbox", id, body.mailboxes, model_.mailboxes, [&](std::size_t i, const Mailbox& m) {
      judge_.use(m.relayed);
      judge_.use(m.order);
      if (m.order && !m.order_message) report_.add("mailbox", i, "it has an order but no message to order by");
    });
    members("signal", id, body.signals, model_.signals, [](std::size_t, const Signal&) {});
    members("statistic", id, body.statistics, model_.statistics, [&](std::size_t i, const Statistic& s) {
      judge_.use(s.observed);
      if (s.kind == StatisticKind::Accumulate) judge_.needed("statistic", i, s.observed, "observed value");
    });
    members("process", id, body.processes, model_.processes, [&](std::size_t i, const Process& p) {
      if (!p.block) report_.add("process", i, "its block is missing");
    });
    members("equation", id, body.equations, model_.equations,
            [&](std::size_t i, const Equation& e) { equation(i, e); });
    members("connection", id, body.connections, model_.connections, [&](std::size_t i, const Connection& c) {
      judge_.needed("connection", i, c.from, "first end");
      judge_.needed("connection", i, c.to, "second end");
    });
    members("requirement", id, body.requirements, model_.requirements,
            [&](std::size_t i, const Requirement& r) { requirement(i, r); });
    members("reaction", id, body.reactions, model_.reactions, [&](std::size_t i, const Reaction& r) {
      reaction(i, r);
      if (!r.from.empty() || r.from_any) report_.add("reaction", i, "it comes from states but stands outside a chart");
    });
    members("chart", id, body.charts, model_.charts, [&](std::size_t i, const Chart& c) { chart(i, c); });
    judge_.use(body.holds);
    for (const Deferral& deferral : body.deferrals) judge_.use(deferral.awaited);
    for (const Family& family : body.families) {
      judge_.needed("body", id.index, family.range, "range of a family");
      enter(family.body, id, body.object_class);
    }
    for (const Conditional& conditional : body.conditionals) {
      judge_.condition("body", id.index, conditional.condition, "condition of a part");
      enter(conditional.then_body, id, body.object_class);
      if (conditional.else_body) enter(conditional.else_body, id, body.object_class);
    }
    if (body.select) judge_.use(body.select->order);
  }

  void variable(std::size_t i, const Variable& variable) {
    if (variable.type.is_error()) report_.add("variable", i, "it has no type");
    if (variable.shape && model_.shapes[variable.shape].dimensions.size() != variable.type.rank) {
      report_.add("variable", i, "its shape does not fit the rank of its type");
    }
    judge_.use({variable.initial, variable.binding});
    const Attributes& attributes = variable.attributes;
    judge_.use({attributes.min, attributes.max, attributes.nominal, attributes.guess, attributes.display});
  }

  void part(std::size_t i, const Part& part) {
    if (static_cast<bool>(part.object_class) == static_cast<bool>(part.external)) {
      report_.add("part", i, "it is neither of one class nor of one external object");
    }
    judge_.use(part.arguments);
    judge_.use(part.external_arguments);
    if (!part.occupant) return;
    judge_.use(part.occupant->arguments);
    if (part.kind != PartKind::Dynamic) report_.add("part", i, "only a dynamic part has an occupant");
    if (!model_.extends(part.occupant->object_class, part.object_class)) {
      report_.add("part", i, "its occupant is not of its class");
    }
  }

  void equation(std::size_t i, const Equation& equation) {
    judge_.needed("equation", i, equation.left, "left side");
    judge_.needed("equation", i, equation.right, "right side");
    if (equation.form == EquationForm::Implicit && equation.subject) {
      report_.add("equation", i, "an implicit equation has no subject");
    }
  }

  void requirement(std::size_t i, const Requirement& requirement) {
    judge_.condition("requirement", i, requirement.condition, "condition");
    if (requirement.trigger) judge_.condition("requirement", i, requirement.trigger, "trigger");
    if (requirement.goal) judge_.condition("requirement", i, requirement.goal, "goal");
    if (requirement.duration) judge_.number("requirement", i, requirement.duration, "duration");
    if (requirement.within) judge_.number("requirement", i, requirement.within, "time");
  }

  void reaction(std::size_t i, const Reaction& reaction) {
    constexpr std::string_view kReaction = "reaction";
    switch (reaction.trigger) {
      case TriggerKind::On:
        if (reaction.awaited.empty()) report_.add(kReaction, i, "it waits for no message");
        break;
      case TriggerKind::When:
        judge_.condition(kReaction, i, reaction.condition, "condition");
        break;
      case TriggerKind::After:
      case TriggerKind::At:
      case TriggerKind::Every:
      case TriggerKind::Rate:
        judge_.number(kReaction, i, reaction.condition, "time");
        break;
      case TriggerKind::Done:
      case TriggerKind::Automatic:
        if (reaction.condition) report_.add(kReaction, i, "its trigger has no condition");
        break;
    }
    for (const Awaited& awaited : reaction.awaited) {
      judge_.use(awaited);
      judge_.needed(kReaction, i, awaited.source, "source");
    }
    judge_.use(reaction.every_from);
    if (reaction.guard) judge_.condition(kReaction, i, reaction.guard, "guard");
    if (reaction.body) target(kReaction, i, reaction.target, model_.bodies[reaction.body].object_class);
  }

  void target(std::string_view what, std::size_t i, const Target& target, ClassId object_class) {
    const std::size_t states = target.states.size();
    bool fits = false;
    switch (target.kind) {
      case TargetKind::Self:
        fits = states <= 1 && !target.choice;
        break;
      case TargetKind::None:
      case TargetKind::Final:
        fits = states == 0 && !target.choice;
        break;
      case TargetKind::State:
      case TargetKind::History:
      case TargetKind::DeepHistory:
        fits = states == 1 && !target.choice;
        break;
      case TargetKind::Fork:
        fits = states >= 1 && !target.choice;
        break;
      case TargetKind::Choice:
        fits = states == 0 && target.choice;
        break;
    }
    if (!fits) report_.add(what, i, "its target does not fit its kind");
    for (const StateId state : target.states) {
      if (!state || class_of(model_.states[state].chart) != object_class) {
        report_.add(what, i, "its target is a state of another class");
      }
    }
    if (target.choice && class_of(model_.choices[target.choice].chart) != object_class) {
      report_.add(what, i, "its target is a choice of another class");
    }
  }

  void chart(std::size_t i, const Chart& chart) {
    const ClassId object_class = class_of(ChartId(i));
    target("chart", i, chart.initial.target, object_class);
    for (const StateId id : chart.states) {
      if (!id || model_.states[id].chart != ChartId(i)) {
        report_.add("chart", i, "it lists a state of another chart");
      } else {
        listed_states_[id.index] = true;
        enter(model_.states[id].body, chart.body, object_class);
      }
    }
    for (const ChoiceId id : chart.choices) {
      if (!id || model_.choices[id].chart != ChartId(i)) report_.add("chart", i, "it lists a choice of another chart");
    }
    for (const ReactionId id : chart.reactions) from_reaction(ChartId(i), id);
  }

  void from_reaction(ChartId chart_id, ReactionId id) {
    if (!id) return report_.add("chart", chart_id.index, "it lists a reaction that is none");
    const Reaction& from = model_.reactions[id];
    reaction(id.index, from);
    if (from.body != model_.charts[chart_id].body)
      report_.add("reaction", id.index, "its body is not that of its chart");
    if (from.from.empty() && !from.from_any) report_.add("reaction", id.index, "it comes from no state");
  }

  void state(StateId id, const State& state) {
    if (!state.chart) return report_.add("state", id.index, "it has no chart");
    if (!listed_states_[id.index]) report_.add("state", id.index, "its chart does not list it");
    if (!state.body || model_.bodies[state.body].state != id) report_.add("state", id.index, "its body is not its own");
  }

  void choice(std::size_t i, const Choice& choice) {
    if (!choice.chart) return report_.add("choice", i, "it has no chart");
    for (const ChoiceBranch& branch : choice.branches) {
      if (branch.guard) judge_.condition("choice", i, branch.guard, "guard");
      target("choice", i, branch.target, class_of(choice.chart));
    }
  }

  const Model& model_;
  ExprJudge judge_;
  VerifyReport& report_;
  std::vector<bool> visited_;
  std::vector<bool> listed_states_;  ///< by the chart that they name
  std::vector<BodyId> to_do_;
};

}  // namespace

void verify_bodies(const Model& model, UsedExprs& used, VerifyReport& report) {
  BodyChecker(model, used, report).check();
}

}  // namespace hyla::model
