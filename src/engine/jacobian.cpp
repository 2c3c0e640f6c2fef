#include "engine/jacobian.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>
#include <unordered_set>

#include "engine/compose.h"
#include "engine/configure.h"
#include "engine/partials.h"
#include "solve/pattern_maker.h"
#include "solve/sparse_matrix.h"

namespace hyla::engine {
namespace {

using code::NodeId;
using code::NodeOp;

/// Derivatives of one quantity: by column (behind the last one the time) the number of its gradient.
using Gradient = std::map<std::uint32_t, std::uint32_t>;

class JacobianMaker {
 public:
  JacobianMaker(const Shape& shape, TermTapes& tapes, const Configuration& configuration, const DerivativeTask& task)
      : shape_(shape),
        tapes_(tapes),
        task_(task),
        columns_(static_cast<std::uint32_t>(task.columns.size())),
        partials_(tapes, configuration.size) {
    for (std::uint32_t i = 0; i < columns_; ++i) column_at_[task.columns[i]] = i;
    column_at_[kTime] = columns_;
    for (const std::vector<EvaluationPart>* parts : task.parts) {
      for (const EvaluationPart& part : *parts) parts_.push_back(&part);
    }
  }

  std::unique_ptr<JacobianPlan> make() {
    find_needed();
    for (const EvaluationPart* part : parts_) {
      if (part->is_loop) {
        loop(*part);
      } else {
        formula(part->steps[0]);
      }
    }
    compile_partials();
    plan_->size = partials_.size();
    drop_single_products();
    arrange_entries();
    return std::move(plan_);
  }

 private:
  bool depends(At place) const { return column_at_.contains(place) || gradients_.contains(place); }

  std::uint32_t new_gradient() { return plan_->gradient_count++; }

  /// Adds partial * (the derivatives of an operand) to a gradient.
  void add_products(Gradient& gradient, At operand, At partial) {
    const auto add = [&](std::uint32_t column, std::uint32_t from) {
      const auto [entry, added] = gradient.try_emplace(column, 0);
      if (added) entry->second = new_gradient();
      plan_->products.push_back({entry->second, partial, from});
    };
    const auto column = column_at_.find(operand);
    if (column != column_at_.end()) {
      add(column->second, kNone);
      return;
    }
    const auto found = gradients_.find(operand);
    if (found == gradients_.end()) return;
    for (const auto& [each, from] : found->second) add(each, from);
  }

  void formula(const EvaluationPart::Step& step) {
    const ExplicitEquation equation = explicit_form(shape_, tapes_, step);
    operands_.push_back(std::make_unique<std::vector<At>>(equation.operands));
    Gradient gradient;
    const auto begin = static_cast<std::uint32_t>(plan_->products.size());
    const auto varies = [this](At place) { return depends(place); };
    for (const Partials::Partial& partial : partials_.add(equation.term, *operands_.back(), varies)) {
      add_products(gradient, equation.operands[partial.operand], partial.place);
    }
    add_step(begin);
    if (!gradient.empty()) gradients_[equation.unknown] = std::move(gradient);
  }

  void add_step(std::uint32_t begin) {
    const auto end = static_cast<std::uint32_t>(plan_->products.size());
    if (begin == end) return;
    if (!plan_->steps.empty() && !plan_->steps.back().is_loop) {
      plan_->steps.back().end = end;
    } else {
      plan_->steps.push_back({false, begin, end});
    }
  }

