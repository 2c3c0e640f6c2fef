#include "engine/cycle.h"

#include <algorithm>

#include <fmt/format.h>

namespace hyla::engine {
namespace {

constexpr std::size_t kMostNamed = 8;

struct Culprit {
  diag::Span span;
  std::string what;
  std::uint64_t count = 0;
};

template <class Describe>
void collect(const std::vector<std::uint64_t>& now, const std::vector<std::uint64_t>& before,
             std::vector<Culprit>& culprits, Describe&& describe) {
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (now[i] == before[i]) continue;
    Culprit culprit = describe(i);
    culprit.count = now[i] - before[i];
    culprits.push_back(std::move(culprit));
  }
}

/// The culprits of the object that acted last come first, then the most frequent ones.
void sort_culprits(const Run& run, const Object& object, std::vector<Culprit>& culprits) {
  const auto is_own = [&](const Culprit& culprit) {
    const diag::Span own = run.world.model.classes[object.plan->object_class].span;
    return culprit.span.file == own.file && culprit.span.begin >= own.begin && culprit.span.end <= own.end;
  };
  std::stable_sort(culprits.begin(), culprits.end(), [&](const Culprit& a, const Culprit& b) {
    return is_own(a) != is_own(b) ? is_own(a) : a.count > b.count;
  });
}

}  // namespace

CycleRecorder::CycleRecorder(const Run& run)
    : reactions_(run.fired_reactions), processes_(run.fired_processes), atomics_(run.fired_atomics) {}

void CycleRecorder::report(Run& run) {
  const model::Model& model = run.world.model;
  std::vector<Culprit> culprits;
  collect(run.fired_reactions, reactions_, culprits, [&](std::size_t i) {
    const model::Reaction& reaction = model.reactions[model::ReactionId(i)];
    return Culprit{reaction.span, reaction.label ? fmt::format("`{}`", model.name(reaction.label)) : "", 0};
  });
  collect(run.fired_processes, processes_, culprits, [&](std::size_t i) {
    const model::Process& process = model.processes[model::ProcessId(i)];
    return Culprit{process.span, fmt::format("process `{}`", model.name(process.name)), 0};
  });
  collect(run.fired_atomics, atomics_, culprits, [&](std::size_t i) {
    const model::Class& atomic = model.classes[model::ClassId(i)];
    return Culprit{atomic.span, fmt::format("atomic `{}`", model.name(atomic.name)), 0};
  });
  const Object& object = run.world.objects[run.last_fired ? run.last_fired.index : 0];
  sort_culprits(run, object, culprits);
  const diag::Span span = culprits.empty() ? model.classes[object.plan->object_class].span : culprits.front().span;
  run.over = true;
  run.outcome.ending = Ending::Failed;
  diag::Sink::Entry entry = run.sink.report(
      diag::Kind::EndlessInstant, span,
      fmt::format("time stands still: more than {} event steps at t = {}", run.options.step_limit, run.now));
  entry.text(fmt::format("in `{}`{}{}", run.world.path(object.self), culprits.empty() ? "" : ", ",
                         culprits.empty() ? "" : fmt::format("{} times in the last steps", culprits.front().count)));
  for (std::size_t i = 1; i < std::min(culprits.size(), kMostNamed); ++i) {
    entry.label(culprits[i].span, fmt::format("{}{}{} times in the last steps", culprits[i].what,
                                              culprits[i].what.empty() ? "" : ", ", culprits[i].count));
  }
  entry.hint("the circle needs a time that passes (`after`) or a condition that ends it");
}

}  // namespace hyla::engine
