#include "engine/reduce.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "engine/linear.h"

namespace hyla::engine {
namespace {

using code::kNoNode;
using code::NodeId;
using code::NodeOp;
using model::EquationForm;

class Reducer {
 public:
  Reducer(const Shape& shape, Terms& terms, const SignedEquations& all, const structure::Offsets& offsets)
      : terms_(terms), all_(all), offsets_(offsets), result_(std::make_shared<Reduction>()) {
    Shape& own = result_->shape;
    own.plans = shape.plans;
    own.variables = shape.variables;
    own.equations = shape.equations;
    own.conditions = shape.conditions;
    own.modes = shape.modes;
    own.activities = shape.activities;
    own.opaques = shape.opaques;
    own.constants = shape.constants;
    own.size = shape.size;
    result_->own_equations = static_cast<std::uint32_t>(shape.equations.size());
    for (const ShapeVariable& variable : shape.variables) {
      if (variable.fixed) fixed_.insert(variable.value);
    }
    for (const auto& constant : shape.constants) fixed_.insert(constant.first);
  }

  std::shared_ptr<Reduction> make() {
    std::vector<std::uint8_t> is_differentiated(all_.variables.size());  // as the equations are written
    for (std::size_t k = 0; k < all_.signature.orders.size(); ++k) {
      if (all_.signature.orders[k] != 0) is_differentiated[all_.signature.incidence.columns[k]] = 1;
    }
    for (std::uint32_t u = 0; u < all_.variables.size(); ++u) {
      add_chain(all_.variables[u], offsets_.unknowns[u], is_differentiated[u] == 0);
    }
    for (std::uint32_t e = 0; e < all_.equations.size(); ++e) add_equation(e, offsets_.equations[e]);
    for (const structure::Group& group : structure::constraint_groups(all_.signature, offsets_)) add_group(group);
    return std::move(result_);
  }

 private:
  using Solvable = std::set<At>;  ///< places for which an equation can be solved by dividing

  At new_place() { return result_->shape.size++; }

  std::uint32_t new_equation(ShapeEquation equation) {
    result_->shape.equations.push_back(std::move(equation));
    return static_cast<std::uint32_t>(result_->shape.equations.size() - 1);
  }

  // --- derivatives of variables -------------------------------------------------------------------

  /// Places for a variable and its derivatives, and a candidate for each order but the highest.
  void add_chain(std::uint32_t variable, std::uint32_t orders, bool is_algebraic) {
    const std::uint32_t base = variable;
    first_candidate_.push_back(static_cast<std::uint32_t>(result_->candidates.size()));
    At place = result_->shape.variables[variable].value;
    result_->unknowns.push_back(place);
    HighestUnknown highest;
    highest.variable = base;
    highest.is_first = orders == 1;
    for (std::uint32_t order = 0; order < orders; ++order) {
      Candidate candidate;
      candidate.is_algebraic = is_algebraic && order == 0;
      if (order > 0) {
        candidate.is_derivative = true;
        candidate.own = place;
        const std::uint32_t lower = variable;
        variable = new_variable(base);
        candidate.copying = copy_equation(lower, result_->shape.variables[variable].value);
      }
      candidate.variable = variable;
      ShapeVariable& record = result_->shape.variables[variable];
      if (record.derivative == kNowhere) record.derivative = new_place();
      derivative_of_[place] = record.derivative;
      highest.below = place;
      highest.state = record.value;
      place = record.derivative;
      result_->candidates.push_back(candidate);
      result_->unknowns.push_back(place);
    }
    highest.place = place;
    result_->highest_unknowns.push_back(highest);
  }

  std::uint32_t new_variable(std::uint32_t base) {
    ShapeVariable record = result_->shape.variables[base];
    record.derivative_of = record.derivative_of == kNone ? base : record.derivative_of;
    record.value = new_place();
    record.derivative = kNowhere;
    result_->shape.variables.push_back(record);
    return static_cast<std::uint32_t>(result_->shape.variables.size() - 1);
  }

  /// `der(lower) = value`, for a derivative that is integrated itself.
  std::uint32_t copy_equation(std::uint32_t lower, At value) {
    Term copy;
    copy.value = copy.graph.operand(0);
    copy.operands = 1;
    ShapeEquation equation;
    equation.form = EquationForm::Derivative;
    equation.subject = lower;
    equation.term = terms_.intern(copy);
    equation.operands = {value};
    equation.solvable = {0};
    equation.object = result_->shape.variables[lower].object;
    return new_equation(std::move(equation));
  }

