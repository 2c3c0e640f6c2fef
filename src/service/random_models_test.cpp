// Thousands of random models, each run for a short time under limits. After every event the charts, timers, watches and
// processes of the object are in a state that the rules allow; no box is lost; a second run does the same; a drawn
// order of simultaneous events does no harm. HYLA_RANDOM_MODELS in the environment says how many models are tried, and
// HYLA_RANDOM_SEED with which to begin.
#include "service/random_models.h"

#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"
#include "record/event_log.h"
#include "service/box_references.h"
#include "service/run_testing.h"
#include "service/watch_run.h"

namespace hyla::service {
namespace {

using engine::Index;
using engine::kNone;
using engine::Object;
using engine::Plan;
using engine::World;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// Whether what an object remembers of its states fits together; empty, or what is wrong.
class Soundness {
 public:
  Soundness(const World& world, const Object& object) : world_(world), object_(object), plan_(*object.plan) {}

  std::string wrong() const {
    for (Index chart = 0; chart < plan_.charts.size(); ++chart) {
      if (!is_chart_sound(chart)) return path() + "chart " + std::to_string(chart);
    }
    for (const engine::PlanReaction& reaction : plan_.reactions) {
      if (reaction.state == kNone || reaction.timer == kNone || is_active(reaction.state)) continue;
      if (object_.timers[reaction.timer].event != 0) return path() + "timer of " + name(reaction.state);
    }
    for (std::size_t i = 0; i < plan_.watches.size(); ++i) {
      const Index state = plan_.watches[i].state;
      if (state != kNone && object_.watches[i].active != should_watch(plan_.watches[i])) {
        return path() + "watch of " + name(state);
      }
    }
    return wrong_process();
  }

 private:
  std::string path() const { return world_.path(object_.self) + ": "; }
  std::string name(Index state) const { return world_.state_path(plan_.states[state].id); }
  std::int64_t value(Index chart) const { return object_.slots[plan_.charts[chart].slot].integer; }
  bool is_active(Index state) const {
    return value(plan_.states[state].chart) == static_cast<std::int64_t>(state) &&
           (plan_.states[state].parent == kNone || is_active(plan_.states[state].parent));
  }
  bool should_watch(const engine::PlanWatch& watch) const {
    const bool reacts = watch.kind == engine::PlanWatch::Kind::When || watch.kind == engine::PlanWatch::Kind::Rate;
    const Index chart = reacts ? plan_.reactions[watch.owner].chart : kNone;
    if (chart == kNone) return is_active(watch.state);
    return value(chart) >= 0;  // `from any`: in every state of its chart, and not when that has ended
  }
  bool is_chart_sound(Index chart) const {
    const Index parent = plan_.charts[chart].parent;
    const bool is_running = parent == kNone || is_active(parent);
    const std::int64_t now = value(chart);
    if (!is_running) return now == code::kInactive;
    if (now == code::kFinal) return true;
    return now >= 0 && now < static_cast<std::int64_t>(plan_.states.size()) &&
           plan_.states[static_cast<std::size_t>(now)].chart == chart;
  }
  std::string wrong_process() const {
    for (const std::unique_ptr<engine::ProcessInstance>& process : world_.processes) {
      if (!process->running || process->owner.index != object_.self.index) continue;
      const Index state = plan_.processes[process->process].state;
      if (state != kNone && !is_active(state)) return path() + "process of " + name(state);
    }
    return "";
  }

  const World& world_;
  const Object& object_;
  const Plan& plan_;
};

/// Looks at the object after each event. What an event leaves that fails is not looked at: nothing follows it.
class Checker : public RunObserver {
 public:
  Checker(const World& world, const diag::Sources& sources, const RunWatcher& watcher, record::EventLog* log)
      : RunObserver(world, sources, watcher, log, 0, 5) {}

