#include "service/why_not.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/build.h"
#include "engine/run.h"
#include "service/event_text.h"
#include "service/prepare_run.h"
#include "service/summary.h"
#include "service/trajectory.h"
#include "service/why_event.h"
#include "service/witness.h"

namespace hyla::service {
namespace {

constexpr double kIntervals = 4000;  ///< of the grid on which conditions are looked at
constexpr int kMostRounds = 4;       ///< of looking at transitions that lead to a state
constexpr std::size_t kMostReactions = 12;

std::string in_ticks(std::string_view text) { return '`' + std::string(text) + '`'; }

// --- the run that is watched
// ------------------------------------------------------------------------------------------------------------------

/// `port.Job`, or the name of a signal: what `on` waits for; empty for other triggers.
std::string awaited_message(const model::Model& model, const model::Reaction& reaction) {
  if (reaction.awaited.empty() || !reaction.awaited.front().source) return "";
  const model::Awaited& awaited = reaction.awaited.front();
  const model::Expr& source = model.exprs[awaited.source];
  std::string name;
  if (source.entity == model::EntityKind::Port) name = model.name(model.ports[model::PortId{source.ref}].name);
  if (source.entity == model::EntityKind::Mailbox)
    name = model.name(model.mailboxes[model::MailboxId{source.ref}].name);
  if (source.entity == model::EntityKind::Signal)
    return std::string(model.name(model.signals[model::SignalId{source.ref}].name));
  if (name.empty() || !awaited.message) return name;
  return name + '.' + std::string(model.name(model.messages[awaited.message].name));
}

/// A model made ready with variables added; the plain model if that is not possible.
struct Watched {
  RunReport report;
  PreparedRun prepared;
  std::unique_ptr<engine::World> world;
  std::vector<ReactionProbe> probes;
};

bool build(const RunRequest& request, const FileSystem& files, Watched& watched) {
  if (!prepare_run(request, files, watched.report, watched.prepared)) return false;
  diag::Sink sink;
  engine::BuildFailure failure;
  watched.world = engine::build(*watched.prepared.model, watched.prepared.build, sink, failure);
  if (!watched.world && !failure.message.empty()) watched.report.failures.push_back(failure.message);
  if (!watched.world) add_messages(sink, watched.report);
  return watched.world != nullptr;
}

std::unique_ptr<Watched> build_watched(const RunRequest& request, const FileSystem& files, const Watched& plain,
                                       const std::vector<NamedReaction>& reactions) {
  std::vector<model::ReactionId> ids;
  for (const NamedReaction& one : reactions) ids.push_back(one.reaction);
  for (const ProbePlace place : {ProbePlace::BesideReaction, ProbePlace::AtLineStart}) {
    ProbedFiles probed(files);
    auto watched = std::make_unique<Watched>();
    watched->probes = add_probes(*plain.prepared.model, plain.report.sources, ids, place, probed);
    if (build(request, probed, *watched)) return watched;
  }
  auto bare = std::make_unique<Watched>();
  bare->probes.resize(ids.size());
  build(request, files, *bare);
  return bare;
}

/// Runs it. The reactions are those of another world with the same objects and texts.
std::vector<SeenReaction> run_watched(Watched& watched, const std::vector<NamedReaction>& reactions, double& end) {
  const engine::World& world = *watched.world;
  RunNames names(world, watched.report.sources);
  std::vector<SeenReaction> seen;
  for (std::size_t i = 0; i < reactions.size(); ++i) {
    SeenReaction& one = seen.emplace_back();
    one.named = reactions[i];
    one.probe = watched.probes[i];
    one.message = awaited_message(world.model, world.model.reactions[one.named.reaction]);
    if (!one.named.state) {
      one.is_active = true;
      one.since = watched.report.start_time;
      one.stays = 1;
    }
  }
  Witness witness(world, names, seen);
  const double start = watched.report.start_time, stop = watched.report.stop_time;
  const double interval = std::isfinite(stop) ? (stop - start) / kIntervals : watched.prepared.output_interval;
  Trajectory trajectory(witness.columns(), OutputGrid(start, stop, interval),
                        [&](double time, std::span<const double> values) { witness.row(time, values); });
  diag::Sink sink;
  const engine::RunOutcome outcome = engine::run(*watched.world, watched.prepared.options, &witness, sink, &trajectory);
  trajectory.finish();
  end = outcome.time;
  witness.finish(outcome.time);
  return seen;
}

// --- judging
// ------------------------------------------------------------------------------------------------------------------

class Judge {
 public:
  Judge(const SeenReaction& seen, const model::Model& model, std::string time_unit, ReactionReport& report)
      : seen_(seen), reaction_(model.reactions[seen.named.reaction]), unit_(std::move(time_unit)), report_(report) {}