  /// Row by row: sum of partials over the loop's unknowns times their derivatives = -(sum over what comes from
  /// outside).
  void loop(const EvaluationPart& part) {
    std::vector<At> unknowns = part.tears;
    std::vector<std::uint32_t> equations = part.residuals;
    for (const EvaluationPart::Step& step : part.steps) {
      unknowns.push_back(step.unknown);
      equations.push_back(step.equation);
    }
    std::unordered_map<At, std::uint32_t> number;
    for (std::uint32_t i = 0; i < unknowns.size(); ++i) number[unknowns[i]] = i;
    JacobianPlan::LoopSystem system;
    system.size = static_cast<std::uint32_t>(unknowns.size());
    std::vector<Gradient> right(unknowns.size());
    solve::PatternMaker pattern;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> matrix, own;  // row, column
    const auto begin = static_cast<std::uint32_t>(plan_->products.size());
    const auto is_wanted = [&](At place) { return depends(place) || number.contains(place); };
    for (std::uint32_t i = 0; i < equations.size(); ++i) {
      const auto [term, operands] = row_of(shape_.equations[equations[i]], number);
      for (const Partials::Partial& partial : partials_.add(term, *operands, is_wanted)) {
        const At operand = (*operands)[partial.operand];
        const auto inside = number.find(operand);
        if (inside == number.end()) {
          add_products(right[i], operand, partial.place);
          continue;
        }
        matrix.emplace_back(i, inside->second);
        pattern.add(i, inside->second);
        system.matrix.emplace_back(0, partial.place);
      }
      const auto left = number.find(own_place(shape_, shape_.equations[equations[i]]));
      if (left == number.end()) continue;
      own.emplace_back(i, left->second);
      pattern.add(i, left->second);
    }
    add_step(begin);
    system.pattern = pattern.make(unknowns.size());
    system.kind = solve::best_kind(system.pattern);
    const std::unique_ptr<solve::Factorisation> places = solve::make_factorisation(system.pattern, system.kind);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      system.matrix[i].first = places->place(matrix[i].first, matrix[i].second);
    }
    for (const auto& [row, column] : own) system.own.push_back(places->place(row, column));
    add_columns(system, unknowns, right);
    plan_->steps.push_back({true, static_cast<std::uint32_t>(plan_->loops.size()), 0});
    plan_->loops.push_back(std::move(system));
  }

  /// One for each state on which the right sides depend.
  void add_columns(JacobianPlan::LoopSystem& system, const std::vector<At>& unknowns,
                   const std::vector<Gradient>& right) {
    std::map<std::uint32_t, JacobianPlan::LoopSystem::Column> columns;
    for (std::uint32_t row = 0; row < right.size(); ++row) {
      for (const auto& [column, gradient] : right[row]) columns[column].right.push_back({row, gradient});
    }
    for (auto& [number, column] : columns) {
      for (std::uint32_t row = 0; row < unknowns.size(); ++row) {
        if (!needed_.contains(unknowns[row])) continue;
        const std::uint32_t fresh = new_gradient();
        column.unknowns.push_back({row, fresh});
        gradients_[unknowns[row]][number] = fresh;
      }
      system.columns.push_back(std::move(column));
    }
  }

