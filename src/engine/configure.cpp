// The steps: which variables are unknowns; which equation gives which (matching); in which order, with which loops
// (blocks); what of it varies between events; who shares what varies (islands); code for all of it.
#include "engine/configure.h"

#include <utility>

#include "engine/equation_system.h"
#include "engine/hidden_constraints.h"
#include "engine/jacobian.h"
#include "engine/reduce.h"
#include "structure/structure.h"

namespace hyla::engine {

const code::Tape& TermTapes::operator[](TermId id) {
  if (tapes_.size() <= id) tapes_.resize(id + 1);
  if (!tapes_[id]) {
    const Term& term = terms_[id];
    tapes_[id] = std::make_unique<code::Tape>(code::record_tape(term.graph, {&term.value, 1}, term.operands));
  }
  return *tapes_[id];
}

const LinearForm& TermTapes::linear(TermId id) {
  if (linear_.size() <= id) linear_.resize(id + 1);
  if (!linear_[id]) linear_[id] = std::make_unique<LinearForm>(linear_form(terms_[id]));
  return *linear_[id];
}

IslandPlan::IslandPlan() = default;
IslandPlan::~IslandPlan() = default;
IslandPlan::IslandPlan(IslandPlan&&) noexcept = default;
Configuration::Configuration() = default;
Configuration::~Configuration() = default;

namespace {

class Configurator {
 public:
  Configurator(const Shape& shape, TermTapes& tapes, const std::vector<std::uint8_t>& active)
      : system_(shape, tapes), result_(std::make_unique<Configuration>()) {
    system_.add_active(active);
  }

  Configurator(const std::shared_ptr<Reduction>& reduction, TermTapes& tapes, const std::vector<std::uint8_t>& demoted)
      : system_(reduction->shape, tapes), result_(std::make_unique<Configuration>()) {
    take_reduction(reduction, demoted);
  }

  /// For a start: `running` is the configuration that follows.
  Configurator(const Shape& shape, const Configuration& running, TermTapes& tapes,
               const std::vector<std::uint8_t>& active, const StartRoles& roles)
      : Configurator(running.reduction ? running.reduction->shape : shape, tapes, active) {
    system_.start = &roles;
    if (!running.reduction) return;
    take_reduction(running.reduction, running.demoted);
    for (std::uint32_t i = 0; i < active.size(); ++i) {
      if (active[i] != 0 && shape.equations[i].use == EquationUse::Initial) system_.equations.push_back(i);
    }
  }

  StartSystem system() {
    return {std::move(system_.equations), std::move(system_.columns), std::move(system_.incidence),
            std::move(system_.matching), std::move(system_.blocks)};
  }

  std::unique_ptr<Configuration> configure(const IslandGroups& united = {}) {
    result_->united = united;
    result_->shape = &system_.shape;
    result_->island_of.assign(system_.shape.variables.size(), kNone);
    result_->size = system_.shape.size;
    if (!find_unknowns(system_, *result_, result_->misfit)) return std::move(result_);
    if (match() && !result_->is_open) {
      system_.blocks = structure::blocks(system_.incidence, system_.matching);
      if (hides_constraints() && reduce()) return std::move(result_);
      make_islands(system_, *result_);
    }
    return std::move(result_);
  }

 private:
  void take_reduction(const std::shared_ptr<Reduction>& reduction, const std::vector<std::uint8_t>& demoted) {
    result_->reduction = reduction;
    result_->demoted = demoted;
    system_.equations = reduction->equations;
  }

  bool match() {
    find_incidence(system_);
    system_.matching = structure::match(system_.incidence);
    const std::size_t matched = system_.matching.size;
    if (matched == system_.equations.size() && matched == system_.columns.size()) return true;
    if (system_.start != nullptr) {
      result_->misfit.kind = Misfit::Kind::TooFew;  // explained by whoever asks
      return false;
    }
    if (reduce()) return true;
    result_->misfit = explain_misfit(system_, all_);
    return false;
  }

  /// Forces of constraints often stand in differential equations only, where they would be held.
  void open_forces() {
    for (std::uint32_t row = 0; row < system_.equations.size(); ++row) {
      const ShapeEquation& equation = system_.equation(row);
      for (const std::uint32_t k : system_.needed_operands(equation)) {
        const std::uint32_t variable = system_.variable_at[equation.operands[k]];
        if (variable == kNone || !system_.shape.variables[variable].open) continue;
        const VariableRole& role = system_.roles[variable];
        if (!role.is_state && !role.is_held) system_.add_column(equation.operands[k]);
      }
    }
  }

  bool hides_constraints() {
    if (system_.start != nullptr || result_->reduction) return false;
    all_.restated = restate_loops(system_.shape, system_.tapes,
                                  {system_.equations, system_.columns, system_.incidence, system_.blocks});
    return !all_.restated.empty();
  }

  /// Equations of higher index are differentiated; false if they do not fit together even so.
  bool reduce() {
    if (system_.columns.size() < system_.equations.size()) open_forces();
    for (std::uint32_t column = 0; column < system_.columns.size(); ++column) {
      all_.variables.push_back(system_.variable_of_column(column));
    }
    all_.equations = system_.equations;
    Terms& terms = system_.tapes.terms();
    make_signature(system_.shape, terms, all_);
    structure::Offsets offsets = structure::offsets(all_.signature);
    if (!offsets.exist || result_->reduction) return false;
    restate_reduced(system_.shape, system_.tapes, all_, offsets);
    result_->reduction = engine::reduce(system_.shape, terms, all_, offsets);
    result_->is_open = true;
    return true;
  }

  EquationSystem system_;
  std::unique_ptr<Configuration> result_;
  SignedEquations all_;  ///< if there is no complete matching
};

}  // namespace

std::unique_ptr<Configuration> configure(const Shape& shape, TermTapes& tapes, const std::vector<std::uint8_t>& active,
                                         const IslandGroups& united) {
  return Configurator(shape, tapes, active).configure(united);
}

std::unique_ptr<Configuration> configure(const std::shared_ptr<Reduction>& reduction, TermTapes& tapes,
                                         const std::vector<std::uint8_t>& demoted, const IslandGroups& united) {
  return Configurator(reduction, tapes, demoted).configure(united);
}

std::unique_ptr<Configuration> configure_start(const Shape& shape, const Configuration& running, TermTapes& tapes,
                                               const std::vector<std::uint8_t>& active, const StartRoles& roles,
                                               StartSystem& system) {
  Configurator configurator(shape, running, tapes, active, roles);
  std::unique_ptr<Configuration> result = configurator.configure();
  system = configurator.system();
  return result;
}

}  // namespace hyla::engine
