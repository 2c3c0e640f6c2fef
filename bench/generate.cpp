#include "generate.h"

#include <algorithm>
#include <array>
#include <random>

#include <fmt/core.h>

namespace hyla::bench {
namespace {

/// Writes one project, plant by plant. Every plant has a number that keeps its names apart from the others'.
class Writer {
 public:
  explicit Writer(std::uint32_t seed) : random_(seed) {}

  std::string take() { return std::move(text_); }
  std::size_t lines() const { return lines_; }

  void plant() {
    ++number_;
    line("// Plant {0}: tanks and drives that a controller watches, a packing line, and a circuit that feeds it.",
         number_);
    line("");
    declarations();
    tank();
    drive();
    controller();
    packing();
    circuit();
    whole();
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> pattern, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), pattern, std::forward<Arguments>(arguments)...);
    text_ += '\n';
    ++lines_;
  }
  void lines(std::string_view block) {
    text_ += block;
    lines_ += static_cast<std::size_t>(std::count(block.begin(), block.end(), '\n'));
  }

  /// A number between the bounds, both included. Not std::uniform_int_distribution: its results differ by library.
  std::size_t pick(std::size_t least, std::size_t most) { return least + random_() % (most - least + 1); }
  double value() { return static_cast<double>(pick(1, 9999)) / 1000; }

  void comment() {
    static constexpr std::array<std::string_view, 6> kRemarks = {
        "Taken from the data sheet.",      "Estimated; measure again at the plant.",
        "Holds between 5 and 60 degrees.", "See the commissioning protocol.",
        "Zero disables the limit.",        "Tuned by hand on the test bench."};
    line("    /// {}", kRemarks[pick(0, kRemarks.size() - 1)]);
  }

  void declarations() {
    line("constant limit_{}: Real(unit = \"m\") = {};", number_, value());
    line("enum Mode{} {{", number_);
    lines("    idle,\n    running,\n    halted\n}\n");
    line("record Point{} {{", number_);
    lines("    x: Real(unit = \"m\");\n    y: Real(unit = \"m\");\n}\n");
    line("message Open{}, Close{};", number_, number_);
    line("message Item{} {{", number_);
    lines("    number: Integer;\n    weight: Real(unit = \"kg\");\n    packed_at: Real(unit = \"s\");\n}\n");
    line("protocol Valve{} {{", number_);
    line("    receives Open{}, Close{};", number_, number_);
    lines("}\n\n");
    line("/// The flow through an opening of `area` under the head `h`.");
    line("function outflow{}(area: Real(unit = \"m2\"), h: Real(unit = \"m\")) -> Real(unit = \"m3/s\") {{", number_);
    lines("    return area * sqrt(2 * 9.81[m/s2] * max(h, 0));\n}\n\n");
  }

  /// Parameters and formulas with units, derivatives, requirements.
  void tank() {
    line("/// An upright tank with leaks.");
    line("model Tank{} {{", number_);
    line("    parameter area: Real(unit = \"m2\") = {};", value());
    comment();
    line("    parameter height: Real(unit = \"m\", min = 0) = limit_{} + {};", number_, value());
    lines("    input inflow: Real(unit = \"m3/s\");\n    output level: Real(unit = \"m\", min = 0) := 0;\n");
    const std::size_t leaks = pick(2, 8);
    for (std::size_t i = 1; i <= leaks; ++i) {
      if (pick(0, 3) == 0) comment();
      line("    parameter hole_{}: Real(unit = \"m2\") = {}e-4;", i, value());
      line("    parameter z_{}: Real(unit = \"m\") = {};", i, value());
      line("    var leak_{0}: Real(unit = \"m3/s\") = outflow{1}(hole_{0}, level - z_{0});", i, number_);
    }
    std::string sum = "inflow";
    for (std::size_t i = 1; i <= leaks; ++i) sum += fmt::format(" - leak_{}", i);
    line("");
    line("    der(level) = ({}) / area;", sum);
    line("    require level < height \"tank {} overflows\";", number_);
    lines("}\n\n");
  }

