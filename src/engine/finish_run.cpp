#include "engine/finish_run.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/islands.h"
#include "engine/messages.h"
#include "engine/ranges.h"
#include "engine/requirements.h"

namespace hyla::engine {
namespace {

void report_deferred(Run& run) {
  for (const Object& object : run.world.objects) {
    if (!object.extras || object.extras->deferred.empty()) continue;
    const DeferredMessage& first = object.extras->deferred.front();
    if (first.delivery.source_kind != model::EntityKind::Port) continue;
    const model::PortId port = run.world.ports[first.delivery.source].id;
    warn(run, diag::Kind::DeferredForever, object, run.world.model.ports[port].span,
         fmt::format("{} deferred message{} never taken", object.extras->deferred.size(),
                     object.extras->deferred.size() == 1 ? " was" : "s were"),
         "a state that takes the message must follow the one that defers it");
  }
}

void count_fired(Run& run) {
  std::vector<FireCount>& fired = run.outcome.fired;
  for (std::size_t i = 0; i < run.fired_reactions.size(); ++i) {
    if (run.fired_reactions[i] > 0) fired.push_back({model::ReactionId(i), {}, {}, run.fired_reactions[i]});
  }
  for (std::size_t i = 0; i < run.fired_processes.size(); ++i) {
    if (run.fired_processes[i] > 0) fired.push_back({{}, model::ProcessId(i), {}, run.fired_processes[i]});
  }
  for (std::size_t i = 0; i < run.fired_atomics.size(); ++i) {
    if (run.fired_atomics[i] > 0) fired.push_back({{}, {}, model::ClassId(i), run.fired_atomics[i]});
  }
  std::stable_sort(fired.begin(), fired.end(),
                   [](const FireCount& a, const FireCount& b) { return a.count > b.count; });
}

}  // namespace

void finish_run(Run& run) {
  run.outcome.time = run.now;
  if (!run.world.clusters.empty()) count_work(run);
  for (StatisticInstance& statistic : run.world.statistics) {
    if (auto* weighted = std::get_if<statistics::TimeWeighted>(&statistic.figures)) weighted->finish(run.now);
  }
  conclude_requirements(run);
  tell_departures(run);
  report_deferred(run);
  count_fired(run);
  if (run.coverage != nullptr) run.coverage->reactions = run.fired_reactions;
  if (!run.tells) return;
  begin(run);
  Occurrence occurrence;
  occurrence.kind = run.outcome.ending == Ending::Terminated ? OccurrenceKind::Terminate : OccurrenceKind::Stop;
  occurrence.object = run.outcome.ending == Ending::Terminated ? run.terminated_by : run.world.objects.front().self;
  occurrence.text = run.outcome.reason;
  tell(run, occurrence);
}

void drop_pending(Run& run) {
  for (Event& event : run.events) run.world.heap.release(event.message);
}

}  // namespace hyla::engine
