#include "engine/hidden_constraints.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "engine/compose.h"
#include "engine/configure.h"
#include "engine/reduce.h"
#include "structure/dependencies.h"

namespace hyla::engine {
namespace {

using code::kNoNode;
using code::Node;
using code::NodeId;
using code::NodeOp;
using model::EquationForm;
using structure::Residue;

/// An equation with the places for which it is to be solved together with others.
struct LeadingEquation {
  std::uint32_t row = 0;
  const ShapeEquation* equation = nullptr;
  std::vector<At> unknowns;
  std::uint32_t times = 0;  ///< so often both are differentiated
};

/// Places whose values do not change while equations hold, with those that are numbers.
struct Known {
  std::unordered_set<At> fixed;
  std::unordered_map<At, double> numbers;

  explicit Known(const Shape& shape) : numbers(shape.constants.begin(), shape.constants.end()) {
    for (const ShapeVariable& variable : shape.variables) {
      if (variable.fixed) fixed.insert(variable.value);
    }
    for (const auto& constant : shape.constants) fixed.insert(constant.first);
  }

  Residue residue_of(At place) const {
    const auto found = numbers.find(place);
    return found == numbers.end() ? Residue::any(place) : Residue::of(found->second);
  }
};

/// What is no sum, product or quotient is something of its own for each of its operands.
Residue residue_of(const Node& node, Residue a, Residue b, Residue c, std::uint64_t own_key) {
  switch (node.op) {
    case NodeOp::Constant:
      if (node.number - node.number == 0) return Residue::of(node.number);
      break;
    case NodeOp::Negate:
      return Residue() - a;
    case NodeOp::Add:
      return a + b;
    case NodeOp::Subtract:
      return a - b;
    case NodeOp::Multiply:
      return a * b;
    case NodeOp::Square:
      return a * a;
    case NodeOp::Divide:
      if (!b.is_zero()) return a / b;
      break;
    case NodeOp::Call:
    case NodeOp::Argument:
      break;
    default:
      own_key = static_cast<std::uint64_t>(node.op);
      for (const Residue inner : {a, b, c}) own_key = Residue::any(own_key ^ inner.value()).value();
      break;
  }
  return Residue::any(own_key);
}

// --- which equations depend on each other ---------------------------------------------------------

class Finder {
 public:
  Finder(const Shape& shape, TermTapes& tapes, const Known& known) : shape_(shape), tapes_(tapes), known_(known) {}

  std::vector<structure::Dependency> find(const std::vector<LeadingEquation>& rows) {
    structure::ResidueMatrix matrix;
    std::unordered_map<At, std::uint32_t> columns;
    for (const LeadingEquation& row : rows) {
      std::map<At, Residue> entries;
      for (const At unknown : row.unknowns) entries.emplace(unknown, Residue());
      fill(*row.equation, matrix.rows.size(), entries);
      std::vector<structure::ResidueMatrix::Entry>& list = matrix.rows.emplace_back();
      for (const auto& [unknown, value] : entries) {
        const auto number = static_cast<std::uint32_t>(columns.size());
        list.push_back({columns.try_emplace(unknown, number).first->second, value});
      }
    }
    matrix.columns = columns.size();
    return structure::dependencies(std::move(matrix));
  }

 private:
  void fill(const ShapeEquation& equation, std::size_t row, std::map<At, Residue>& entries) {
    const LinearForm& form = tapes_.linear(equation.term);
    const bool is_own = equation.form != EquationForm::Implicit;
    const Term& term = tapes_.terms()[equation.term];
    for (const std::uint32_t k : term.graph.operands_of_node(term.value)) {
      const auto entry = entries.find(equation.operands[k]);
      if (entry == entries.end()) continue;
      const std::uint64_t key = std::uint64_t{row + 1} << 32U | k;
      const Residue factor =
          form.factors[k] == kNoNode ? Residue::any(key) : factor_of(form, form.factors[k], equation.operands, key);
      entry->second = is_own ? entry->second - factor : entry->second + factor;
    }
    const auto own = entries.find(own_place(shape_, equation));
    if (is_own && own != entries.end()) own->second = own->second + Residue::of(1);
  }

  Residue factor_of(const LinearForm& form, NodeId factor, const std::vector<At>& operands, std::uint64_t key) {
    if (form.graph[factor].op == NodeOp::Constant) return residue_of(form.graph[factor], {}, {}, {}, key);
    std::vector<NodeId> order = form.graph.reachable(factor);
    values_.resize(std::max<std::size_t>(values_.size(), factor + 1));
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const Node& node = form.graph[*id];
      const auto at = [&](NodeId inner) { return inner == kNoNode ? Residue() : values_[inner]; };
      values_[*id] = node.op == NodeOp::Operand ? known_.residue_of(operands[node.operand])
                                                : residue_of(node, at(node.a), at(node.b), at(node.c), key ^ *id);
    }
    return values_[factor];
  }