  // --- derivatives of equations -------------------------------------------------------------------

  void add_equation(std::uint32_t row, std::uint32_t times) {
    if (times == 0) {
      const auto restated = all_.restated.find(row);
      const std::uint32_t number =
          restated == all_.restated.end() ? all_.equations[row] : new_equation(restated->second);
      result_->equations.push_back(number);
      result_->highest_equations.push_back({number, kNone});
      return;
    }
    ShapeEquation equation = implicit_form(equation_of(result_->shape, all_, row));
    result_->equations.push_back(new_equation(equation));
    for (std::uint32_t i = 0; i < times; ++i) {
      equation = differentiate(equation);
      result_->equations.push_back(new_equation(equation));
    }
    const std::uint32_t last = result_->equations.back();
    result_->highest_equations.push_back({last, last - 1});
  }

  /// What it says as a difference that is zero, so that it can be solved for either side.
  ShapeEquation implicit_form(const ShapeEquation& equation) {
    const Term& term = terms_[equation.term];
    Solvable solvable;
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
      if (equation.solvable[k] != 0) solvable.insert(equation.operands[k]);
    }
    if (equation.form == EquationForm::Implicit) {
      return with_term(equation, term.graph, term.value, equation.operands, solvable);
    }
    const ShapeVariable& subject = result_->shape.variables[equation.subject];
    code::Graph graph = term.graph;
    std::vector<At> operands = equation.operands;
    const NodeId own = graph.operand(static_cast<std::uint32_t>(operands.size()));
    operands.push_back(equation.form == EquationForm::Formula ? subject.value : subject.derivative);
    solvable.insert(operands.back());
    return with_term(equation, graph, graph.make(NodeOp::Subtract, own, term.value), operands, solvable);
  }

  /// An implicit equation at the same place in the text. Its relations belong to the equation that it comes from.
  ShapeEquation with_term(const ShapeEquation& origin, const code::Graph& graph, NodeId value,
                          const std::vector<At>& operands, const Solvable& solvable) {
    ShapeEquation result;
    std::vector<std::uint32_t> used;
    // One place may be read as two operands.
    code::Graph joined;
    std::vector<NodeId> nodes;
    std::unordered_map<At, NodeId> known;
    for (std::uint32_t k = 0; k < operands.size(); ++k) {
      nodes.push_back(known.try_emplace(operands[k], joined.operand(k)).first->second);
    }
    const NodeId all = joined.import(graph, value, nodes);
    result.term = terms_.cut(joined, all, {}, used);
    for (const std::uint32_t k : used) result.operands.push_back(operands[k]);
    find_solvable(solvable, result);
    result.object = origin.object;
    result.activity = origin.activity;
    result.rule = origin.rule;
    result.span = origin.span;
    return result;
  }

  /// An operand is solved for by dividing if its factor is a number, or is that of an operand of the equation's origin
  /// for which that was so: a factor of parameters, which may not be zero.
  void find_solvable(const Solvable& solvable, ShapeEquation& equation) {
    const LinearForm form = linear_form(terms_[equation.term]);
    equation.solvable.assign(equation.operands.size(), 0);
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
      if (form.factors[k] == kNoNode) continue;
      const std::vector<std::uint32_t> reads = form.graph.operands_of_node(form.factors[k]);
      const bool fixed = std::all_of(reads.begin(), reads.end(), [&](std::uint32_t operand) {
        return fixed_.contains(equation.operands[operand]);
      });
      equation.solvable[k] = reads.empty() || (fixed && solvable.contains(equation.operands[k])) ? 1 : 0;
    }
  }

  /// By the chain rule. What is not among the unknowns is held, and so are relations.
  ShapeEquation differentiate(const ShapeEquation& equation) {
    const Term& term = terms_[equation.term];
    code::Graph graph = term.graph;
    std::vector<At> operands = equation.operands;
    NodeId sum = kNoNode;
    Solvable solvable;
    for (const std::uint32_t k : graph.operands_of_node(term.value)) {
      const At place = equation.operands[k];
      const auto found = derivative_of_.find(place);
      if (found == derivative_of_.end() && place != kTime) continue;
      NodeId part = graph.derivative(term.value, k);
      if (graph.is_constant(part, 0.0)) continue;
      if (place != kTime) {
        const NodeId factor = graph.operand(static_cast<std::uint32_t>(operands.size()));
        operands.push_back(found->second);
        if (equation.solvable[k] != 0) solvable.insert(found->second);
        part = graph.make(NodeOp::Multiply, part, factor);
      }
      sum = sum == kNoNode ? part : graph.make(NodeOp::Add, sum, part);
    }
    if (sum == kNoNode) sum = graph.constant(0);
    return with_term(equation, graph, sum, operands, solvable);
  }