  void occurred(const World& world, const engine::Occurrence& occurrence) override {
    RunObserver::occurred(world, occurrence);
    const bool is_end =
        occurrence.kind == engine::OccurrenceKind::Stop || occurrence.kind == engine::OccurrenceKind::Terminate;
    if (is_end) return;
    if (wrong.empty()) wrong = suspicion_;
    const bool is_start = occurrence.kind == engine::OccurrenceKind::Start || occurrence.step == 0;
    if (is_start) return;
    suspicion_ = Soundness(world, world.object(occurrence.object)).wrong();
    if (!suspicion_.empty()) suspicion_ += " at event " + std::to_string(occurrence.sequence);
  }

  std::string wrong;

 private:
  std::string suspicion_;
};

class Text : public record::Output {
 public:
  bool write(std::string_view bytes) override {
    text += bytes;
    return true;
  }
  std::string text;
};

struct Ran {
  bool built = false;
  engine::RunOutcome outcome;
  std::string log, wrong, messages;
};

Ran run_once(const CheckedText& text, bool random_order) {
  Ran result;
  diag::Sink sink;
  engine::BuildRequest request = text.request(1);
  request.limits = {100, 10000, 1000};
  const std::unique_ptr<World> world = text.build(request, sink);
  if (!world) return result;
  result.built = true;
  engine::RunOptions options;
  options.stop_time = 5;
  options.step_limit = 100;
  options.queue_limit = 50;
  options.loop_limit = 1000;
  options.event_limit = 2000;
  options.keep_going = true;
  options.random_order = random_order;
  Text output;
  {
    record::EventLog log(output, {"Top", 1});
    const RunWatcher silent;
    Checker checker(*world, text.sources(), silent, &log);
    result.outcome = engine::run(*world, options, &checker, sink);
    checker.finish(*world, "end", result.outcome.time);
    log.flush();
    result.wrong = checker.wrong;
  }
  result.log = std::move(output.text);
  const References references(*world);
  EXPECT_EQ(world->heap.live(), references.boxes()) << "boxes are lost";
  EXPECT_EQ(references.miscounted(), 0U);
  for (const diag::Diagnostic& one : sink.diagnostics()) {
    if (one.severity() == diag::Severity::Error) result.messages += one.message + '\n';
  }
  return result;
}

/// Lines that are objects as far as their ends tell; the readers of events files are tested elsewhere.
bool looks_like_json_lines(const std::string& log) {
  for (const std::string_view line : base::split_lines(log)) {
    if (!line.empty() && (line.front() != '{' || line.back() != '}')) return false;
  }
  return !log.empty();
}

TEST(RandomModels, KeepTheRules) {
  const std::uint64_t first = number_from("HYLA_RANDOM_SEED", 1);
  const std::uint64_t count = number_from("HYLA_RANDOM_MODELS", 400);
  std::uint64_t ran = 0, failed = 0, events = 0;
  for (std::uint64_t seed = first; seed < first + count && !HasFatalFailure(); ++seed) {
    SCOPED_TRACE("HYLA_RANDOM_SEED=" + std::to_string(seed));
    const std::string source = RandomModel(seed).text();
    const CheckedText text(MemoryFiles({{"model.hyla", source}}), "model.hyla", "Top");
    ASSERT_TRUE(text.good()) << text.errors();
    const Ran one = run_once(text, false);
    ASSERT_TRUE(one.built);
    EXPECT_EQ(one.wrong, "");
    EXPECT_TRUE(looks_like_json_lines(one.log));
    const Ran two = run_once(text, false);
    EXPECT_EQ(one.log, two.log) << "two runs differ";
    EXPECT_EQ(one.outcome.events, two.outcome.events);
    const Ran drawn = run_once(text, true);
    EXPECT_EQ(drawn.wrong, "");
    ++ran;
    failed += one.outcome.ending == engine::Ending::Failed ? 1 : 0;
    events += one.outcome.events;
    if (HasFailure()) {
      GTEST_LOG_(INFO) << source << one.messages;
      break;
    }
  }
  EXPECT_LT(failed * 2, ran) << "most models run to the end";
  EXPECT_GT(events, ran * 20) << "models do something";
  RecordProperty("events", static_cast<int>(events));
  if (count > 400) GTEST_LOG_(INFO) << ran << " models, " << events << " events, " << failed << " failures";
}

}  // namespace
}  // namespace hyla::service