  const Shape& shape_;
  TermTapes& tapes_;
  const Known& known_;
  std::vector<Residue> values_;  ///< by node
};

// --- their sums -----------------------------------------------------------------------------------

/// Equations with factors that are made of numbers and parameters, subtracted from each other.
class Sums {
 public:
  Sums(const Shape& shape, TermTapes& tapes, const Known& known) : shape_(shape), tapes_(tapes), known_(known) {}

  /// False: factors of unknowns are others.
  bool add(std::uint32_t number, const LeadingEquation& leading) {
    const ShapeEquation& equation = *leading.equation;
    const LinearForm& form = tapes_.linear(equation.term);
    const bool is_own = equation.form != EquationForm::Implicit;
    const std::set<At> unknowns(leading.unknowns.begin(), leading.unknowns.end());
    Row row;
    row.number = number;
    std::vector<NodeId> places, without;  // operands of the term; the same with zero for the unknowns
    for (const At place : equation.operands) {
      places.push_back(node_of(place));
      without.push_back(unknowns.contains(place) ? graph_.constant(0) : places.back());
    }
    const Term& term = tapes_.terms()[equation.term];
    for (const std::uint32_t k : term.graph.operands_of_node(term.value)) {
      if (!unknowns.contains(equation.operands[k])) continue;
      if (form.factors[k] == kNoNode || !is_fixed(form, form.factors[k], equation.operands)) return false;
      const NodeId factor = graph_.import(form.graph, form.factors[k], places);
      add_to(row.factors, equation.operands[k], is_own ? graph_.make(NodeOp::Negate, factor) : factor);
      if (equation.solvable[k] != 0) row.solvable.insert(equation.operands[k]);
    }
    row.rest = graph_.import(term.graph, term.value, without);
    if (is_own) {
      const At own = own_place(shape_, equation);
      const bool is_unknown = unknowns.contains(own);
      if (is_unknown) add_to(row.factors, own, graph_.constant(1));
      row.rest = graph_.make(NodeOp::Subtract, is_unknown ? graph_.constant(0) : node_of(own), row.rest);
    }
    rows_.push_back(std::move(row));
    return true;
  }

  /// Removes all unknowns but some from rows, as long as others are there to be solved for them; not the one that must
  /// be left.
  void eliminate(std::uint32_t left, const std::set<At>& but) {
    for (;;) {
      Row* best = nullptr;
      At unknown = kNowhere;
      std::size_t size = 0;
      for (Row& row : rows_) {
        if (row.is_done || row.number == left || (best != nullptr && row.factors.size() >= size)) continue;
        const At place = pivot_of(row, but);
        if (place == kNowhere) continue;
        best = &row;
        unknown = place;
        size = row.factors.size();
      }
      if (best == nullptr) return;
      best->is_done = true;
      for (Row& row : rows_) {
        if (!row.is_done && row.factors.contains(unknown)) subtract(row, *best, unknown);
      }
    }
  }

  /// Rows that were changed and contain none of the unknowns but some.
  RestatedEquations changed(const std::vector<LeadingEquation>& rows, const std::set<At>& but) {
    RestatedEquations result;
    for (const Row& row : rows_) {
      const bool has_other = std::any_of(row.factors.begin(), row.factors.end(),
                                         [&](const auto& entry) { return !but.contains(entry.first); });
      if (row.is_done || !row.is_changed || has_other) continue;
      ShapeEquation equation = write(row, *rows[row.number].equation);
      if (says_something(equation)) result.emplace(row.number, std::move(equation));
    }
    return result;
  }

 private:
  struct Row {
    std::uint32_t number = 0;
    std::map<At, NodeId> factors;
    NodeId rest = kNoNode;  ///< without the unknowns
    std::set<At> solvable;  ///< unknowns whose factors are not zero, whatever they look like
    bool is_done = false, is_changed = false;
  };

  NodeId node_of(At place) {
    const auto [entry, is_new] = numbers_.try_emplace(place, static_cast<std::uint32_t>(places_.size()));
    if (is_new) places_.push_back(place);
    return graph_.operand(entry->second);
  }

