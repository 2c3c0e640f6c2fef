// Worlds of objects built from whole texts: values of parameters, settings from outside, ports, mailboxes, errors.
#include "engine/build.h"

#include <memory>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "check/check.h"
#include "diag/render.h"
#include "engine/connect.h"
#include "service/modules.h"

namespace hyla::service {
namespace {

using engine::ObjectRef;
using engine::World;

/// A text, checked and built.
class Built {
 public:
  explicit Built(const std::string& text, std::vector<engine::Assignment> assignments = {}, const std::string& top = "",
                 engine::BuildLimits limits = {}) {
    const MemoryFiles files({{"model.hyla", text}});
    ModulePath modules(files, {}, sources_);
    const diag::FileId prelude = modules.load_standard("prelude");
    const base::Result<diag::FileId> file = modules.load("model.hyla");
    const check::Forest forest = check::load_modules(sources_, prelude, file.value(), modules, sink_);
    model_ = check::check(forest, sink_);
    EXPECT_FALSE(sink_.has_errors()) << messages();
    if (sink_.has_errors()) return;
    engine::BuildRequest request;
    request.top = engine::find_top(model_, "model", top, failure_.message);
    EXPECT_TRUE(request.top) << failure_.message;
    if (!request.top) return;
    request.assignments = std::move(assignments);
    request.limits = limits;
    world_ = engine::build(model_, request, sink_, failure_);
  }

  bool good() const { return world_ != nullptr; }
  World& world() { return *world_; }
  const model::Model& model() const { return model_; }
  std::string messages() const { return diag::render(sink_.sorted(), sources_); }
  const std::string& failure() const { return failure_.message; }
  /// Names and texts of all errors, one per line.
  std::string errors() const {
    std::string result;
    for (const diag::Diagnostic& one : sink_.diagnostics()) {
      if (one.severity() != diag::Severity::Error) continue;
      result += std::string(diag::info(one.kind).name) + ": " + one.message + "\n";
    }
    return result;
  }

  ObjectRef object(const std::string& path) {
    for (const engine::Object& one : world_->objects) {
      if (world_->path(one.self) == path) return one.self;
    }
    ADD_FAILURE() << "no object " << path;
    return {};
  }
  /// The slot of a member by the path of its object and its name.
  engine::Slot slot(const std::string& path, std::string_view name) {
    const engine::Object& one = world_->object(object(path));
    const std::optional<std::uint32_t> place = find(model_.classes[one.object_class].body, name);
    EXPECT_TRUE(place) << path << "." << name;
    return place ? one.slots[*place] : engine::Slot();
  }
  double real(const std::string& path, std::string_view name) { return slot(path, name).real; }
  std::int64_t integer(const std::string& path, std::string_view name) { return slot(path, name).integer; }
  std::uint32_t port(const std::string& path, std::string_view name) {
    return static_cast<std::uint32_t>(integer(path, name));
  }
  std::vector<double> reals(const std::string& path, std::string_view name) {
    const engine::Box* box = slot(path, name).box;
    std::vector<double> result;
    for (std::uint32_t i = 0; box != nullptr && i < box->size; ++i) result.push_back(box->slots()[i].real);
    return result;
  }
  /// Where a message sent at a port goes: `Line.b.p`, or `box 3`.
  std::string receivers(const std::string& path, std::string_view name) {
    engine::resolve_receivers(*world_, port(path, name));
    return list(world_->ports[port(path, name)].receivers);
  }
  std::string list(const std::vector<engine::Receiver>& receivers) {
    std::string result;
    for (const engine::Receiver& one : receivers) {
      if (!result.empty()) result += " ";
      if (one.is_mailbox) {
        result += "box " + world_->path(world_->mailboxes[one.index].owner);
      } else {
        const engine::PortInstance& port = world_->ports[one.index];
        result += world_->path(port.owner) + "." + std::string(model_.name(model_.ports[port.id].name));
      }
    }
    return result;
  }

 private:
  std::optional<std::uint32_t> find(model::BodyId body, std::string_view name) const {
    const model::Body& record = model_.bodies[body];
    const code::Layout& layout = world_->layout;
    for (const auto id : record.variables) {
      if (model_.name(model_.variables[id].name) == name) return layout.variables[id.index];
    }
    for (const auto id : record.ports) {
      if (model_.name(model_.ports[id].name) == name) return layout.ports[id.index];
    }
    for (const auto id : record.mailboxes) {
      if (model_.name(model_.mailboxes[id].name) == name) return layout.mailboxes[id.index];
    }
    for (const auto id : record.statistics) {
      if (model_.name(model_.statistics[id].name) == name) return layout.statistics[id.index];
    }
    for (const model::Conditional& conditional : record.conditionals) {
      if (const auto found = find(conditional.then_body, name)) return found;
    }
    return std::nullopt;
  }

