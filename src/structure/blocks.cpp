// Blocks in order of computation: the strong components of "equation needs the unknown that another one gives" (Tarjan
// 1972, Duff and Reid 1978), by BTF.
#include <algorithm>

#include <suitesparse/btf.h>

#include "base/check.h"
#include "structure/structure.h"
#include "structure/tear.h"

namespace hyla::structure {
namespace {

/// Equations in an order of blocks: `order` lists them, block b is from bounds[b] to bounds[b + 1].
struct Order {
  std::vector<int> order, bounds;
  std::size_t blocks = 0;
};

Order find_order(const Incidence& incidence, const Matching& matching) {
  const std::size_t size = incidence.equations();
  // Column e of BTF's matrix lists the equations that give the unknowns of equation e. In upper block triangular form
  // these are in the same block or in one before it.
  std::vector<int> starts(incidence.starts.begin(), incidence.starts.end()), rows;
  rows.reserve(incidence.columns.size());
  for (const std::uint32_t unknown : incidence.columns) {
    rows.push_back(static_cast<int>(matching.equation_of_unknown[unknown]));
  }
  Order result{std::vector<int>(size), std::vector<int>(size + 1), 0};
  std::vector<int> work(4 * size);
  result.blocks = static_cast<std::size_t>(btf_strongcomp(static_cast<int>(size), starts.data(), rows.data(), nullptr,
                                                          result.order.data(), result.bounds.data(), work.data()));
  return result;
}

bool gives_by_formula(const Incidence& incidence, std::uint32_t equation, std::uint32_t unknown) {
  for (std::uint32_t k = incidence.starts[equation]; k < incidence.starts[equation + 1]; ++k) {
    if (incidence.columns[k] == unknown && incidence.explicit_for[k] != 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Block> untorn_blocks(const Incidence& incidence, const Matching& matching) {
  HYLA_CHECK(incidence.equations() == incidence.unknowns && matching.size == incidence.unknowns,
             "only a complete matching has an order");
  if (incidence.unknowns == 0) return {};
  const Order order = find_order(incidence, matching);
  std::vector<Block> result(order.blocks);
  for (std::size_t b = 0; b < order.blocks; ++b) {
    Block& block = result[b];
    for (auto i = order.bounds[b]; i < order.bounds[b + 1]; ++i) {
      block.equations.push_back(static_cast<std::uint32_t>(order.order[static_cast<std::size_t>(i)]));
    }
    std::sort(block.equations.begin(), block.equations.end());
    for (const std::uint32_t equation : block.equations) {
      block.unknowns.push_back(matching.unknown_of_equation[equation]);
    }
    block.is_loop =
        block.equations.size() > 1 || !gives_by_formula(incidence, block.equations.front(), block.unknowns.front());
  }
  return result;
}

std::vector<Block> blocks(const Incidence& incidence, const Matching& matching) {
  std::vector<Block> result = untorn_blocks(incidence, matching);
  std::vector<std::uint32_t> place(incidence.unknowns, kNothing);
  for (Block& block : result) {
    if (block.is_loop) tear(incidence, block, place);
  }
  return result;
}

}  // namespace hyla::structure
