#include "jit/chunks.h"

#include <algorithm>
#include <array>

namespace hyla::jit {

std::vector<Chunk> cut(std::size_t instructions, std::size_t most) {
  const std::size_t count = std::max<std::size_t>(1, (instructions + most - 1) / most);
  std::vector<Chunk> chunks(count);
  for (std::size_t i = 0; i < count; ++i) chunks[i] = {instructions * i / count, instructions * (i + 1) / count};
  return chunks;
}

namespace {

std::uint32_t highest_place(std::span<const code::TapeInstruction> instructions) {
  std::uint32_t highest = 0;
  for (const code::TapeInstruction& instruction : instructions) {
    highest = std::max({highest, instruction.out, instruction.a, instruction.b, instruction.c});
  }
  return highest;
}

/// Goes backwards through the instructions. `last_reader` has for each place the last chunk, counted from 1, that reads
/// what the place holds here; at the beginning of the walk those who read after the last instruction.
std::vector<bool> find_kept(std::span<const code::TapeInstruction> instructions, std::span<const Chunk> chunks,
                            std::vector<std::size_t> last_reader) {
  std::vector<bool> kept(instructions.size());
  for (std::size_t chunk = chunks.size(); chunk > 0; --chunk) {
    for (std::size_t i = chunks[chunk - 1].end; i > chunks[chunk - 1].begin; --i) {
      const code::TapeInstruction& instruction = instructions[i - 1];
      kept[i - 1] = last_reader[instruction.out] > chunk;
      last_reader[instruction.out] = 0;
      const std::array<std::uint32_t, 3> operands = {instruction.a, instruction.b, instruction.c};
      for (int k = 0; k < operands_read(instruction.op); ++k) {
        std::size_t& reader = last_reader[operands[static_cast<std::size_t>(k)]];
        reader = std::max(reader, chunk);
      }
    }
  }
  return kept;
}

}  // namespace

std::vector<bool> find_kept(const code::Code& code, std::span<const Chunk> chunks) {
  const std::size_t places = std::size_t{highest_place(code.instructions)} + 1;
  return find_kept(code.instructions, chunks, std::vector<std::size_t>(places, chunks.size() + 1));
}

std::vector<bool> find_kept(const code::Tape& tape, std::span<const Chunk> chunks) {
  std::vector<std::size_t> last_reader(std::size_t{tape.registers});
  for (const std::uint32_t output : tape.outputs) last_reader[output] = chunks.size();
  return find_kept(tape.instructions, chunks, std::move(last_reader));
}

int operands_read(code::NodeOp op) {
  constexpr std::array<int, 256> kOperands = {
#define HYLA_NODE(op, operands) operands,
#include "code/graph_ops.def"
#undef HYLA_NODE
  };
  return op == code::NodeOp::Operand ? 1 : kOperands[static_cast<std::size_t>(op)];
}

}  // namespace hyla::jit
