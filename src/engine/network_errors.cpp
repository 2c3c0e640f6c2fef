#include "engine/network_errors.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "engine/compose.h"
#include "engine/configure.h"

namespace hyla::engine {
namespace {

/// More unknowns are not searched for open ones: that takes their number to the third power.
constexpr std::size_t kMostUnknowns = 400;
/// A pivot so small, after scaling, is rounding.
constexpr double kNothing = 1e-9;
/// What takes part in a change by less than this share stands still.
constexpr double kShare = 1e-6;

/// The equations of some parts, linearised at the present values, with rows and columns scaled to 1.
class Linearised {
 public:
  Linearised(const Cluster& cluster, const std::vector<EvaluationPart>& parts)
      : shape_(shape_of(cluster)), tapes_(*cluster.tapes), values_(cluster.values) {
    for (const EvaluationPart& part : parts) {
      for (const At tear : part.tears) add_unknown(tear);
      for (const EvaluationPart::Step& step : part.steps) add_unknown(step.unknown);
      equations_.insert(equations_.end(), part.residuals.begin(), part.residuals.end());
      for (const EvaluationPart::Step& step : part.steps) equations_.push_back(step.equation);
    }
  }

  /// The unknowns that a direction moves which no equation notices.
  std::vector<At> open() {
    const std::size_t size = unknowns_.size();
    if (size > kMostUnknowns || size != equations_.size()) return {};
    matrix_.assign(size, std::vector<double>(size));
    for (std::size_t i = 0; i < size; ++i) fill(shape_.equations[equations_[i]], matrix_[i]);
    scale();
    const std::size_t rank = eliminate();
    std::vector<At> result;
    if (rank == size) return result;
    std::vector<double> direction(size, 0.0);
    direction[rank] = 1;
    for (std::size_t i = rank; i-- > 0;) {
      for (std::size_t j = i + 1; j <= rank; ++j) direction[i] -= matrix_[i][j] * direction[j];
      direction[i] /= matrix_[i][i];
    }
    double largest = 0;
    for (std::size_t j = 0; j < size; ++j) {
      direction[j] *= scales_[order_[j]];
      largest = std::max(largest, std::abs(direction[j]));
    }
    for (std::size_t j = 0; j < size; ++j) {
      if (std::abs(direction[j]) > kShare * largest) result.push_back(unknowns_[order_[j]]);
    }
    return result;
  }

 private:
  void add_unknown(At place) {
    if (numbers_.try_emplace(place, unknowns_.size()).second) unknowns_.push_back(place);
  }

  double term_at(const ShapeEquation& equation, std::size_t operand, double value) {
    std::vector<double> work;
    std::vector<std::uint32_t> index;
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
      work.push_back(k == operand ? value : values_[equation.operands[k]]);
      index.push_back(static_cast<std::uint32_t>(k));
    }
    work.push_back(0);
    index.push_back(static_cast<std::uint32_t>(equation.operands.size()));
    code::run(tapes_[equation.term], work.data(), index.data(), 1);
    return work.back();
  }

  void fill(const ShapeEquation& equation, std::vector<double>& row) {
    for (std::size_t k = 0; k < equation.operands.size(); ++k) {
      const auto found = numbers_.find(equation.operands[k]);
      if (found == numbers_.end()) continue;
      const double value = values_[equation.operands[k]], step = 1e-3 * std::max(1.0, std::abs(value));
      row[found->second] += (term_at(equation, k, value + step) - term_at(equation, k, value - step)) / (2 * step);
    }
    const auto own = numbers_.find(own_place(shape_, equation));
    if (own != numbers_.end()) row[own->second] -= 1;
  }

  void scale() {
    scales_.assign(unknowns_.size(), 1.0);
    const auto largest = [](const auto& values) {
      double result = 0;
      for (const double value : values) result = std::max(result, std::abs(value));
      return result > 0 && std::isfinite(result) ? result : 1.0;
    };
    for (std::size_t j = 0; j < unknowns_.size(); ++j) {
      std::vector<double> column;
      for (const std::vector<double>& row : matrix_) column.push_back(row[j]);
      scales_[j] = 1 / largest(column);
      for (std::vector<double>& row : matrix_) row[j] *= scales_[j];
    }
    for (std::vector<double>& row : matrix_) {
      const double most = largest(row);
      for (double& value : row) value /= most;
    }
  }

