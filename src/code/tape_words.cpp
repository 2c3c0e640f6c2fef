#include "code/tape_words.h"

#include <algorithm>
#include <optional>

namespace hyla::code {
namespace {

std::size_t reads(const TapeInstruction& instruction) { return reads(instruction.op, operands_of(instruction.op)); }

/// For each instruction: its result is read by the next instruction at most.
std::vector<bool> read_at_once(std::span<const TapeInstruction> instructions, std::span<const TapeCall> calls,
                               std::span<const std::uint32_t> temporaries) {
  const std::uint32_t end = temporaries.empty() ? 0 : *std::max_element(temporaries.begin(), temporaries.end()) + 1;
  std::vector<bool> is_needed(end, true);  // below the place in question; temporaries are not needed at the end
  for (const std::uint32_t place : temporaries) is_needed[place] = false;
  const std::vector<bool> is_kept = is_needed;
  std::vector<bool> result(instructions.size(), false);
  for (std::size_t k = instructions.size(); k > 0; --k) {
    const TapeInstruction& next = instructions[k - 1];
    if (k > 1) {
      const std::uint32_t before = instructions[k - 2].out;
      result[k - 2] = before == next.out || (before < end && !is_needed[before]);
    }
    if (next.out < end) is_needed[next.out] = is_kept[next.out];
    const auto need = [&](std::span<const std::uint32_t> places) {
      for (const std::uint32_t place : places) {
        if (place < end) is_needed[place] = true;
      }
    };
    const std::uint32_t operands[] = {next.a, next.b, next.c};
    if (next.op == NodeOp::Call) {
      need(calls[next.a].arguments);
    } else {
      need(std::span(operands).first(reads(next)));
    }
  }
  return result;
}

struct Pair {
  std::uint32_t first = 0;  ///< word
  std::uint32_t a = 0, b = 0, c = 0;
};

std::optional<Pair> pair_of(const TapeInstruction& first, const TapeInstruction& second) {
  const bool is_square = first.op == NodeOp::Square;
  const std::uint32_t t = first.out;
  if (!is_square && first.op != NodeOp::Add && first.op != NodeOp::Subtract && first.op != NodeOp::Multiply) return {};
  if (second.op != NodeOp::Add && second.op != NodeOp::Subtract && second.op != NodeOp::Multiply) return {};
  if ((second.a == t) == (second.b == t)) return {};
  const std::uint32_t made = first.op == NodeOp::Add ? 0 : first.op == NodeOp::Subtract ? 1 : 2;
  const std::uint32_t used = second.op == NodeOp::Add ? 0 : second.op == NodeOp::Multiply ? 3 : second.a == t ? 1 : 2;
  return Pair{static_cast<std::uint32_t>(PairOp::AddAdd) + made * 4 + used, first.a, is_square ? first.a : first.b,
              second.a == t ? second.b : second.a};
}

}  // namespace

std::vector<std::uint32_t> pack(std::span<const TapeInstruction> instructions, std::span<const TapeCall> calls,
                                std::span<const std::uint32_t> temporaries) {
  const std::vector<bool> at_once = read_at_once(instructions, calls, temporaries);
  std::vector<std::uint32_t> words;
  for (std::size_t k = 0; k < instructions.size(); ++k) {
    const TapeInstruction& each = instructions[k];
    if (at_once[k]) {
      if (const std::optional<Pair> pair = pair_of(each, instructions[k + 1])) {
        words.insert(words.end(), {pair->first, instructions[k + 1].out, pair->a, pair->b, pair->c});
        ++k;
        continue;
      }
    }
    words.insert(words.end(), {static_cast<std::uint32_t>(each.op), each.out});
    const std::uint32_t operands[] = {each.a, each.b, each.c};
    words.insert(words.end(), operands, operands + reads(each));
  }
  words.push_back(static_cast<std::uint32_t>(NodeOp::Constant));
  return words;
}

}  // namespace hyla::code