  /// A chart with composite states, continuous transitions, time-outs, entry actions and state variables.
  void drive() {
    const std::size_t gears = pick(2, 6);
    line("/// A drive with {} gears.", gears);
    line("model Drive{} {{", number_);
    line("    port command: Valve{};", number_);
    line("    parameter inertia: Real(unit = \"kg.m2\") = {};", value());
    line("    parameter friction: Real(unit = \"N.m.s/rad\") = {};", value());
    line("    parameter full: Real(unit = \"N.m\") = {};", value());
    lines("    output w: Real(unit = \"rad/s\") := 0;\n    output phi: Real(unit = \"rad\") := 0;\n");
    lines("    var torque: Real(unit = \"N.m\");\n    discrete starts: Integer := 0;\n\n");
    lines("    der(w) = (torque - friction * w) / inertia;\n    der(phi) = w;\n\n    chart gear {\n");
    lines("        initial -> Off;\n        state Off {\n            torque = 0;\n");
    line("            on command.Open{} -> On {{", number_);
    lines("                starts := starts + 1;\n            }\n        }\n        state On {\n");
    lines("            var heat: Real(unit = \"J\") := 0;\n            der(heat) = friction * w^2;\n");
    lines("            initial -> Gear1;\n");
    for (std::size_t i = 1; i <= gears; ++i) {
      line("            state Gear{} {{", i);
      line("                torque = full / {};", i);
      if (i < gears) line("                when w > {} -> Gear{};", 10 * i, i + 1);
      if (i > 1) line("                when w < {} -> Gear{};", 10 * (i - 1) - 5, i - 1);
      line("                after {} -> Gear1 {{", 100 * i);
      line("                    heat := heat / 2;");
      lines("                }\n            }\n");
    }
    line("            on command.Close{} -> Off;", number_);
    line("            when heat > {} -> Off;", 1000 * pick(1, 9));
    lines("        }\n    }\n}\n\n");
  }

  /// A chart that sends messages, with a choice and guards.
  void controller() {
    line("/// Fills the tank and starts the drive.");
    line("model Controller{} {{", number_);
    line("    port valve: conjugate Valve{};", number_);
    line("    input level: Real(unit = \"m\");");
    line("    parameter low: Real(unit = \"m\") = {};", value());
    line("    parameter high: Real(unit = \"m\") = low + {};", value());
    line("    discrete mode: Mode{0} := Mode{0}.idle;", number_);
    lines("    var cycles: Integer := 0;\n\n    chart task {\n        initial -> Decide;\n        choice Decide {\n");
    lines("            if level < low -> Filling;\n            else -> Draining;\n        }\n");
    lines("        state Filling {\n            entry {\n");
    line("                mode := Mode{}.running;", number_);
    line("                send valve.Open{};", number_);
    lines("            }\n            when level >= high -> Draining;\n");
    line("            after {} if cycles > {} -> Halted;", pick(1, 30), pick(10, 99));
    lines("        }\n        state Draining {\n            entry {\n");
    line("                send valve.Close{};", number_);
    lines(
        "                cycles := cycles + 1;\n            }\n            when level <= low -> Filling;\n        }\n");
    lines("        state Halted {\n            entry {\n");
    line("                mode := Mode{}.halted;", number_);
    lines("            }\n        }\n    }\n}\n\n");
  }

  /// Processes, mailboxes, statistics, reactions with messages.
  void packing() {
    line("/// Packs items one after the other and counts them.");
    line("model Packing{} {{", number_);
    line("    mailbox queue: Item{};", number_);
    line("    port out sends Item{};", number_);
    line("    parameter least: Real(unit = \"kg\") = {};", value());
    lines("    output packed: Integer := 0;\n    tally waiting;\n    accumulate length = queue.size;\n\n");
    lines("    auto process pack {\n        var last := 0;\n        loop {\n            receive queue as item;\n");
    line("            wait triangular({}, {}, {});", 1, 1 + pick(1, 4), 9);
    lines("            if item.weight >= least and item.number != last {\n                packed := packed + 1;\n");
    lines("                last := item.number;\n                waiting.add(time - item.packed_at);\n");
    lines("                send out.(item);\n            } else {\n");
    line("                // Too light: it goes round once more.");
    line("                send out.Item{}(number = item.number, weight = least, packed_at = time);", number_);
    lines("            }\n        }\n    }\n}\n\n");
    line("model Source{} {{", number_);
    line("    port out sends Item{};", number_);
    lines("    var number: Integer := 0;\n\n");
    line("    every {} {{", pick(2, 20));
    lines("        number := number + 1;\n");
    line("        send out.Item{}(number = number, weight = normal(1, 0.1), packed_at = time);", number_);
    lines("    }\n}\n\n");
    line("model Store{} {{", number_);
    line("    port arrivals receives Item{};", number_);
    lines("    output total: Real(unit = \"kg\") := 0;\n\n");
    line("    on arrivals.Item{} as item if item.weight > 0 {{", number_);
    lines("        total := total + item.weight;\n    }\n}\n\n");
  }