  /// What others than the loop itself read.
  void find_needed() {
    std::unordered_map<At, std::size_t> loop_of;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      if (!parts_[p]->is_loop) continue;
      for (const At tear : parts_[p]->tears) loop_of[tear] = p;
      for (const EvaluationPart::Step& step : parts_[p]->steps) loop_of[step.unknown] = p;
    }
    if (loop_of.empty()) return;
    const auto read = [&](std::size_t p, std::uint32_t number) {
      const ShapeEquation& equation = shape_.equations[number];
      std::vector<At> places = equation.operands;
      places.push_back(own_place(shape_, equation));
      for (const At place : places) {
        const auto found = loop_of.find(place);
        if (found != loop_of.end() && found->second != p) needed_.insert(place);
      }
    };
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      for (const std::uint32_t number : parts_[p]->residuals) read(p, number);
      for (const EvaluationPart::Step& step : parts_[p]->steps) read(p, step.equation);
    }
    needed_.insert(task_.rows.begin(), task_.rows.end());
  }

  /// The term and operands of a loop's row. A formula for something outside the loop is an equation `e - x = 0`.
  std::pair<TermId, const std::vector<At>*> row_of(const ShapeEquation& equation,
                                                   const std::unordered_map<At, std::uint32_t>& unknowns) {
    const At own = own_place(shape_, equation);
    if (own == kNowhere || unknowns.contains(own)) return {equation.term, &equation.operands};
    Term residual = tapes_.terms()[equation.term];
    residual.value =
        residual.graph.make(code::NodeOp::Subtract, residual.value, residual.graph.operand(residual.operands));
    residual.modes.clear();
    std::vector<At> operands = equation.operands;
    operands.push_back(own);
    std::vector<std::uint32_t> used;
    const TermId term = tapes_.terms().cut(residual.graph, residual.value, {}, used);
    operands_.push_back(std::make_unique<std::vector<At>>());
    for (const std::uint32_t k : used) operands_.back()->push_back(operands[k]);
    return {term, operands_.back().get()};
  }

  void compile_partials() {
    partials_.compile(plan_->partials, plan_->tapes);
    for (JacobianPlan::Product& product : plan_->products) product.partial = partials_.final(product.partial);
    for (JacobianPlan::LoopSystem& system : plan_->loops) {
      for (auto& entry : system.matrix) entry.second = partials_.final(entry.second);
    }
  }

  /// A gradient that is nothing but a partial derivative, and only an entry in the end, is read where that is.
  void drop_single_products() {
    std::vector<std::uint32_t> terms(plan_->gradient_count);
    std::vector<bool> is_needed(plan_->gradient_count);
    for (const JacobianPlan::Product& product : plan_->products) {
      ++terms[product.to];
      if (product.from != kNone) is_needed[product.to] = is_needed[product.from] = true;
    }
    for (const JacobianPlan::LoopSystem& system : plan_->loops) {
      for (const JacobianPlan::LoopSystem::Column& column : system.columns) {
        for (const auto& place : column.right) is_needed[place.gradient] = true;
      }
    }
    gradient_places_.resize(plan_->gradient_count);
    for (std::uint32_t i = 0; i < gradient_places_.size(); ++i) gradient_places_[i] = plan_->size + i;
    std::vector<JacobianPlan::Product> kept;
    for (JacobianPlan::Step& step : plan_->steps) {
      if (step.is_loop) continue;
      const auto begin = static_cast<std::uint32_t>(kept.size());
      for (std::uint32_t i = step.begin; i < step.end; ++i) {
        const JacobianPlan::Product& product = plan_->products[i];
        if (terms[product.to] > 1 || is_needed[product.to]) {
          kept.push_back(product);
        } else {
          gradient_places_[product.to] = product.partial;
        }
      }
      step.begin = begin;
      step.end = static_cast<std::uint32_t>(kept.size());
    }
    plan_->products = std::move(kept);
  }

  void arrange_entries() {
    std::vector<std::vector<std::pair<std::int32_t, std::uint32_t>>> columns(columns_);  // rows with gradients
    plan_->rows = static_cast<std::uint32_t>(task_.rows.size());
    for (std::uint32_t i = 0; i < plan_->rows; ++i) {
      const auto found = gradients_.find(task_.rows[i]);
      if (found == gradients_.end()) continue;
      for (const auto& [column, gradient] : found->second) {
        if (column == columns_) {
          plan_->time.emplace_back(i, gradient_places_[gradient]);
        } else {
          columns[column].emplace_back(static_cast<std::int32_t>(i), gradient);
        }
      }
    }
    plan_->pattern.size = columns_;
    plan_->pattern.starts.push_back(0);
    for (const auto& column : columns) {
      for (const auto& [row, gradient] : column) {
        plan_->pattern.rows.push_back(row);
        plan_->entries.push_back(gradient_places_[gradient]);
      }
      plan_->pattern.starts.push_back(static_cast<std::int32_t>(plan_->pattern.rows.size()));
    }
  }

  const Shape& shape_;
  TermTapes& tapes_;
  const DerivativeTask& task_;
  std::vector<const EvaluationPart*> parts_;  ///< all, in order
  std::uint32_t columns_;
  Partials partials_;
  std::unique_ptr<JacobianPlan> plan_ = std::make_unique<JacobianPlan>();
  std::unordered_map<At, std::uint32_t> column_at_;
  std::unordered_map<At, Gradient> gradients_;
  std::unordered_set<At> needed_;  ///< of the unknowns of loops
  std::vector<std::unique_ptr<std::vector<At>>> operands_;
  std::vector<std::uint32_t> gradient_places_;
};

