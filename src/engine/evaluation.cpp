#include "engine/evaluation.h"

#include <algorithm>
#include <cmath>

#include "engine/large_loop.h"
#include "engine/loop_relations.h"

namespace hyla::engine {
namespace {

/// A loop as the solver sees it.
class LoopResiduals : public solve::Residuals {
 public:
  LoopResiduals(const Loop& loop, double* values) : loop_(loop), values_(values) {}

  std::size_t size() const override { return loop_.unknowns.size(); }
  solve::Evaluation evaluate(const double* x, double* residuals) override {
    place(x);
    code::run(loop_.evaluate, values_);
    bool finite = true;
    for (std::size_t i = 0; i < loop_.residuals.size(); ++i) {
      residuals[i] = values_[loop_.residuals[i]];
      finite = finite && residuals[i] - residuals[i] == 0;
    }
    return finite ? solve::Evaluation::Good : solve::Evaluation::Undefined;
  }
  solve::Evaluation jacobian(const double* x, double* jacobian) override {
    place(x);
    code::run(loop_.differentiate, values_);
    std::fill_n(jacobian, size() * size(), 0.0);
    bool finite = true;
    for (const auto& [position, place_of_value] : loop_.entries) {
      jacobian[position] = values_[place_of_value];
      finite = finite && jacobian[position] - jacobian[position] == 0;
    }
    return finite ? solve::Evaluation::Good : solve::Evaluation::Undefined;
  }
  bool linear() const override { return loop_.linear; }

 private:
  void place(const double* x) {
    for (std::size_t i = 0; i < loop_.unknowns.size(); ++i) values_[loop_.unknowns[i]] = x[i];
  }

  const Loop& loop_;
  double* values_;
};

solve::Solved solve_loop(const Loop& loop, double* values, solve::NonlinearSolver& solver) {
  constexpr std::size_t kSmall = 32;
  double small[kSmall];
  std::vector<double> large;
  double* x = small;
  if (loop.unknowns.size() > kSmall) {
    large.resize(loop.unknowns.size());
    x = large.data();
  }
  for (std::size_t i = 0; i < loop.unknowns.size(); ++i) {
    const double start = values[loop.unknowns[i]];
    x[i] = std::isfinite(start) ? start : 0;
  }
  const auto solve = [&](solve::Residuals&& residuals) {
    return loop.relations.empty() ? solver.solve(residuals, x, {}) : solve_related(loop, residuals, values, x, solver);
  };
  const solve::Solved solved = loop.large ? solve(LargeResiduals(loop, values)) : solve(LoopResiduals(loop, values));
  for (std::size_t i = 0; i < loop.unknowns.size(); ++i) values[loop.unknowns[i]] = x[i];
  if (loop.large || !loop.relations.empty()) return solved;
  if (solved == solve::Solved::Good) code::run(loop.evaluate, values);
  return solved;
}

/// So many equations whose places are evenly spaced are worth a batch.
constexpr std::size_t kEven = 16;

/// The steps from one row of places to the next; empty if a place comes before that of the row before.
std::vector<std::uint32_t> steps_between(const std::uint32_t* row, std::size_t width) {
  std::vector<std::uint32_t> steps(width);
  for (std::size_t k = 0; k < width; ++k) {
    if (row[width + k] < row[k]) return {};
    steps[k] = row[width + k] - row[k];
  }
  return steps;
}

void add_batch(Evaluation& evaluation, Batch batch) {
  evaluation.steps.push_back({Evaluation::Kind::Batch, static_cast<std::uint32_t>(evaluation.batches.size())});
  evaluation.batches.push_back(std::move(batch));
}

}  // namespace

void add_batches(Evaluation& evaluation, const code::Tape& tape, std::span<const std::uint32_t> index) {
  const std::size_t width = tape.inputs + tape.outputs.size(), count = index.size() / width;
  Batch rest;
  rest.tape = &tape;
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    const std::uint32_t* const row = index.data() + first * width;
    std::vector<std::uint32_t> steps;
    if (first + 1 < count) steps = steps_between(row, width);
    const auto follows = [&](std::size_t i) {
      const std::uint32_t* const before = index.data() + (i - 1) * width;
      for (std::size_t k = 0; k < width; ++k) {
        if (before[width + k] != before[k] + steps[k]) return false;
      }
      return true;
    };
    end = first + 1;
    while (!steps.empty() && end < count && follows(end)) ++end;
    if (end - first >= kEven) {
      Batch even;
      even.tape = &tape;
      even.index.assign(row, row + width);
      even.steps = std::move(steps);
      even.count = end - first;
      add_batch(evaluation, std::move(even));
    } else {
      end = first + 1;
      rest.index.insert(rest.index.end(), row, row + width);
      ++rest.count;
    }
  }
  if (rest.count > 0) add_batch(evaluation, std::move(rest));
}

void make_native(Evaluation& evaluation, code::NativeCompiler& compiler) {
  evaluation.is_native = true;
  evaluation.native.clear();
  for (const code::Code& code : evaluation.codes) {
    evaluation.native.push_back(code.calls.empty() ? code::NativeCode(compiler, code) : code::NativeCode());
  }
  for (Batch& batch : evaluation.batches) {
    if (batch.tape->calls.empty()) batch.native = code::NativeCode(compiler, *batch.tape, batch.steps);
  }
}

void run(const Batch& batch, double* values) {
  if (const code::Kernel kernel = batch.native.ready()) {
    kernel(values, batch.index.data(), batch.count);
  } else {
    code::run(*batch.tape, values, batch.index.data(), batch.count, batch.steps);
  }
}

Evaluated evaluate(const Evaluation& evaluation, double* values, solve::NonlinearSolver& solver) {
  for (const Evaluation::Step& step : evaluation.steps) {
    switch (step.kind) {
      case Evaluation::Kind::Code:
        if (const code::Kernel kernel = evaluation.is_native ? evaluation.native[step.index].ready() : nullptr) {
          kernel(values, nullptr, 1);
        } else {
          code::run(evaluation.codes[step.index], values);
        }
        break;
      case Evaluation::Kind::Batch:
        run(evaluation.batches[step.index], values);
        break;
      case Evaluation::Kind::Loop: {
        const std::uint64_t before = solver.work().iterations;
        const solve::Solved solved = solve_loop(evaluation.loops[step.index], values, solver);
        if (solved != solve::Solved::Good) {
          return {solved, step.index, static_cast<std::uint32_t>(solver.work().iterations - before)};
        }
        break;
      }
    }
  }
  return {};
}

}  // namespace hyla::engine
