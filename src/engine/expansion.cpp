#include "engine/expansion.h"

namespace hyla::engine {
namespace {

using model::BodyId;

class Expander {
 public:
  Expander(const model::Model& model, const ExpansionSource& source, Expansion& result)
      : model_(model), source_(source), result_(result) {}

  bool expand(ExpandedBody& around) {
    if (!source_.entered(around)) return false;
    const model::Body& body = model_.bodies[around.body];
    for (const model::Conditional& conditional : body.conditionals) {
      if (!choose(conditional, around)) return false;
    }
    for (const model::Family& family : body.families) {
      if (!write_out(family, around)) return false;
    }
    for (const model::ChartId chart : body.charts) {
      if (!states_of(chart)) return false;
    }
    return true;
  }

 private:
  bool choose(const model::Conditional& conditional, ExpandedBody& around) {
    bool holds = false;
    if (!source_.condition(conditional.condition, around, holds)) return false;
    result_.key.push_back(holds ? 1 : 0);
    const BodyId chosen = holds ? conditional.then_body : conditional.else_body;
    if (!chosen) return true;
    around.inner.push_back({chosen, conditional.span, around.indices, around.inputs, {}});
    return expand(around.inner.back());
  }

  bool write_out(const model::Family& family, ExpandedBody& around) {
    Inputs values;
    if (!source_.range(family.range, around, values)) return false;
    result_.key.push_back(static_cast<std::int64_t>(values.size()));
    for (const code::Slot value : values) result_.key.push_back(value.integer);
    for (const code::Slot value : values) {
      ExpandedBody one{family.body, family.span, around.indices, around.inputs, {}};
      one.indices.push_back(family.index);
      one.inputs.push_back(value);
      around.inner.push_back(std::move(one));
      if (!expand(around.inner.back())) return false;
    }
    return true;
  }

  bool states_of(model::ChartId chart) {
    for (const model::StateId state : model_.charts[chart].states) {
      const BodyId body = model_.states[state].body;
      if (!body) continue;
      ExpandedBody expanded{body, {}, {}, {}, {}};
      if (!expand(expanded)) return false;
      result_.states.emplace(body.index, std::move(expanded));
    }
    return true;
  }

  const model::Model& model_;
  const ExpansionSource& source_;
  Expansion& result_;
};

bool body_has_choices(const model::Model& model, BodyId id) {
  const model::Body& body = model.bodies[id];
  if (!body.families.empty() || !body.conditionals.empty()) return true;
  for (const model::ChartId chart : body.charts) {
    for (const model::StateId state : model.charts[chart].states) {
      if (model.states[state].body && body_has_choices(model, model.states[state].body)) return true;
    }
  }
  return false;
}

}  // namespace

bool has_choices(const model::Model& model, model::ClassId object_class) {
  return body_has_choices(model, model.classes[object_class].body);
}

bool expand(const model::Model& model, model::ClassId object_class, const ExpansionSource& source, Expansion& result) {
  result.root.body = model.classes[object_class].body;
  return Expander(model, source, result).expand(result.root);
}

}  // namespace hyla::engine
