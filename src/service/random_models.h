// Random models that are valid: for tests that run thousands of them. A model is a text made from a seed: objects that
// send each other messages, charts with nested states and regions, history, choices, processes, mailboxes, statistics,
// arrays, functions, atomic models. Nearly all can be run; some fail on purpose (an index outside, an endless instant).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hyla::service {

/// Numbers that are the same everywhere.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  /// From 0 to below `sides`.
  int roll(int sides) {
    state_ ^= state_ << 13U;
    state_ ^= state_ >> 7U;
    state_ ^= state_ << 17U;
    return static_cast<int>((state_ >> 11U) % static_cast<std::uint64_t>(sides));
  }
  bool chance(int percent) { return roll(100) < percent; }
  std::string pick(const std::vector<std::string>& from) {
    return from[static_cast<std::size_t>(roll(static_cast<int>(from.size())))];
  }

 private:
  std::uint64_t state_;
};

/// Writes one model. Every class knows ports `inlet`, `outlet`, the mailbox `box`, signals, variables and functions by
/// fixed names, so that any action can stand anywhere.
class RandomModel {
 public:
  explicit RandomModel(std::uint64_t seed) : dice_(seed) {}

  std::string text() {
    out_ = kHead;
    const int classes = 1 + dice_.roll(3);
    for (int i = 0; i < classes; ++i) object_class("C" + std::to_string(i));
    if (dice_.chance(50)) out_ += kAtomic;
    const bool has_atomic = out_.find("atomic ") != std::string::npos;
    top(classes, has_atomic);
    return out_;
  }

 private:
  /// What a transition may lead to: paths of states, not those in other regions beside.
  struct Known {
    std::vector<std::string> paths, composites;

    void add(const Known& other) {
      paths.insert(paths.end(), other.paths.begin(), other.paths.end());
      composites.insert(composites.end(), other.composites.begin(), other.composites.end());
    }
  };
  /// A chart that is being written.
  struct Scope {
    Known known;
    std::vector<std::string> siblings;  ///< names of its states
    std::vector<std::string> choices;
    int depth = 0;
    bool needs_final = false;
  };

  static constexpr const char* kHead = R"(
enum Colour { Red, Green, Blue }
record Point { x: Real; y: Integer; tags: Integer[2]; }
message Job { id: Integer; size: Real; name: String; }
message Note { at: Point; text: String; }
message Tick;
function triangle(n: Integer) -> Integer { return if n <= 0 then 0 else n + triangle(n - 1); }
function mixed(a: Real, b: Real) -> Real { var s := 0.0; for i in 1..3 { s := s + a * i - b; } return s; }
)";
  static constexpr const char* kAtomic = R"(
