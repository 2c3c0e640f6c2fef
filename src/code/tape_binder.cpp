#include <algorithm>
#include <bit>
#include <unordered_set>

#include "base/check.h"
#include "code/tape.h"
#include "code/tape_words.h"

namespace hyla::code {

std::uint32_t Binder::place_of_constant(double value) {
  const auto [found, is_new] = known_constants_.try_emplace(std::bit_cast<std::uint64_t>(value), end_);
  if (is_new) constants_.emplace_back(end_++, value);
  return found->second;
}

std::uint32_t Binder::temporary(std::size_t number) {
  while (temporaries_.size() <= number) temporaries_.push_back(end_++);
  return temporaries_[number];
}

void Binder::append(const Tape& tape, std::span<const std::uint32_t> inputs, std::span<const std::uint32_t> outputs) {
  HYLA_CHECK(inputs.size() == tape.inputs && outputs.size() == tape.outputs.size(), "a place for each, please");
  constexpr std::uint32_t kNowhere = UINT32_MAX;
  std::vector<std::uint32_t> places(tape.registers, kNowhere);
  std::copy(inputs.begin(), inputs.end(), places.begin());
  for (std::size_t k = 0; k < tape.constants.size(); ++k) {
    places[tape.inputs + k] = place_of_constant(tape.constants[k]);
  }
  // An output that is computed goes straight to its place, unless an input that may still be read is there.
  const std::unordered_set<std::uint32_t> read(inputs.begin(), inputs.end());
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    std::uint32_t& place = places[tape.outputs[j]];
    if (place == kNowhere && !read.contains(outputs[j])) place = outputs[j];
  }
  std::size_t temporaries = 0;
  for (std::uint32_t& place : places) {
    if (place == kNowhere) place = temporary(temporaries++);
  }
  for (const TapeInstruction& from : tape.instructions) {
    if (from.op == NodeOp::Call) {
      append_call(tape.calls[from.a], places, places[from.out]);
      continue;
    }
    const int operands = operands_of(from.op);
    code_.instructions.push_back({.op = from.op,
                                  .out = places[from.out],
                                  .a = places[from.a],
                                  .b = operands > 1 ? places[from.b] : 0,
                                  .c = operands > 2 ? places[from.c] : 0});
  }
  write_outputs(tape, places, outputs, temporaries);
}

void Binder::append_call(const TapeCall& call, std::span<const std::uint32_t> places, std::uint32_t out) {
  code_.instructions.push_back({.op = NodeOp::Call, .out = out, .a = static_cast<std::uint32_t>(code_.calls.size())});
  code_.calls.push_back(call);
  for (std::uint32_t& argument : code_.calls.back().arguments) argument = places[argument];
}

/// Copies the outputs that are not in their places yet. What a copy reads and another one overwrites is saved first, in
/// temporaries from number `temporaries` on.
void Binder::write_outputs(const Tape& tape, std::span<const std::uint32_t> places,
                           std::span<const std::uint32_t> outputs, std::size_t temporaries) {
  struct Copy {
    std::uint32_t from = 0, to = 0;
  };
  std::vector<Copy> copies;
  std::unordered_set<std::uint32_t> written;
  for (std::size_t j = 0; j < outputs.size(); ++j) {
    if (places[tape.outputs[j]] == outputs[j]) continue;
    copies.push_back({places[tape.outputs[j]], outputs[j]});
    written.insert(outputs[j]);
  }
  const auto copy = [&](std::uint32_t from, std::uint32_t to) {
    code_.instructions.push_back({.op = NodeOp::Operand, .out = to, .a = from});
  };
  for (Copy& each : copies) {
    if (!written.contains(each.from)) continue;
    const std::uint32_t place = temporary(temporaries++);
    copy(each.from, place);
    each.from = place;
  }
  for (const Copy& each : copies) copy(each.from, each.to);
}

void append(Code& code, const Code& more) {
  HYLA_CHECK(more.calls.empty(), "calls are numbered in their own code");
  code.instructions.insert(code.instructions.end(), more.instructions.begin(), more.instructions.end());
  if (!code.words.empty()) code.words.pop_back();  // the end
  code.words.insert(code.words.end(), more.words.begin(), more.words.end());
}

Code Binder::finish() {
  code_.words = pack(code_.instructions, code_.calls, temporaries_);
  return std::move(code_);
}

}  // namespace hyla::code