  diag::Sources sources_;
  diag::Sink sink_;
  model::Model model_;
  engine::BuildFailure failure_;
  std::unique_ptr<World> world_;
};

constexpr std::string_view kThreeLevels = R"(
model Valve {
    parameter travel = 1;
    parameter label: String = "v";
    discrete opening := travel / 2;
}
model Plant {
    parameter n: Integer = 3;
    parameter total = sum(T);
    parameter T[n] = fill(1.5, n);
    object valve[i in 1..n]: Valve(travel = 10 * i + T[i], label = "p");
}
model Big extends Plant(n = 2, valve[2].travel = 5) {}
model Site {
    parameter wide = 60;
    object plant: Plant(valve[2].travel = wide, n = 4, valve[3].opening := 7);
    object big: Big;
    object other: Big(valve[2].travel = 8);
}
)";

TEST(Build, ValuesGoThroughThreeLevels) {
  Built site{std::string(kThreeLevels)};
  ASSERT_TRUE(site.good()) << site.messages() << site.failure();
  EXPECT_EQ(site.world().objects.size(), 1u + 1 + 4 + 1 + 2 + 1 + 2);
  EXPECT_EQ(site.integer("Site.plant", "n"), 4);
  EXPECT_EQ(site.reals("Site.plant", "T"), (std::vector<double>{1.5, 1.5, 1.5, 1.5}));
  EXPECT_EQ(site.real("Site.plant", "total"), 6);
  EXPECT_EQ(site.real("Site.plant.valve[1]", "travel"), 11.5);
  EXPECT_EQ(site.real("Site.plant.valve[2]", "travel"), 60);
  EXPECT_EQ(site.real("Site.plant.valve[2]", "opening"), 30);
  EXPECT_EQ(site.real("Site.plant.valve[3]", "opening"), 7);
  EXPECT_EQ(site.integer("Site.big", "n"), 2);
  EXPECT_EQ(site.real("Site.big.valve[1]", "travel"), 11.5);
  EXPECT_EQ(site.real("Site.big.valve[2]", "travel"), 5);
  EXPECT_EQ(site.real("Site.other.valve[2]", "travel"), 8);
}

/// Boxes that slots of objects hold, each once; none of them holds others.
std::size_t reachable_boxes(const World& world) {
  std::set<const engine::Box*> boxes;
  for (const engine::Object& one : world.objects) {
    const std::vector<code::SlotUse>& slots = world.layout.classes[one.object_class.index].slots;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (slots[i] == code::SlotUse::Box && one.slots[i].box != nullptr) boxes.insert(one.slots[i].box);
    }
  }
  return boxes.size();
}

TEST(Build, KeepsNoValueThatNobodyHolds) {
  Built site(std::string(kThreeLevels), {{"big.T", "[1, 2]"}, {"other.T[2]", "-4"}, {"plant.valve[1].label", "x"}});
  ASSERT_TRUE(site.good()) << site.messages() << site.failure();
  EXPECT_EQ(site.world().heap.live(), reachable_boxes(site.world()));
  EXPECT_GE(site.world().heap.live(), 3u + 3u + 2u);
}

TEST(Build, SettingsFromOutsideWinOverArguments) {
  Built site(
      std::string(kThreeLevels),
      {{"plant.valve[2].travel", "33"}, {"big.T", "[1, 2]"}, {"other.T[2]", "-4"}, {"plant.valve[1].label", "x"}});
  ASSERT_TRUE(site.good()) << site.messages() << site.failure();
  EXPECT_EQ(site.real("Site.plant.valve[2]", "travel"), 33);
  EXPECT_EQ(site.real("Site.big.valve[1]", "travel"), 11);
  EXPECT_EQ(site.reals("Site.other", "T"), (std::vector<double>{1.5, -4}));
  EXPECT_EQ(code::Heap::text(site.slot("Site.plant.valve[1]", "label").box), "x");
  EXPECT_EQ(code::Heap::text(site.slot("Site.plant.valve[2]", "label").box), "p");
}

std::string refusal(const std::string& path, const std::string& value) {
  Built site(std::string(kThreeLevels), {{path, value}});
  EXPECT_FALSE(site.good());
  return site.failure() + site.errors();
}

