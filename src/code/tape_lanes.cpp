// Several instances at once. A register is a row of numbers, one for each instance, so the cost of finding out what to
// do is shared by all of them, and the loops over rows are vectorised.
#include <algorithm>
#include <array>

#include "base/check.h"
#include "code/graph_apply.h"
#include "code/tape.h"
#include "code/tape_words.h"

namespace hyla::code {
namespace {

/// Numbers that a group of instances can use: they fit into the processor's first cache.
constexpr std::size_t kRoom = 4096;
constexpr std::size_t kMostLanes = 128;

/// A result can lie in the row of an operand, lane by lane, but rows do not overlap otherwise.
template <typename Operation>
[[gnu::always_inline]] inline void run_row(double* out, const double* a, const double* b, const double* c,
                                           std::size_t lanes, Operation operation) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (std::size_t k = 0; k < lanes; ++k) out[k] = operation(a[k], b[k], c[k]);
}

[[gnu::noinline]] void run_call_row(const TapeCall& call, double* const* rows, std::size_t lanes, double* out) {
  for (std::size_t lane = 0; lane < lanes; ++lane) out[lane] = run_call(call, rows, lane);
}

// clang-format off
/// The first `lanes` numbers of each row are computed.
[[gnu::always_inline]] inline void run_each_row(const Tape& tape, double* const* rows, std::size_t lanes) {
  const auto row = [&](std::uint32_t number) { return rows[number]; };
  const std::uint32_t* i = tape.words.data();
  while (*i != static_cast<std::uint32_t>(NodeOp::Constant)) {
    switch (*i) {
#define HYLA_NODE(op, operands)                                                                                    \
      case static_cast<std::uint32_t>(NodeOp::op): {                                                               \
        constexpr std::size_t kReads = reads(NodeOp::op, operands);                                                \
        if constexpr (NodeOp::op == NodeOp::Call) {                                                                \
          run_call_row(tape.calls[i[2]], rows, lanes, row(i[1]));                                                  \
          i += 3;                                                                                                  \
          break;                                                                                                   \
        }                                                                                                          \
        const double *const a = row(i[2]), *const b = row(i[kReads > 1 ? 3 : 2]), *const c = row(i[kReads > 2 ? 4 : 2]); \
        run_row(row(i[1]), a, b, c, lanes,                                                                         \
                [](double x, double y, double z) { return apply_inline(NodeOp::op, x, y, z); });                   \
        i += 2 + kReads;                                                                                           \
        break;                                                                                                     \
      }
#include "code/graph_ops.def"
#undef HYLA_NODE
#define HYLA_PAIR(name, first, second)                                                                             \
      case static_cast<std::uint32_t>(PairOp::name): {                                                             \
        const auto both = [](double a, double b, double c) {                                                       \
          const double t = first;                                                                                  \
          return second;                                                                                           \
        };                                                                                                         \
        run_row(row(i[1]), row(i[2]), row(i[3]), row(i[4]), lanes, both);                                          \
        i += 5;                                                                                                    \
        break;                                                                                                     \
      }
      HYLA_PAIRS
#undef HYLA_PAIR
      default:
        return;
    }
  }
}
// clang-format on

#if defined(__x86_64__)
// Vectors of four numbers. AVX2 does not contain fused multiplication and addition, so the bits stay the same.
[[gnu::target("avx2")]] void run_rows_wide(const Tape& tape, double* const* rows, std::size_t lanes) {
  run_each_row(tape, rows, lanes);
}
const bool kHasWideVectors = __builtin_cpu_supports("avx2") != 0;
#endif

void run_rows(const Tape& tape, double* const* rows, std::size_t lanes) {
  if (tape.instructions.empty()) return;
  HYLA_CHECK(!tape.words.empty(), "a tape that was not recorded");
#if defined(__x86_64__)
  if (kHasWideVectors) return run_rows_wide(tape, rows, lanes);
#endif
  run_each_row(tape, rows, lanes);
}

/// The registers of a group of instances. What a tape of up to kRoom registers needs is on the stack; the room for
/// larger ones, which take one instance at a time, is kept, so it is allocated once.
class Registers {
 public:
  Registers(const Tape& tape, std::size_t count) {
    const std::size_t fitting = kRoom / std::max<std::size_t>(tape.registers, 1);
    stride_ = std::clamp<std::size_t>(std::min(fitting, count), 1, kMostLanes);
    double* room = room_.data();
    rows_ = small_rows_.data();
    if (fitting == 0) {
      thread_local std::vector<double> large_room;
      thread_local std::vector<double*> large_rows;
      large_room.resize(std::max<std::size_t>(large_room.size(), tape.registers));
      large_rows.resize(std::max<std::size_t>(large_rows.size(), tape.registers));
      room = large_room.data();
      rows_ = large_rows.data();
    }
    for (std::size_t r = 0; r < tape.registers; ++r) rows_[r] = room + r * stride_;
    load_constants(tape, room, stride_);
  }

  std::size_t lanes() const { return stride_; }
  double*& operator[](std::size_t number) { return rows_[number]; }
  double* const* rows() const { return rows_; }

