#include "engine/linearise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/islands.h"
#include "engine/jacobian.h"

namespace hyla::engine {
namespace {

double slot_value(const World& world, const Place& place) {
  const Slot& slot = world.object(place.object).slots[place.slot];
  return place.element == kNone ? slot.real : slot.box->slots()[place.element].real;
}

class Lineariser {
 public:
  Lineariser(Run& run, LinearModel& result, std::string& message) : run_(run), result_(result), message_(message) {
    for (const StartName& name : start_names(run.world)) {
      order_.emplace(name.place, names_.size());
      names_.emplace(name.place, name);
    }
  }

  bool linearise(const std::vector<StartName>& outputs) {
    for (const std::unique_ptr<Cluster>& cluster : run_.world.clusters) {
      if (cluster && !take_states(*cluster)) return false;
    }
    sort_states();
    for (const StartName& probe : run_.world.starts->probes) {
      result_.inputs.push_back({probe, slot_value(run_.world, probe.place), 0, 0});
    }
    for (const StartName& output : outputs) {
      result_.outputs.push_back({output, slot_value(run_.world, output.place), 0, 0});
    }
    if (result_.states.size() > kMostLinearStates) {
      message_ = fmt::format("the model has {} states; matrices of more than {} are not made", result_.states.size(),
                             kMostLinearStates);
      return false;
    }
    const std::size_t states = result_.states.size();
    result_.a.resize(states * states);
    result_.b.resize(states * result_.inputs.size());
    result_.c.resize(result_.outputs.size() * states);
    result_.d.resize(result_.outputs.size() * result_.inputs.size());
    for (const std::unique_ptr<Cluster>& cluster : run_.world.clusters) {
      if (cluster && cluster->configuration != nullptr && !differentiate(*cluster)) return false;
    }
    for (std::size_t i = 0; i < result_.outputs.size(); ++i) set_given_output(i);
    return true;
  }

 private:
  static Place place_of(const Cluster& cluster, const ShapeVariable& variable) {
    return {cluster.objects[variable.object], variable.slot, variable.element};
  }

  struct FoundState {
    std::uint32_t cluster = 0;
    At place = kNowhere;
    LinearQuantity quantity;
  };

  /// What is integrated may itself be a derivative.
  StartName name_of(const Cluster& cluster, std::uint32_t number) const {
    const Shape& shape = shape_of(cluster);
    const ShapeVariable& variable = shape.variables[number];
    if (variable.derivative_of != kNone) {
      StartName inner = name_of(cluster, variable.derivative_of);
      inner.name = "der(" + inner.name + ")";
      return inner;
    }
    const auto found = names_.find(place_of(cluster, variable));
    return found != names_.end() ? found->second : StartName{"?", place_of(cluster, variable), variable.id};
  }

  bool take_states(Cluster& cluster) {
    synchronise(run_, cluster);
    if (run_.over) {
      message_ = "the equations cannot be solved at this point";
      return false;
    }
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      for (std::size_t i = 0; i < island->plan->states.size(); ++i) {
        const StartName name = name_of(cluster, island->plan->states[i]);
        if (island->constraint) {
          message_ = fmt::format("`{}` is kept on a surface at this time, where its equations do not hold", name.name);
          return false;
        }
        const auto [value, derivative] = island->plan->places[i];
        found_.push_back({cluster.number, value, {name, cluster.values[value], cluster.values[derivative], 0}});
      }
    }
    return true;
  }

  /// As they are declared, whatever islands they are in.
  void sort_states() {
    const auto rank = [&](const FoundState& one) {
      const auto known = order_.find(one.quantity.name.place);
      return known == order_.end() ? order_.size() : known->second;
    };
    std::stable_sort(found_.begin(), found_.end(),
                     [&](const FoundState& a, const FoundState& b) { return rank(a) < rank(b); });
    for (const FoundState& one : found_) {
      numbers_[{one.cluster, one.place}] = result_.states.size();
      result_.states.push_back(one.quantity);
    }
  }

  /// The numbers in the result of a cluster's columns and rows: states first.
  struct Numbers {
    std::vector<std::size_t> states, inputs, outputs;
  };