TEST(Build, BadSettingsAreExplained) {
  EXPECT_EQ(refusal("plant.valve[2].travl", "3"),
            "`plant.valve[2].travl` cannot be set: model `Valve` has no `travl`; did you mean `travel`?");
  EXPECT_EQ(refusal("plnt.n", "3"), "`plnt.n` cannot be set: model `Site` has no `plnt`; did you mean `plant`?");
  EXPECT_EQ(refusal("plant.n", "3.5"), "`plant.n` cannot be set: `3.5` is not a whole number");
  EXPECT_EQ(refusal("wide", "broad"), "`wide` cannot be set: `broad` is not a number");
  EXPECT_EQ(refusal("plant.valve[9].travel", "1"), "`plant.valve[9].travel` cannot be set: there is no such element");
  EXPECT_EQ(refusal("plant.T", "[1, 2]"), "cannot-build: `T` has 4 elements, but its value has 2\n");
  EXPECT_EQ(refusal("wide[2]", "1"), "`wide[2]` cannot be set: `wide` is no array");
}

TEST(Build, RangesOfParametersHoldForSettings) {
  const std::string text = "model Tank { parameter area: Real(min = 0, max = 2) = 1; }";
  EXPECT_TRUE(Built(text, {{"area", "2"}}).good());
  Built bad(text, {{"area", "2.5"}});
  EXPECT_FALSE(bad.good());
  EXPECT_EQ(bad.failure(), "`area` cannot be 2.5: its range is at least 0, at most 2");
}

TEST(Build, AParameterWithoutValueIsAnError) {
  const std::string text = "model Tank { parameter area: Real; }";
  Built bad(text);
  EXPECT_FALSE(bad.good());
  EXPECT_EQ(bad.errors(), "parameter-without-value: the parameter `area` of `Tank` has no value\n");
  EXPECT_TRUE(Built(text, {{"area", "2"}}).good());
  const std::string nested = "model Tank { if true { parameter area: Real; } } model Plant { object tank[2]: Tank; }";
  Built inside(nested);
  EXPECT_FALSE(inside.good());
  EXPECT_NE(inside.messages().find("`--set tank[1].area=…`"), std::string::npos) << inside.messages();
  EXPECT_TRUE(Built(nested, {{"tank.area", "2"}}).good());
}

TEST(Build, WhatThisVersionCannotRunIsTold) {
  Built bad("model Box { accumulate age = time; }");
  EXPECT_FALSE(bad.good());
  EXPECT_EQ(bad.errors(), "not-in-this-version: a statistic over `time` is not part of this version yet\n");
  Built later("model Box { accumulate age = time; } model Case { population boxes: Box; at 1 { new Box in boxes; } }");
  EXPECT_EQ(later.errors(), bad.errors()) << "what actions can make is looked at before the run";
  Built ball("model Ball { var h := 1, v := 0; der(h) = v; der(v) = -9.81; when h <= 0 { v := -v; } }");
  EXPECT_TRUE(ball.good()) << ball.messages();
}

constexpr std::string_view kLine = R"(
message Job { id: Integer; }
model Item {
    port p receives Job;
    port q sends Job;
    var n: Integer := 0;
    on p.Job { n := n + 1; }
}
model Inner {
    port p receives Job;
    port q sends Job;
    object deep: Item;
    connect p -- deep.p;
    connect deep.q -- q;
}
model Shown {
    object item: Item;
    port p = item.p;
    port q = item.q;
}
model Line {
    object a: Item;
    object b: Item;
    object inner: Inner;
    object shown: Shown;
    object boxed: Store;
    connect a.q -- b.p;
    connect a.q -- inner.p;
    connect a.q -- shown.p;
    connect a.q -- boxed.box;
    connect inner.q -- b.p;
    connect shown.q -- a.p;
}
model Store {
    mailbox box: Job;
}
)";

TEST(Build, ReceiversFollowRelaysAndExports) {
  Built line{std::string(kLine)};
  ASSERT_TRUE(line.good()) << line.messages() << line.failure();
  EXPECT_EQ(line.receivers("Line.a", "q"), "Line.b.p Line.inner.deep.p Line.shown.item.p box Line.boxed");
  EXPECT_EQ(line.receivers("Line.inner.deep", "q"), "Line.b.p");
  EXPECT_EQ(line.receivers("Line.shown.item", "q"), "Line.a.p");
  EXPECT_EQ(line.receivers("Line.b", "q"), "");
  std::vector<engine::Receiver> direct;
  engine::resolve_direct(line.world(), line.port("Line.inner", "p"), direct);
  EXPECT_EQ(line.list(direct), "Line.inner.deep.p");
}