  void judge() {
    report_.fired = seen_.fired;
    report_.stays = seen_.stays;
    report_.time_active = seen_.active;
    add_conjuncts();
    report_.verdict = verdict();
  }

 private:
  std::string at(double time) const { return time_text(time, unit_); }
  std::string length(double time) const { return short_number(time) + (unit_.empty() ? "" : ' ' + unit_); }
  std::string state() const { return report_.state.empty() ? "the model" : in_ticks(report_.state); }

  void add_conjuncts() {
    for (std::size_t i = 0; i < seen_.conjuncts.size(); ++i) {
      const SeenConjunct& part = seen_.conjuncts[i];
      const Conjunct& conjunct = seen_.probe.conjuncts[i];
      ConjunctReport one{conjunct.text, NAN, false, NAN, NAN, NAN, NAN};
      if (std::isfinite(part.best)) {
        one.held = seen_.active > 0 ? std::min(1.0, part.held / seen_.active) : (part.ever_held ? 1.0 : 0.0);
        one.in_the_way = !part.ever_held;
        if (conjunct.is_relation()) {
          one.time = part.best_time;
          one.left = part.best_left;
          one.right = part.best_right;
          one.distance = part.ever_held ? 0 : std::max(0.0, -part.best);
        }
      }
      report_.conjuncts.push_back(std::move(one));
    }
    mark_missing();
  }

  /// If every part has held at some time, those are in the way that failed when the fewest did.
  void mark_missing() {
    const auto is_marked = [](const ConjunctReport& one) { return one.in_the_way; };
    if (std::any_of(report_.conjuncts.begin(), report_.conjuncts.end(), is_marked)) return;
    for (std::size_t i = 0; i < seen_.then.size(); ++i) {
      const SeenConjunct& part = seen_.then[i];
      ConjunctReport& one = report_.conjuncts[i];
      if (part.holds) continue;
      one.in_the_way = true;
      if (!seen_.probe.conjuncts[i].is_relation()) continue;
      one.time = seen_.least_time;
      one.left = part.now_left;
      one.right = part.now_right;
      one.distance = std::abs(part.now_left - part.now_right);
    }
  }

  std::string verdict() const {
    if (seen_.fired > 0) {
      return "it has fired " + std::to_string(seen_.fired) + (seen_.fired == 1 ? " time, at " : " times, first at ") +
             at(seen_.first_fired);
    }
    if (seen_.stays == 0) return "its state " + state() + " was never active";
    switch (reaction_.trigger) {
      case model::TriggerKind::On:
        return of_message();
      case model::TriggerKind::After:
        return of_delay();
      case model::TriggerKind::Done:
        return "what " + state() + " holds has not ended" + guard();
      case model::TriggerKind::When:
      case model::TriggerKind::Automatic:
        return of_condition();
      case model::TriggerKind::At:
      case model::TriggerKind::Every:
      case model::TriggerKind::Rate:
        return state() + " was never active when its time came; the longest stay was " + length(seen_.longest) +
               guard();
    }
    return "";
  }

  std::string guard() const { return report_.condition.empty() ? "" : "; besides, " + of_condition(); }

  std::string of_message() const {
    const std::string what = seen_.message.empty() ? "no message that it waits for" : "no " + in_ticks(seen_.message);
    if (seen_.arrivals == 0) return what + " has reached " + seen_.named.object;
    const std::string count = std::to_string(seen_.arrivals) + " " + in_ticks(seen_.message) +
                              (seen_.arrivals == 1 ? " has" : " have") + " reached " + seen_.named.object;
    if (seen_.arrivals_in_state == 0) return count + ", but none while " + state() + " was active";
    if (report_.condition.empty()) return count + ", but a guard did not hold, or others took them or kept them";
    return count + ", but the guard did not hold" + (report_.conjuncts.empty() ? "" : ": " + of_condition());
  }

  std::string of_delay() const {
    std::string text = "the longest stay in " + state() + " was " + length(seen_.longest) + ", from " +
                       at(seen_.longest_from) + " to " + at(seen_.longest_until);
    if (std::isnan(seen_.needed)) return text + guard();
    if (seen_.longest < seen_.needed) return text + "; it needs " + length(seen_.needed);
    return text + "; " + length(seen_.needed) + " would have been enough" + guard();
  }

