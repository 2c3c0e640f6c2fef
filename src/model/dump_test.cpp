#include <gtest/gtest.h>

#include "model/dump_text.h"
#include "model/test_builder.h"

namespace hyla::model {
namespace {

TEST(Dump, OfABouncingBall) {
  TestBuilder b;
  const BodyId body = b.body_of(b.add_class("BouncingBall"));
  const VariableId g = b.variable(body, VariableKind::Parameter, "g");
  b.model.variables[g].unit = b.unit("m/s2");
  b.model.variables[g].binding = b.real(9.81);
  b.model.variables[g].value = 9.81;
  const VariableId e = b.variable(body, VariableKind::Parameter, "e");
  b.model.variables[e].binding = b.binary(Op::Divide, b.real(4), b.real(5));
  b.model.variables[e].value = 0.8;
  const VariableId h = b.variable(body, VariableKind::Var, "h");
  b.model.variables[h].initial = b.real(1);
  b.model.variables[h].attributes.min = b.real(0);
  b.model.variables[h].attributes.fixed = true;
  const VariableId v = b.variable(body, VariableKind::Var, "v");
  b.equation(body, EquationForm::Derivative, h, b.der(h), b.name(v));
  b.equation(body, EquationForm::Derivative, v, b.der(v), b.expr(Op::Negate, kReal, {b.name(g)}));
  const ExprId down =
      b.binary(Op::And, b.binary(Op::LessEqual, b.name(h), b.real(0)), b.binary(Op::Less, b.name(v), b.real(0)));
  b.when(body, down, {},
         b.assignment(b.name(v), b.expr(Op::Negate, kReal, {b.binary(Op::Multiply, b.name(e), b.name(v))})));
  EXPECT_EQ(dump(b.model),
            "model BouncingBall\n"
            "  parameter g: Real [m/s2] = 9.81\n"
            "  parameter e: Real = 4 / 5 {0.8}\n"
            "  var h: Real (min = 0, fixed = true) := 1\n"
            "  var v: Real\n"
            "  equation derivative der(h) = v\n"
            "  equation derivative der(v) = -g\n"
            "  reaction when h <= 0 and v < 0 { v := -(e * v) }\n");
}

TEST(Dump, NamesWhatAnotherStateHolds) {
  TestBuilder b;
  const BodyId body = b.body_of(b.add_class("Pendulum"));
  const ChartId chart = b.chart(body, "bob");
  const StateId tight = b.state(chart, "Tight");
  const StateId slack = b.state(chart, "Slack");
  const VariableId phi = b.variable(b.body_of(tight), VariableKind::Var, "phi");
  const VariableId x = b.variable(b.body_of(slack), VariableKind::Var, "x");
  b.model.charts[chart].initial = {{}, b.to(tight), b.assignment(b.name(phi), b.real(0.1))};
  b.when(b.body_of(tight), b.binary(Op::Less, b.name(phi), b.real(0)), b.to(slack),
         b.assignment(b.name(x), b.name(phi)));
  Reaction back;
  back.trigger = TriggerKind::After;
  back.condition = b.real(3);
  back.from = {slack};
  back.label = b.symbol("back");
  back.priority = 2;
  back.target = {TargetKind::DeepHistory, {}, {tight}, {}};
  back.body = body;
  b.model.charts[chart].reactions.push_back(b.model.reactions.add(back));
  const ExprId inside = b.expr(Op::InState, kBoolean, {}, slack.index);
  b.when(body, inside, {}, b.assignment(b.name(x), b.real(0)));
  EXPECT_EQ(dump(b.model),
            "model Pendulum\n"
            "  reaction when in(bob.Slack) { bob.Slack.x := 0 }\n"
            "  chart bob\n"
            "    initial -> Tight { Tight.phi := 0.1 }\n"
            "    reaction back: @priority(2) from Slack after 3 -> deep history(Tight)\n"
            "    state Tight\n"
            "      var phi: Real\n"
            "      reaction when phi < 0 -> Slack { Slack.x := phi }\n"
            "    state Slack\n"
            "      var x: Real\n");
}

TEST(Dump, OfMessagesProcessesAndObjects) {
  TestBuilder b;
  const MessageId job = b.message("Job", {b.field("id", kInteger), b.field("size", kReal)});
  b.model.enums.add({b.symbol("Mode"), {}, {b.symbol("idle"), b.symbol("busy")}});
  const ConnectorId pin = b.model.connectors.add({b.symbol("Pin"), {}, {b.field("v", kReal), b.field("i", kReal)}});
  b.model.connectors[pin].fields[1].is_flow = true;
  b.model.connectors[pin].fields[1].unit = b.unit("A");
  b.model.protocols.add({b.symbol("Work"), {}, {job}, {job}});
  const ClassId machine = b.add_class("Machine");
  const BodyId body = b.body_of(machine);
  const VariableId speed = b.variable(body, VariableKind::Parameter, "speed");
  const PortId in = b.port(body, "arrivals", {job});
  const PortId out = b.port(body, "finished", {}, {job});
  b.model.bodies[body].plugs.push_back(b.model.plugs.add({b.symbol("p"), {}, pin, {}, {}, body}));

  const LocalId order = b.local("order", {TypeKind::Message, 0, job.index});
  Action receive;
  receive.kind = ActionKind::Receive;
  receive.awaited.push_back({b.name(in), job, order, {}, {}});
  Action send;
  send.kind = ActionKind::Send;
  send.ref = job.index;
  send.exprs = {b.name(out), b.expr(Op::Field, kInteger, {b.name(order)}, 0), b.name(speed)};
  send.delay_kind = DelayKind::After;
  send.delay = b.real(2);
  const ActionId wait = b.action(ActionKind::WaitUntil, {b.boolean(true)});
  const BlockId inner = b.block({b.model.actions.add(receive), wait, b.model.actions.add(send)});
  Process process;
  process.name = b.symbol("fill");
  process.automatic = true;
  process.block = b.block({b.action(ActionKind::Loop, {}, {inner})});
  process.body = body;
  b.model.bodies[body].processes.push_back(b.model.processes.add(process));

  const ClassId plant = b.add_class("Plant", "plants");
  const BodyId plant_body = b.body_of(plant);
  Part part;
  part.name = b.symbol("machine");
  part.object_class = machine;
  part.shape = b.model.intern_shape({{Dimension{3, {}}}});
  part.family_index = b.local("i", kInteger);
  part.arguments.push_back({b.name(speed), false, b.name(part.family_index)});
  part.body = plant_body;
  b.model.bodies[plant_body].parts.push_back(b.model.parts.add(part));
  Part dynamic;
  dynamic.name = b.symbol("spare");
  dynamic.kind = PartKind::Dynamic;
  dynamic.object_class = machine;
  dynamic.body = plant_body;
  b.model.bodies[plant_body].parts.push_back(b.model.parts.add(dynamic));
  EXPECT_EQ(dump(b.model),
            "enum Mode { idle, busy }\n"
            "message Job { id: Integer, size: Real }\n"
            "connector Pin { v: Real, flow i: Real [A] }\n"
            "protocol Work receives Job sends Job\n"
            "module main\n"
            "model Machine\n"
            "  parameter speed: Real\n"
            "  plug p: Pin\n"
            "  port arrivals receives Job\n"
            "  port finished sends Job\n"
            "  auto process fill()\n"
            "    loop\n"
            "      receive arrivals.Job as order\n"
            "      wait until true\n"
            "      send finished.Job(id = order.id, size = speed) after 2\n"
            "module plants\n"
            "model Plant\n"
            "  object machine[i in 1..3]: Machine(speed = i)\n"
            "  dynamic spare: Machine := none\n");
}

TEST(Dump, OfFamiliesConditionalsAndExperiments) {
  TestBuilder b;
  const ClassId rod = b.add_class("Rod");
  b.model.classes[rod].documentation = "A rod.\nIn pieces.";
  const BodyId body = b.body_of(rod);
  const VariableId n = b.variable(body, VariableKind::Constant, "n", kInteger);
  b.model.variables[n].binding = b.integer(4);
  const VariableId heat = b.variable(body, VariableKind::Var, "heat", kReal.with_rank(1));
  b.model.variables[heat].shape = b.model.intern_shape({{Dimension{4, b.name(n)}}});
  const LocalId i = b.local("i", kInteger);
  const BodyId family = b.inner_body(body);
  const ExprId element = b.expr(Op::Index, kReal, {b.name(heat), b.name(i)});
  b.equation(family, EquationForm::Implicit, {}, b.expr(Op::Der, kReal, {element}), b.real(0));
  const ExprId range = b.expr(Op::Range, kInteger, {b.integer(1), b.name(n)});
  b.model.bodies[body].families.push_back({{}, i, range, family});
  const BodyId then_body = b.inner_body(body);
  const BodyId else_body = b.inner_body(body);
  const BodyId last_body = b.inner_body(else_body);
  b.model.bodies[then_body].holds.push_back(b.name(heat));
  b.model.bodies[last_body].holds.push_back(b.name(heat));
  b.model.bodies[else_body].conditionals.push_back({{}, b.boolean(false), last_body, {}});
  b.model.bodies[body].conditionals.push_back({{}, b.boolean(true), then_body, else_body});

  Experiment experiment;
  experiment.name = b.symbol("Heating");
  experiment.of = rod;
  experiment.settings.push_back({b.symbol("stop_time"), {}, b.real(10)});
  experiment.variations.push_back(
      {{}, b.name(n), b.expr(Op::Range, kInteger, {b.integer(1), b.integer(9), b.integer(2)})});
  experiment.replications = b.integer(30);
  const LocalId peak = b.local("peak", kReal);
  experiment.observations.push_back({b.symbol("peak"), {}, b.builtin(Builtin::Max, kReal, {b.name(heat)}), peak});
  experiment.objective = b.builtin(Builtin::Mean, kReal, {b.name(peak)});
  b.model.experiments.add(experiment);
  EXPECT_EQ(dump(b.model),
            "/// A rod.\n"
            "/// In pieces.\n"
            "model Rod\n"
            "  constant n: Integer = 4\n"
            "  var heat: Real[n = 4]\n"
            "  for i in 1..n\n"
            "    equation implicit der(heat[i]) = 0\n"
            "  if true\n"
            "    hold heat\n"
            "  else if false\n"
            "    hold heat\n"
            "experiment Heating of Rod\n"
            "  setting stop_time = 10\n"
            "  vary n in 1..9 step 2\n"
            "  replicate 30\n"
            "  observe peak = max(heat)\n"
            "  minimize mean(peak)\n");
}

TEST(Dump, LeavesOutThePrelude) {
  TestBuilder b;
  const ClassId simulation = b.add_class("Simulation", "prelude");
  b.model.packages.add({b.symbol("Simulation"), {}, simulation, {}});
  b.add_class("Tank");
  EXPECT_EQ(dump(b.model), "model Tank\n");
}

TEST(Dump, OfFunctionsAndDevs) {
  TestBuilder b;
  Function function;
  function.name = b.symbol("clamp");
  const LocalId x = b.local("x", kReal);
  const LocalId top = b.local("top", kReal);
  function.parameters = {x, top};
  function.defaults = {ExprId(), b.real(1)};
  function.results = {b.result(kReal)};
  const BlockId then_block = b.block({b.action(ActionKind::Return, {b.name(top)})});
  const BlockId else_if_block = b.block({b.action(ActionKind::Return, {b.real(0)})});
  const BlockId else_block = b.block({b.action(ActionKind::Return, {b.name(x)})});
  const ActionId inner =
      b.action(ActionKind::If, {b.binary(Op::Less, b.name(x), b.real(0))}, {else_if_block, else_block});
  const ActionId outer =
      b.action(ActionKind::If, {b.binary(Op::Greater, b.name(x), b.name(top))}, {then_block, b.block({inner})});
  function.block = b.block({outer});
  b.model.functions.add(function);
  Function external;
  external.name = b.symbol("step");
  external.library_symbol = "libfem.so:fem_step";
  external.parameters = {b.local("T", kReal.with_rank(1))};
  external.results = {b.result(kReal)};
  b.model.functions.add(external);

  const ClassId atomic = b.add_class("Source");
  b.model.classes[atomic].kind = ClassKind::Atomic;
  b.model.classes[atomic].is_abstract = true;
  const ActionId call = b.action(ActionKind::DevsCall);
  b.model.actions[call].ref = static_cast<std::uint32_t>(DevsFunctionKind::Internal);
  b.model.classes[atomic].devs_functions = {
      {DevsFunctionKind::Advance, {}, {}, b.block({b.action(ActionKind::Return, {b.real(1)})})},
      {DevsFunctionKind::Confluent, {}, {b.local("bag", {TypeKind::Bag})}, b.block({call, call})}};
  EXPECT_EQ(dump(b.model),
            "function clamp(x: Real, top: Real = 1) -> Real\n"
            "  if x > top\n"
            "    return top\n"
            "  else if x < 0\n"
            "    return 0\n"
            "  else\n"
            "    return x\n"
            "external function step(T: Real[:]) -> Real = \"libfem.so:fem_step\"\n"
            "abstract atomic Source\n"
            "  devs advance { return 1 }\n"
            "  devs confluent(bag: bag)\n"
            "    internal()\n"
            "    internal()\n");
}

class DumpExpression : public testing::Test {
 protected:
  std::string text(ExprId expr) { return expression_text(b.model, expr, {}); }