TEST(Build, ArraysOfPortsAreJoinedElementByElement) {
  Built line(R"(
message Go;
model Hub {
    parameter n: Integer = 2;
    port out[n] sends Go;
}
model Leaf {
    port p receives Go;
    on p.Go {}
}
model Star {
    object hub: Hub(n = 3);
    object leaf[3]: Leaf;
    for i in 1..3 {
        connect hub.out[i] -- leaf[4 - i].p;
    }
}
)");
  ASSERT_TRUE(line.good()) << line.messages() << line.failure();
  const engine::Box* ports = line.slot("Star.hub", "out").box;
  ASSERT_EQ(ports->size, 3u);
  std::string all;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const auto port = static_cast<std::uint32_t>(ports->slots()[i].integer);
    engine::resolve_receivers(line.world(), port);
    all += line.list(line.world().ports[port].receivers) + " ";
  }
  EXPECT_EQ(all, "Star.leaf[3].p Star.leaf[2].p Star.leaf[1].p ");
}

TEST(Build, AnElementThatIsFedMustExist) {
  Built bad(R"(
model Meter { input u[2, 3] := [[0, 0, 0], [0, 0, 0]]; }
model Lab {
    parameter k: Integer = 4;
    object meter: Meter;
    discrete x := 1;
    connect x -> meter.u[2, k];
}
)");
  EXPECT_EQ(bad.errors(), "cannot-build: index 4 is outside dimension 2 of `meter.u`, whose size is 3\n");
}

TEST(Build, JoinedMailboxesAreOne) {
  Built shop(R"(
message Job { size: Real; }
model Server { mailbox queue: Job by m.size; }
model Hall { object server: Server; mailbox box = server.queue; }
model Source { port out sends Job; }
model Shop {
    object source: Source;
    object hall: Hall;
    object servers[2]: Server;
    connect source.out -- servers[2].queue;
    connect servers[1].queue -- servers[2].queue;
    connect servers[2].queue -- hall.box;
}
)");
  ASSERT_TRUE(shop.good()) << shop.messages() << shop.failure();
  const std::int64_t number = shop.integer("Shop.hall.server", "queue");
  EXPECT_EQ(shop.integer("Shop.hall", "box"), number);
  EXPECT_EQ(shop.integer("Shop.servers[1]", "queue"), number);
  EXPECT_EQ(shop.integer("Shop.servers[2]", "queue"), number);
  EXPECT_EQ(shop.world().mailboxes[static_cast<std::size_t>(number)].members.size(), 4u);
  EXPECT_EQ(shop.receivers("Shop.source", "out"), "box Shop.hall.server");
}

TEST(Build, FamiliesAndConditionalBodiesDependOnParameters) {
  Built pair(R"(
model Heater {
    parameter n: Integer = 1;
    discrete T[n] := fill(20, n);
    for i in 1..n {
        when T[i] > 90 { T[i] := 0; }
        every i { T[i] := T[i] + 1; }
    }
    if n > 2 {
        parameter loss = 0.5 * n;
        output lost = loss * T[1];
    }
}
model Pair { object a: Heater; object b: Heater(n = 3); object c: Heater(n = 3, T[2] := 5); }
)");
  ASSERT_TRUE(pair.good()) << pair.messages() << pair.failure();
  const engine::Plan& small = *pair.world().object(pair.object("Pair.a")).plan;
  const engine::Plan& large = *pair.world().object(pair.object("Pair.b")).plan;
  EXPECT_EQ(small.reactions.size(), 2u);
  EXPECT_EQ(small.formulas.size(), 0u);
  ASSERT_EQ(large.reactions.size(), 6u);
  EXPECT_EQ(large.formulas.size(), 1u);
  EXPECT_EQ(large.reactions[5].inputs[0].integer, 3);
  EXPECT_EQ(large.reactions[4].trigger, model::TriggerKind::When);
  EXPECT_EQ(large.timer_count, 3u);
  EXPECT_EQ(pair.world().object(pair.object("Pair.c")).plan, &large);
  EXPECT_EQ(pair.real("Pair.b", "loss"), 1.5);
  EXPECT_EQ(pair.reals("Pair.c", "T"), (std::vector<double>{20, 5, 20}));
}