  /// Connectors, inheritance, families of equations.
  void circuit() {
    line("connector Pin{} {{", number_);
    lines("    potential v: Real(unit = \"V\");\n    flow i: Real(unit = \"A\");\n}\n\n");
    line("abstract model TwoPin{} {{", number_);
    line("    plug p, n: Pin{};", number_);
    lines("    output v: Real(unit = \"V\");\n    output i: Real(unit = \"A\");\n\n");
    lines("    p.v - n.v = v;\n    p.i = i;\n    p.i + n.i = 0;\n}\n\n");
    line("model Resistor{0} extends TwoPin{0} {{", number_);
    line("    parameter R: Real(unit = \"Ohm\") = {};", value());
    lines("    v = R * i;\n}\n\n");
    line("model Supply{0} extends TwoPin{0} {{", number_);
    line("    parameter amplitude: Real(unit = \"V\") = {};", value());
    lines("    v = amplitude * sin(2 * pi * 50[Hz] * time);\n}\n\n");
    line("model Line{} {{", number_);
    line("    parameter n: Integer = {};", pick(4, 40));
    line("    parameter speed: Real(unit = \"1/s\") = {};", value());
    lines("    var T[n]: Real(unit = \"K\") := fill(293, n);\n    output mean: Real(unit = \"K\") = sum(T) / n;\n\n");
    lines("    der(T[1]) = speed * (T[2] - T[1]);\n    for i in 2..n - 1 {\n");
    lines("        der(T[i]) = speed * (T[i + 1] - 2 * T[i] + T[i - 1]);\n    }\n");
    lines("    der(T[n]) = speed * (T[n - 1] - T[n]);\n}\n\n");
  }

  void whole() {
    line("/// All parts of plant {}.", number_);
    line("model Plant{} {{", number_);
    line("    object tank: Tank{}(area = {}, inflow = 0.01);", number_, value());
    line("    object drive: Drive{}(inertia = {});", number_, value());
    line("    object controller: Controller{};", number_);
    line("    object source: Source{};", number_);
    line("    object packing: Packing{};", number_);
    line("    object store: Store{};", number_);
    line("    object supply: Supply{};", number_);
    line("    object line: Line{}(n = {});", number_, pick(4, 40));
    const std::size_t resistors = pick(2, 6);
    for (std::size_t i = 1; i <= resistors; ++i) line("    object r{}: Resistor{}(R = {});", i, number_, value());
    line("    var corner: Point{0} = Point{0}(x = 1, y = tank.level);", number_);
    lines("\n    connect tank.level -> controller.level;\n    connect controller.valve -- drive.command;\n");
    lines("    connect source.out -- packing.queue;\n    connect packing.out -- store.arrivals;\n");
    line("    connect supply.p -- r1.p;");
    for (std::size_t i = 1; i < resistors; ++i) line("    connect r{}.n -- r{}.p;", i, i + 1);
    line("    connect r{}.n -- supply.n;", resistors);
    lines("    supply.n.v = 0;\n\n    section Simulation {\n");
    line("        stop_time = {};", pick(10, 1000));
    lines("    }\n    section View {\n        Plot(tank.level, drive.w, title = \"plant\");\n");
    lines("        Gantt(drive.gear, controller.task);\n    }\n}\n\n");
    line("experiment Study{0} of Plant{0} {{", number_);
    line("    vary drive.friction in {}..{} step {};", 1.0, 5.5, 0.5);
    line("    replicate {};", pick(2, 30));
    lines("    observe top = max(tank.level);\n}\n\n");
  }

  std::mt19937 random_;
  std::string text_;
  std::size_t lines_ = 0;
  std::size_t number_ = 0;
};

}  // namespace

std::string realistic_model(std::size_t lines, std::uint32_t seed) {
  Writer writer(seed);
  do writer.plant();
  while (writer.lines() < lines);
  return writer.take();
}

}  // namespace hyla::bench
