#include "engine/impulse.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/configure.h"
#include "engine/reduce.h"
#include "engine/run_trouble.h"
#include "engine/watch.h"
#include "solve/elimination.h"

namespace hyla::engine {

/// The equations of a reduction at their highest orders, which are linear in what jumps or has an impulse.
struct ImpulsePlan {
  struct Entry {
    std::uint32_t row = 0, column = 0;
    At value = kNowhere;
    std::vector<std::uint32_t> reads;  ///< columns whose unknown it depends on, at the highest order or one below
  };
  std::vector<Entry> entries;
  std::vector<At> residuals;         ///< by row: of the equation one order below; kNowhere if it is not differentiated
  std::vector<std::uint32_t> alone;  ///< by row: column of an unknown that only this row and others like it give
  code::Code code;
  std::vector<std::pair<At, double>> constants;
  At size = 0;
};

namespace {

using code::NodeId;
using code::NodeOp;
using model::EquationForm;

/// What is so much smaller than its parts is nothing.
constexpr double kNothing = 1e-9;

class PlanMaker {
 public:
  PlanMaker(const Reduction& reduction, const Terms& terms)
      : reduction_(reduction), terms_(terms), result_(std::make_shared<ImpulsePlan>()) {
    result_->size = reduction.shape.size;
    const std::vector<HighestUnknown>& unknowns = reduction.highest_unknowns;
    for (std::uint32_t column = 0; column < unknowns.size(); ++column) {
      columns_at_[unknowns[column].place] = column;
      if (unknowns[column].below != kNowhere) below_at_[unknowns[column].below] = column;
    }
  }

  std::shared_ptr<ImpulsePlan> make() {
    for (const HighestEquation& highest : reduction_.highest_equations) add_row(highest);
    find_alone();
    code::Binder binder(result_->size);
    const auto inputs = static_cast<std::uint32_t>(inputs_.size());
    binder.append(code::record_tape(graph_, outputs_, inputs), inputs_, places_);
    result_->size = std::max(result_->size, binder.size());
    result_->constants = binder.constants();
    result_->code = binder.finish();
    return std::move(result_);
  }

 private:
  NodeId node_of(At place) {
    const auto [entry, added] = numbers_.try_emplace(place, static_cast<std::uint32_t>(inputs_.size()));
    if (added) inputs_.push_back(place);
    return graph_.operand(entry->second);
  }

  /// An equation as a difference that is zero.
  NodeId difference(const ShapeEquation& equation) {
    std::vector<NodeId> operands;
    for (const At place : equation.operands) operands.push_back(node_of(place));
    const Term& term = terms_[equation.term];
    const NodeId right = graph_.import(term.graph, term.value, operands);
    if (equation.form == EquationForm::Implicit) return right;
    const ShapeVariable& subject = reduction_.shape.variables[equation.subject];
    const NodeId left = node_of(equation.form == EquationForm::Formula ? subject.value : subject.derivative);
    return graph_.make(NodeOp::Subtract, left, right);
  }

  At add_output(NodeId node) {
    outputs_.push_back(node);
    places_.push_back(result_->size);
    return result_->size++;
  }

  void add_row(const HighestEquation& highest) {
    const auto row = static_cast<std::uint32_t>(result_->residuals.size());
    const NodeId value = difference(reduction_.shape.equations[highest.equation]);
    for (const std::uint32_t input : graph_.operands_of_node(value)) {
      const auto column = columns_at_.find(inputs_[input]);
      if (column == columns_at_.end()) continue;
      const NodeId partial = graph_.derivative(value, input);
      if (graph_.is_constant(partial, 0)) continue;
      ImpulsePlan::Entry entry;
      entry.row = row;
      entry.column = column->second;
      for (const std::uint32_t read : graph_.operands_of_node(partial)) {
        if (const auto at = columns_at_.find(inputs_[read]); at != columns_at_.end()) entry.reads.push_back(at->second);
        if (const auto at = below_at_.find(inputs_[read]); at != below_at_.end()) entry.reads.push_back(at->second);
      }
      entry.value = add_output(partial);
      result_->entries.push_back(std::move(entry));
    }
    At residual = kNowhere;
    if (highest.below != kNone) residual = add_output(difference(reduction_.shape.equations[highest.below]));
    result_->residuals.push_back(residual);
  }

