// Which nodes and arcs a picture of a chart consists of, before anything is written.
//
// Graphviz draws arcs between nodes only, so a state with charts inside, which is a frame, lends the arc a node of its
// inside and the arc is cut off at the frame. An arc must be written in the innermost frame that holds both its ends:
// that is what chart each arc and each extra node is kept under.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/model.h"
#include "picture/wording.h"

namespace hyla::picture {

struct Arc {
  std::string from, to;              ///< nodes
  std::string from_frame, to_frame;  ///< where it is cut off; empty: at the node
  std::string label;                 ///< markup
  bool is_hidden = false;            ///< only keeps its ends in their places
};

/// `Leave` is where an arc from a frame to its inside begins, `Exit` where one to the outside does.
enum class MarkKind { Initial, Final, Any, Fork, Leave, Exit, History, DeepHistory };

/// A node that is neither state nor choice.
struct Mark {
  MarkKind kind = MarkKind::Initial;
  std::string name;
};

struct ChartPlan {
  std::vector<Mark> marks;
  std::vector<Arc> arcs;
};

/// The plans of a chart and of all charts in its states.
struct ChartPlans {
  std::map<model::ChartId, ChartPlan> charts;
  std::map<model::StateId, ChartPlan> frames;  ///< what a state has beside its charts
};

ChartPlans plan_chart(const model::Model& model, const Wording& wording, model::ChartId chart);

/// The charts in a state that have states.
std::vector<model::ChartId> inner_charts(const model::Model& model, model::StateId state);

std::string state_node(const model::Model& model, const Wording& wording, model::StateId state);
std::string choice_node(const model::Model& model, const Wording& wording, model::ChoiceId choice);
std::string frame_of(const std::string& node);

}  // namespace hyla::picture
