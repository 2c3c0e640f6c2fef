#include "engine/large_loop.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "engine/compose.h"
#include "engine/configure.h"
#include "engine/partials.h"
#include "solve/pattern_maker.h"

namespace hyla::engine {
namespace {

/// Linear loops of more unknowns are not torn.
constexpr std::size_t kLargestTorn = 64;
/// Nor are others with more tears.
constexpr std::size_t kMostTears = 32;

/// Whether factors of unknowns do not depend on unknowns.
bool is_linear(const Shape& shape, TermTapes& tapes, const std::vector<std::uint32_t>& equations,
               const std::unordered_set<At>& unknowns) {
  return std::all_of(equations.begin(), equations.end(), [&](std::uint32_t number) {
    const ShapeEquation& equation = shape.equations[number];
    const LinearForm& form = tapes.linear(equation.term);
    for (const std::uint32_t k :
         tapes.terms()[equation.term].graph.operands_of_node(tapes.terms()[equation.term].value)) {
      if (!unknowns.contains(equation.operands[k])) continue;
      if (form.factors[k] == code::kNoNode) return false;
      for (const std::uint32_t other : form.graph.operands_of_node(form.factors[k])) {
        if (unknowns.contains(equation.operands[other])) return false;
      }
    }
    return true;
  });
}

std::vector<std::uint32_t> equations_of(const EvaluationPart& part) {
  std::vector<std::uint32_t> result = part.residuals;
  for (const EvaluationPart::Step& step : part.steps) result.push_back(step.equation);
  return result;
}

std::unordered_set<At> unknowns_of(const EvaluationPart& part) {
  std::unordered_set<At> result(part.tears.begin(), part.tears.end());
  for (const EvaluationPart::Step& step : part.steps) result.insert(step.unknown);
  return result;
}

/// Where in a pattern an entry is.
std::uint32_t position(const solve::Pattern& pattern, std::uint32_t row, std::uint32_t column) {
  const auto begin = pattern.rows.begin() + pattern.starts[column],
             end = pattern.rows.begin() + pattern.starts[column + 1];
  return static_cast<std::uint32_t>(std::lower_bound(begin, end, static_cast<std::int32_t>(row)) -
                                    pattern.rows.begin());
}

}  // namespace

void untear_large(const Shape& shape, TermTapes& tapes, EvaluationPart& part) {
  const bool is_long = part.tears.size() + part.steps.size() > kLargestTorn;
  part.is_large =
      part.tears.size() > kMostTears || (is_long && is_linear(shape, tapes, equations_of(part), unknowns_of(part)));
  if (!part.is_large) return;
  for (const EvaluationPart::Step& step : part.steps) {
    part.tears.push_back(step.unknown);
    part.residuals.push_back(step.equation);
  }
  part.steps.clear();
}

void make_large(const Shape& shape, TermTapes& tapes, Loop& loop, At& size) {
  auto large = std::make_shared<LargeLoop>();
  std::unordered_map<At, std::uint32_t> columns;
  for (std::uint32_t i = 0; i < loop.unknowns.size(); ++i) columns[loop.unknowns[i]] = i;
  std::map<TermId, std::vector<At>> batches;
  const auto rows = static_cast<std::uint32_t>(loop.equations.size());
  for (const std::uint32_t number : loop.equations) {
    const ShapeEquation& equation = shape.equations[number];
    std::vector<At>& index = batches[equation.term];
    index.insert(index.end(), equation.operands.begin(), equation.operands.end());
    index.push_back(size);
    large->rows.push_back({size++, own_place(shape, equation)});
  }
  for (const auto& [term, index] : batches) add_batches(large->values, tapes[term], index);

  Partials partials(tapes, size);
  solve::PatternMaker pattern;
  std::vector<std::vector<Partials::Partial>> found(rows);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const ShapeEquation& equation = shape.equations[loop.equations[row]];
    found[row] = partials.add(equation.term, equation.operands, [&](At place) { return columns.contains(place); });
    for (const Partials::Partial& one : found[row]) pattern.add(row, columns.at(equation.operands[one.operand]));
    const auto own = columns.find(large->rows[row].own);
    if (own != columns.end()) pattern.add(row, own->second);
  }
  partials.compile(large->partials, large->tapes);
  size = partials.size();
  large->pattern = pattern.make(loop.unknowns.size());
  for (std::uint32_t row = 0; row < rows; ++row) {
    const ShapeEquation& equation = shape.equations[loop.equations[row]];
    const bool is_negative = large->rows[row].own != kNowhere;
    for (const Partials::Partial& one : found[row]) {
      const std::uint32_t column = columns.at(equation.operands[one.operand]);
      large->entries.push_back({position(large->pattern, row, column), partials.final(one.place), is_negative});
    }
    const auto own = columns.find(large->rows[row].own);
    if (own != columns.end()) large->entries.push_back({position(large->pattern, row, own->second), kNowhere, false});
  }
  const std::unordered_set<At> unknowns(loop.unknowns.begin(), loop.unknowns.end());
  loop.linear = is_linear(shape, tapes, loop.equations, unknowns);
  loop.large = std::move(large);
}

std::shared_ptr<Loop> make_whole(const Shape& shape, TermTapes& tapes, const EvaluationPart& part, At& size) {
  auto whole = std::make_shared<Loop>();
  whole->unknowns = part.tears;
  for (const EvaluationPart::Step& step : part.steps) whole->unknowns.push_back(step.unknown);
  whole->equations = equations_of(part);
  make_large(shape, tapes, *whole, size);
  return whole;
}

void LargeResiduals::place(const double* x) {
  for (std::size_t i = 0; i < loop_.unknowns.size(); ++i) values_[loop_.unknowns[i]] = x[i];
}

solve::Evaluation LargeResiduals::evaluate(const double* x, double* residuals) {
  place(x);
  for (const Batch& batch : large_.values.batches) run(batch, values_);
  bool finite = true;
  for (std::size_t i = 0; i < large_.rows.size(); ++i) {
    const LargeLoop::Row& row = large_.rows[i];
    residuals[i] = row.own == kNowhere ? values_[row.value] : values_[row.own] - values_[row.value];
    finite = finite && residuals[i] - residuals[i] == 0;
  }
  return finite ? solve::Evaluation::Good : solve::Evaluation::Undefined;
}

solve::Evaluation LargeResiduals::jacobian(const double* x, double* jacobian) {
  place(x);
  for (const Batch& batch : large_.partials.batches) run(batch, values_);
  std::fill_n(jacobian, large_.pattern.entries(), 0.0);
  for (const LargeLoop::Entry& entry : large_.entries) {
    const double partial = entry.partial == kNowhere ? 1.0 : values_[entry.partial];
    jacobian[entry.position] += entry.is_negative ? -partial : partial;
  }
  return solve::Evaluation::Good;
}

solve::Evaluation WholeResiduals::jacobian(const double* x, double* jacobian) {
  const solve::Evaluation outcome = LargeResiduals::jacobian(x, entries_.data());
  const solve::Pattern& pattern = pattern_of();
  std::fill_n(jacobian, size() * size(), 0.0);
  for (std::size_t column = 0; column < size(); ++column) {
    for (auto k = static_cast<std::size_t>(pattern.starts[column]);
         k < static_cast<std::size_t>(pattern.starts[column + 1]); ++k) {
      jacobian[static_cast<std::size_t>(pattern.rows[k]) * size() + column] = entries_[k];
    }
  }
  return outcome;
}

}  // namespace hyla::engine