  /// An unknown of one row gives nothing but itself; without that row there may be others.
  void find_alone() {
    const std::size_t rows = result_->residuals.size();
    result_->alone.assign(rows, kNone);
    std::vector<std::uint32_t> uses(reduction_.highest_unknowns.size(), 0);
    for (const ImpulsePlan::Entry& entry : result_->entries) ++uses[entry.column];
    for (bool again = true; again;) {
      again = false;
      for (const ImpulsePlan::Entry& entry : result_->entries) {
        const bool is_bounded = reduction_.highest_unknowns[entry.column].below != kNowhere;
        if (is_bounded || uses[entry.column] != 1 || result_->alone[entry.row] != kNone) continue;
        result_->alone[entry.row] = entry.column;
        for (const ImpulsePlan::Entry& other : result_->entries) {
          if (other.row == entry.row) --uses[other.column];
        }
        again = true;
      }
    }
  }

  const Reduction& reduction_;
  const Terms& terms_;
  std::shared_ptr<ImpulsePlan> result_;
  code::Graph graph_;
  std::vector<At> inputs_, places_;
  std::vector<NodeId> outputs_;
  std::unordered_map<At, std::uint32_t> numbers_;                ///< of inputs
  std::unordered_map<At, std::uint32_t> columns_at_, below_at_;  ///< columns by place
};

const ImpulsePlan& plan_of(const Cluster& cluster) {
  Reduction& reduction = *cluster.configuration->reduction;
  if (!reduction.impulses) reduction.impulses = PlanMaker(reduction, cluster.tapes->terms()).make();
  return *reduction.impulses;
}

/// Factors and residuals from the values of the cluster's places.
void evaluate(const ImpulsePlan& plan, std::vector<double>& values) {
  values.resize(plan.size);
  for (const auto& [place, number] : plan.constants) values[place] = number;
  code::run(plan.code, values.data());
}

/// Rows and columns are multiplied by powers of two until their smallest and largest entries lie about one:
/// capacitances are small, and what is near zero should be so for no other reason than that it is.
class Balancing {
 public:
  using Rows = std::vector<solve::Elimination::Row>;

  /// Entries from `columns` on belong to the right side.
  Balancing(Rows& rows, std::size_t columns) : columns_(columns, 1.0) {
    constexpr int kPasses = 20;
    for (int pass = 0; pass < kPasses; ++pass) {
      std::vector<Range> by_column(columns);
      for (solve::Elimination::Row& row : rows) {
        Range own;
        for (const auto& entry : row) {
          if (entry.column < columns) own.add(entry.value);
        }
        for (auto& entry : row) {
          entry.value *= own.factor();
          if (entry.column < columns) by_column[entry.column].add(entry.value);
        }
      }
      for (std::size_t i = 0; i < columns; ++i) columns_[i] *= by_column[i].factor();
      for (solve::Elimination::Row& row : rows) {
        for (auto& entry : row) entry.value *= entry.column < columns ? by_column[entry.column].factor() : 1;
      }
    }
  }
  double column(std::size_t number) const { return columns_[number]; }

 private:
  struct Range {
    double least = 0, most = 0;
    void add(double value) {
      const double size = std::abs(value);
      least = most == 0 ? size : std::min(least, size);
      most = std::max(most, size);
    }
    double factor() const {
      const double middle = std::sqrt(least) * std::sqrt(most);
      return middle > 0 && std::isfinite(middle) ? std::exp2(-std::round(std::log2(middle))) : 1;
    }
  };