TEST(Build, PlansOrderReactionsFromInsideOut) {
  Built machine(R"(
message Go;
model Machine {
    port p receives Go;
    var x: Integer := 0;
    @priority(2) on p.Go { x := 1; }
    chart c {
        initial -> A;
        state A {
            after 1 -> history(B);
            initial -> Inner;
            state Inner { on p.Go -> B { B.k := 3; } }
        }
        state B {
            var k := 0;
            when x > 1 -> A;
            initial -> C;
            state C;
        }
        from any after 5 -> A;
    }
    auto process run { receive p.Go; wait exponential(2); }
    every exponential(3) { x := 2; }
}
)");
  ASSERT_TRUE(machine.good()) << machine.messages() << machine.failure();
  const engine::Plan& plan = *machine.world().objects[0].plan;
  std::vector<model::TriggerKind> order;
  for (const engine::PlanReaction& one : plan.reactions) order.push_back(one.trigger);
  using model::TriggerKind;
  EXPECT_EQ(order, (std::vector<TriggerKind>{TriggerKind::On, TriggerKind::On, TriggerKind::After, TriggerKind::When,
                                             TriggerKind::After, TriggerKind::Every}));
  EXPECT_EQ(plan.reactions[0].priority_rank, 0);
  EXPECT_EQ(plan.reactions[1].priority_rank, 1);
  EXPECT_EQ(plan.reactions[1].target.assigned.size(), 1u);
  EXPECT_EQ(plan.history_count, 1u);
  EXPECT_EQ(plan.timer_count, 3u);
  EXPECT_TRUE(plan.waits_at_port[0]);
  ASSERT_EQ(plan.participants.size(), 3u);
  EXPECT_EQ(plan.participants[0].kind, engine::Participant::Kind::Body);
  EXPECT_EQ(plan.participants[1].kind, engine::Participant::Kind::Chart);
  EXPECT_EQ(plan.participants[2].kind, engine::Participant::Kind::Process);
  EXPECT_EQ(plan.streams, (std::vector<std::string>{"process run", "every"}));
}

TEST(Build, NamesOfStreamsDoNotDependOnParameters) {
  const std::string text = R"(
model Source {
    parameter more = false;
    var n: Integer := 0;
    if more {
        every exponential(1) { n := n + 1; }
    }
    every exponential(2) { n := n + 1; }
    wait_long: after exponential(3) { n := 0; }
}
)";
  Built few(text), many(text, {{"more", "true"}});
  ASSERT_TRUE(few.good() && many.good()) << few.messages() << many.messages();
  using Names = std::vector<std::string>;
  EXPECT_EQ(few.world().objects[0].plan->streams, (Names{"every", "wait_long"}));
  EXPECT_EQ(many.world().objects[0].plan->streams, (Names{"every #2", "every", "wait_long"}));
}

TEST(Build, TooManyObjectsAreRefused) {
  Built bad("model Item { var n: Integer := 0; } model Many { object o[20000000]: Item; }");
  EXPECT_FALSE(bad.good());
  EXPECT_EQ(bad.errors(), "cannot-build: more than 10000000 objects\n");
  Built negative("model Item { } model Many { parameter n: Integer = 2; object o[n]: Item; }", {{"n", "-1"}});
  EXPECT_FALSE(negative.good());
  EXPECT_EQ(negative.errors(), "cannot-build: there cannot be -1 of them\n");
}

TEST(Build, InputsAreLinked) {
  Built plant(R"(
model Pump { output q := 2; input u := 0; }
model Plant {
    discrete level := 1;
    object a: Pump(u = 2 * level);
    object b: Pump;
    connect a.q -> b.u;
}
)");
  ASSERT_TRUE(plant.good()) << plant.messages() << plant.failure();
  ASSERT_EQ(plant.world().links.size(), 2u);
  EXPECT_EQ(plant.world().path(plant.world().links[0].target), "Plant.a");
  EXPECT_EQ(plant.world().path(plant.world().links[1].target), "Plant.b");
  EXPECT_EQ(plant.world().path(plant.world().links[1].scope), "Plant");
}

