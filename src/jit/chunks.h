// Cuts long lists of instructions into chunks, each of which becomes one function.
//
// Compilation of one huge function takes more than proportional time. Values that a later chunk reads go through
// memory; all others live in the machine's registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "code/tape.h"

namespace hyla::jit {

struct Chunk {
  std::size_t begin = 0, end = 0;  ///< of the instructions
};

/// Chunks of nearly equal length, none longer than `most`. One empty chunk if there are no instructions.
std::vector<Chunk> cut(std::size_t instructions, std::size_t most);

/// For each instruction of a code: must its result be in memory when its chunk is left? What is written again before a
/// later chunk reads it need not be; what a place holds at the end must.
std::vector<bool> find_kept(const code::Code& code, std::span<const Chunk> chunks);

/// The same for a tape, where nothing is read after the end: the last chunk reads the outputs.
std::vector<bool> find_kept(const code::Tape& tape, std::span<const Chunk> chunks);

/// How many of a, b, c an instruction reads.
int operands_read(code::NodeOp op);

}  // namespace hyla::jit