  bool differentiate(Cluster& cluster) {
    const Shape& shape = shape_of(cluster);
    DerivativeTask task;
    Numbers numbers;
    task.parts.push_back(&cluster.configuration->held_parts);
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      task.parts.push_back(&island->plan->parts);
      for (const auto& [value, derivative] : island->plan->places) {
        numbers.states.push_back(numbers_.at({cluster.number, value}));
        task.columns.push_back(value);
        task.rows.push_back(derivative);
      }
    }
    std::unordered_map<Place, At, PlaceHash> at;
    for (const ShapeVariable& variable : shape.variables) {
      if (variable.derivative_of == kNone) at.emplace(place_of(cluster, variable), variable.value);
    }
    for (std::size_t i = 0; i < result_.inputs.size(); ++i) {
      const auto found = at.find(result_.inputs[i].name.place);
      if (found == at.end()) continue;
      numbers.inputs.push_back(i);
      task.columns.push_back(found->second);
    }
    for (std::size_t i = 0; i < result_.outputs.size(); ++i) {
      const auto found = at.find(result_.outputs[i].name.place);
      if (found == at.end()) continue;
      numbers.outputs.push_back(i);
      task.rows.push_back(found->second);
    }
    return fill(cluster, task, numbers);
  }

  bool fill(const Cluster& cluster, const DerivativeTask& task, const Numbers& numbers) {
    const std::unique_ptr<JacobianPlan> plan =
        make_derivatives(shape_of(cluster), *cluster.tapes, *cluster.configuration, task);
    JacobianWork work;
    std::vector<double> entries(plan->pattern.entries()), drift(task.rows.size());
    if (!evaluate_jacobian(*plan, cluster.values.data(), cluster.values.size(), work, entries.data(), drift.data())) {
      message_ = "equations that are solved together do not determine their unknowns at this point";
      return false;
    }
    for (std::size_t i = 0; i < numbers.states.size(); ++i) result_.states[numbers.states[i]].drift = drift[i];
    for (std::size_t column = 0; column < task.columns.size(); ++column) {
      const auto begin = static_cast<std::size_t>(plan->pattern.starts[column]);
      const auto end = static_cast<std::size_t>(plan->pattern.starts[column + 1]);
      for (std::size_t k = begin; k < end; ++k) {
        const double value = entries[k];
        if (!std::isfinite(value)) return not_a_number(numbers, column);
        element(numbers, static_cast<std::size_t>(plan->pattern.rows[k]), column) = value;
      }
    }
    return true;
  }

  double& element(const Numbers& numbers, std::size_t row, std::size_t column) {
    const std::size_t own = numbers.states.size();
    const std::size_t states = result_.states.size();
    const std::size_t inputs = result_.inputs.size();
    const bool is_state = row < own;
    const std::size_t to = is_state ? numbers.states[row] : numbers.outputs[row - own];
    if (column < own) return (is_state ? result_.a : result_.c)[to * states + numbers.states[column]];
    return (is_state ? result_.b : result_.d)[to * inputs + numbers.inputs[column - own]];
  }

  bool not_a_number(const Numbers& numbers, std::size_t column) {
    const std::size_t own = numbers.states.size();
    const std::string& name = column < own ? result_.states[numbers.states[column]].name.name
                                           : result_.inputs[numbers.inputs[column - own]].name.name;
    message_ = fmt::format("the equations have no derivative with respect to `{}` at this point", name);
    return false;
  }

  /// An output that is itself a state or an input; nothing computes it.
  void set_given_output(std::size_t output) {
    const Place& place = result_.outputs[output].name.place;
    for (std::size_t i = 0; i < result_.states.size(); ++i) {
      if (is_same(result_.states[i].name, result_.outputs[output].name)) {
        result_.c[output * result_.states.size() + i] = 1;
      }
    }
    for (std::size_t i = 0; i < result_.inputs.size(); ++i) {
      if (result_.inputs[i].name.place == place) result_.d[output * result_.inputs.size() + i] = 1;
    }
  }

  static bool is_same(const StartName& a, const StartName& b) { return a.place == b.place && a.name == b.name; }

  Run& run_;
  LinearModel& result_;
  std::string& message_;
  std::unordered_map<Place, StartName, PlaceHash> names_;
  std::unordered_map<Place, std::size_t, PlaceHash> order_;  ///< of the declarations
  std::vector<FoundState> found_;
  std::map<std::pair<std::uint32_t, At>, std::size_t> numbers_;  ///< of states in the result, by cluster and place
};

}  // namespace

std::vector<StartName> top_outputs(const World& world) {
  std::vector<StartName> outputs;
  for (const StartName& one : start_names(world)) {
    const bool is_output = world.model.variables[one.variable].kind == model::VariableKind::Output;
    if (is_output && one.place.object == world.objects[0].self) outputs.push_back(one);
  }
  return outputs;
}

bool linearise(Run& run, const std::vector<StartName>& outputs, LinearModel& result, std::string& message) {
  return Lineariser(run, result, message).linearise(outputs);
}

}  // namespace hyla::engine
