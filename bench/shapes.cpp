// Texts that stress one thing each. All are well-formed unless they are about errors.
#include <array>
#include <iterator>

#include <fmt/core.h>

#include "generate.h"

namespace hyla::bench {
namespace {

template <class... Arguments>
void append(std::string& text, fmt::format_string<Arguments...> pattern, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(text), pattern, std::forward<Arguments>(arguments)...);
}

/// `head`, then `line(i)` for i = 1 … count, then `tail`.
template <class Line>
std::string repeat(std::string_view head, std::size_t count, Line line, std::string_view tail) {
  std::string text(head);
  for (std::size_t i = 1; i <= count; ++i) line(text, i);
  return text += tail;
}

std::string one_model(std::size_t lines) {
  return repeat(
      "model Big {\n", lines / 3,
      [](std::string& text, std::size_t i) {
        append(text, "    parameter p{0}: Real(unit = \"1/s\") = {0};\n", i);
        append(text, "    var x{0}: Real(unit = \"m\") := 0;\n", i);
        append(text, "    der(x{0}) = -p{0} * x{1};\n", i, i == 1 ? 1 : i - 1);
      },
      "}\n");
}

std::string tiny_models(std::size_t lines) {
  return repeat(
      "", lines / 4,
      [](std::string& text, std::size_t i) { append(text, "model M{} {{\n    var x := 0;\n    der(x) = 1;\n}}\n", i); },
      "");
}

std::string many_states(std::size_t lines) {
  const std::size_t count = lines / 4;
  return repeat(
      "model Big {\n    var x;\n    chart c {\n        initial -> S1;\n", count,
      [&](std::string& text, std::size_t i) {
        append(text, "        state S{0} {{\n            x = {0};\n            after 1 -> S{1};\n        }}\n", i,
               i % count + 1);
      },
      "    }\n}\n");
}

/// Every state is found by the transition before it in reading order, so that reachability spreads slowly.
std::string from_clauses(std::size_t lines) {
  const std::size_t count = lines / 3;
  std::string text = "model Big {\n    chart c {\n        initial -> S1;\n";
  for (std::size_t i = 1; i <= count; ++i) append(text, "        state S{} {{\n        }}\n", i);
  for (std::size_t i = count; i > 1; --i) append(text, "        from S{} after 1 -> S{};\n", i - 1, i);
  return text += "    }\n}\n";
}

std::string choice_chain(std::size_t lines) {
  const std::size_t count = lines / 4;
  return repeat(
      "model Big {\n    parameter p = 1;\n    chart c {\n        initial -> C1;\n        state S;\n", count,
      [&](std::string& text, std::size_t i) {
        append(text, "        choice C{} {{\n            if p > {} -> S;\n            else -> ", i, i);
        text += i < count ? fmt::format("C{};\n        }}\n", i + 1) : "S;\n        }\n";
      },
      "    }\n}\n");
}

/// Two branches of each choice lead to the next: the number of ways doubles with every choice.
std::string choice_ways(std::size_t lines) {
  const std::size_t count = lines / 4;
  return repeat(
      "model Big {\n    parameter p = 1;\n    chart c {\n        initial -> C1;\n        state S {\n            var "
      "x;\n"
      "            der(x) = 1;\n            entry {\n                x := 1;\n            }\n        }\n"
      "        state T {\n            var y;\n            der(y) = 1;\n            after 1 -> C1;\n        }\n",
      count,
      [&](std::string& text, std::size_t i) {
        const std::string next = i < count ? fmt::format("C{}", i + 1) : "T { T.y := 1; }";
        const std::string_view end = i < count ? ";" : "";
        append(text,
               "        choice C{0} {{\n            if p > {0} -> {1}{2}\n            else -> {1}{2}\n        }}\n", i,
               next, end);
      },
      "    }\n}\n");
}

std::string open_state_values(std::size_t lines) {
  const std::size_t count = lines / 6;
  return repeat(
      "model Big {\n    chart c {\n        initial -> S1 {\n            S1.x := 0;\n        }\n", count,
      [&](std::string& text, std::size_t i) {
        const std::size_t next = i % count + 1;
        append(text, "        state S{0} {{\n            var x;\n            der(x) = 1;\n", i);
        append(text, "            when x > 1 -> S{0} {{\n                S{0}.x := 0;\n            }}\n        }}\n",
               next);
      },
      "    }\n}\n");
}

/// A variable that every state defines and every transition sets.
std::string shared_variable(std::size_t lines) {
  const std::size_t count = lines / 6;
  return repeat(
      "model Big {\n    var x := 0;\n    chart c {\n        initial -> S1;\n", count,
      [&](std::string& text, std::size_t i) {
        append(text, "        state S{0} {{\n            der(x) = {0};\n            after 1 -> S{1} {{\n", i,
               i % count + 1);
        text += "                x := 0;\n            }\n        }\n";
      },
      "    }\n}\n");
}

std::string many_charts(std::size_t lines) {
  return repeat(
      "model Big {\n", lines / 5,
      [](std::string& text, std::size_t i) {
        append(text,
               "    var x{0};\n    chart c{0} {{\n        initial -> S;\n        state S {{ x{0} = 1; }}\n    }}\n", i);
      },
      "}\n");
}

std::string long_sum(std::size_t lines) {
  return repeat(
      "model Big {\n    parameter p = 1;\n    var x = 1\n", lines,
      [](std::string& text, std::size_t i) { append(text, "        + {} * p\n", i); }, "        ;\n}\n");
}

std::string long_array(std::size_t lines) {
  return repeat(
      "model Big {\n    parameter p[:] = [\n", lines,
      [](std::string& text, std::size_t i) { append(text, "        {}.5,\n", i); }, "        0];\n}\n");
}

std::string many_objects(std::size_t lines) {
  return repeat(
      "message Go;\nmodel Part {\n    parameter p = 1;\n    input u;\n    output y = u + p;\n    port a sends Go;\n    "
      "port b receives Go;\n}\n"
      "model Big {\n    object o0: Part(u = 1);\n",
      lines / 3,
      [](std::string& text, std::size_t i) {
        append(text, "    object o{0}: Part(p = {0});\n    connect o{1}.y -> o{0}.u;\n    connect o{1}.a -- o{0}.b;\n",
               i, i - 1);
      },
      "}\n");
}

std::string families(std::size_t lines) {
  return repeat(
      "model Part {\n    parameter p = 1;\n    input u;\n    output y = u + p;\n}\n"
      "model Big {\n    parameter n: Integer = 1000000;\n    var x[n] := fill(0, n);\n",
      lines / 4,
      [](std::string& text, std::size_t i) {
        append(text,
               "    object o{0}[k in 1..n]: Part(p = k, u = {0});\n    for i in {0}..{0} {{\n        der(x[i]) = "
               "-x[i];\n    }}\n",
               i);
      },
      "}\n");
}

std::string long_action(std::size_t lines) {
  return repeat(
      "model Big {\n    discrete x := 0;\n    initial {\n", lines / 2,
      [](std::string& text, std::size_t i) { append(text, "        let a{0} = x + {0};\n        x := a{0};\n", i); },
      "    }\n}\n");
}

/// A constant that needs the one below it, and so on: settled on demand, this goes as deep as the file is long.
std::string constant_chain(std::size_t lines) {
  return repeat(
      "", lines, [](std::string& text, std::size_t i) { append(text, "constant c{} = c{} + 1;\n", i, i + 1); },
      fmt::format("constant c{} = 1;\n", lines + 1));
}

std::string parameter_chain(std::size_t lines) {
  return repeat(
      "model Big {\n", lines,
      [](std::string& text, std::size_t i) { append(text, "    parameter c{} = c{} + 1;\n", i, i + 1); },
      fmt::format("    parameter c{} = 1;\n}}\n", lines + 1));
}

std::string formula_chain(std::size_t lines) {
  return repeat(
      "model Big {\n", lines,
      [](std::string& text, std::size_t i) { append(text, "    var c{} = c{} + 1;\n", i, i + 1); },
      fmt::format("    var c{} = time;\n}}\n", lines + 1));
}

std::string record_chain(std::size_t lines) {
  return repeat(
      "", lines / 3,
      [](std::string& text, std::size_t i) { append(text, "record R{} {{\n    r: R{};\n}}\n", i, i + 1); },
      fmt::format("record R{} {{\n    x;\n}}\n", lines / 3 + 1));
}

std::string type_chain(std::size_t lines) {
  return repeat(
      "", lines, [](std::string& text, std::size_t i) { append(text, "type T{} = T{};\n", i, i + 1); },
      fmt::format("type T{} = Real(unit = \"m\");\nmodel M {{\n    var x: T1;\n    x = 1;\n}}\n", lines + 1));
}

std::string object_chain(std::size_t lines) {
  return repeat(
      "", lines / 3,
      [](std::string& text, std::size_t i) { append(text, "model M{} {{\n    object o: M{};\n}}\n", i, i + 1); },
      fmt::format("model M{} {{\n    var x = 1;\n}}\n", lines / 3 + 1));
}

std::string function_chain(std::size_t lines) {
  return repeat(
      "", lines / 3,
      [](std::string& text, std::size_t i) {
        append(text, "function f{}(x: Real) -> Real {{\n    return f{}(x) + 1;\n}}\n", i, i + 1);
      },
      fmt::format("function f{}(x: Real) -> Real {{\n    return x;\n}}\n", lines / 3 + 1));
}

/// Every model takes over all that the models before it have: the work grows with the square of the length.
std::string extends_chain(std::size_t lines) {
  const std::size_t count = lines / 3;
  return repeat(
      "", count,
      [&](std::string& text, std::size_t i) {
        append(text, "model M{0} extends M{1} {{\n    parameter p{0} = {0};\n}}\n", i, i + 1);
      },
      fmt::format("model M{} {{\n    var x = 1;\n}}\n", count + 1));
}

std::string unknown_names(std::size_t lines) {
  return repeat(
      "model Big {\n", lines / 2,
      [](std::string& text, std::size_t i) {
        append(text, "    var value_of_{0} := 0;\n    der(value_of_{0}) = walue_off_{0};\n", i);
      },
      "}\n");
}

std::string duplicate_names(std::size_t lines) {
  return repeat(
      "model Big {\n", lines, [](std::string& text, std::size_t) { append(text, "    parameter p = 1;\n"); }, "}\n");
}

std::string double_definitions(std::size_t lines) {
  return repeat(
      "model Big {\n    var x := 0;\n", lines,
      [](std::string& text, std::size_t i) { append(text, "    der(x) = {};\n", i); }, "}\n");
}

std::string syntax_errors(std::size_t lines) {
  return repeat(
      "model Big {\n", lines, [](std::string& text, std::size_t i) { append(text, "    var x{} = = 1);\n", i); },
      "}\n");
}

std::string unknown_targets(std::size_t lines) {
  return repeat(
      "model Big {\n    chart c {\n        initial -> S1;\n", lines / 3,
      [](std::string& text, std::size_t i) {
        append(text, "        state S{0} {{\n            after 1 -> Z{0};\n        }}\n", i);
      },
      "    }\n}\n");
}

constexpr auto kShapes = std::to_array<Shape>({
    {"one-model", "one model with thousands of variables and equations", one_model},
    {"tiny-models", "thousands of models of four lines", tiny_models},
    {"many-states", "one chart with thousands of states", many_states},
    {"from-clauses", "transitions in the order opposite to reachability", from_clauses},
    {"choice-chain", "choices that lead to the next choice", choice_chain},
    {"choice-ways", "a number of ways that doubles with every choice", choice_ways},
    {"open-state-values", "states whose variable every way must set", open_state_values},
    {"shared-variable", "one variable defined in every state", shared_variable},
    {"many-charts", "thousands of charts side by side", many_charts},
    {"long-sum", "one sum over the whole file", long_sum},
    {"long-array", "one array over the whole file", long_array},
    {"many-objects", "thousands of connected objects", many_objects},
    {"families", "thousands of families of objects and equations", families},
    {"long-action", "one block of actions over the whole file", long_action},
    {"constant-chain", "each constant needs the next", constant_chain},
    {"parameter-chain", "each parameter needs the next", parameter_chain},
    {"formula-chain", "each variable needs the next", formula_chain},
    {"record-chain", "each record holds the next", record_chain},
    {"type-chain", "each type stands for the next", type_chain},
    {"object-chain", "each model holds an object of the next", object_chain},
    {"function-chain", "each function calls the next", function_chain},
    {"extends-chain", "each model extends the next", extends_chain},
    {"unknown-names", "thousands of misspelt names", unknown_names},
    {"duplicate-names", "one name declared on every line", duplicate_names},
    {"double-definitions", "one variable defined on every line", double_definitions},
    {"syntax-errors", "a syntax error on every line", syntax_errors},
    {"unknown-targets", "thousands of misspelt states", unknown_targets},
});

}  // namespace

std::span<const Shape> all_shapes() { return kShapes; }

}  // namespace hyla::bench