  std::string of_condition() const {
    if (report_.conjuncts.empty() || seen_.least_failing == SIZE_MAX) return "its condition never came to hold";
    if (seen_.least_failing == 0) {
      return "the condition held at " + at(seen_.least_time) + ", but something else came first";
    }
    std::vector<std::string> never;
    for (std::size_t i = 0; i < seen_.conjuncts.size(); ++i) {
      if (!seen_.conjuncts[i].ever_held) never.push_back(in_ticks(report_.conjuncts[i].text));
    }
    if (!never.empty()) {
      std::string text = never.front();
      for (std::size_t i = 1; i < never.size(); ++i) text += (i + 1 == never.size() ? " and " : ", ") + never[i];
      return text + " never held while " + state() + " was active";
    }
    return "each part held at times, but never all of them together; the nearest was at " + at(seen_.least_time);
  }

  const SeenReaction& seen_;
  const model::Reaction& reaction_;
  std::string unit_;
  ReactionReport& report_;
};

ReactionReport report_of(const SeenReaction& seen, const Watched& watched) {
  const model::Model& model = watched.world->model;
  const model::Reaction& reaction = model.reactions[seen.named.reaction];
  ReactionReport report;
  report.path = seen.named.name;
  report.trigger = trigger_word(reaction.trigger);
  report.condition = seen.probe.condition;
  if (seen.named.state) report.state = watched.world->state_path(seen.named.state);
  Judge(seen, model, watched.report.time_unit, report).judge();
  return report;
}

/// Whether a transition leads into a state, or into one inside it.
bool leads_to(const model::Model& model, const NamedReaction& one, model::StateId state) {
  const auto is_inside = [&](model::StateId inner) {
    while (inner && inner != state) {
      model::BodyId body = model.charts[model.states[inner].chart].body;
      while (body && !model.bodies[body].state) body = model.bodies[body].parent;
      inner = body ? model.bodies[body].state : model::StateId();
    }
    return inner == state;
  };
  return std::any_of(one.targets.begin(), one.targets.end(), is_inside);
}

/// Adds the transitions that lead to states that were never active. False: there are none.
bool add_ways(const model::Model& model, const std::vector<NamedReaction>& all, const std::vector<SeenReaction>& seen,
              std::vector<NamedReaction>& reactions) {
  const std::size_t before = reactions.size();
  const auto is_known = [&](const NamedReaction& one) {
    return std::any_of(reactions.begin(), reactions.end(), [&](const NamedReaction& known) {
      return known.ref == one.ref && known.reaction == one.reaction && known.state == one.state;
    });
  };
  for (const SeenReaction& one : seen) {
    if (one.stays > 0 || !one.named.state) continue;
    for (const NamedReaction& way : all) {
      if (reactions.size() == kMostReactions) break;
      if (way.ref == one.named.ref && leads_to(model, way, one.named.state) && !is_known(way)) reactions.push_back(way);
    }
  }
  return reactions.size() > before;
}

}  // namespace

bool WhyNotReport::has_fired() const {
  return std::any_of(reactions.begin(), reactions.begin() + static_cast<std::ptrdiff_t>(asked),
                     [](const ReactionReport& one) { return one.fired > 0; });
}

WhyNotReport why_not(const WhyNotRequest& request, const FileSystem& files) {
  WhyNotReport report;
  Watched plain;
  const auto fail = [&] {
    static_cast<ModelReport&>(report) = std::move(static_cast<ModelReport&>(plain.report));
    return std::move(report);
  };
  if (!build(request.run, files, plain)) return fail();
  RunNames names(*plain.world, plain.report.sources);
  const std::vector<NamedReaction> all = named_reactions(*plain.world, names);
  std::vector<NamedReaction> reactions = find_reactions(all, request.path);
  if (reactions.empty()) {
    std::vector<std::string> known;
    for (const NamedReaction& one : all) known.push_back(one.name);
    plain.report.failures.push_back(no_such_path(request.path, known, "is in `" + plain.report.model + "`"));
    return fail();
  }
  if (reactions.size() > kMostReactions) reactions.resize(kMostReactions);
  report.asked = reactions.size();
  for (int round = 0; round < kMostRounds; ++round) {
    const std::unique_ptr<Watched> watched = build_watched(request.run, files, plain, reactions);
    if (!watched->world) break;
    const std::vector<SeenReaction> seen = run_watched(*watched, reactions, report.end_time);
    report.reactions.clear();
    for (const SeenReaction& one : seen) {
      report.reactions.push_back(report_of(one, *watched));
      const diag::Span span = plain.world->model.reactions[one.named.reaction].span;
      report.reactions.back().place = names.place(span);
    }
    if (!add_ways(plain.world->model, all, seen, reactions)) break;
  }
  report.time_unit = plain.report.time_unit;
  report.start_time = plain.report.start_time;
  return fail();
}

}  // namespace hyla::service
