// Random codes and tapes with all operations, and values that include the awkward ones.
#pragma once

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "code/background_compiler.h"
#include "code/evaluator.h"
#include "code/tape.h"
#include "code/tape_words.h"

extern "C" hyla::code::NativeBackend* hyla_native_backend(const hyla::code::NativeFunctions& functions,
                                                          std::string& why_not);

namespace hyla::jit {

inline std::unique_ptr<code::NativeBackend> make_backend(std::string& why_not) {
  return std::unique_ptr<code::NativeBackend>(hyla_native_backend(code::native_functions(), why_not));
}

/// Equal bits; any NaN equals any other.
inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

class RandomSource {
 public:
  explicit RandomSource(unsigned seed) : generator_(seed) {}

  std::uint32_t below(std::size_t end) { return static_cast<std::uint32_t>(generator_() % end); }

  double number() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kAwkward[] = {
        0.0,  -0.0,  1.0,    -1.0,  2.0,    3.0,       4.0,        0.5,
        -2.5, 1e300, 1e-310, 709.9, -745.5, kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN()};
    if (below(2) == 0) return kAwkward[below(std::size(kAwkward))];
    return std::ldexp(static_cast<double>(generator_()) - 0x1p31, static_cast<int>(below(20)) - 40);
  }

  std::vector<double> numbers(std::size_t count) {
    std::vector<double> result(count);
    for (double& value : result) value = number();
    return result;
  }

  code::NodeOp operation() {
    const auto op = static_cast<code::NodeOp>(1 + below(code::kNodeOps - 1));
    // Plain arithmetic half of the time, so that numbers stay of a usual size now and then.
    constexpr code::NodeOp kPlain[] = {code::NodeOp::Add, code::NodeOp::Subtract, code::NodeOp::Multiply,
                                       code::NodeOp::Divide, code::NodeOp::Negate};
    return below(2) == 0 ? kPlain[below(std::size(kPlain))] : op;
  }

  code::Code code(std::size_t length, std::uint32_t places) {
    code::Code result;
    for (std::size_t i = 0; i < length; ++i) {
      result.instructions.push_back({operation(), below(places), below(places), below(places), below(places)});
    }
    return result;
  }

  /// Registers are written before they are read, as in every tape; some of them several times.
  code::Tape tape(std::size_t length, std::uint32_t inputs, std::uint32_t constants, std::size_t outputs) {
    code::Tape result;
    result.inputs = inputs;
    result.constants = numbers(constants);
    result.registers = inputs + constants;
    for (std::size_t i = 0; i < length; ++i) {
      const std::uint32_t known = result.registers, own = known - inputs - constants;
      const bool again = own > 0 && below(3) == 0;
      const std::uint32_t out = again ? inputs + constants + below(own) : result.registers++;
      result.instructions.push_back({operation(), out, below(known), below(known), below(known)});
    }
    for (std::size_t i = 0; i < outputs; ++i) result.outputs.push_back(below(result.registers));
    result.words = code::pack(result.instructions, {}, {});
    return result;
  }

 private:
  std::mt19937 generator_;
};

}  // namespace hyla::jit
