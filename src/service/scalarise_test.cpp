// Equations as scalar terms: the value of every term is compared with the machine's value of the same text, bit for
// bit, at random values of all variables.
#include <bit>
#include <set>

#include <gtest/gtest.h>

#include "service/scalarise_testing.h"

namespace hyla::service {
namespace {

using engine::Leaf;
using engine::ModeKind;
using engine::ScalarEquation;

/// Compares all equations of all objects with the machine: raw, and with modes set from their functions.
void expect_same(WrittenText& text) {
  ASSERT_NE(text.world, nullptr) << text.messages();
  for (int round = 0; round < 20; ++round) {
    text.shuffle();
    for (const engine::Object& object : text.world->objects) {
      for (const WrittenText::Written& equation : text.equations_of(object.self)) {
        const std::vector<double> wanted = text.machine_values(equation.scope, text.right(equation));
        const std::vector<ScalarEquation> got = text.write(equation);
        ASSERT_TRUE(text.written) << text.messages();
        ASSERT_EQ(got.size(), wanted.size());
        for (std::size_t i = 0; i < got.size(); ++i) {
          const double value = text.compute(got[i].term, got[i].operands);
          EXPECT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(wanted[i]))
              << value << " instead of " << wanted[i] << " by "
              << text.terms[got[i].term].graph.text(text.terms[got[i].term].value);
        }
        if (got.size() != 1 || text.model().exprs[text.right(equation)].type.rank > 0) continue;
        engine::ScalarCondition raw;
        ASSERT_TRUE(text.scalariser->number(equation.scope, text.right(equation), raw)) << text.messages();
        EXPECT_TRUE(text.terms[raw.term].modes.empty());
        EXPECT_EQ(text.compute(raw.term, raw.operands), wanted[0]);
      }
    }
  }
}

/// The terms of the equations of the top object, one a line.
std::string terms_of(const std::string& source) {
  WrittenText text(source);
  if (text.world == nullptr)
    return text.sink.diagnostics().empty() ? text.messages() : text.sink.diagnostics()[0].message;
  std::string result;
  for (const WrittenText::Written& equation : text.equations_of(text.world->objects[0].self)) {
    for (const ScalarEquation& one : text.write(equation)) {
      const engine::Term& term = text.terms[one.term];
      result += term.graph.text(term.value);
      for (const engine::Mode& mode : term.modes) {
        result += " | x" + std::to_string(mode.operand) + (mode.kind == ModeKind::Positive ? " > " : " >= ") +
                  term.graph.text(mode.g);
      }
      result += "\n";
    }
  }
  return result + text.messages();
}

TEST(Scalarise, TakesArithmeticAndFunctionsAsTheMachine) {
  WrittenText text(R"(
model Case {
    parameter p = 2.5;
    parameter n: Integer = 3;
    var x := 1.5, y := 0.5, a, b, c, d, e;
    der(a) = x * y + p / n - 3;
    der(b) = sin(x) * cos(y) ^ 2 + exp(-x) - tanh(time / 10);
    der(c) = abs(x) + min(x, y, 0) + max(x, 2 * y) + sign(x - y);
    der(d) = floor(x) + ceil(3 * y) + round(x * y) + integer(4 * x) + div(x, 0.25) + mod(x, 0.5);
    der(e) = if x > y and not (x >= 1 or y < 0) then x else if x + y < 1 then y else p;
}
)");
  expect_same(text);
}

TEST(Scalarise, MakesModesOfRelations) {
  EXPECT_EQ(terms_of(R"(
model Case {
    parameter p = 2;
    var x := 1, a, b, c;
    discrete k := 1;
    der(a) = abs(x);
    der(b) = if x > p then 1 else noevent(abs(x));
    der(c) = if k > p then 1 else max(k, p);
}
)"),
            "select(x0, x1, (-x1)) | x0 >= x1\n"
            "select(x0, 1, abs(x1)) | x0 > x1 - x2\n"
            "select((x0 < x1), 1, max(x1, x0))\n");
}

TEST(Scalarise, ChoosesLikeTheMachineWhereSidesAreEqual) {
  WrittenText text(R"(
model Case {
    var x := 1, y := 2, a, b, c, d, e, f, g;
    der(a) = abs(x);
    der(b) = min(x, y) + 10 * max(x, y) + 100 * min(y, x, 1) + 1000 * max([x, y, 1]);
    der(c) = sign(x);
    der(d) = floor(x) + 10 * ceil(x) + 100 * round(x) + 1000 * integer(x) + div(x, 0.5) + mod(x, 0.25);
    der(e) = if x > y then 1 else if x >= y then 2 else 3;
    der(f) = if not (x > y) and not (x < y) then 1 else 0;
    der(g) = (if x <= y then 1 else 0) + (if not (x <= y or y < 1) then 2 else 4);
}
)");
  ASSERT_NE(text.world, nullptr) << text.messages();
  const engine::Object& top = text.world->objects[0];
  for (const double x : {-1.0, -0.5, 0.0, 0.5, 1.0, 1.5}) {
    for (const double y : {-0.5, 0.0, 0.5, 1.0}) {
      top.slots[0].real = x;
      top.slots[1].real = y;
      for (const WrittenText::Written& equation : text.equations_of(top.self)) {
        const ScalarEquation one = text.write(equation).at(0);
        EXPECT_EQ(text.compute(one.term, one.operands), text.machine_value(equation.scope, text.right(equation)));
      }
    }
  }
}

TEST(Scalarise, WritesArraysOutElementByElement) {
  WrittenText text(R"(
constant weights: Real[3] = [0.5, 0.25, 0.125];
model Case {
    parameter n: Integer = 3;
    parameter A[2, 2] = [[0, 1], [-1, 0.5]];
    parameter B[2, 3] = [[1, 2, 3], [4, 5, 6]];
    var z[2] := [1, 0], v[n] := fill(1, n), w[n] := fill(2, n), m[2, 3], s, t, u[n], o[2, 2], q[2];
    der(z) = A * z;
    der(v) = 2 * w - v / 3 + weights;
    der(s) = dot(v, w) + norm(w) + sum(v * w) + product(v) + min(v) - max(w) + size(v) + size(B, 2);
    der(t) = sum(v[i] ^ 2 * w[n + 1 - i] for i in 1..n) + max(abs(e) for e in w) + sum(i for i in 1..n);
    der(m) = B + m;
    der(u) = cross(v, w) + noevent(sin(v)) + v[1..3];
    der(o) = transpose(o) * A + identity(2);
    der(q[1..2]) = z * A + identity(2) * z + B[:, 2] - m[1, 2..3] + [v[1], z[2]];
    for i in 1..n - 1 {
        der(w[i]) = i * v[i + 1] - (if i == 1 then 0 else w[i - 1]) + sin(i * 0.5) * weights[i];
    }
    der(w[n]) = (if n > 2 then [v[1], v[2]] else [v[2], v[1]])[1];
}
)");
  expect_same(text);
}

TEST(Scalarise, FollowsPathsThroughParts) {
  WrittenText text(R"(
model Valve {
    parameter opening = 0.5;
    output flow := 1;
    input pressure := 1;
}
model Tank {
    parameter area = 2;
    output level := 1;
    object valve[2]: Valve;
    der(level) = -sum(valve[i].flow for i in 1..2) / area;
}
model Case {
    object tank[3]: Tank;
    object last: Tank(area = 5);
    var total, mean, far;
    der(total) = sum(t.level * t.area for t in tank) + last.level;
    der(mean) = sum(tank[i].level for i in 1..3) / 3;
    der(far) = tank[2].valve[1].flow * last.valve[2].opening + this.total;
}
)");
  expect_same(text);
}

TEST(Scalarise, WritesFunctionsOut) {
  WrittenText text(R"(
record Point {
    x: Real;
    y: Real;
}
function polynomial(c: Real[:], x: Real) -> Real {
    var y := 0;
    for i in 1..size(c) {
        y := y * x + c[i];
    }
    return y;
}
function split(x: Real, at: Real = 0.5) -> (below: Real, above: Real) {
    return (min(x, at), max(x, at));
}
function clip(x: Real, low: Real, high: Real) -> Real {
    if x < low {
        return low;
    }
    if x > high {
        return high;
    }
    return x;
}
function power(x: Real, n: Integer) -> Real {
    if n == 0 {
        return 1;
    }
    return x * power(x, n - 1);
}
function first_above(v: Real[:], limit: Real) -> Real {
    var found := -1;
    for i in 1..size(v) {
        if v[i] < -2 {
            continue;
        }
        if v[i] > limit {
            found := i;
            break;
        }
        found := found - 0.25;
    }
    return found;
}
function sorted(v: Real[:]) -> Real[:] {
    var w := v;
    for i in 1..size(v) - 1 {
        for j in 1..size(v) - i {
            if w[j] > w[j + 1] {
                let t = w[j];
                w[j] := w[j + 1];
                w[j + 1] := t;
            }
        }
    }
    return w;
}
function newton(x: Real) -> Real {
    var y := 1 + abs(x);
    var k := 0;
    while k < 4 {
        y := (y + (1 + abs(x)) / y) / 2;
        k := k + 1;
    }
    return y;
}
function both(x: Real) -> Real {
    let (low, high) = split(x);
    var a := 0, b := 0;
    (a, b) := split(low, at = high - 1);
    return low * 10 + high + a - b;
}
function turned(p: Point) -> Point {
    return Point(-p.y, p.x);
}
function hits_of(v: Real[:]) -> Integer {
    var hits: Integer[3];
    for e in v {
        let k = if e > 1 then 3 else if e > -1 then 2 else 1;
        hits[k] := hits[k] + 1;
    }
    return hits[1] + 10 * hits[2] + 100 * hits[3];
}
model Case {
    parameter n: Integer = 3;
    var x := 1, y := 2, v[4] := [1, 2, 3, 4], a, b, c, d, e, f[4], g, h, i, j;
    der(a) = polynomial([1, 2, x], y);
    der(b) = both(x);
    der(c) = clip(x, -1, y);
    der(d) = power(x, n);
    der(e) = first_above(v, x);
    der(f) = sorted(v);
    der(g) = newton(x);
    der(h) = turned(Point(x, y)).x + turned(turned(Point(x, y))).y;
    der(i) = hits_of(v);
    der(j) = clip(clip(y, x, 2), x, y);
}
)");
  expect_same(text);
}

TEST(Scalarise, ReadsDiscreteValues) {
  WrittenText text(R"(
enum Colour { Red, Green }
record Limits {
    low: Real;
    high: Real;
    steps: Integer;
}
model Case {
    parameter scale[3] = [1, 2, 4];
    discrete k: Integer := 2, active := true, colour: Colour := Colour.Green, name := "b";
    discrete limits := Limits(1, 5, 3);
    var x := 1, v[3] := [1, 2, 3], a, b, c, d, e;
    mailbox box: Job;
    der(a) = v[k] * scale[k];
    der(b) = if active and colour == Colour.Green then limits.high * limits.steps else x;
    der(c) = if name == "b" or in(Off) then x else 0;
    der(d) = if in(On) then x else -x;
    der(e) = box.size + (if k > 1 then x else 0);
    chart {
        initial -> On;
        state On { when x > 100 -> Off; }
        state Off { }
    }
}
message Job;
)");
  expect_same(text);
}

TEST(Scalarise, SharesTermsAmongObjectsAndMembers) {
  WrittenText text(R"(
model Ball {
    parameter g = 9.81;
    parameter n: Integer = 2;
    var h := 1, v := 0, w[n];
    der(h) = v;
    der(v) = -g - 0.1 * abs(v);
    for i in 1..n {
        der(w[i]) = i * h + sin(i * 0.5) * w[i];
    }
}
model Case {
    object ball[4]: Ball;
    object other: Ball(n = 5, g = 1);
}
)");
  ASSERT_NE(text.world, nullptr) << text.messages();
  std::set<engine::TermId> terms;
  std::set<std::pair<std::uint32_t, std::uint32_t>> places;
  for (const engine::Object& object : text.world->objects) {
    for (const WrittenText::Written& equation : text.equations_of(object.self)) {
      for (const ScalarEquation& one : text.write(equation)) {
        terms.insert(one.term);
        places.insert({one.subject.object.index * 100 + one.subject.slot, one.subject.element});
        EXPECT_EQ(one.subject.object, object.self);
        EXPECT_EQ(one.form, model::EquationForm::Derivative);
        for (const Leaf& leaf : one.operands) {
          if (leaf.kind == Leaf::Kind::Value) {
            EXPECT_EQ(leaf.place.object, object.self);
          }
        }
      }
    }
  }
  EXPECT_EQ(terms.size(), 3U);
  EXPECT_EQ(places.size(), 4U * 4 + 7);
  expect_same(text);
}

TEST(Scalarise, UsesTermsAgainOnlyWhereTheyFit) {
  WrittenText text(R"(
model Tank {
    output level := 1;
}
model Group {
    parameter n: Integer = 0;
    parameter m: Integer = 2;
    parameter steep = false;
    parameter limit = 1;
    discrete name := "b", k: Integer := 1;
    object tank[n]: Tank;
    var x := 1, y := 2, z := 3, v[m], w, u;
    der(x) = sum(t.level for t in tank) + (if name == "b" then y else z);
    der(y) = if steep then x ^ 3 else if limit > 2 then z else x;
    der(z) = sum(v) + v[m] + v[k] + sum(v[m + 1 - i] * i for i in 1..m);
    der(w) = if name == "c" or name == "b" then clipped(x, m) else 0;
    der(u) = clipped(y, n) + size(v);
}
function clipped(x: Real, n: Integer) -> Real {
    var y := x;
    for i in 1..n {
        y := y * 0.5 + i;
    }
    return y;
}
model Case {
    object a: Group;
    object b: Group(n = 3, m = 4, steep = true);
    object c: Group(n = 2, limit = 5);
    object d[2]: Group(m = 4);
}
)");
  expect_same(text);
  for (const engine::Opaque& opaque : text.world->opaques) EXPECT_TRUE(text.world->is_alive(opaque.object));
}

TEST(Scalarise, MakesModesOfCrossings) {
  // The condition stands in a class of which there is no object, with the same variables.
  WrittenText text(R"(
model Base {
    discrete k: Integer := 1;
    var x := 1, y := 2;
}
model Other extends Base {
    when rises(x - abs(y)) and k == 1 {}
}
model Case extends Base {
}
)");
  ASSERT_NE(text.world, nullptr) << text.messages();
  const engine::Object& top = text.world->objects[0];
  engine::ScalarCondition got;
  ASSERT_TRUE(text.scalariser->condition({top.self, top.object_class, {}, {}},
                                         text.model().reactions[model::ReactionId(0)].condition, got))
      << text.messages();
  const engine::Term& term = text.terms[got.term];
  EXPECT_EQ(term.graph.text(term.value), "x0 and (x1 == 1)");
  ASSERT_EQ(term.modes.size(), 2U);
  EXPECT_EQ(term.modes[0].kind, ModeKind::Rises);
  EXPECT_EQ(term.graph.text(term.modes[0].g), "x2 - select(x3, x4, (-x4))");
  EXPECT_EQ(term.modes[1].kind, ModeKind::NotNegative);
  EXPECT_EQ(term.graph.text(term.modes[1].g), "x4");
}

TEST(Scalarise, SortsEquationsByTheirForm) {
  WrittenText text(R"(
model Case {
    parameter C = 2;
    var u := 1, i, y, z[2], k[2];
    C * der(u) = i;
    u + y = 3;
    i = -u;
    z[2] = u;
    z[1] = i;
    der(k) = [u, y];
}
)");
  ASSERT_NE(text.world, nullptr) << text.messages();
  std::string forms;
  for (const WrittenText::Written& equation : text.equations_of(text.world->objects[0].self)) {
    for (const ScalarEquation& one : text.write(equation)) {
      const engine::Term& term = text.terms[one.term];
      forms += "IDF"[one.form == model::EquationForm::Derivative ? 1
                     : one.form == model::EquationForm::Formula  ? 2
                                                                 : 0];
      forms += one.subject.element == engine::kNone ? "" : std::to_string(one.subject.element);
      forms += " " + term.graph.text(term.value) + "\n";
    }
  }
  EXPECT_EQ(forms,
            "I (x0 * x1) - x2\nI (x0 + x1) - 3\nF -x0\n"
            "F1 x0\nF0 x0\nD0 x0\nD1 x0\n");
}

TEST(Scalarise, WritesConditionsWithModes) {
  WrittenText text(R"(
function above(x: Real, limit: Real) -> Boolean {
    return x > limit;
}
function far(x: Real) -> Boolean {
    let y = abs(x);
    return y > 2;
}
model Case {
    parameter p = 1;
    discrete k: Integer := 1, active := true;
    var x := 1, y := 2;
    when x > p and abs(y) < 3 {}
    when not (x > p or not active) {}
    when above(x, min(y, p)) {}
    when far(x) {}
    when (if active then x >= y else y >= 0) {}
    when time >= 5 or any(e > 1 for e in [x, y]) {}
    when k > 2 {}
}
)");
  ASSERT_NE(text.world, nullptr) << text.messages();
  std::string found;
  for (const model::ReactionId id :
       text.model().bodies[text.model().classes[text.world->objects[0].object_class].body].reactions) {
    engine::ScalarCondition one;
    const engine::Scope scope{text.world->objects[0].self, text.world->objects[0].object_class, {}, {}};
    ASSERT_TRUE(text.scalariser->condition(scope, text.model().reactions[id].condition, one)) << text.messages();
    const engine::Term& term = text.terms[one.term];
    found += term.graph.text(term.value);
    for (const engine::Mode& mode : term.modes) {
      found += " | x" + std::to_string(mode.operand) + " " + std::to_string(static_cast<int>(mode.kind)) + " " +
               term.graph.text(mode.g);
    }
    found += "\n";
  }
  EXPECT_EQ(found,
            "x0 and x1 | x0 1 x2 - x3 | x1 1 3 - select(x4, x5, (-x5)) | x4 0 x5\n"
            "x0 and x1 | x0 0 x2 - x3\n"
            "x0 | x0 1 x1 - min(x2, x3)\n"
            "x0 | x0 1 (2 < abs(x1)) - 0.5\n"
            "select(x0, x1, x2) | x1 0 x3 - x4 | x2 0 x4\n"
            "x0 or (x1 or x2) | x0 0 x3 - 5 | x1 1 x4 - 1 | x2 1 x5 - 1\n"
            "2 < x0\n");
}

TEST(Scalarise, BindsInputsAndOutputs) {
  WrittenText text(R"(
model Inner {
    input u[2];
}
model Case {
    var x := 1, y := 2;
    object inner: Inner(u = [x, abs(y)]);
}
)");
  ASSERT_NE(text.world, nullptr) << text.messages();
  const model::Part& part = text.model().parts[model::PartId(0)];
  const engine::Scope scope{text.world->objects[0].self, text.world->objects[0].object_class, {}, {}};
  std::vector<ScalarEquation> got;
  const std::uint32_t slot = 0;
  ASSERT_TRUE(text.scalariser->binding(text.world->objects[1].self, slot, scope, part.arguments[0].value, got));
  ASSERT_EQ(got.size(), 2U);
  EXPECT_EQ(got[1].subject, (engine::Place{text.world->objects[1].self, slot, 1}));
  EXPECT_EQ(got[1].operands.size(), 2U);
  EXPECT_EQ(got[1].operands[1].place.object, text.world->objects[0].self);
}

/// The first message about the equations of a text.
std::string refusal(const std::string& source) {
  WrittenText text(source);
  EXPECT_EQ(text.world, nullptr);
  const std::string messages = text.messages();
  const std::size_t begin = messages.find("]: ") + 3;
  return messages.substr(begin, messages.find('\n') - begin);
}

TEST(Scalarise, SaysWhatCannotBePartOfAnEquation) {
  EXPECT_EQ(
      refusal(R"(
function halves(x: Real) -> Real[:] {
    var y := x;
    while y > 1 {
        y := y / 2;
    }
    return [y, x];
}
model Case { var x[2] := [1, 2]; der(x) = halves(x[1]); }
)"),
      "the function `halves` in an equation, which cannot be written out (it gives an array of open size), is not "
      "part of this version yet");
  EXPECT_EQ(refusal("model Case { parameter n: Integer = 4; var x[3]; der(x[n]) = 1; }"),
            "index 4 is outside dimension 1, whose size is 3");
}

}  // namespace
}  // namespace hyla::service
