// What there is to be drawn.
#include <set>

#include "picture/picture.h"

namespace hyla::picture {
namespace {

using model::BodyId;
using model::ClassId;

/// Calls `visit` with the body and all bodies in it; with those of its states if asked for.
template <class Visit>
void walk_bodies(const model::Model& model, BodyId id, bool with_states, const Visit& visit) {
  if (!id) return;
  const model::Body& body = model.bodies[id];
  visit(body);
  for (const model::Family& family : body.families) walk_bodies(model, family.body, with_states, visit);
  for (const model::Conditional& conditional : body.conditionals) {
    walk_bodies(model, conditional.then_body, with_states, visit);
    walk_bodies(model, conditional.else_body, with_states, visit);
  }
  if (!with_states) return;
  for (const model::ChartId chart : body.charts) {
    for (const model::StateId state : model.charts[chart].states) {
      walk_bodies(model, model.states[state].body, with_states, visit);
    }
  }
}

}  // namespace

std::vector<model::ChartId> charts_of(const model::Model& model, ClassId id) {
  std::vector<model::ChartId> charts;
  walk_bodies(model, model.classes[id].body, false,
              [&](const model::Body& body) { charts.insert(charts.end(), body.charts.begin(), body.charts.end()); });
  return charts;
}

std::vector<model::PartId> parts_within(const model::Model& model, BodyId id) {
  std::vector<model::PartId> parts;
  walk_bodies(model, id, true,
              [&](const model::Body& body) { parts.insert(parts.end(), body.parts.begin(), body.parts.end()); });
  return parts;
}

ClassId shown_class(const model::Part& part) {
  return part.occupant && part.occupant->object_class ? part.occupant->object_class : part.object_class;
}

std::vector<ClassId> classes_within(const model::Model& model, ClassId top) {
  std::vector<ClassId> classes = {top};
  std::set<ClassId> met = {top};
  for (std::size_t i = 0; i < classes.size(); ++i) {
    for (const model::PartId id : parts_within(model, model.classes[classes[i]].body)) {
      const model::Part& part = model.parts[id];
      for (const ClassId used : {part.object_class, shown_class(part)}) {
        if (used && met.insert(used).second) classes.push_back(used);
      }
    }
  }
  return classes;
}

}  // namespace hyla::picture
