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

/// From `x`, which leaves with the solution; so do the values of all that follows from it.
solve::Solved solve_from(const Loop& loop, double* values, double* x, solve::NonlinearSolver& solver,
                         solve::NonlinearSettings settings) {
  if (!loop.nominals.empty()) settings.nominals = loop.nominals.data();
  const auto solve = [&](solve::Residuals&& residuals) {
    return loop.relations.empty() ? solver.solve(residuals, x, settings)
                                  : solve_related(loop, residuals, values, x, solver, settings);
  };
  const solve::Solved solved = loop.large ? solve(LargeResiduals(loop, values)) : solve(LoopResiduals(loop, values));
  for (std::size_t i = 0; i < loop.unknowns.size(); ++i) values[loop.unknowns[i]] = x[i];
  if (loop.large || !loop.relations.empty()) return solved;
  if (solved == solve::Solved::Good) code::run(loop.evaluate, values);
  return solved;
}

/// Looks for a solution of a loop at which its variables keep to their ranges.
class RangedSearch {
 public:
  RangedSearch(const Loop& loop, double* values, double* x, solve::NonlinearSolver& solver, const SearchRanges& ranges)
      : loop_(loop), values_(values), x_(x), solver_(solver), ranges_(ranges) {
    for (const std::uint32_t place : loop.unknowns) {
      least_.push_back(ranges.least[place]);
      most_.push_back(ranges.most[place]);
    }
  }

  /// Whether anything in the loop has a range.
  bool is_needed() const {
    const auto has_range = [&](std::uint32_t variable) {
      const std::uint32_t place = ranges_.places[variable];
      return std::isfinite(ranges_.least[place]) || std::isfinite(ranges_.most[place]);
    };
    return !loop_.linear && std::any_of(loop_.variables.begin(), loop_.variables.end(), has_range);
  }

  /// With steps that end at the limits, then without limits, then from other points between them. If all solutions that
  /// are found lie outside, it is the one that is found without limits.
  solve::Solved solve() {
    const std::vector<double> start(x_, x_ + loop_.unknowns.size());
    if (attempt(start, true) == solve::Solved::Good && is_inside()) return solve::Solved::Good;
    const solve::Solved anywhere = attempt(start, false);
    if (anywhere == solve::Solved::Good && is_inside()) return anywhere;
    const std::vector<double> outside(x_, x_ + loop_.unknowns.size());
    for (const double part : {0.5, 0.1, 0.9, 0.01, 0.99}) {
      if (attempt(between(start, part), true) == solve::Solved::Good && is_inside()) return solve::Solved::Good;
    }
    return attempt(anywhere == solve::Solved::Good ? outside : start, false);
  }

 private:
  solve::Solved attempt(const std::vector<double>& from, bool is_limited) {
    solve::NonlinearSettings settings;
    if (is_limited) {
      settings.least = least_.data();
      settings.most = most_.data();
    }
    std::copy(from.begin(), from.end(), x_);
    return solve_from(loop_, values_, x_, solver_, settings);
  }

  /// A point at a part of the way between the limits; with one limit, at a distance from it; without, on either side
  /// of the start.
  std::vector<double> between(const std::vector<double>& start, double part) const {
    std::vector<double> result = start;
    for (std::size_t i = 0; i < result.size(); ++i) {
      const double least = least_[i], most = most_[i];
      const double unit = loop_.nominals.empty() ? 1 : loop_.nominals[i];
      const double away = part / (1 - part);
      if (std::isfinite(least) && std::isfinite(most)) {
        result[i] = least + part * (most - least);
      } else if (std::isfinite(least)) {
        result[i] = least + away * (std::abs(least) + unit);
      } else if (std::isfinite(most)) {
        result[i] = most - away * (std::abs(most) + unit);
      } else {
        result[i] += std::log(away) * (std::abs(start[i]) + unit);
      }
    }
    return result;
  }

  bool is_inside() const {
    constexpr double kNear = 1e-9;
    return std::all_of(loop_.variables.begin(), loop_.variables.end(), [&](std::uint32_t variable) {
      const std::uint32_t place = ranges_.places[variable];
      const double value = values_[place], least = ranges_.least[place], most = ranges_.most[place];
      return !(value < least - kNear * std::abs(least)) && !(value > most + kNear * std::abs(most));
    });
  }

  const Loop& loop_;
  double* values_;
  double* x_;
  solve::NonlinearSolver& solver_;
  const SearchRanges& ranges_;
  std::vector<double> least_, most_;
};

/// All unknowns of a linear loop at once, where tearing has lost too much.
solve::Solved solve_whole(const Loop& whole, double* values, solve::NonlinearSolver& solver) {
  std::vector<double> x;
  for (const std::uint32_t place : whole.unknowns) x.push_back(std::isfinite(values[place]) ? values[place] : 0);
  solve::NonlinearSettings settings;
  if (!whole.nominals.empty()) settings.nominals = whole.nominals.data();
  WholeResiduals residuals(whole, values);
  const solve::Solved solved = whole.relations.empty()
                                   ? solver.solve(residuals, x.data(), settings)
                                   : solve_related(whole, residuals, values, x.data(), solver, settings);
  for (std::size_t i = 0; i < x.size(); ++i) values[whole.unknowns[i]] = x[i];
  return solved;
}

/// What a torn loop may lose to rounding, relative to its unknowns, before it is solved as a whole.
constexpr double kMostLost = 1e-11;

solve::Solved solve_loop(const Loop& loop, double* values, solve::NonlinearSolver& solver, const SearchRanges* ranges) {
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
  if (ranges != nullptr) {
    RangedSearch search(loop, values, x, solver, *ranges);
    if (search.is_needed()) return search.solve();
  }
  solve::NonlinearSettings settings;
  if (loop.whole) settings.most_lost = kMostLost;
  const solve::Solved solved = solve_from(loop, values, x, solver, settings);
  if (solved == solve::Solved::Good || !loop.whole) return solved;
  return solve_whole(*loop.whole, values, solver) == solve::Solved::Good ? solve::Solved::Good : solved;
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

Evaluated evaluate(const Evaluation& evaluation, double* values, solve::NonlinearSolver& solver,
                   const SearchRanges* ranges) {
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
        const solve::Solved solved = solve_loop(evaluation.loops[step.index], values, solver, ranges);
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