  // --- groups -------------------------------------------------------------------------------------

  /// The partial derivatives of a group's equations, as one graph over places.
  struct PartialGraph {
    code::Graph graph;
    std::vector<At> inputs, places;
    std::vector<NodeId> outputs;
    std::unordered_map<At, std::uint32_t> numbers;  ///< of inputs

    NodeId import(const Term& term, const std::vector<At>& operands) {
      std::vector<NodeId> nodes;
      for (const At place : operands) {
        const auto [entry, added] = numbers.try_emplace(place, static_cast<std::uint32_t>(inputs.size()));
        if (added) inputs.push_back(place);
        nodes.push_back(graph.operand(entry->second));
      }
      return graph.import(term.graph, term.value, nodes);
    }
  };

  void add_group(const structure::Group& group) {
    ConstraintGroup result;
    std::unordered_map<std::uint32_t, std::uint32_t> column_of;
    for (const std::uint32_t u : group.unknowns) {
      column_of[u] = static_cast<std::uint32_t>(result.columns.size());
      result.columns.push_back({first_candidate_[u], offsets_.unknowns[u]});
    }
    PartialGraph partials;
    const structure::Incidence& incidence = all_.signature.incidence;
    for (const std::uint32_t e : group.equations) {
      const auto row = static_cast<std::uint32_t>(result.rows.size());
      result.rows.push_back({all_.equations[e], offsets_.equations[e]});
      const ShapeEquation equation = implicit_form(equation_of(result_->shape, all_, e));
      const NodeId value = partials.import(terms_[equation.term], equation.operands);
      for (std::uint32_t k = incidence.starts[e]; k < incidence.starts[e + 1]; ++k) {
        if (!structure::is_leading(all_.signature, offsets_, e, k)) continue;
        const std::uint32_t u = incidence.columns[k];
        const ShapeVariable& variable = result_->shape.variables[all_.variables[u]];
        const auto input = partials.numbers.find(all_.signature.orders[k] == 0 ? variable.value : variable.derivative);
        if (input == partials.numbers.end()) continue;
        const NodeId partial = partials.graph.derivative(value, input->second);
        result.varies = result.varies || partials.graph[partial].op != NodeOp::Constant;
        result.entries.push_back({row, column_of[u], new_place()});
        partials.outputs.push_back(partial);
        partials.places.push_back(result.entries.back().value);
      }
    }
    bind(result, partials);
    result_->groups.push_back(std::move(result));
  }

  void bind(ConstraintGroup& group, const PartialGraph& partials) {
    const auto inputs = static_cast<std::uint32_t>(partials.inputs.size());
    code::Binder binder(result_->shape.size);
    binder.append(code::record_tape(partials.graph, partials.outputs, inputs), partials.inputs, partials.places);
    result_->shape.size = std::max(result_->shape.size, binder.size());
    group.constants = binder.constants();
    group.partials = binder.finish();
  }

  Terms& terms_;
  const SignedEquations& all_;
  const structure::Offsets& offsets_;
  std::shared_ptr<Reduction> result_;
  std::vector<std::uint32_t> first_candidate_;  ///< by unknown of the signature
  std::unordered_map<At, At> derivative_of_;
  std::set<At> fixed_;  ///< places of parameters, constants and inputs
};

}  // namespace

const ShapeEquation& equation_of(const Shape& shape, const SignedEquations& all, std::uint32_t row) {
  const auto restated = all.restated.find(row);
  return restated == all.restated.end() ? shape.equations[all.equations[row]] : restated->second;
}

