#include "engine/begin_run.h"

#include <algorithm>
#include <set>

#include "engine/charts.h"
#include "engine/collect.h"
#include "engine/create.h"
#include "engine/follow.h"
#include "engine/islands.h"
#include "engine/mailboxes.h"
#include "engine/messages.h"
#include "engine/processes.h"
#include "engine/regather.h"
#include "engine/remove.h"
#include "engine/requirements.h"
#include "engine/watch.h"

namespace hyla::engine {
namespace {

void gather_heads(Run& run) {
  for (std::uint32_t port = 0; port < run.world.ports.size(); ++port) update_port_head(run, port);
  for (const Object& object : run.world.objects) update_head(run, object);
}

std::uint16_t rank_of_default_priority(const model::Model& model) {
  std::set<std::int64_t> greater;
  for (const model::Reaction& reaction : model.reactions) {
    if (reaction.priority > 0) greater.insert(reaction.priority);
  }
  return static_cast<std::uint16_t>(greater.size());
}

}  // namespace

Run::Run(World& the_world, const RunOptions& the_options, Observer* the_observer, diag::Sink& the_sink,
         code::Host& host_of_run)
    : world(the_world),
      options(the_options),
      observer(the_observer),
      sink(the_sink),
      host(host_of_run),
      machine(the_world.model, the_world.functions, the_world.heap, host_of_run),
      default_priority(rank_of_default_priority(the_world.model)),
      has_priorities(std::any_of(the_world.model.reactions.begin(), the_world.model.reactions.end(),
                                 [](const model::Reaction& reaction) { return reaction.priority != 0; })),
      order_stream(random::make_stream(the_world.seed, "", "order of events", the_world.substream)),
      tells(the_observer != nullptr && the_observer->wants_occurrences()),
      fired_reactions(the_world.model.reactions.size()),
      fired_processes(the_world.model.processes.size()),
      fired_atomics(the_world.model.classes.size()),
      reactions_of(the_world.model.reactions.size()),
      processes_of(the_world.model.processes.size()),
      atomics_of(the_world.model.classes.size()) {}

void prepare_run(Run& run, RunHost& host) {
  host.attach(run);
  gather_heads(run);
  run.machine.most_turns = run.options.loop_limit;
  find_recorded(run);
  if (run.options.follower != nullptr) begin_following(run, *run.options.follower);
  prepare_requirements(run);
  if (!run.options.coverage) return;
  run.outcome.coverage = make_coverage(run.world.model);
  run.coverage = &run.outcome.coverage;
  run.first_branches = first_branches(run.world.model);
}

void enter_objects(Run& run) {
  run.now = run.options.start_time;
  run.machine.time = run.now;
  run.is_starting = true;
  for (std::uint32_t link = 0; link < run.world.links.size(); ++link) begin_link(run, link);
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    watch_foreign_reads(run, *cluster);
    restructure(run, cluster->number);
  }
  if (!run.world.gathering->is_complete) mark_structure(run, run.world.objects[0].self);
  const std::size_t count = run.world.objects.size();
  if (!run.world.gathering->notes.empty()) {
    for (std::size_t i = 0; i < count; ++i) watch_structure(run, run.world.objects[i].self);
  }
  for (std::size_t i = 0; i < count; ++i) {
    Object& object = run.world.objects[i];
    if (!object.exists) continue;
    for (const Index watch : object.plan->body_watches) {
      if (object.plan->watches[watch].kind == PlanWatch::Kind::Formula) activate(run, object, watch);
    }
  }
  refresh(run);
  run.entering = true;
  for (std::size_t i = 0; i < count && !run.over; ++i) {
    if (!run.world.objects[i].exists || run.world.objects[i].entering) continue;
    enter_object(run, run.world.objects[i]);
    begin_processes(run);
    if (!run.announcements.empty()) tell_announcements(run);
  }
  run.entering = false;
  if (!run.doomed.empty() || !run.left_parts.empty()) remove_doomed(run);
}

void begin_run(Run& run, RunHost& host) {
  prepare_run(run, host);
  enter_objects(run);
}

}  // namespace hyla::engine