TEST(Build, SettingsFollowParameters) {
  const std::string text =
      "model Plant { parameter n: Integer = 4; section Simulation { stop_time = 10 * n; seed = n; time_unit = \"h\"; } "
      "}";
  Built plain(text);
  ASSERT_TRUE(plain.good()) << plain.messages() << plain.failure();
  const engine::Settings usual = engine::settings_of(plain.model(), plain.world().objects[0].object_class);
  EXPECT_EQ(usual.stop_time, 40);
  EXPECT_EQ(usual.seed, 4u);
  EXPECT_EQ(usual.time_unit, "h");
  Built other(text, {{"n", "7"}});
  ASSERT_TRUE(other.good()) << other.messages() << other.failure();
  EXPECT_EQ(engine::settings_of(other.world()).stop_time, 70);
  EXPECT_EQ(engine::settings_of(other.world()).seed, 7u);
}

TEST(Build, SelectNamesPartsInTheirOrder) {
  Built line(R"(
model Item { discrete n := 0; }
model Line { object a, b: Item; select [b, a]; }
)");
  ASSERT_TRUE(line.good()) << line.messages() << line.failure();
  ASSERT_EQ(line.world().selections.size(), 1u);
  EXPECT_EQ(line.world().selections[0].order, (std::vector<ObjectRef>{line.object("Line.b"), line.object("Line.a")}));
}

TEST(Build, LinearConditionsOverTimeAreScheduled) {
  Built good("model Clock { discrete t0 := 2; var n: Integer := 0; when time - t0 > 3 or n > 4 { n := 1; } }");
  ASSERT_TRUE(good.good()) << good.messages() << good.failure();
  const engine::Plan& plan = *good.world().objects[0].plan;
  ASSERT_EQ(plan.time_plans.size(), 1u);
  EXPECT_EQ(plan.time_plans[0].relations.size(), 1u);
  EXPECT_EQ(plan.timer_count, 1u);
  // Everything else over time is left to the islands.
  Built islands("model Clock { var n: Integer := 0; when sin(time) > 0.5 { n := 1; } output y = 2 * time; }");
  ASSERT_TRUE(islands.good()) << islands.messages() << islands.failure();
  EXPECT_EQ(islands.world().clusters.size(), 1u);
  EXPECT_TRUE(islands.world().objects[0].plan->time_plans.empty());
}

TEST(Build, RecordsBeginWithTheirDefaults) {
  Built shape(R"(
enum Mode { idle, busy }
record Point { x: Real = 2; mode: Mode = Mode.busy; name: String = "p"; }
model Shape { parameter mode: Mode = Mode.idle; var corner: Point := Point(x = 3); discrete all: Point[2]; }
)",
              {{"mode", "busy"}});
  ASSERT_TRUE(shape.good()) << shape.messages() << shape.failure();
  EXPECT_EQ(shape.integer("Shape", "mode"), 1);
  EXPECT_EQ(shape.slot("Shape", "corner").box->slots()[0].real, 3);
  const engine::Box* second = shape.slot("Shape", "all").box->slots()[1].box;
  EXPECT_EQ(second->slots()[0].real, 2);
  EXPECT_EQ(second->slots()[1].integer, 1);
}

TEST(Build, ManyObjectsAreMadeQuickly) {
  Built many(R"(
message Go;
model Item {
    port p receives Go;
    var n: Integer := 0;
    chart {
        initial -> A;
        state A { after 1 -> B; }
        state B { after 2 -> C; }
        state C { on p.Go -> A { n := n + 1; } }
    }
}
model Many { object o[100000]: Item; }
)");
  ASSERT_TRUE(many.good()) << many.messages() << many.failure();
  EXPECT_EQ(many.world().objects.size(), 100001u);
  EXPECT_EQ(many.world().plans.size(), 2u);
}

TEST(Build, KeepsToItsLimits) {
  const std::string text = "record R { a: Real[100]; }\nmodel Case { parameter n: Integer = 1; var r: R[n]; }";
  EXPECT_TRUE(Built(text, {{"n", "39"}}, "", {10, 1000, 1000}).good());
  EXPECT_EQ(Built(text, {{"n", "40"}}, "", {10, 1000, 1000}).errors(),
            "cannot-build: all arrays together are too large\n");
  EXPECT_EQ(Built(text, {{"n", "1001"}}, "", {10, 1000, 1000}).errors(),
            "cannot-build: there cannot be 1001 of them\n");
  const std::string objects = "model P { }\nmodel Case { object p[5]: P; object q[5]: P; }";
  EXPECT_EQ(Built(objects, {}, "", {10, 1000, 1000}).errors(), "cannot-build: more than 10 objects\n");
  EXPECT_TRUE(Built(objects, {}, "", {11, 1000, 1000}).good());
}

}  // namespace
}  // namespace hyla::service