  /// With exchanges of rows and columns; gives the rank.
  std::size_t eliminate() {
    const std::size_t size = unknowns_.size();
    for (std::size_t j = 0; j < size; ++j) order_.push_back(j);
    for (std::size_t k = 0; k < size; ++k) {
      std::size_t row = k, column = k;
      for (std::size_t i = k; i < size; ++i) {
        for (std::size_t j = k; j < size; ++j) {
          if (std::abs(matrix_[i][j]) > std::abs(matrix_[row][column])) row = i, column = j;
        }
      }
      if (!(std::abs(matrix_[row][column]) > kNothing)) return k;
      std::swap(matrix_[k], matrix_[row]);
      std::swap(order_[k], order_[column]);
      for (std::vector<double>& each : matrix_) std::swap(each[k], each[column]);
      for (std::size_t i = k + 1; i < size; ++i) {
        const double factor = matrix_[i][k] / matrix_[k][k];
        if (factor == 0) continue;
        for (std::size_t j = k; j < size; ++j) matrix_[i][j] -= factor * matrix_[k][j];
      }
    }
    return size;
  }

  const Shape& shape_;
  TermTapes& tapes_;
  const std::vector<double>& values_;
  std::vector<At> unknowns_;
  std::unordered_map<At, std::size_t> numbers_;
  std::vector<std::uint32_t> equations_;
  std::vector<std::vector<double>> matrix_;
  std::vector<double> scales_;
  std::vector<std::size_t> order_;  ///< of the columns
};

}  // namespace

std::string text_of(PlugRule rule) {
  switch (rule) {
    case PlugRule::None:
      break;
    case PlugRule::Potentials:
      return "the potentials are equal";
    case PlugRule::Flows:
      return "the flows sum to zero";
    case PlugRule::Open:
      return "joined to nothing: no flow";
  }
  return "";
}

bool is_idle(const Cluster& cluster, const Misfit& misfit) {
  std::set<At> inside;
  for (const std::uint32_t variable : misfit.variables) inside.insert(shape_of(cluster).variables[variable].value);
  return std::all_of(misfit.equations.begin(), misfit.equations.end(), [&](std::uint32_t number) {
    const ShapeEquation& equation = shape_of(cluster).equations[number];
    if (!std::all_of(equation.operands.begin(), equation.operands.end(), [&](At at) { return inside.contains(at); })) {
      return false;
    }
    std::vector<double> work(equation.operands.size() + 1, 0.0);
    std::vector<std::uint32_t> index;
    for (std::uint32_t k = 0; k < work.size(); ++k) index.push_back(k);
    code::run((*cluster.tapes)[equation.term], work.data(), index.data(), 1);
    return work.back() == 0;
  });
}

std::vector<std::uint32_t> open_variables(const Cluster& cluster) {
  std::vector<EvaluationPart> parts = cluster.configuration->held_parts;
  for (const IslandPlan& island : cluster.configuration->islands) {
    parts.insert(parts.end(), island.parts.begin(), island.parts.end());
  }
  const std::vector<At> open = Linearised(cluster, parts).open();
  std::vector<std::uint32_t> result;
  for (std::uint32_t i = 0; i < shape_of(cluster).variables.size(); ++i) {
    const ShapeVariable& variable = shape_of(cluster).variables[i];
    const auto is_it = [&](At at) { return at == variable.value || at == variable.derivative; };
    if (std::any_of(open.begin(), open.end(), is_it)) result.push_back(i);
  }
  return result;
}

std::string open_hint(const World& world, const Cluster& cluster, const std::vector<std::uint32_t>& variables) {
  const model::Model& model = world.model;
  bool potentials = false, flows = false;
  for (const std::uint32_t number : variables) {
    const model::VariableId id = shape_of(cluster).variables[number].id;
    if (!id || !model.variables[id].plug) continue;
    const model::Plug& plug = model.plugs[model.variables[id].plug];
    const auto field = std::find(plug.variables.begin(), plug.variables.end(), id) - plug.variables.begin();
    const bool flow = model.connectors[plug.connector].fields[static_cast<std::size_t>(field)].is_flow;
    (flow ? flows : potentials) = true;
  }
  if (potentials && !flows) {
    return "no part says where these potentials lie: join one of the plugs to a part that does, such as a ground";
  }
  if (flows && !potentials) {
    return "the flow can go round a circle of parts that do not resist it: put a resistance into the circle, or leave "
           "a part\nout";
  }
  return "";
}

std::string surplus_hint(const Cluster& cluster, const std::vector<std::uint32_t>& equations) {
  const auto has = [&](PlugRule rule) {
    return std::any_of(equations.begin(), equations.end(),
                       [&](std::uint32_t number) { return shape_of(cluster).equations[number].rule == rule; });
  };
  if (has(PlugRule::Potentials)) {
    return "parts that give the same potential are joined side by side: leave one out, or put a resistance between "
           "them";
  }
  if (has(PlugRule::Flows) || has(PlugRule::Open)) {
    return "parts that give the same flow are joined in a row: leave one out, or join something beside them that "
           "takes\n"
           "the difference";
  }
  return "leave one of them out, or one of the values in them open";
}

}  // namespace hyla::engine
