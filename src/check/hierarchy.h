// How the bodies, states and charts of a class lie inside each other.
#pragma once

#include <vector>

#include "model/model.h"

namespace hyla::check {

/// `inner` is `outer` or lies inside it.
bool is_inside(const model::Model& model, model::BodyId inner, model::BodyId outer);

/// Where two bodies part: the innermost body around both, and the charts through which each lies in it. A chart is none
/// if the body is the common one itself, or lies in it through a family or conditional.
struct Meeting {
  model::BodyId common;
  model::ChartId first, second;
};
Meeting meet(const model::Model& model, model::BodyId first, model::BodyId second);

/// Whether the two can be active at the same time: one inside the other, or in different charts of one body.
enum class Together { Always, Possibly, Never };
Together together(const model::Model& model, model::BodyId first, model::BodyId second);

/// The state (or none) that directly holds a chart.
model::StateId parent_state(const model::Model& model, model::ChartId chart);

/// "Outer.Inner": a state with the states around it.
std::string state_path(const model::Model& model, model::StateId state);

}  // namespace hyla::check
