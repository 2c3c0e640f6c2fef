#include "engine/jacobian.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_map>

#include "engine/compose.h"
#include "engine/configure.h"

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
        first_(configuration.size),
        size_(configuration.size) {
    for (std::uint32_t i = 0; i < columns_; ++i) column_at_[task.columns[i]] = i;
    column_at_[kTime] = columns_;
  }

  std::unique_ptr<JacobianPlan> make() {
    for (const std::vector<EvaluationPart>* parts : task_.parts) {
      for (const EvaluationPart& part : *parts) {
        if (part.is_loop) {
          loop(part);
        } else {
          formula(part.steps[0]);
        }
      }
    }
    compile_partials();
    plan_->size = size_;
    drop_single_products();
    arrange_entries();
    return std::move(plan_);
  }

 private:
  /// A partial derivative that is wanted: of the term of an equation for one of its operands.
  struct Wanted {
    std::uint32_t operand = 0;
    At place = kNowhere;
  };
  struct Rows {
    TermId term = 0;
    std::vector<std::uint32_t> operands;  ///< for which partial derivatives are wanted
    bool operator<(const Rows& other) const {
      return term != other.term ? term < other.term : operands < other.operands;
    }
  };
  struct Row {
    const std::vector<At>* operands = nullptr;
    std::vector<At> places;
  };

  bool depends(At place) const { return column_at_.contains(place) || gradients_.contains(place); }

  /// Places for the partial derivatives of a term with respect to the operands that vary.
  std::vector<Wanted> want(TermId term, const std::vector<At>& operands, const std::unordered_map<At, bool>& also) {
    std::vector<Wanted> result;
    Rows rows;
    rows.term = term;
    Row row;
    row.operands = &operands;
    code::Graph& graph = graph_of(term);
    for (std::uint32_t k = 0; k < operands.size(); ++k) {
      if (!depends(operands[k]) && !also.contains(operands[k])) continue;
      if (graph.is_constant(graph.derivative(tapes_.terms()[term].value, k), 0.0)) continue;
      result.push_back({k, size_});
      rows.operands.push_back(k);
      row.places.push_back(size_++);
    }
    if (!result.empty()) rows_[rows].push_back(std::move(row));
    return result;
  }

  code::Graph& graph_of(TermId term) {
    const auto [entry, added] = graphs_.try_emplace(term);
    if (added) entry->second = tapes_.terms()[term].graph;
    return entry->second;
  }

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
    for (const Wanted& wanted : want(equation.term, *operands_.back(), {})) {
      add_products(gradient, equation.operands[wanted.operand], wanted.place);
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
    std::unordered_map<At, bool> inside;
    std::unordered_map<At, std::uint32_t> number;
    for (std::uint32_t i = 0; i < unknowns.size(); ++i) {
      inside[unknowns[i]] = true;
      number[unknowns[i]] = i;
    }
    JacobianPlan::LoopSystem system;
    system.size = static_cast<std::uint32_t>(unknowns.size());
    std::vector<Gradient> right(unknowns.size());
    const auto begin = static_cast<std::uint32_t>(plan_->products.size());
    for (std::uint32_t i = 0; i < equations.size(); ++i) {
      const auto [term, operands] = row_of(shape_.equations[equations[i]], number);
      for (const Wanted& wanted : want(term, *operands, inside)) {
        const At operand = (*operands)[wanted.operand];
        const auto own = number.find(operand);
        if (own != number.end()) {
          system.matrix.push_back({i * system.size + own->second, wanted.place});
        } else {
          add_products(right[i], operand, wanted.place);
        }
      }
      const auto own = number.find(own_place(shape_, shape_.equations[equations[i]]));
      if (own != number.end()) system.own.push_back(i * system.size + own->second);
    }
    add_step(begin);
    Gradient columns;
    for (const Gradient& gradient : right) {
      for (const auto& entry : gradient) columns[entry.first] = 0;
    }
    system.columns = static_cast<std::uint32_t>(columns.size());
    for (const auto& entry : columns) {
      for (std::uint32_t i = 0; i < system.size; ++i) {
        const auto found = right[i].find(entry.first);
        system.right.push_back(found == right[i].end() ? kNone : found->second);
        const std::uint32_t fresh = new_gradient();
        system.unknowns.push_back(fresh);
        gradients_[unknowns[i]][entry.first] = fresh;
      }
    }
    plan_->steps.push_back({true, static_cast<std::uint32_t>(plan_->loops.size()), 0});
    plan_->loops.push_back(std::move(system));
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

  /// Each partial derivative of a batch gets a row of places, one for each member.
  void compile_partials() {
    std::vector<At> moved(size_ - first_);
    At next = first_;
    for (auto& [rows, members] : rows_) {
      code::Graph& graph = graph_of(rows.term);
      const Term& term = tapes_.terms()[rows.term];
      std::vector<NodeId> outputs;
      for (const std::uint32_t operand : rows.operands) outputs.push_back(graph.derivative(term.value, operand));
      plan_->tapes.push_back(std::make_unique<code::Tape>(code::record_tape(graph, outputs, term.operands)));
      std::vector<At> index;
      const auto count = static_cast<At>(members.size());
      for (At member = 0; member < count; ++member) {
        const Row& row = members[member];
        index.insert(index.end(), row.operands->begin(), row.operands->end());
        for (At k = 0; k < row.places.size(); ++k) {
          moved[row.places[k] - first_] = next + k * count + member;
          index.push_back(next + k * count + member);
        }
      }
      next += count * static_cast<At>(rows.operands.size());
      add_batches(plan_->partials, *plan_->tapes.back(), index);
    }
    for (JacobianPlan::Product& product : plan_->products) product.partial = moved[product.partial - first_];
    for (JacobianPlan::LoopSystem& system : plan_->loops) {
      for (auto& entry : system.matrix) entry.second = moved[entry.second - first_];
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
      for (const std::uint32_t gradient : system.right) {
        if (gradient != kNone) is_needed[gradient] = true;
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
  std::uint32_t columns_;
  At first_;  ///< of the places for partial derivatives
  At size_;
  std::unique_ptr<JacobianPlan> plan_ = std::make_unique<JacobianPlan>();
  std::unordered_map<At, std::uint32_t> column_at_;
  std::unordered_map<At, Gradient> gradients_;
  std::unordered_map<TermId, code::Graph> graphs_;  ///< with derivatives
  std::map<Rows, std::vector<Row>> rows_;
  std::vector<std::unique_ptr<std::vector<At>>> operands_;
  std::vector<std::uint32_t> gradient_places_;
};

/// Solves A X = B in place of B; false if A is singular. Row by row, B column by column.
bool solve_dense(double* matrix, double* right, std::size_t size, std::size_t columns) {
  for (std::size_t k = 0; k < size; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < size; ++i) {
      if (std::abs(matrix[i * size + k]) > std::abs(matrix[pivot * size + k])) pivot = i;
    }
    if (!(std::abs(matrix[pivot * size + k]) > 0)) return false;
    if (pivot != k) {
      for (std::size_t j = 0; j < size; ++j) std::swap(matrix[pivot * size + j], matrix[k * size + j]);
      for (std::size_t c = 0; c < columns; ++c) std::swap(right[c * size + pivot], right[c * size + k]);
    }
    for (std::size_t i = k + 1; i < size; ++i) {
      const double factor = matrix[i * size + k] / matrix[k * size + k];
      if (factor == 0) continue;
      for (std::size_t j = k; j < size; ++j) matrix[i * size + j] -= factor * matrix[k * size + j];
      for (std::size_t c = 0; c < columns; ++c) right[c * size + i] -= factor * right[c * size + k];
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    double* x = right + c * size;
    for (std::size_t i = size; i-- > 0;) {
      for (std::size_t j = i + 1; j < size; ++j) x[i] -= matrix[i * size + j] * x[j];
      x[i] /= matrix[i * size + i];
    }
  }
  return true;
}

/// In a formula x = e the loop's row is x - e: the partial derivatives of e change their sign, and so does the right
/// side.
bool solve_loop(const JacobianPlan::LoopSystem& loop, const double* values, double* gradients, double* matrix) {
  std::fill_n(matrix, std::size_t{loop.size} * loop.size, 0.0);
  double* right = matrix + std::size_t{loop.size} * loop.size;
  for (const auto& [position, place] : loop.matrix) matrix[position] -= values[place];
  for (const std::uint32_t position : loop.own) matrix[position] += 1;
  for (std::size_t i = 0; i < loop.right.size(); ++i)
    right[i] = loop.right[i] == kNone ? 0.0 : gradients[loop.right[i]];
  if (!solve_dense(matrix, right, loop.size, loop.columns)) return false;
  for (std::size_t i = 0; i < loop.unknowns.size(); ++i) gradients[loop.unknowns[i]] = right[i];
  return true;
}

}  // namespace

const JacobianPlan& jacobian_of(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                IslandPlan& island) {
  // Islands of several threads can share the plan; terms belong to all.
  static std::mutex making;
  const std::lock_guard lock(making);
  if (!island.jacobian) {
    DerivativeTask task;
    task.parts = {&island.parts};
    for (const std::uint32_t state : island.states) {
      task.columns.push_back(shape.variables[state].value);
      task.rows.push_back(shape.variables[state].derivative);
    }
    island.jacobian = make_derivatives(shape, tapes, configuration, task);
  }
  return *island.jacobian;
}

std::unique_ptr<JacobianPlan> make_derivatives(const Shape& shape, TermTapes& tapes, const Configuration& configuration,
                                               const DerivativeTask& task) {
  return JacobianMaker(shape, tapes, configuration, task).make();
}

bool evaluate_jacobian(const JacobianPlan& plan, const double* values, std::size_t count, std::vector<double>& work,
                       double* entries, double* df_dt) {
  std::size_t loop_memory = 0;
  for (const JacobianPlan::LoopSystem& loop : plan.loops) {
    loop_memory = std::max<std::size_t>(loop_memory, std::size_t{loop.size} * (loop.size + loop.columns));
  }
  work.resize(plan.size + plan.gradient_count + loop_memory);
  std::copy_n(values, std::min<std::size_t>(count, plan.size), work.data());
  double* gradients = work.data() + plan.size;
  std::fill_n(gradients, plan.gradient_count, 0.0);
  for (const Batch& batch : plan.partials.batches) run(batch, work.data());
  for (const JacobianPlan::Step& step : plan.steps) {
    if (step.is_loop) {
      if (!solve_loop(plan.loops[step.begin], work.data(), gradients, gradients + plan.gradient_count)) return false;
      continue;
    }
    for (std::uint32_t i = step.begin; i < step.end; ++i) {
      const JacobianPlan::Product& product = plan.products[i];
      gradients[product.to] += work[product.partial] * (product.from == kNone ? 1.0 : gradients[product.from]);
    }
  }
  for (std::size_t i = 0; i < plan.entries.size(); ++i) entries[i] = work[plan.entries[i]];
  std::fill_n(df_dt, plan.rows, 0.0);
  for (const auto& [row, place] : plan.time) df_dt[row] = work[place];
  return true;
}

}  // namespace hyla::engine