 private:
  std::size_t stride_ = 0;
  double** rows_ = nullptr;
  alignas(64) std::array<double, kRoom> room_;
  std::array<double*, kRoom> small_rows_;
};

/// Each instance has its own row in the index.
void run_anywhere(const Tape& tape, double* values, const std::uint32_t* index, std::size_t count) {
  Registers registers(tape, count);
  const std::size_t inputs = tape.inputs, outputs = tape.outputs.size(), width = inputs + outputs;
  for (std::size_t first = 0; first < count; first += registers.lanes(), index += registers.lanes() * width) {
    const std::size_t lanes = std::min(registers.lanes(), count - first);
    for (std::size_t k = 0; k < inputs; ++k) {
      double* const row = registers[k];
      for (std::size_t lane = 0; lane < lanes; ++lane) row[lane] = values[index[lane * width + k]];
    }
    run_rows(tape, registers.rows(), lanes);
    for (std::size_t j = 0; j < outputs; ++j) {
      const double* const row = registers[tape.outputs[j]];
      for (std::size_t lane = 0; lane < lanes; ++lane) values[index[lane * width + inputs + j]] = row[lane];
    }
  }
}

/// Instances with evenly spaced places: operands in a row are registers themselves.
class EvenRun {
 public:
  EvenRun(const Tape& tape, double* values, const std::uint32_t* index, Steps steps, std::size_t count)
      : tape_(tape), values_(values), index_(index), steps_(steps), count_(count), registers_(tape, count) {}

  void run() {
    const bool in_place = are_apart();
    for (std::size_t k = 0; k < tape_.inputs; ++k) {
      if (steps_[k] == 0) std::fill_n(registers_[k], registers_.lanes(), values_[index_[k]]);
    }
    for (std::size_t j = 0; in_place && j < tape_.outputs.size(); ++j) {
      const bool is_computed = tape_.outputs[j] >= tape_.inputs + tape_.constants.size();
      if (is_computed && steps_[tape_.inputs + j] == 1) registers_[tape_.outputs[j]] = at(tape_.inputs + j, 0);
    }
    const std::size_t group = in_place && copies_rows() ? count_ : registers_.lanes();
    for (std::size_t first = 0; first < count_; first += group) {
      const std::size_t lanes = std::min(group, count_ - first);
      for (std::size_t k = 0; k < tape_.inputs; ++k) read(k, first, lanes, in_place);
      run_rows(tape_, registers_.rows(), lanes);
      for (std::size_t j = 0; j < tape_.outputs.size(); ++j) write(j, first, lanes);
      for (std::size_t j = 0; j < tape_.outputs.size(); ++j) go_on(j, first);
    }
  }

 private:
  double* at(std::size_t k, std::size_t instance) const { return values_ + index_[k] + instance * steps_[k]; }

  /// No output lies between inputs: else outputs can be written before all inputs are read.
  bool are_apart() const {
    std::size_t begin = SIZE_MAX, end = 0;
    const auto last = [&](std::size_t k) { return index_[k] + (count_ - 1) * steps_[k]; };
    for (std::size_t k = tape_.inputs; k < steps_.size(); ++k) {
      begin = std::min<std::size_t>(begin, index_[k]);
      end = std::max(end, last(k) + 1);
    }
    for (std::size_t k = 0; k < tape_.inputs; ++k) {
      if (index_[k] < end && begin <= last(k)) return false;
    }
    return true;
  }
  bool copies_rows() const {
    return tape_.instructions.empty() && tape_.constants.empty() &&
           std::all_of(steps_.begin(), steps_.begin() + tape_.inputs, [](std::uint32_t step) { return step == 1; });
  }
  void read(std::size_t k, std::size_t first, std::size_t lanes, bool in_place) {
    const std::size_t step = steps_[k];
    if (step == 0) return;
    double* const from = at(k, first);
    double*& row = registers_[k];
    if (in_place && step == 1) {
      row = from;
    } else {
      for (std::size_t lane = 0; lane < lanes; ++lane) row[lane] = from[lane * step];
    }
  }
  void write(std::size_t j, std::size_t first, std::size_t lanes) {
    const std::size_t k = tape_.inputs + j, step = steps_[k];
    double* const to = at(k, first);
    const double* const row = registers_[tape_.outputs[j]];
    if (row == to) return;
    if (step == 1) {
      std::copy_n(row, lanes, to);
    } else {
      for (std::size_t lane = 0; lane < lanes; ++lane) to[lane * step] = row[lane];
    }
  }
  /// A row that is the output's place moves on with the instances.
  void go_on(std::size_t j, std::size_t first) {
    double*& row = registers_[tape_.outputs[j]];
    if (row == at(tape_.inputs + j, first)) row += registers_.lanes();
  }

  const Tape& tape_;
  double* values_;
  const std::uint32_t* index_;
  Steps steps_;
  std::size_t count_;
  Registers registers_;
};

}  // namespace

void load_constants(const Tape& tape, double* registers, std::size_t lanes) {
  for (std::size_t k = 0; k < tape.constants.size(); ++k) {
    std::fill_n(registers + (tape.inputs + k) * lanes, lanes, tape.constants[k]);
  }
}

void run(const Tape& tape, double* registers, std::size_t lanes) {
  std::array<double*, kRoom> small_rows;
  thread_local std::vector<double*> large_rows;
  if (tape.registers > kRoom) large_rows.resize(std::max<std::size_t>(large_rows.size(), tape.registers));
  double** const rows = tape.registers > kRoom ? large_rows.data() : small_rows.data();
  for (std::size_t r = 0; r < tape.registers; ++r) rows[r] = registers + r * lanes;
  run_rows(tape, rows, lanes);
}

void run(const Tape& tape, double* values, const std::uint32_t* index, std::size_t count, Steps steps) {
  if (count == 0) return;
  if (steps.empty()) return run_anywhere(tape, values, index, count);
  EvenRun(tape, values, index, steps, count).run();
}

}  // namespace hyla::code