  std::vector<double> columns_;
};

/// Finds the jumps and impulses of all unknowns: factors of balances are those before, constraints are iterated on.
class JumpFinder {
 public:
  JumpFinder(const Run& run, const Cluster& cluster, const std::vector<double>& before)
      : run_(run),
        cluster_(cluster),
        reduction_(*cluster.configuration->reduction),
        plan_(plan_of(cluster)),
        values_(cluster.values),
        moves_(reduction_.highest_unknowns.size(), 0),
        kept_rows_(plan_.residuals.size(), 1),
        kept_columns_(moves_.size(), 1) {
    values_.resize(plan_.size);
    for (const HighestUnknown& unknown : reduction_.highest_unknowns) {
      if (unknown.is_first) values_[unknown.below] = before[unknown.below];
    }
  }

  Jump find(bool as_if_none) {
    if ((!as_if_none && !drop_assigned()) || !iterate()) return std::move(jump_);
    look_at_factors();
    if (!jump_.trouble.empty()) return std::move(jump_);
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const HighestUnknown& unknown = reduction_.highest_unknowns[i];
      if (moves_[i] == 0 || is_unknown_[i] != 0) continue;
      jump_.impulses.emplace_back(unknown.place, moves_[i]);
    }
    for (const HighestUnknown& unknown : reduction_.highest_unknowns) {
      if (unknown.below == kNowhere) continue;
      jump_.values.emplace_back(unknown.below, values_[unknown.below]);
      if (unknown.state != unknown.below) jump_.values.emplace_back(unknown.state, values_[unknown.below]);
    }
    return std::move(jump_);
  }

 private:
  std::string name_at(std::uint32_t column) const {
    return fmt::format("`{}`", name_of(run_, cluster_, reduction_.highest_unknowns[column].variable));
  }

  /// An assigned variable does not move, and somebody has done what was needed for that: its equation is none any more.
  bool drop_assigned() {
    for (std::uint32_t column = 0; column < moves_.size(); ++column) {
      const HighestUnknown& unknown = reduction_.highest_unknowns[column];
      if (!unknown.is_first || cluster_.claims[unknown.variable] != Claim::Assigned) continue;
      std::vector<std::uint32_t> own;
      for (const ImpulsePlan::Entry& entry : plan_.entries) {
        if (entry.column == column && plan_.residuals[entry.row] == kNowhere) own.push_back(entry.row);
      }
      if (own.empty()) continue;
      if (own.size() > 1 || kept_rows_[own[0]] == 0) {
        jump_.trouble = fmt::format("{} was assigned, and its derivative is in several equations", name_at(column));
        return false;
      }
      kept_rows_[own[0]] = 0;
      kept_columns_[column] = 0;
    }
    return true;
  }

  bool iterate() {
    constexpr int kMost = 50;
    constexpr double kClose = 1e-12;
    evaluate(plan_, values_);
    for (const ImpulsePlan::Entry& entry : plan_.entries) factors_.push_back(values_[entry.value]);
    for (int turn = 0; turn < kMost; ++turn) {
      if (!solve()) return false;
      double worst = 0;
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        const HighestUnknown& unknown = reduction_.highest_unknowns[i];
        moves_[i] += step_[i];
        if (unknown.below == kNowhere) continue;
        double& value = values_[unknown.below];
        value += step_[i];
        worst = std::max(worst, std::abs(step_[i]) / (std::abs(value) + std::abs(moves_[i]) + 1));
      }
      if (!std::isfinite(worst)) break;
      if (worst < kClose) return true;
      evaluate(plan_, values_);
    }
    jump_.trouble = "no values were found that satisfy the equations and conserve what is to be conserved";
    return false;
  }

