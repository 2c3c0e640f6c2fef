// What is written inside a state, and on the transitions between states.
#pragma once

#include <string>
#include <string_view>

#include "picture/wording.h"

namespace hyla::picture {

/// A transition's label: trigger and guard, then its actions. Empty if there is nothing to say.
std::string transition_label(const Wording& wording, std::string_view trigger, model::BlockId block);

/// `[guard]`, or `else`, with its actions.
std::string branch_label(const Wording& wording, const model::ChoiceBranch& branch);

/// The trigger as a label tells it: `exchange: when w >= 40 [open]`.
std::string trigger_text(const Wording& wording, const model::Reaction& reaction);

/// Rows of a label's table: variables, parts, equations, connections, entry, exit, what happens without leaving.
std::string body_rows(const model::Model& model, const Wording& wording, const model::Body& body);

/// Rows for the transitions of a chart from several states that lead nowhere.
std::string chart_rows(const model::Model& model, const Wording& wording, const model::Chart& chart);

/// Whether a reaction is told in its state: it has no target, or leads back to a state that has charts inside.
bool is_told(const model::Reaction& reaction, bool has_charts);

}  // namespace hyla::picture
