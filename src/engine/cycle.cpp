#include "engine/cycle.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"

namespace hyla::engine {
namespace {

constexpr std::size_t kMostNamed = 8;

struct Culprit {
  diag::Span span;
  std::string what;
  ObjectRef object;  ///< where it fired last
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

std::string describe(const Run& run, const Culprit& culprit) {
  if (!run.world.is_alive(culprit.object)) return "";
  const std::vector<std::string> states = run.world.active_states(culprit.object);
  return fmt::format("in `{}`{}: {}{} times in the last steps", run.world.path(culprit.object),
                     states.empty() ? "" : fmt::format(", in state {}", fmt::join(states, ", ")), culprit.what,
                     culprit.count);
}

}  // namespace

CycleRecorder::CycleRecorder(const Run& run)
    : reactions_(run.fired_reactions), processes_(run.fired_processes), atomics_(run.fired_atomics) {}

void CycleRecorder::report(Run& run) {
  const model::Model& model = run.world.model;
  std::vector<Culprit> culprits;
  collect(run.fired_reactions, reactions_, culprits, [&](std::size_t i) {
    const model::Reaction& reaction = model.reactions[model::ReactionId(i)];
    return Culprit{reaction.span, reaction.label ? fmt::format("`{}`, ", model.name(reaction.label)) : "",
                   run.reactions_of[i], 0};
  });
  collect(run.fired_processes, processes_, culprits, [&](std::size_t i) {
    const model::Process& process = model.processes[model::ProcessId(i)];
    return Culprit{process.span, fmt::format("process `{}`, ", model.name(process.name)), run.processes_of[i], 0};
  });
  collect(run.fired_atomics, atomics_, culprits, [&](std::size_t i) {
    const model::Class& atomic = model.classes[model::ClassId(i)];
    return Culprit{atomic.span, fmt::format("atomic `{}`, ", model.name(atomic.name)), run.atomics_of[i], 0};
  });
  std::stable_sort(culprits.begin(), culprits.end(),
                   [](const Culprit& a, const Culprit& b) { return a.count > b.count; });
  if (culprits.empty()) culprits.push_back({model.classes[run.world.objects[0].plan->object_class].span, "", {}, 0});
  run.over = true;
  run.outcome.ending = Ending::Failed;
  diag::Sink::Entry entry = run.sink.report(diag::Kind::EndlessInstant, culprits.front().span,
                                            fmt::format("time stands still: more than {} event steps at t = {}",
                                                        run.options.step_limit, base::format_number(run.now)));
  entry.text(describe(run, culprits.front()));
  for (std::size_t i = 1; i < std::min(culprits.size(), kMostNamed); ++i) {
    entry.label(culprits[i].span, describe(run, culprits[i]));
  }
  entry.hint("the circle needs a time that passes (`after`) or a condition that ends it");
}

}  // namespace hyla::engine