  bool is_fixed(const LinearForm& form, NodeId factor, const std::vector<At>& operands) const {
    const std::vector<std::uint32_t> reads = form.graph.operands_of_node(factor);
    return std::all_of(reads.begin(), reads.end(), [&](std::uint32_t k) { return known_.fixed.contains(operands[k]); });
  }

  void add_to(std::map<At, NodeId>& factors, At place, NodeId value) {
    const auto [entry, is_new] = factors.try_emplace(place, value);
    if (!is_new) entry->second = graph_.make(NodeOp::Add, entry->second, value);
    if (residue(entry->second).is_zero()) factors.erase(entry);
  }

  Residue residue(NodeId node) const {
    std::unordered_map<NodeId, Residue> values;
    const std::vector<NodeId> order = graph_.reachable(node);
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      const Node& one = graph_[*id];
      const auto at = [&](NodeId inner) { return inner == kNoNode ? Residue() : values[inner]; };
      values[*id] = one.op == NodeOp::Operand ? known_.residue_of(places_[one.operand])
                                              : residue_of(one, at(one.a), at(one.b), at(one.c), ~std::uint64_t{*id});
    }
    return values[node];
  }

  bool is_one(NodeId factor) const { return graph_.is_constant(factor, 1) || graph_.is_constant(factor, -1); }

  /// An unknown by whose factor can be divided, if possible 1.
  At pivot_of(const Row& row, const std::set<At>& but) const {
    At result = kNowhere;
    for (const auto& [place, factor] : row.factors) {
      const bool can_divide = graph_[factor].op == NodeOp::Constant || row.solvable.contains(place);
      if (but.contains(place) || !can_divide) continue;
      if (is_one(factor)) return place;
      if (result == kNowhere) result = place;
    }
    return result;
  }

  void subtract(Row& row, const Row& other, At unknown) {
    const NodeId multiple = graph_.make(NodeOp::Divide, row.factors.at(unknown), other.factors.at(unknown));
    const NodeId negated = graph_.make(NodeOp::Negate, multiple);
    row.factors.erase(unknown);
    for (const auto& [place, factor] : other.factors) {
      if (place == unknown) continue;
      row.solvable.erase(place);
      add_to(row.factors, place, product(negated, factor));
    }
    row.rest = difference(row.rest, multiple, other.rest);
    row.is_changed = true;
  }

  NodeId product(NodeId a, NodeId b) {
    if (graph_.is_constant(a, -1)) return graph_.make(NodeOp::Negate, b);
    return graph_.make(NodeOp::Multiply, a, b);
  }

  /// a - factor * b
  NodeId difference(NodeId a, NodeId factor, NodeId b) {
    if (graph_.is_constant(b, 0)) return a;
    if (graph_.is_constant(factor, -1)) return graph_.make(NodeOp::Add, a, b);
    return graph_.make(NodeOp::Subtract, a, product(factor, b));
  }

  ShapeEquation write(const Row& row, const ShapeEquation& origin) {
    NodeId sum = row.rest;
    for (const auto& [place, factor] : row.factors)
      sum = graph_.make(NodeOp::Add, sum, product(factor, node_of(place)));
    ShapeEquation result;
    std::vector<std::uint32_t> used;
    result.term = tapes_.terms().cut(graph_, sum, {}, used);
    for (const std::uint32_t k : used) result.operands.push_back(places_[k]);
    const LinearForm& form = tapes_.linear(result.term);
    for (const NodeId factor : form.factors) {
      result.solvable.push_back(factor != kNoNode && form.graph[factor].op == NodeOp::Constant ? 1 : 0);
    }
    result.object = origin.object;
    result.activity = origin.activity;
    result.rule = origin.rule;
    result.span = origin.span;
    return result;
  }

  bool says_something(const ShapeEquation& equation) const {
    const Term& term = tapes_.terms()[equation.term];
    const std::vector<std::uint32_t> reads = term.graph.operands_of_node(term.value);
    return std::any_of(reads.begin(), reads.end(), [&](std::uint32_t k) {
      return equation.operands[k] != kTime && !known_.fixed.contains(equation.operands[k]);
    });
  }

  const Shape& shape_;
  TermTapes& tapes_;
  const Known& known_;
  code::Graph graph_;
  std::vector<At> places_;  ///< by operand of the graph
  std::unordered_map<At, std::uint32_t> numbers_;
  std::vector<Row> rows_;
};