void make_signature(const Shape& shape, const Terms& terms, SignedEquations& all) {
  all.signature = {};
  std::vector<std::uint32_t> value_at(shape.size, kNone), derivative_at(shape.size, kNone);  // columns by place
  std::unordered_map<std::uint32_t, std::uint32_t> column_of;
  for (std::uint32_t column = 0; column < all.variables.size(); ++column) {
    const ShapeVariable& variable = shape.variables[all.variables[column]];
    column_of[all.variables[column]] = column;
    value_at[variable.value] = column;
    if (variable.derivative != kNowhere) derivative_at[variable.derivative] = column;
  }
  structure::Incidence& incidence = all.signature.incidence;
  incidence.unknowns = all.variables.size();
  std::vector<std::uint32_t> last(all.variables.size(), kNone);  // entries
  const auto add = [&](std::uint32_t column, std::uint8_t order) {
    if (column == kNone) return;
    if (last[column] == kNone || last[column] < incidence.starts.back()) {
      last[column] = static_cast<std::uint32_t>(incidence.columns.size());
      incidence.columns.push_back(column);
      all.signature.orders.push_back(order);
    }
    std::uint8_t& highest = all.signature.orders[last[column]];
    highest = std::max(highest, order);
  };
  for (std::uint32_t row = 0; row < all.equations.size(); ++row) {
    const ShapeEquation& equation = equation_of(shape, all, row);
    for (const std::uint32_t k : terms[equation.term].graph.operands_of_node(terms[equation.term].value)) {
      add(value_at[equation.operands[k]], 0);
      add(derivative_at[equation.operands[k]], 1);
    }
    if (equation.form != EquationForm::Implicit && column_of.contains(equation.subject)) {
      add(column_of[equation.subject], equation.form == EquationForm::Derivative ? 1 : 0);
    }
    incidence.starts.push_back(static_cast<std::uint32_t>(incidence.columns.size()));
  }
  incidence.explicit_for = all.signature.orders;
}

Misfit too_many(const SignedEquations& all) {
  const structure::Incidence& incidence = all.signature.incidence;
  const structure::Matching matching = structure::match(incidence);
  Misfit result;
  for (std::uint32_t row = 0; row < all.equations.size(); ++row) {
    if (matching.unknown_of_equation[row] != structure::kNothing) continue;
    std::set<std::uint32_t> variables;
    for (const std::uint32_t one : structure::contradicting(incidence, matching, row)) {
      result.equations.push_back(all.equations[one]);
      for (std::uint32_t k = incidence.starts[one]; k < incidence.starts[one + 1]; ++k) {
        variables.insert(all.variables[incidence.columns[k]]);
      }
    }
    result.kind = Misfit::Kind::TooMany;
    result.variables.assign(variables.begin(), variables.end());
    break;
  }
  return result;
}

std::shared_ptr<Reduction> reduce(const Shape& shape, Terms& terms, const SignedEquations& all,
                                  const structure::Offsets& offsets) {
  return Reducer(shape, terms, all, offsets).make();
}

void assign_constraints(Configuration& configuration) {
  const Reduction& reduction = *configuration.reduction;
  for (IslandPlan& island : configuration.islands) {
    const bool has_others = std::any_of(island.equations.begin(), island.equations.end(),
                                        [&](std::uint32_t equation) { return equation >= reduction.own_equations; });
    if (has_others) island.reduced = &reduction.shape;
  }
  for (std::size_t i = 0; i < reduction.candidates.size(); ++i) {
    const Candidate& candidate = reduction.candidates[i];
    const std::uint32_t island = configuration.island_of[candidate.variable];
    if (configuration.demoted[i] == 0 || candidate.is_derivative || island == kNone) continue;
    configuration.islands[island].demoted.push_back(candidate.variable);
  }
  for (std::uint32_t i = 0; i < reduction.groups.size(); ++i) {
    if (!reduction.groups[i].varies) continue;
    for (const ConstraintGroup::Column& column : reduction.groups[i].columns) {
      const std::uint32_t island = configuration.island_of[reduction.candidates[column.first].variable];
      if (island == kNone) continue;
      configuration.islands[island].constraints.push_back(i);
      break;
    }
  }
  for (IslandPlan& island : configuration.islands) {
    if (island.constraints.empty()) continue;
    island.placed = configuration.size++;
    for (const std::uint32_t number : island.demoted) {
      const ShapeVariable& variable = reduction.shape.variables[number];
      if (variable.derivative != kNowhere) island.moving.emplace_back(variable.value, variable.derivative);
    }
  }
}

}  // namespace hyla::engine
