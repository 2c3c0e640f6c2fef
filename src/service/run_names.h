// How traces and logs name what happens in a run: paths of objects and states, reactions, messages.
//
// Names are put together once and kept: a run has far fewer objects, states and reactions than events. A name stays
// where it is as long as the names live, except that of an object whose place another one has taken.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "diag/source.h"
#include "engine/observer.h"
#include "engine/world.h"
#include "model/model.h"

namespace hyla::service {

/// `on`, `when`, … and `auto` for a transition without trigger.
std::string_view trigger_word(model::TriggerKind trigger);

/// `mm1.hyla:42`.
std::string place_text(const diag::Sources& sources, diag::Span span);

class RunNames {
 public:
  /// Both outlive the names.
  RunNames(const engine::World& world, const diag::Sources& sources) : world_(world), sources_(sources) {}

  /// `Plant.valve[2]`; empty for none.
  std::string_view object(code::ObjectRef ref);
  /// `light.On.Green`.
  std::string_view state(model::StateId id);
  /// `light`, `On.x`; empty for the chart without a name in a model's body.
  std::string_view chart(model::ChartId id);
  /// `final`, `light.final`: where a chart ends.
  std::string_view final_state(model::ChartId id);
  /// The label, or the trigger and its line: `after@42`.
  std::string_view reaction(model::ReactionId id);
  /// The condition of `when`, or the guard, as it is written; empty for none.
  std::string_view condition(model::ReactionId id);
  std::string_view process(model::ProcessId id) const;
  /// `room.hyla:8`, without the folder; empty for no place.
  std::string_view place(diag::Span span);
  /// `port.Job`, the name of a signal, or `box.Job`; empty if there is no message.
  std::string_view message(const engine::Occurrence& occurrence);
  /// The port, signal or mailbox alone.
  std::string_view source(const engine::Occurrence& occurrence) const;

 private:
  struct ObjectName {
    std::uint32_t generation = 0;
    std::string path;
  };

  const engine::World& world_;
  const diag::Sources& sources_;
  std::deque<ObjectName> objects_;                                ///< by index
  std::deque<std::string> states_, charts_, finals_, reactions_;  ///< by id; empty until asked for
  std::unordered_map<std::uint64_t, std::string> messages_;       ///< by source and message
  std::unordered_map<std::uint32_t, std::string> conditions_;     ///< by reaction
  std::unordered_map<std::uint64_t, std::string> places_;         ///< by file and byte
};

}  // namespace hyla::service