/// What is not found at once, because equations take part in several sums, is found the next time.
RestatedEquations restate(const Shape& shape, TermTapes& tapes, const std::vector<LeadingEquation>& rows) {
  RestatedEquations result;
  if (rows.empty()) return result;
  const Known known(shape);
  std::set<std::uint32_t> touched;
  for (const structure::Dependency& dependency : Finder(shape, tapes, known).find(rows)) {
    std::vector<std::uint32_t> members = dependency.others;
    members.push_back(dependency.row);
    if (std::any_of(members.begin(), members.end(), [&](std::uint32_t row) { return touched.contains(row); })) continue;
    Sums sums(shape, tapes, known);
    std::set<At> others;  // unknowns in equations that cannot be subtracted
    std::set<std::uint32_t> times;
    for (const std::uint32_t number : members) {
      if (sums.add(number, rows[number])) {
        times.insert(rows[number].times);
      } else {
        others.insert(rows[number].unknowns.begin(), rows[number].unknowns.end());
      }
    }
    if (times.size() != 1) continue;
    sums.eliminate(dependency.row, others);
    for (auto& [number, equation] : sums.changed(rows, others)) {
      touched.insert(number);
      result.emplace(rows[number].row, std::move(equation));
    }
  }
  return result;
}

}  // namespace

RestatedEquations restate_loops(const Shape& shape, TermTapes& tapes, const OrderedEquations& ordered) {
  std::vector<LeadingEquation> rows;
  std::vector<std::uint32_t> block_of(ordered.unknowns.size(), kNone);
  const structure::Incidence& incidence = ordered.incidence;
  for (std::uint32_t b = 0; b < ordered.blocks.size(); ++b) {
    const structure::Block& block = ordered.blocks[b];
    if (block.equations.size() == 1) continue;
    for (const std::uint32_t column : block.unknowns) block_of[column] = b;
    for (const std::uint32_t row : block.equations) {
      LeadingEquation& one = rows.emplace_back();
      one.row = row;
      one.equation = &shape.equations[ordered.equations[row]];
      for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
        const std::uint32_t column = incidence.columns[k];
        if (block_of[column] == b) one.unknowns.push_back(ordered.unknowns[column]);
      }
    }
  }
  return restate(shape, tapes, rows);
}

namespace {

/// The highest derivatives of equations and unknowns, in their loops.
std::vector<LeadingEquation> leading_equations(const Shape& shape, const SignedEquations& all,
                                               const structure::Offsets& offsets) {
  const structure::Incidence& incidence = all.signature.incidence;
  structure::Incidence leading;
  std::vector<At> places;  // by entry
  leading.unknowns = incidence.unknowns;
  for (std::uint32_t row = 0; row < incidence.equations(); ++row) {
    for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
      if (!structure::is_leading(all.signature, offsets, row, k)) continue;
      const ShapeVariable& variable = shape.variables[all.variables[incidence.columns[k]]];
      leading.columns.push_back(incidence.columns[k]);
      leading.explicit_for.push_back(1);
      places.push_back(all.signature.orders[k] == 0 ? variable.value : variable.derivative);
    }
    leading.starts.push_back(static_cast<std::uint32_t>(leading.columns.size()));
  }
  std::vector<LeadingEquation> result;
  std::vector<std::uint32_t> block_of(leading.unknowns, kNone);
  const std::vector<structure::Block> blocks = structure::untorn_blocks(leading, structure::match(leading));
  for (std::uint32_t b = 0; b < blocks.size(); ++b) {
    if (blocks[b].equations.size() == 1) continue;
    for (const std::uint32_t column : blocks[b].unknowns) block_of[column] = b;
    for (const std::uint32_t row : blocks[b].equations) {
      LeadingEquation& one = result.emplace_back();
      one.row = row;
      one.equation = &equation_of(shape, all, row);
      one.times = offsets.equations[row];
      for (std::uint32_t k = leading.starts[row]; k < leading.starts[row + 1]; ++k) {
        if (block_of[leading.columns[k]] == b) one.unknowns.push_back(places[k]);
      }
    }
  }
  return result;
}

}  // namespace

void restate_reduced(const Shape& shape, TermTapes& tapes, SignedEquations& all, structure::Offsets& offsets) {
  for (;;) {
    RestatedEquations found = restate(shape, tapes, leading_equations(shape, all, offsets));
    if (found.empty()) return;
    SignedEquations next = all;
    for (auto& [row, equation] : found) next.restated.insert_or_assign(row, std::move(equation));
    make_signature(shape, tapes.terms(), next);
    structure::Offsets fewer = structure::offsets(next.signature);
    if (!fewer.exist || fewer.freedom() >= offsets.freedom()) return;
    all = std::move(next);
    offsets = std::move(fewer);
  }
}

}  // namespace hyla::engine