  /// A step of Newton's method; `step_` by column.
  bool solve() {
    const auto count = static_cast<std::uint32_t>(moves_.size());
    Balancing::Rows rows(plan_.residuals.size());
    std::vector<double> right(rows.size(), 0);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (plan_.residuals[row] != kNowhere) right[row] = values_[plan_.residuals[row]];
    }
    for (std::size_t k = 0; k < plan_.entries.size(); ++k) {
      const ImpulsePlan::Entry& entry = plan_.entries[k];
      const bool is_balance = plan_.residuals[entry.row] == kNowhere;
      const double factor = is_balance ? factors_[k] : values_[entry.value];
      if (is_balance) right[entry.row] += factor * moves_[entry.column];
      if (kept_columns_[entry.column] != 0 && factor != 0) rows[entry.row].push_back({entry.column, factor});
    }
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (right[row] != 0) rows[row].push_back({count, right[row]});
    }
    Balancing::Rows kept;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      if (kept_rows_[row] != 0) kept.push_back(std::move(rows[row]));
    }
    return eliminate(std::move(kept), count);
  }

  bool eliminate(Balancing::Rows rows, std::uint32_t count) {
    const Balancing balancing(rows, count);
    double unit = 0;
    for (const solve::Elimination::Row& row : rows) {
      for (const auto& entry : row) unit = std::max(unit, entry.column == count ? std::abs(entry.value) : 0);
    }
    step_.assign(count, 0);
    if (unit == 0) return true;
    for (solve::Elimination::Row& row : rows) {
      for (auto& entry : row) entry.value /= entry.column == count ? unit : 1;
    }
    std::vector<std::uint8_t> allowed(count + 1, 1);
    allowed[count] = 0;
    solve::Elimination elimination(std::move(rows), std::vector<double>(count + 1, 1.0));
    if (!elimination.take(allowed)) {
      const bool is_free =
          std::all_of(kept_rows_.begin(), kept_rows_.end(), [](std::uint8_t kept) { return kept != 0; });
      jump_.trouble = is_free ? "what is conserved does not determine how" : "what was assigned or given is kept";
      return false;
    }
    for (std::size_t row = 0; row < elimination.rows(); ++row) {
      const std::uint32_t column = elimination.column_of(row);
      for (const auto& entry : elimination.row(row)) {
        if (entry.column == count) step_[column] = -entry.value * unit * balancing.column(column);
      }
    }
    return true;
  }

  /// Factors of what moves must not move themselves, unless nothing else follows from their equation.
  void look_at_factors() {
    is_unknown_.assign(moves_.size(), 0);
    for (std::uint32_t k = 0; k < plan_.entries.size(); ++k) {
      const ImpulsePlan::Entry& entry = plan_.entries[k];
      const bool is_balance = plan_.residuals[entry.row] == kNowhere && kept_rows_[entry.row] != 0;
      if (!is_balance || moves_[entry.column] == 0) continue;
      const std::uint32_t alone = plan_.alone[entry.row];
      if (alone == kNone) jump_.factors.emplace_back(k, factors_[k]);
      const auto moving = std::find_if(entry.reads.begin(), entry.reads.end(),
                                       [&](std::uint32_t column) { return moves_[column] != 0; });
      if (moving == entry.reads.end()) continue;
      if (alone != kNone) {
        is_unknown_[alone] = 1;
        continue;
      }
      jump_.trouble = fmt::format("the factor of {} in an equation depends on {}, which would jump too",
                                  name_at(entry.column), name_at(*moving));
    }
    for (bool again = true; again;) {
      again = false;
      for (const ImpulsePlan::Entry& entry : plan_.entries) {
        const std::uint32_t alone = plan_.alone[entry.row];
        if (alone == kNone || is_unknown_[entry.column] == 0 || is_unknown_[alone] != 0) continue;
        is_unknown_[alone] = 1;
        again = true;
      }
    }
  }

  const Run& run_;
  const Cluster& cluster_;
  const Reduction& reduction_;
  const ImpulsePlan& plan_;
  std::vector<double> values_;
  std::vector<double> factors_;  ///< by entry of the plan, before the jump
  std::vector<double> moves_;    ///< by column: jump or impulse
  std::vector<double> step_;
  std::vector<std::uint8_t> kept_rows_, kept_columns_;
  std::vector<std::uint8_t> is_unknown_;  ///< by column: its impulse depends on the way that the jump takes
  Jump jump_;
};