/// Pivots of former matrices would leave a trace in the bits, which a run from a checkpoint does not have.
bool factorise_anew(solve::Factorisation& matrix, solve::MatrixKind kind) {
  if (kind != solve::MatrixKind::Sparse) return matrix.factorise();
  return static_cast<solve::SparseMatrix&>(matrix).factorise_anew();
}

/// In a formula x = e the loop's row is x - e: the partial derivatives of e change their sign, and so does the right
/// side.
bool solve_loop(const JacobianPlan::LoopSystem& loop, const double* values, double* gradients,
                solve::Factorisation& matrix, std::vector<double>& x) {
  double* const entries = matrix.clear();
  for (const auto& [entry, place] : loop.matrix) entries[entry] -= values[place];
  for (const std::size_t entry : loop.own) entries[entry] += 1;
  if (!factorise_anew(matrix, loop.kind)) return false;
  for (const JacobianPlan::LoopSystem::Column& column : loop.columns) {
    x.assign(loop.size, 0.0);
    for (const auto& [row, gradient] : column.right) x[row] = gradients[gradient];
    matrix.solve(x.data());
    for (const auto& [row, gradient] : column.unknowns) gradients[gradient] = x[row];
  }
  return true;
}

}  // namespace

const JacobianPlan& jacobian_of(TermTapes& tapes, IslandPlan& island) {
  // Islands of several threads can share the plan; terms belong to all.
  static std::mutex making;
  const std::lock_guard lock(making);
  if (!island.jacobian) {
    const Shape& shape = *island.configuration->shape;
    DerivativeTask task;
    task.parts = {&island.parts};
    for (const std::uint32_t state : island.states) {
      task.columns.push_back(shape.variables[state].value);
      task.rows.push_back(shape.variables[state].derivative);
    }
    island.jacobian = make_derivatives(shape, tapes, *island.configuration, task);
  }
  return *island.jacobian;
}

std::unique_ptr<JacobianPlan> make_derivatives(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                               const DerivativeTask& task) {
  return JacobianMaker(shape, tapes, configuration, task).make();
}

bool evaluate_jacobian(const JacobianPlan& plan, const double* values, std::size_t count, JacobianWork& work,
                       double* entries, double* df_dt) {
  if (work.plan != &plan) {
    work.plan = &plan;
    work.loops.clear();
    for (const JacobianPlan::LoopSystem& loop : plan.loops) {
      work.loops.push_back(solve::make_factorisation(loop.pattern, loop.kind));
    }
  }
  work.values.resize(plan.size + plan.gradient_count);
  double* const present = work.values.data();
  std::copy_n(values, std::min<std::size_t>(count, plan.size), present);
  double* gradients = present + plan.size;
  std::fill_n(gradients, plan.gradient_count, 0.0);
  for (const Batch& batch : plan.partials.batches) run(batch, present);
  for (const JacobianPlan::Step& step : plan.steps) {
    if (step.is_loop) {
      if (!solve_loop(plan.loops[step.begin], present, gradients, *work.loops[step.begin], work.column)) return false;
      continue;
    }
    for (std::uint32_t i = step.begin; i < step.end; ++i) {
      const JacobianPlan::Product& product = plan.products[i];
      gradients[product.to] += present[product.partial] * (product.from == kNone ? 1.0 : gradients[product.from]);
    }
  }
  for (std::size_t i = 0; i < plan.entries.size(); ++i) entries[i] = present[plan.entries[i]];
  std::fill_n(df_dt, plan.rows, 0.0);
  for (const auto& [row, place] : plan.time) df_dt[row] = present[place];
  return true;
}

}  // namespace hyla::engine