atomic Relay {
    port inlet receives Job, Note, Tick;
    port outlet sends Job, Note, Tick;
    var sigma := infinity;
    var held: Integer := 0;
    advance { return sigma; }
    lambda { for i in 1..held { send outlet.Job(id = i, size = sigma, name = "relayed"); } }
    internal { held := 0; sigma := infinity; }
    external(elapsed, bag) {
        for m in bag {
            if m is inlet.Job { held := held + 1; } else { held := 1; }
        }
        held := min(held, 5);
        sigma := if held > 3 then 0.0 else 0.5;
    }
}
)";

  void line(const std::string& text) { out_ += text + "\n"; }

  // --- Expressions and actions

  std::string integer(int depth = 0) {
    switch (dice_.roll(depth > 2 ? 4 : 11)) {
      case 0:
        return std::to_string(dice_.roll(7));
      case 1:
        return "n";
      case 2:
        return "k";
      case 3:
        return "t.count";
      case 4:
        return "(" + integer(depth + 1) + " + " + integer(depth + 1) + ")";
      case 5:
        return "mod(" + integer(depth + 1) + ", 5)";
      case 6:
        return "list[1 + mod(n + " + integer(depth + 1) + ", " + (dice_.chance(97) ? "4" : "5") + ")]";
      case 7:
        return "triangle(mod(" + integer(depth + 1) + ", 6))";
      case 8:
        return "box.size";
      case 9:
        return "place.y";
      default:
        return "(if " + condition(depth + 1) + " then " + integer(depth + 1) + " else " + integer(depth + 1) + ")";
    }
  }
  std::string real() {
    return dice_.pick({"0.5", "1", "x", "place.x", "mixed(x, 1)", "time", "2 * x", "exponential(1)"});
  }
  std::string duration() {
    return dice_.pick({"0.25", "0.5", "1", "1.5", "2", "0.5 + mod(n, 3)", "exponential(1)", "infinity", "0.25"});
  }
  std::string condition(int depth = 0) {
    switch (dice_.roll(depth > 2 ? 3 : 8)) {
      case 0:
        return "n > " + std::to_string(dice_.roll(9));
      case 1:
        return "flag";
      case 2:
        return "mod(k, 2) == 0";
      case 3:
        return "(" + condition(depth + 1) + " and " + condition(depth + 1) + ")";
      case 4:
        return "(" + condition(depth + 1) + " or " + condition(depth + 1) + ")";
      case 5:
        return "not " + condition(depth + 1);
      case 6:
        return "colour == Colour.Green";
      default:
        return integer(depth + 1) + " < " + integer(depth + 1);
    }
  }
  std::string job() {
    return "Job(id = " + integer() + ", size = " + real() + ", name = " + dice_.pick({"\"a\"", "s", "string(n)"}) + ")";
  }

  /// An action that may stand anywhere.
  std::string action(int depth = 0) {
    switch (dice_.roll(depth > 1 ? 12 : 16)) {
      case 0:
        return "n := mod(" + integer() + ", 20);";
      case 1:
        return "k := k + 1;";
      case 2:
        return "flag := " + condition() + ";";
      case 3:
        return "x := mixed(x, 0.5) / 100;";
      case 4:
        return "send outlet." + job() + (dice_.chance(40) ? " after " + duration() : "") + ";";
      case 5:
        return dice_.chance(50) ? "send outlet.Tick;" : "send outlet.Note(at = place, text = s);";
      case 6:
        return "raise " + dice_.pick({"Ping", "Pong"}) + ";";
      case 7:
        return "t.add(" + dice_.pick({"n", "x", "0"}) + ");";
      case 8:
        return "list[1 + mod(n, 4)] := " + integer() + ";";
      case 9:
        return dice_.chance(50) ? "place.y := mod(" + integer() + ", 9);" : "place.tags[1] := n;";
      case 10:
        return "s := string(n) + \"!\";";
      case 11:
        return "colour := " + dice_.pick({"Colour.Red", "Colour.Green", "Colour.Blue"}) + ";";
      case 12:
        return "if " + condition() + " { " + action(depth + 1) + " } else { " + action(depth + 1) + " }";
      case 13:
        return "for i" + std::to_string(++names_) + " in 1.." + std::to_string(dice_.roll(4)) + " { " +
               action(depth + 1) + " }";
      case 14:
        return dice_.pick({"start worker(n);", "start worker(1);", "stop worker;", "print(n, s, place);"});
      default:
        return "box.put(" + job() + ");";
    }
  }
  std::string block() {
    std::string text = " { ";
    for (int i = dice_.roll(3); i > 0; --i) text += action() + " ";
    return text + "}";
  }

  // --- Reactions

  std::string trigger() {
    const std::string guard = dice_.chance(30) ? " if " + condition() : "";
    switch (dice_.roll(12)) {
      case 0:
      case 1:
      case 2:
        return "after " + duration() + guard;
      case 3:
        return "every " + dice_.pick({"0.5", "0.75", "1", "2"}) + guard;
      case 4:
        return "when " + condition();
      case 5:
        return "on " + dice_.pick({"Ping", "Pong"}) + guard;
      case 6:
        return "on inlet.Job as j if j.id < " + integer();
      case 7:
        return "on inlet.Tick" + guard;
      case 8:
        return "on inlet.Note" + guard;
      case 9:
        return "rate " + dice_.pick({"0.5", "1", "n"});
      case 10:
        return "at " + dice_.pick({"1", "2.5", "3"}) + guard;
      default:
        return "on inlet.Job" + guard;
    }
  }
  std::string label() { return "l" + std::to_string(++names_) + ": "; }

  /// A target for a transition out of a state of this scope.
  std::string target(const Scope& scope) {
    switch (dice_.roll(10)) {
      case 0:
        if (scope.known.composites.empty()) return dice_.pick(scope.siblings);
        return "history(" + dice_.pick(scope.known.composites) + ")";
      case 1:
        if (scope.known.composites.empty()) return dice_.pick(scope.siblings);
        return "deep history(" + dice_.pick(scope.known.composites) + ")";
      case 2:
        return scope.choices.empty() ? dice_.pick(scope.siblings) : dice_.pick(scope.choices);
      case 3:
        return dice_.chance(30) ? "final" : dice_.pick(scope.siblings);
      case 4:
        return scope.known.paths.empty() ? dice_.pick(scope.siblings) : dice_.pick(scope.known.paths);
      case 5:
        return "self";
      default:
        return dice_.pick(scope.siblings);
    }
  }

  void reactions(const Scope& scope) {
    for (int i = dice_.roll(3); i > 0; --i) {
      line(label() + trigger() + (dice_.chance(70) ? " -> " + target(scope) : "") + block());
    }
  }

  /// Gives what is inside the state.
  Known state(const std::string& name, const std::string& path, const Scope& scope) {
    Known inside;
    line("state " + name + " {");
    if (dice_.chance(20)) line("var own" + std::to_string(++names_) + ": Integer := n;");
    if (dice_.chance(50)) line("entry" + block());
    if (dice_.chance(50)) line("exit" + block());
    if (dice_.chance(15)) line("defer " + dice_.pick({"inlet.Job", "inlet.Tick", "Ping"}) + ";");
    if (dice_.chance(10)) line("accumulate a" + std::to_string(++names_) + " = n;");
    reactions(scope);
    if (scope.needs_final && name == scope.siblings.front()) line("after 0.75 -> final;");
    if (dice_.chance(15)) process("p" + std::to_string(++names_), true);
    if (scope.depth < 3 && dice_.chance(40)) inside = composite(path, scope);
    if (dice_.chance(8)) line("if " + condition() + " -> " + dice_.pick(scope.siblings) + ";");
    line("}");
    return inside;
  }

  Known composite(const std::string& path, const Scope& scope) {
    Known inside;
    inside.composites.push_back(path);
    Known around = scope.known;
    around.add(inside);
    const bool has_done = dice_.chance(50);
    if (dice_.chance(40)) {
      for (int i = 2 + dice_.roll(2); i > 0; --i) {
        const std::string region = "r" + std::to_string(++names_);
        inside.add(chart("chart " + region, path + "." + region + ".", scope.depth + 1, around, has_done));
      }
    } else {
      inside.add(chart("", path + ".", scope.depth + 1, around, has_done));
    }
    if (has_done) line("done -> " + dice_.pick(scope.siblings) + block());
    return inside;
  }

  /// The states of a chart; with braces if it has a head. Gives what is in it.
  Known chart(const std::string& head, const std::string& path, int depth, const Known& around, bool needs_final) {
    if (!head.empty()) line(head + " {");
    Known inside;
    Scope scope;
    scope.depth = depth;
    scope.needs_final = needs_final;
    scope.known = around;
    for (int i = 1 + dice_.roll(3); i > 0; --i) scope.siblings.push_back("S" + std::to_string(++names_));
    for (const std::string& name : scope.siblings) inside.paths.push_back(path + name);
    scope.known.add(inside);
    if (dice_.chance(25)) scope.choices.push_back("Q" + std::to_string(++names_));
    line("initial -> " + dice_.pick(scope.siblings) + block());
    for (const std::string& name : scope.siblings) {
      const Known more = state(name, path + name, scope);
      inside.add(more);
      scope.known.add(more);
    }
    for (const std::string& name : scope.choices) {
      line("choice " + name + " {");
      line("if " + condition() + " -> " + dice_.pick(scope.siblings) + block());
      line("else -> " + dice_.pick(scope.siblings) + ";");
      line("}");
    }
    if (dice_.chance(20)) {
      line(label() + "from any " + trigger() + " -> " + dice_.pick(scope.siblings) + block());
    }
    if (!head.empty()) line("}");
    return inside;
  }

  // --- Processes

  std::string waiting() {
    switch (dice_.roll(7)) {
      case 0:
        return "wait until " + condition() + "; wait 0.25;";
      case 1:
        return "receive inlet.Job as r" + std::to_string(++names_) + ";";
      case 2: {
        const std::string name = "r" + std::to_string(++names_);
        return "receive box as " + name + " where " + name + ".id < " + integer() + "; wait 0.25;";
      }
      case 3:
        return "first_of { receive inlet.Tick { " + action() + " } until " + condition() + " { wait 0.5; } after 1 { " +
               action() + " } receive box as b" + std::to_string(++names_) + " { wait 0.5; } }";
      case 4:
        return "receive Ping;";
      default:
        return "wait " + dice_.pick({"0.25", "0.5", "1", "exponential(2)"}) + ";";
    }
  }
  void process(const std::string& name, bool automatic) {
    line(std::string(automatic ? "auto " : "") + "process " + name + " {");
    const bool is_loop = dice_.chance(50);
    if (is_loop) line("loop {");
    for (int i = 1 + dice_.roll(3); i > 0; --i) line(dice_.chance(50) ? action() : waiting());
    line(is_loop ? "wait 0.5; } }" : "}");
  }

  // --- Objects

  void object_class(const std::string& name) {
    line("model " + name + " {");
    line(R"(port inlet receives Job, Note, Tick;
port outlet sends Job, Note, Tick;
mailbox box: Job)" +
         std::string(dice_.chance(40) ? " by id" : "") + R"(;
signal Ping, Pong;
parameter start_value: Integer = 1;
output n: Integer := start_value;
var k: Integer := 0, flag: Boolean := false, x := 0.5, s: String := "";
var list: Integer[4], place: Point, colour: Colour := Colour.Red;
var twice = 2 * n;
tally t;
accumulate level = n, load = box.size;
process worker(w: Integer) { wait 0.5; n := mod(n + w, 20); wait until flag; t.add(w); })");
    if (dice_.chance(30)) line("every 1 if box.size > 0 { let taken = box.take(); k := taken.id; }");
    if (dice_.chance(30)) line("on box { k := k + 1; }");
    for (int i = dice_.roll(3); i > 0; --i) line(label() + trigger() + block());
    for (int i = dice_.roll(3); i > 0; --i) process("p" + std::to_string(++names_), true);
    for (int i = dice_.roll(3); i > 0; --i)
      chart("chart c" + std::to_string(i), "c" + std::to_string(i) + ".", 0, {}, false);
    line("}");
  }

  void top(int classes, bool has_atomic) {
    line("model Top {");
    std::vector<std::string> names;
    for (int i = 1 + dice_.roll(4); i > 0; --i) {
      names.push_back("o" + std::to_string(i));
      line("object " + names.back() + ": C" + std::to_string(dice_.roll(classes)) +
           "(start_value = " + std::to_string(dice_.roll(4)) + ");");
    }
    if (has_atomic) {
      names.emplace_back("relay");
      line("object relay: Relay;");
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string to = names[(i + 1) % names.size()];
      if (to != names[i]) line("connect " + names[i] + ".outlet -- " + to + ".inlet;");
    }
    if (dice_.chance(30) && names.size() > 1) line("select [" + names[1] + ", " + names[0] + "];");
    if (dice_.chance(30)) line("require o1.n < " + std::to_string(10 + dice_.roll(20)) + " for 1;");
    line("}");
  }

  Dice dice_;
  std::string out_;
  int names_ = 0;
};

}  // namespace hyla::service
