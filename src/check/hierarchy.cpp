#include "check/hierarchy.h"

namespace hyla::check {

using namespace model;  // NOLINT(google-build-using-namespace)

bool is_inside(const Model& model, BodyId inner, BodyId outer) {
  for (; inner; inner = model.bodies[inner].parent) {
    if (inner == outer) return true;
  }
  return false;
}

namespace {

/// The chart through which `inner` lies in `outer`; none if there is no chart between them.
ChartId chart_below(const Model& model, BodyId inner, BodyId outer) {
  ChartId chart;
  for (; inner && inner != outer; inner = model.bodies[inner].parent) {
    const StateId state = model.bodies[inner].state;
    const bool is_state_body = state && model.states[state].body == inner;
    if (is_state_body) chart = model.states[state].chart;
  }
  return chart;
}

}  // namespace

Meeting meet(const Model& model, BodyId first, BodyId second) {
  for (BodyId outer = first; outer; outer = model.bodies[outer].parent) {
    if (is_inside(model, second, outer))
      return {outer, chart_below(model, first, outer), chart_below(model, second, outer)};
  }
  return {};
}

Together together(const Model& model, BodyId first, BodyId second) {
  const Meeting meeting = meet(model, first, second);
  if (!meeting.common) return Together::Never;
  if (!meeting.first || !meeting.second) return Together::Always;
  return meeting.first == meeting.second ? Together::Never : Together::Possibly;
}

StateId parent_state(const Model& model, ChartId chart) { return model.bodies[model.charts[chart].body].state; }

std::string state_path(const Model& model, StateId state) {
  std::string path(model.name(model.states[state].name));
  for (StateId outer = parent_state(model, model.states[state].chart); outer;
       outer = parent_state(model, model.states[outer].chart)) {
    path = std::string(model.name(model.states[outer].name)) + "." + path;
  }
  return path;
}

}  // namespace hyla::check
