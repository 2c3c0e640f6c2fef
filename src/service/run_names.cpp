#include "service/run_names.h"

#include "code/heap.h"

namespace hyla::service {
namespace {

/// The entry for an id, with room made for it.
template <class Id>
std::string& entry(std::deque<std::string>& names, Id id) {
  if (names.size() <= id.index) names.resize(id.index + 1);
  return names[id.index];
}

/// The state that holds a body, directly or through conditional parts; none in a model's own body.
model::StateId state_around(const model::Model& model, model::BodyId id) {
  while (id && !model.bodies[id].state) id = model.bodies[id].parent;
  return id ? model.bodies[id].state : model::StateId();
}

/// Line breaks and the blanks around them become one blank each.
std::string one_line(std::string_view text) {
  std::string result;
  for (const char sign : text) {
    const bool is_blank = sign == ' ' || sign == '\n' || sign == '\t' || sign == '\r';
    if (!is_blank) {
      result += sign;
    } else if (!result.empty() && result.back() != ' ') {
      result += ' ';
    }
  }
  return result;
}

}  // namespace

std::string_view trigger_word(model::TriggerKind trigger) {
  switch (trigger) {
    case model::TriggerKind::On:
      return "on";
    case model::TriggerKind::When:
      return "when";
    case model::TriggerKind::After:
      return "after";
    case model::TriggerKind::At:
      return "at";
    case model::TriggerKind::Every:
      return "every";
    case model::TriggerKind::Rate:
      return "rate";
    case model::TriggerKind::Done:
      return "done";
    case model::TriggerKind::Automatic:
      return "auto";
  }
  return "";
}

std::string place_text(const diag::Sources& sources, diag::Span span) {
  return sources.path(span.file) + ':' + std::to_string(sources.position(span.file, span.begin).line);
}

std::string_view RunNames::object(code::ObjectRef ref) {
  if (!ref) return "";
  if (objects_.size() <= ref.index) objects_.resize(ref.index + 1);
  ObjectName& name = objects_[ref.index];
  if (name.generation != ref.generation) name = {ref.generation, world_.former_path(ref)};
  return name.path;
}

std::string_view RunNames::state(model::StateId id) {
  std::string& name = entry(states_, id);
  if (name.empty()) name = world_.state_path(id);
  return name;
}

std::string_view RunNames::chart(model::ChartId id) {
  std::string& name = entry(charts_, id);
  if (!name.empty()) return name;
  const model::Chart& chart = world_.model.charts[id];
  if (const model::StateId around = state_around(world_.model, chart.body)) name = state(around);
  const std::string_view own = world_.model.name(chart.name);
  if (!name.empty() && !own.empty()) name += '.';
  return name += own;
}

std::string_view RunNames::final_state(model::ChartId id) {
  std::string& name = entry(finals_, id);
  if (name.empty()) name = (chart(id).empty() ? "" : std::string(chart(id)) + '.') + "final";
  return name;
}

std::string_view RunNames::reaction(model::ReactionId id) {
  std::string& name = entry(reactions_, id);
  if (!name.empty()) return name;
  const model::Reaction& reaction = world_.model.reactions[id];
  name = world_.model.name(reaction.label);
  if (name.empty()) {
    name = std::string(trigger_word(reaction.trigger)) + '@' +
           std::to_string(sources_.position(reaction.span.file, reaction.span.begin).line);
  }
  return name;
}

std::string_view RunNames::condition(model::ReactionId id) {
  const auto [entry, is_new] = conditions_.try_emplace(id.index);
  if (!is_new) return entry->second;
  const model::Reaction& reaction = world_.model.reactions[id];
  const model::ExprId expr = reaction.trigger == model::TriggerKind::When ? reaction.condition : reaction.guard;
  if (expr) entry->second = one_line(sources_.text(world_.model.exprs[expr].span));
  return entry->second;
}

std::string_view RunNames::place(diag::Span span) {
  if (!span.file) return "";
  std::string& name = places_[std::uint64_t{span.file.index} << 32 | span.begin];
  if (name.empty()) {
    name = place_text(sources_, span);
    name.erase(0, name.rfind('/') + 1);
  }
  return name;
}

std::string_view RunNames::process(model::ProcessId id) const {
  return world_.model.name(world_.model.processes[id].name);
}

std::string_view RunNames::message(const engine::Occurrence& occurrence) {
  if (occurrence.source_kind == model::EntityKind::None) return "";
  const bool is_signal = occurrence.source_kind == model::EntityKind::Signal;
  const std::uint32_t type = is_signal || occurrence.message == nullptr ? 0 : occurrence.message->type + 1;
  const std::uint64_t key = (std::uint64_t{occurrence.source} << 32) | (std::uint64_t{type} << 2) |
                            (occurrence.source_kind == model::EntityKind::Port ? 0U
                             : is_signal                                       ? 1U
                                                                               : 2U);
  std::string& name = messages_[key];
  if (!name.empty()) return name;
  name = source(occurrence);
  if (type > 0) name += '.' + std::string(world_.model.name(world_.model.messages[model::MessageId{type - 1}].name));
  return name;
}

std::string_view RunNames::source(const engine::Occurrence& occurrence) const {
  const model::Model& model = world_.model;
  switch (occurrence.source_kind) {
    case model::EntityKind::Port:
      return model.name(model.ports[model::PortId{occurrence.source}].name);
    case model::EntityKind::Mailbox:
      return model.name(model.mailboxes[model::MailboxId{occurrence.source}].name);
    case model::EntityKind::Signal:
      return model.name(model.signals[model::SignalId{occurrence.source}].name);
    default:
      return "";
  }
}

}  // namespace hyla::service
