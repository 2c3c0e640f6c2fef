// Native code against the interpreter, bit for bit.
#include <gtest/gtest.h>

#include "jit/testing.h"

namespace hyla::jit {
namespace {

class SameBits : public testing::Test {
 protected:
  SameBits() : backend_(make_backend(why_not_)) {}
  void SetUp() override { ASSERT_TRUE(backend_) << why_not_; }

  void compare(code::Code code, std::vector<double> values) {
    code.words = code::pack(code.instructions, {}, {});  // no temporaries: every place is compared
    const code::Kernel kernel = backend_->compile(code, cancelled_, why_not_);
    ASSERT_TRUE(kernel) << why_not_;
    std::vector<double> expected = values;
    code::run(code, expected.data());
    kernel(values.data(), nullptr, 1);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(same(values[i], expected[i])) << "place " << i << ": " << values[i] << " not " << expected[i];
    }
    backend_->release(kernel);
  }

  void compare(code::Tape tape, std::vector<double> values, const std::vector<std::uint32_t>& index, std::size_t count,
               const std::vector<std::uint32_t>& steps = {}) {
    tape.words = code::pack(tape.instructions, {}, {});
    const code::Kernel kernel = backend_->compile(tape, steps, cancelled_, why_not_);
    ASSERT_TRUE(kernel) << why_not_;
    std::vector<double> expected = values;
    code::run(tape, expected.data(), index.data(), count, steps);
    kernel(values.data(), index.data(), count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_TRUE(same(values[i], expected[i])) << "place " << i << ": " << values[i] << " not " << expected[i];
    }
    backend_->release(kernel);
  }

  /// Instances read anywhere in the first half of the values and write to places of their own in the second half.
  void compare(RandomSource& random, const code::Tape& tape, std::size_t count) {
    const std::size_t inputs = 200, outputs = tape.outputs.size();
    std::vector<std::uint32_t> index;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::uint32_t k = 0; k < tape.inputs; ++k) index.push_back(random.below(inputs));
      for (std::size_t k = 0; k < outputs; ++k) {
        index.push_back(static_cast<std::uint32_t>(inputs + (count - 1 - i) * outputs + k));
      }
    }
    compare(tape, random.numbers(inputs + count * outputs), index, count);
  }

  /// Instances whose places are evenly spaced.
  void compare_even(RandomSource& random, const code::Tape& tape, std::size_t count) {
    std::vector<std::uint32_t> index, steps;
    for (std::uint32_t k = 0; k < tape.inputs; ++k) {
      index.push_back(random.below(10));
      steps.push_back(random.below(4));
    }
    const std::size_t inputs = 10 + 3 * count;
    std::size_t end = inputs;
    for (std::size_t k = 0; k < tape.outputs.size(); ++k) {
      index.push_back(static_cast<std::uint32_t>(end));
      steps.push_back(1 + random.below(3));
      end += count * steps.back();
    }
    compare(tape, random.numbers(end), index, count, steps);
  }

  std::string why_not_;
  std::atomic<bool> cancelled_ = false;
  std::unique_ptr<code::NativeBackend> backend_;
};

// One instruction, so that no operation is hidden by the others; operands in all pairs of awkward numbers.
TEST_F(SameBits, EveryOperationOnManyNumbers) {
  RandomSource random(1);
  for (std::size_t op = 1; op < code::kNodeOps; ++op) {
    code::Code code;
    const std::uint32_t cases = 150;
    for (std::uint32_t i = 0; i < cases; ++i) {
      code.instructions.push_back({static_cast<code::NodeOp>(op), 3 * cases + i, 3 * i, 3 * i + 1, 3 * i + 2});
    }
    SCOPED_TRACE(op);
    compare(code, random.numbers(4 * cases));
  }
}