/// 1 or -1 if the function of a relation has an impulse, with its sign; else 0.
int impulse_of(const Cluster& cluster, const ShapeMode& mode, const std::unordered_map<At, double>& impulses) {
  const std::vector<At>& operands = cluster.shape->conditions[mode.condition].operands;
  const Term& term = cluster.tapes->terms()[mode.term];
  code::Graph graph = term.graph;
  std::vector<NodeId> partials;
  std::vector<double> factors;
  for (const std::uint32_t operand : term.graph.operands_of_node(mode.g)) {
    const auto found = impulses.find(operands[operand]);
    if (found == impulses.end()) continue;
    partials.push_back(graph.derivative(mode.g, operand));
    factors.push_back(found->second);
  }
  if (partials.empty()) return 0;
  const code::Tape tape = code::record_tape(graph, partials, static_cast<std::uint32_t>(operands.size()));
  std::vector<double> registers(tape.registers, 0.0);
  for (std::size_t k = 0; k < operands.size(); ++k) registers[k] = cluster.values[operands[k]];
  code::load_constants(tape, registers.data(), 1);
  code::run(tape, registers.data(), 1);
  double sum = 0, size = 0;
  for (std::size_t k = 0; k < factors.size(); ++k) {
    const double part = registers[tape.outputs[k]] * factors[k];
    sum += part;
    size += std::abs(part);
  }
  if (!(std::abs(sum) > kNothing * size)) return 0;
  return sum > 0 ? 1 : -1;
}

}  // namespace

Jump find_jump(const Run& run, const Cluster& cluster, const std::vector<double>& before, bool as_if_none) {
  return JumpFinder(run, cluster, before).find(as_if_none);
}

void apply(const Jump& jump, Cluster& cluster) {
  for (const auto& [place, value] : jump.values) {
    if (cluster.values[place] == value) continue;
    cluster.values[place] = value;
    if (place < cluster.changed_places.size()) cluster.changed_places[place] = 1;
  }
}

bool is_unambiguous(const Jump& jump, const Cluster& cluster) {
  constexpr double kSame = 1e-6;
  const ImpulsePlan& plan = plan_of(cluster);
  std::vector<double> values = cluster.values;
  evaluate(plan, values);
  return std::all_of(jump.factors.begin(), jump.factors.end(), [&](const std::pair<std::uint32_t, double>& factor) {
    const double after = values[plan.entries[factor.first].value];
    return std::abs(after - factor.second) <= kSame * (std::abs(after) + std::abs(factor.second));
  });
}

bool raise_by_impulses(Run& run, Cluster& cluster, const Jump& jump) {
  const std::unordered_map<At, double> impulses(jump.impulses.begin(), jump.impulses.end());
  std::vector<std::uint8_t> concerned(cluster.shape->conditions.size(), 0);
  std::vector<std::pair<At, double>> kept;
  for (const GuardPlan::Guard& guard : cluster.guards->guards) {
    const ShapeMode& mode = cluster.shape->modes[guard.mode];
    const bool is_relation = mode.kind == ModeKind::NotNegative || mode.kind == ModeKind::Positive;
    if (mode.condition == kNone || !is_relation) continue;
    const int sign = impulse_of(cluster, mode, impulses);
    if (sign == 0) continue;
    concerned[mode.condition] = 1;
    kept.emplace_back(mode.value, cluster.values[mode.value]);
    cluster.values[mode.value] = sign > 0 ? 1 : 0;
  }
  if (kept.empty()) return false;
  code::run(cluster.guards->truths, cluster.values.data());
  std::vector<std::uint32_t> fired;
  for (const std::uint32_t number : cluster.guards->conditions) {
    if (concerned[number] != 0 && cluster.values[cluster.shape->conditions[number].value] != 0) fired.push_back(number);
  }
  for (const auto& [place, value] : kept) cluster.values[place] = value;
  const std::size_t due = run.next.size();
  for (const std::uint32_t number : fired) {
    const ShapeCondition& condition = cluster.shape->conditions[number];
    Object& object = run.object(cluster.objects[condition.object]);
    if (object.plan->watches[condition.watch].kind != PlanWatch::Kind::When) continue;
    look_at_truth(run, object, condition.watch, true, cluster.since.sequence);
  }
  return run.next.size() > due;
}

}  // namespace hyla::engine