  TestBuilder b;
  ExprId x = b.name(b.local("x", kReal));
  ExprId y = b.name(b.local("y", kReal));
  ExprId p = b.name(b.local("p", kBoolean));
};

TEST_F(DumpExpression, PutsParenthesesWhereNeeded) {
  const ExprId sum = b.binary(Op::Add, x, y);
  const ExprId difference = b.binary(Op::Subtract, x, y);
  const ExprId minus = b.expr(Op::Negate, kReal, {x});
  EXPECT_EQ(text(b.binary(Op::Multiply, sum, y)), "(x + y) * y");
  EXPECT_EQ(text(b.binary(Op::Add, b.binary(Op::Multiply, x, y), y)), "x * y + y");
  EXPECT_EQ(text(b.binary(Op::Subtract, difference, sum)), "x - y - (x + y)");
  EXPECT_EQ(text(b.binary(Op::Power, minus, b.real(2))), "(-x)^2");
  EXPECT_EQ(text(b.expr(Op::Negate, kReal, {b.binary(Op::Power, x, b.real(2))})), "-x^2");
  EXPECT_EQ(text(b.binary(Op::Power, x, b.binary(Op::Power, y, b.real(2)))), "x^y^2");
  EXPECT_EQ(text(b.binary(Op::Power, b.binary(Op::Power, x, y), b.real(2))), "(x^y)^2");
  EXPECT_EQ(text(b.binary(Op::Power, b.real(-2), x)), "(-2)^x");
  EXPECT_EQ(text(b.binary(Op::MatrixProduct, x, b.binary(Op::Divide, x, y))), "x @ (x / y)");
  const ExprId relation = b.binary(Op::Less, x, y);
  EXPECT_EQ(text(b.expr(Op::Not, kBoolean, {b.binary(Op::Or, p, relation)})), "not (p or x < y)");
  EXPECT_EQ(text(b.binary(Op::And, b.binary(Op::Or, p, p), p)), "(p or p) and p");
  const ExprId choice = b.expr(Op::If, kReal, {p, x, y});
  EXPECT_EQ(text(b.binary(Op::Add, choice, x)), "(if p then x else y) + x");
  EXPECT_EQ(text(b.expr(Op::If, kReal, {relation, x, choice})), "if x < y then x else if p then x else y");
}

TEST_F(DumpExpression, WritesEveryOtherForm) {
  const RecordId point = b.model.records.add({b.symbol("Point"), {}, {b.field("u", kReal), b.field("v", kReal)}});
  const Type point_type{TypeKind::Record, 0, point.index};
  const ExprId built = b.expr(Op::Construct, point_type, {x, y});
  EXPECT_EQ(text(built), "Point(u = x, v = y)");
  EXPECT_EQ(text(b.expr(Op::Field, kReal, {built}, 1)), "Point(u = x, v = y).v");
  b.model.strings.emplace_back("say \"hi\"\n");
  EXPECT_EQ(text(b.expr(Op::String, {TypeKind::String}, {}, 0)), "\"say \\\"hi\\\"\\n\"");
  const EnumId mode = b.model.enums.add({b.symbol("Mode"), {}, {b.symbol("idle")}});
  EXPECT_EQ(text(b.expr(Op::EnumValue, {TypeKind::Enum, 0, mode.index}, {}, 0)), "Mode.idle");
  EXPECT_EQ(text(b.expr(Op::Array, kReal.with_rank(1), {x, y})), "[x, y]");
  EXPECT_EQ(text(b.expr(Op::Tuple, {TypeKind::Tuple}, {x, y})), "(x, y)");
  const ExprId range = b.expr(Op::Range, kInteger, {b.integer(2), b.binary(Op::Add, x, y), ExprId()});
  EXPECT_EQ(text(b.expr(Op::Index, kReal, {x, range, b.expr(Op::Whole, kInteger)})), "x[2..x + y, :]");
  EXPECT_EQ(text(b.builtin(Builtin::Atan2, kReal, {x, y})), "atan2(x, y)");
  const LocalId i = b.local("i", kInteger);
  EXPECT_EQ(shape_text(b.model, b.model.intern_shape({{Dimension{{}, range}}}), i, {}), "[i in 2..x + y]");
  EXPECT_EQ(shape_text(b.model, b.model.intern_shape({{Dimension{3, x}}}), i, {}), "[i in 1..x = 3]");
  EXPECT_EQ(shape_text(b.model, b.model.intern_shape({{Dimension{3, x}, Dimension{}}}), {}, {}), "[x = 3, :]");
  const ExprId reduce = b.expr(Op::Reduce, kReal, {b.binary(Op::Multiply, x, b.name(i)), range}, i.index);
  b.model.exprs[reduce].builtin = Builtin::Sum;
  EXPECT_EQ(text(reduce), "sum(x * i for i in 2..x + y)");
  const ExprId take = b.expr(Op::Method, {TypeKind::AnyMessage}, {x, p}, i.index);
  b.model.exprs[take].builtin = Builtin::Take;
  EXPECT_EQ(text(take), "x.take(where (i) p)");
  const ExprId metres = b.real(2.5);
  b.model.exprs[metres].unit = b.unit("m");
  EXPECT_EQ(text(metres), "2.5 [m]");
  const ClassId motor = b.add_class("Motor");
  const VariableId torque = b.variable(b.body_of(motor), VariableKind::Parameter, "torque");
  b.model.occupants.push_back({motor, {{b.name(torque), false, x}, {b.name(torque), true, y}}, {}});
  EXPECT_EQ(text(b.expr(Op::Occupant, {TypeKind::Object, 0, motor.index}, {}, 0)), "Motor(torque = x, torque := y)");
  EXPECT_EQ(text(b.entity(EntityKind::Variable, torque.index, kReal, {b.expr(Op::This, {TypeKind::Object})})),
            "this.torque");
  EXPECT_EQ(text(ExprId()), "?");
  EXPECT_EQ(text(b.expr(Op::Error, {})), "?");
}

TEST_F(DumpExpression, WritesLongAndDeepExpressions) {
  ExprId sum = x;
  ExprId deep = x;
  for (int i = 0; i < 100'000; ++i) {
    sum = b.binary(Op::Add, sum, y);
    deep = b.binary(Op::Subtract, y, deep);
  }
  EXPECT_EQ(text(sum).size(), 1U + 100'000U * 4U);
  EXPECT_EQ(text(deep).size(), 1U + 100'000U * 4U + 99'999U * 2U);
}

}  // namespace
}  // namespace hyla::model
