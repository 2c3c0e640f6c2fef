#include "engine/streams.h"

namespace hyla::engine {
namespace {

random::Stream& stream_at(World& world, Object& object, std::size_t index, std::string_view purpose) {
  if (!object.extras) object.extras = std::make_unique<ObjectExtras>();
  ObjectExtras& extras = *object.extras;
  if (index >= extras.streams.size()) {
    extras.streams.resize(index + 1);
    extras.stream_made.resize(index + 1, false);
  }
  if (!extras.stream_made[index]) {
    extras.streams[index] = random::make_stream(world.seed, world.path(object.self), purpose, world.substream);
    extras.stream_made[index] = true;
  }
  return extras.streams[index];
}

/// `STATE rate#2`: the second `rate` in that state.
std::string rate_purpose(const World& world, const Plan& plan, Index index) {
  const PlanReaction& reaction = plan.reactions[index];
  const model::Reaction& text = world.model.reactions[reaction.id];
  if (text.label) return "rate " + std::string(world.model.name(text.label));
  std::size_t number = 1;
  for (Index other = 0; other < index; ++other) {
    const PlanReaction& earlier = plan.reactions[other];
    if (earlier.trigger == model::TriggerKind::Rate && earlier.state == reaction.state) ++number;
  }
  const std::string state = reaction.state == kNone ? "" : world.state_path(plan.states[reaction.state].id) + " ";
  return state + "rate#" + std::to_string(number);
}

}  // namespace

random::Stream& stream(World& world, Object& object, std::uint32_t purpose) {
  ObjectExtras* extras = object.extras.get();
  if (extras != nullptr && purpose < extras->streams.size() && extras->stream_made[purpose]) [[likely]] {
    return extras->streams[purpose];
  }
  return stream_at(world, object, purpose, object.plan->streams[purpose]);
}

random::Stream& rate_stream(World& world, Object& object, Index reaction) {
  const Plan& plan = *object.plan;
  const std::size_t index = plan.streams.size() + plan.reactions[reaction].timer;
  if (object.extras && index < object.extras->streams.size() && object.extras->stream_made[index]) {
    return object.extras->streams[index];
  }
  return stream_at(world, object, index, rate_purpose(world, plan, reaction));
}

}  // namespace hyla::engine
