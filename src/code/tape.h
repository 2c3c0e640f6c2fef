// A graph as a straight list of instructions over numbered registers: the first tier of evaluation.
//
// A tape has inputs and outputs, and runs in three ways with the same bits:
//
// - scalar: in place in one array of doubles (an island's values); every register is an index into it, nothing is
//   copied;
// - lanes: the same instructions for several instances at once, registers in rows of `lanes` doubles; one dispatch
//   serves all instances;
// - jets: on truncated Taylor series in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/callee.h"
#include "code/graph.h"

namespace hyla::code {

struct TapeInstruction {
  NodeOp op{};  ///< Operand: copy a to out; Call: a is a place in the list of calls; Constant, Argument do not occur
  std::uint32_t out = 0, a = 0, b = 0, c = 0;
};

struct TapeCall {
  const Callee* callee = nullptr;
  std::uint32_t result = 0;
  std::vector<std::uint32_t> arguments;  ///< registers
};

/// Registers 0 .. inputs-1 are the inputs, then come the constants, then everything computed.
struct Tape {
  std::vector<TapeInstruction> instructions;
  std::uint32_t inputs = 0;
  std::vector<double> constants;  ///< of registers inputs .. inputs + constants - 1
  std::uint32_t registers = 0;
  std::vector<std::uint32_t> outputs;  ///< registers of the outputs; can be an input or a constant
  std::vector<std::uint32_t> words;    ///< the instructions for the interpreter of lanes, packed by `record_tape`
  std::vector<TapeCall> calls;

  bool empty() const { return instructions.empty() && outputs.empty(); }
};

/// Operand k of the graph is input k. Temporaries share registers.
Tape record_tape(const Graph& graph, std::span<const NodeId> outputs, std::uint32_t inputs);

/// Instructions whose registers are places in one array, made from tapes by `Binder`.
struct Code {
  std::vector<TapeInstruction> instructions;
  std::vector<std::uint32_t> words;  ///< the same for the interpreter, packed by `Binder::finish`
  std::vector<TapeCall> calls;
};

/// Adds a code without calls at the end of another.
void append(Code& code, const Code& more);

/// Puts tapes behind each other into one code over an array of values.
class Binder {
 public:
  /// Places from `scratch` on are free for temporaries, which all tapes share, and for constants.
  explicit Binder(std::uint32_t scratch) : end_(scratch) {}
  /// `inputs[k]`: place of input k. `outputs[j]`: place of output j, written by the instruction that computes it where
  /// that is possible. An output may go to the place of an input: the tape has read it before.
  void append(const Tape& tape, std::span<const std::uint32_t> inputs, std::span<const std::uint32_t> outputs);
  Code finish();
  /// Places used so far: the array needs this many values.
  std::uint32_t size() const { return end_; }
  /// Places that must hold a constant before the code runs.
  const std::vector<std::pair<std::uint32_t, double>>& constants() const { return constants_; }

 private:
  std::uint32_t place_of_constant(double value);
  std::uint32_t temporary(std::size_t number);
  void append_call(const TapeCall& call, std::span<const std::uint32_t> places, std::uint32_t out);
  void write_outputs(const Tape& tape, std::span<const std::uint32_t> places, std::span<const std::uint32_t> outputs,
                     std::size_t temporaries);

  Code code_;
  std::uint32_t end_;
  std::vector<std::uint32_t> temporaries_;                            ///< places; all are free between two tapes
  std::unordered_map<std::uint64_t, std::uint32_t> known_constants_;  ///< places by bits
  std::vector<std::pair<std::uint32_t, double>> constants_;
};

/// Scalar: in place in `values`.
void run(const Code& code, double* values);

/// How far apart the places of two instances that follow each other are, by operand.
using Steps = std::span<const std::uint32_t>;

/// For `count` instances, none of which reads what another one writes: operand k of instance i is
/// values[index[i * width + k]], width = inputs + outputs of the tape; the outputs' places follow those of the inputs.
/// With `steps` the index has one row only, and operand k of instance i is values[index[k] + i * steps[k]]; what is
/// in a row, step 1, is read and written where it is.
void run(const Tape& tape, double* values, const std::uint32_t* index, std::size_t count, Steps steps = {});

/// Lanes: registers[r * lanes + k]; inputs are set by the caller, constants by `load_constants`.
void load_constants(const Tape& tape, double* registers, std::size_t lanes);
void run(const Tape& tape, double* registers, std::size_t lanes);

/// Jets: registers[r * (order + 1) + k] is coefficient k of register r's Taylor series; inputs are set by the caller,
/// constants by the function. At a corner of abs, min or max the series goes on along the side that it enters with
/// growing time. `order` is at most kMostJetOrder.
inline constexpr int kMostJetOrder = 8;
void run_jets(const Tape& tape, double* registers, int order);

/// Native code for `run(tape, values, index, count)` with the steps that it was made for, or `run(code, values)` with
/// index null and count 1.
using Kernel = void (*)(double* values, const std::uint32_t* index, std::size_t count);

}  // namespace hyla::code
