#include "devstone_text.h"

#include <fmt/format.h>

namespace hyla::bench {
namespace {

std::string stone(bool counting) {
  const char* count = counting ? " transitions.add(1);" : "";
  return fmt::format(
      "message Job;\n"
      "atomic Stone {{\n"
      "    port arrivals receives Job;\n    port out sends Job;\n"
      "    discrete sigma := infinity;\n{0}"
      "    advance {{ return sigma; }}\n"
      "    lambda {{ send out.Job; }}\n"
      "    internal {{ sigma := infinity;{1} }}\n"
      "    external(elapsed, bag) {{ sigma := 0;{1} }}\n"
      "}}\n",
      counting ? "    tally transitions;\n" : "", count);
}

constexpr const char* kPorts = "    port arrivals, others receives Job;\n    port out, results sends Job;\n";

std::string innermost() {
  return fmt::format(
      "model Level1 {{\n{}    object stone: Stone;\n"
      "    connect arrivals -- stone.arrivals;\n    connect stone.out -- out;\n}}\n",
      kPorts);
}

/// LI, HI and HO: all stones are fed from outside; in HI and HO each also feeds the next; in HO all are joined to a
/// second way out.
std::string simple_level(StoneKind kind, std::size_t width) {
  const std::size_t stones = width - 1;
  std::string text = fmt::format("    object stones[{}]: Stone;\n    connect arrivals -- inner.arrivals;\n", stones);
  const bool is_ho = kind == StoneKind::HO;
  if (is_ho) text += "    connect arrivals -- inner.others;\n";
  text += fmt::format("    for i in 1..{} {{ connect {} -- stones[i].arrivals; }}\n", stones,
                      is_ho ? "others" : "arrivals");
  if (is_ho) text += fmt::format("    for i in 1..{} {{ connect stones[i].out -- results; }}\n", stones);
  if (kind != StoneKind::LI && stones > 1) {
    text += fmt::format("    for i in 1..{} {{ connect stones[i].out -- stones[i + 1].arrivals; }}\n", stones - 1);
  }
  return text;
}

/// HOmod: a row that feeds the level inside, and a triangle of delays that feeds the row.
std::string modified_level(std::size_t width) {
  const std::size_t stones = width - 1;
  std::string text = fmt::format(
      "    connect arrivals -- inner.arrivals;\n    object row[{0}]: Stone;\n"
      "    for i in 1..{0} {{\n        connect others -- row[i].arrivals;\n"
      "        connect row[i].out -- inner.others;\n    }}\n",
      stones);
  for (std::size_t length = stones; length > 0; --length) {
    text += fmt::format("    object layer{0}[{0}]: Stone;\n    connect others -- layer{0}[1].arrivals;\n", length);
    if (length == stones) {
      text += fmt::format(
          "    for i in 1..{0} {{\n        for j in 1..{0} {{ connect layer{0}[i].out -- row[j].arrivals; }}\n    }}\n",
          length);
    } else {
      text += fmt::format("    for i in 1..{0} {{ connect layer{0}[i].out -- layer{1}[i + 1].arrivals; }}\n", length,
                          length + 1);
    }
  }
  return text;
}

}  // namespace

std::string devstone_text(StoneKind kind, std::size_t width, std::size_t depth, bool counting) {
  std::string text = stone(counting) + innermost();
  for (std::size_t level = 2; level <= depth; ++level) {
    text += fmt::format("model Level{} {{\n{}    object inner: Level{};\n    connect inner.out -- out;\n", level,
                        kPorts, level - 1);
    text += kind == StoneKind::HOmod ? modified_level(width) : simple_level(kind, width);
    text += "}\n";
  }
  text += fmt::format(
      "model DevStone {{\n    object root: Level{};\n    initial {{\n        send root.arrivals.Job after 1;\n{}    "
      "}}\n"
      "}}\n",
      depth, kind == StoneKind::LI || kind == StoneKind::HI ? "" : "        send root.others.Job after 1;\n");
  return text;
}

}  // namespace hyla::bench