TEST_F(SameBits, EveryOperationOnConstants) {
  RandomSource random(2);
  for (std::size_t op = 1; op < code::kNodeOps; ++op) {
    code::Tape tape;
    tape.inputs = 3;
    tape.constants = random.numbers(40);
    tape.registers = 43;
    for (std::uint32_t i = 0; i < 100; ++i) {
      tape.outputs.push_back(tape.registers);
      tape.instructions.push_back(
          {static_cast<code::NodeOp>(op), tape.registers++, random.below(43), random.below(43), random.below(43)});
    }
    SCOPED_TRACE(op);
    compare(random, tape, 3);
  }
}

TEST_F(SameBits, RandomCodesOfManyLengths) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomSource random(seed);
    const std::uint32_t places = 3 + random.below(100);
    SCOPED_TRACE(seed);
    compare(random.code(random.below(300), places), random.numbers(places));
  }
}

TEST_F(SameBits, RandomTapesOverInstances) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomSource random(seed);
    const code::Tape tape = random.tape(random.below(120), 1 + random.below(8), random.below(5), random.below(6));
    SCOPED_TRACE(seed);
    for (const std::size_t count : {0u, 1u, 7u, 64u}) compare(random, tape, count);
    for (const std::size_t count : {0u, 1u, 7u, 150u}) compare_even(random, tape, count);
  }
}

// Long enough for several chunks, whose values go through memory.
TEST_F(SameBits, LongCodesAndTapesInChunks) {
  for (unsigned seed = 0; seed < 3; ++seed) {
    RandomSource random(seed);
    SCOPED_TRACE(seed);
    compare(random.code(3000, 500), random.numbers(500));
    compare(random, random.tape(2500, 20, 30, 40), 5);
    compare_even(random, random.tape(2500, 20, 30, 40), 5);
  }
}

// Short tapes of plain arithmetic go over several instances at a time, and over the rest one by one.
TEST_F(SameBits, ArithmeticOverInstancesInVectors) {
  using enum code::NodeOp;
  constexpr code::NodeOp kPlain[] = {Negate, Add,  Subtract, Multiply, Divide, Square,   Abs,
                                     Sign,   Sqrt, Floor,    Ceil,     Min,    Max,      Less,
                                     Equal,  And,  Or,       Not,      Select, Truncate, Power};
  for (unsigned seed = 0; seed < 30; ++seed) {
    RandomSource random(seed);
    code::Tape tape = random.tape(60, 6, 8, 5);
    for (code::TapeInstruction& instruction : tape.instructions) {
      instruction.op = kPlain[random.below(std::size(kPlain) - (seed % 2))];  // without and with calls
    }
    SCOPED_TRACE(seed);
    for (const std::size_t count : {1u, 4u, 7u, 64u}) compare(random, tape, count);
    for (const std::size_t count : {1u, 4u, 7u, 150u}) compare_even(random, tape, count);
  }
}

TEST_F(SameBits, ReadsInputsBeforeItWritesOutputs) {
  // x, y := y, x + y in place: the outputs are the inputs' places.
  code::Tape tape;
  tape.inputs = 2;
  tape.registers = 3;
  tape.instructions = {{code::NodeOp::Add, 2, 0, 1, 0}};
  tape.outputs = {1, 2};
  compare(tape, {1, 2, 10, 20}, {0, 1, 0, 1, 2, 3, 2, 3}, 2);
  compare(tape, {1, 2, 10, 20}, {0, 1, 0, 1}, 2, {2, 2, 2, 2});
  compare(tape, {1, 2, 10, 20, 3, 4}, {0, 3, 0, 3}, 3, {1, 1, 1, 1});
}

TEST_F(SameBits, ProductsAndSumsAreNotFused) {
  code::Code code;
  code.instructions = {{code::NodeOp::Multiply, 3, 0, 1, 0}, {code::NodeOp::Add, 4, 3, 2, 0}};
  const double near_one = 1 + 0x1p-30;
  compare(code, {near_one, near_one, -(1 + 0x1p-29), 0, 0});
}

TEST_F(SameBits, EmptyCodeDoesNothing) { compare(code::Code{}, {1, 2}); }

}  // namespace
}  // namespace hyla::jit
