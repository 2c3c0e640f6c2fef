// Runs programs: the reference against which faster evaluators are compared.
//
// A program runs to its end, up to the next wait of its process, or to a failure. Nothing is thrown. The machine can be
// entered again from a Host call.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "code/heap.h"
#include "code/host.h"
#include "code/program.h"

namespace hyla::code {

class Functions;

/// Why a program could not go on.
struct Failure {
  diag::Span span;
  std::string message;  ///< in the words of a diagnostic: lower case, no full stop
  std::string hint;     ///< may be empty
  bool none = false;    ///< something was read through a reference that is none
};

enum class Status : std::uint8_t { Finished, Waiting, Failed };

/// The registers of a process between its waits. The frame owns the boxes in its locals.
struct Frame {
  const Program* program = nullptr;
  std::unique_ptr<Slot[]> registers;
  std::uint32_t wait = 0;  ///< the WaitPoint at which it stands, when Waiting
};

class Machine {
 public:
  Machine(const model::Model& model, Functions& functions, Heap& heap, Host& host);
  ~Machine();

  double time = 0;                           ///< what `time` reads
  std::uint64_t most_turns = 1'000'000'000;  ///< of loops and calls of functions in one run from outside

  /// Runs a program that does not wait. `inputs` go into the first registers (borrowed). The result, if the program has
  /// one, goes to `result`; the reference of a boxed result goes to the caller.
  Status run(const Program& program, ObjectRef self, Slot* slots, std::span<const Slot> inputs, Slot* result = nullptr);

  /// A frame for a process with its inputs (retained) in place.
  Frame make_frame(const Program& program, std::span<const Slot> inputs);
  /// Goes on at `pc` (0 at the start, WaitBranch::resume later) until the next wait, whose number is then in the frame.
  Status resume(Frame& frame, std::uint32_t pc, ObjectRef self, Slot* slots);
  /// Evaluates the condition of a branch; `holds` gets its value. Reads are traced.
  Status probe(Frame& frame, std::uint32_t pc, ObjectRef self, Slot* slots, bool& holds);
  /// The value of one of WaitBranch::time_probes.
  Status probe_value(Frame& frame, std::uint32_t pc, ObjectRef self, Slot* slots, double& value);
  /// Puts a message into a register of the frame (retained).
  void set_message(Frame& frame, std::uint16_t where, Box* message);
  void destroy_frame(Frame& frame);

  /// Host calls tell here why they failed.
  void fail(std::string message, std::string hint = "");
  const Failure& failure() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hyla::code
