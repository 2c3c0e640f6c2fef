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
constexpr std::size_t kMostLanes = 64;

/// A result can lie in the row of an operand, lane by lane, but rows do not overlap otherwise.
template <typename Operation>
[[gnu::always_inline]] inline void run_row(double* out, const double* a, const double* b, const double* c,
                                           std::size_t lanes, Operation operation) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (std::size_t k = 0; k < lanes; ++k) out[k] = operation(a[k], b[k], c[k]);
}

[[gnu::noinline]] void run_call_row(const TapeCall& call, const double* registers, std::size_t stride,
                                    std::size_t lanes, double* out) {
  for (std::size_t lane = 0; lane < lanes; ++lane) out[lane] = run_call(call, registers + lane, stride);
}

// clang-format off
/// Rows are `stride` numbers apart; the first `lanes` numbers of each are computed.
[[gnu::always_inline]] inline void run_each_row(const Tape& tape, double* registers, std::size_t stride,
                                                std::size_t lanes) {
  const auto row = [&](std::uint32_t number) { return registers + number * stride; };
  const std::uint32_t* i = tape.words.data();
  while (*i != static_cast<std::uint32_t>(NodeOp::Constant)) {
    switch (*i) {
#define HYLA_NODE(op, operands)                                                                                    \
      case static_cast<std::uint32_t>(NodeOp::op): {                                                               \
        constexpr std::size_t kReads = reads(NodeOp::op, operands);                                                \
        if constexpr (NodeOp::op == NodeOp::Call) {                                                                \
          run_call_row(tape.calls[i[2]], registers, stride, lanes, row(i[1]));                                     \
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
[[gnu::target("avx2")]] void run_rows_wide(const Tape& tape, double* registers, std::size_t stride, std::size_t lanes) {
  run_each_row(tape, registers, stride, lanes);
}
const bool kHasWideVectors = __builtin_cpu_supports("avx2") != 0;
#endif

void run_rows(const Tape& tape, double* registers, std::size_t stride, std::size_t lanes) {
  if (tape.instructions.empty()) return;
  HYLA_CHECK(!tape.words.empty(), "a tape that was not recorded");
#if defined(__x86_64__)
  if (kHasWideVectors) return run_rows_wide(tape, registers, stride, lanes);
#endif
  run_each_row(tape, registers, stride, lanes);
}

void run_group(const Tape& tape, double* registers, std::size_t stride, double* values, const std::uint32_t* index,
               std::size_t lanes) {
  const std::size_t inputs = tape.inputs, outputs = tape.outputs.size(), width = inputs + outputs;
  for (std::size_t k = 0; k < inputs; ++k) {
    double* const row = registers + k * stride;
    for (std::size_t lane = 0; lane < lanes; ++lane) row[lane] = values[index[lane * width + k]];
  }
  run_rows(tape, registers, stride, lanes);
  for (std::size_t j = 0; j < outputs; ++j) {
    const double* const row = registers + tape.outputs[j] * stride;
    for (std::size_t lane = 0; lane < lanes; ++lane) values[index[lane * width + inputs + j]] = row[lane];
  }
}

/// One instance at a time. The room is kept, so it is allocated once.
void run_large(const Tape& tape, double* values, const std::uint32_t* index, std::size_t count) {
  thread_local std::vector<double> room;
  if (room.size() < tape.registers) room.resize(tape.registers);
  load_constants(tape, room.data(), 1);
  const std::size_t width = tape.inputs + tape.outputs.size();
  for (std::size_t k = 0; k < count; ++k) run_group(tape, room.data(), 1, values, index + k * width, 1);
}

}  // namespace

void load_constants(const Tape& tape, double* registers, std::size_t lanes) {
  for (std::size_t k = 0; k < tape.constants.size(); ++k) {
    std::fill_n(registers + (tape.inputs + k) * lanes, lanes, tape.constants[k]);
  }
}

void run(const Tape& tape, double* registers, std::size_t lanes) { run_rows(tape, registers, lanes, lanes); }

void run(const Tape& tape, double* values, const std::uint32_t* index, std::size_t count) {
  if (tape.registers > kRoom) return run_large(tape, values, index, count);
  alignas(64) std::array<double, kRoom> room;
  const std::size_t fitting = kRoom / std::max<std::size_t>(tape.registers, 1);
  const std::size_t stride = std::min({fitting, kMostLanes, std::max<std::size_t>(count, 1)});
  load_constants(tape, room.data(), stride);
  const std::size_t width = tape.inputs + tape.outputs.size();
  for (std::size_t first = 0; first < count; first += stride) {
    run_group(tape, room.data(), stride, values, index + first * width, std::min(stride, count - first));
  }
}

}  // namespace hyla::code
