// Islands share no trajectory, so each is searched by itself: first as any system of equations, then, where that fails
// because something is not determined, by the shortest steps. Values go into the run as if they were assigned, and the
// run decides on relations and charts; if relations have switched, the search goes on from there. Where the equations
// with the relations as they are lead nowhere, behind a limit or to and fro, the motion is followed (steady_motion.h).
#include "engine/steady.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/intervene.h"
#include "engine/islands.h"
#include "engine/jacobian.h"
#include "engine/ranges.h"
#include "engine/steady_motion.h"
#include "solve/spectrum.h"

namespace hyla::engine {
namespace {

constexpr int kMostRounds = 50;      ///< of switching relations
constexpr int kFewRounds = 8;        ///< after so many the motion is followed
constexpr int kMostSteps = 200;      ///< shortest ones
constexpr double kStepGoal = 1e-11;  ///< of a step, relative to the size of the states
constexpr double kZero = 1e-9;       ///< of a derivative, relative to the terms that it could consist of

/// The derivatives of an island as functions of its states.
class IslandResiduals final : public solve::Residuals {
 public:
  IslandResiduals(Island& island, double time) : island_(island), time_(time) {}

  std::size_t size() const override { return island_.plan->states.size(); }
  solve::Evaluation evaluate(const double* x, double* residuals) override {
    return island_.system.evaluate(time_, x, residuals);
  }
  solve::Evaluation jacobian(const double* x, double* jacobian) override {
    const solve::Pattern& pattern = island_.system.pattern();
    entries_.resize(pattern.entries());
    drift_.resize(size());
    const solve::Evaluation evaluated = island_.system.jacobian(time_, x, entries_.data(), drift_.data());
    std::fill_n(jacobian, size() * size(), 0.0);
    for (std::size_t column = 0; column < size(); ++column) {
      for (auto k = pattern.starts[column]; k < pattern.starts[column + 1]; ++k) {
        const auto row = static_cast<std::size_t>(pattern.rows[static_cast<std::size_t>(k)]);
        jacobian[row * size() + column] = entries_[static_cast<std::size_t>(k)];
      }
    }
    return evaluated;
  }

 private:
  Island& island_;
  double time_;
  std::vector<double> entries_, drift_;
};

/// Searches one island.
class IslandSearch {
 public:
  IslandSearch(Island& island, double time, std::vector<double>& x)
      : island_(island),
        time_(time),
        residuals_(island, time),
        size_(x.size()),
        x_(x),
        f_(size_),
        matrix_(size_ * size_) {
    for (std::size_t i = 0; i < size_; ++i) {
      const double nominal = i < island.plan->nominals.size() ? island.plan->nominals[i] : 1;
      nominals_.push_back(nominal > 0 ? nominal : 1);
    }
  }

  /// `moves`: relations do not come to rest when it is solved for those that hold at present.
  SteadyOutcome::Kind search(bool moves) {
    const std::vector<double> start = x_;
    if (moves && follow_to_rest(island_, time_, nominals_, x_)) return look() ? Kind::Found : Kind::NotFound;
    x_ = start;
    solve::NonlinearSettings settings;
    settings.nominals = nominals_.data();
    solve::NonlinearSolver solver;
    if (solver.solve(residuals_, x_.data(), settings) == solve::Solved::Good) return look() ? judge() : Kind::NotFound;
    x_ = start;
    const Kind kind = shortest_steps();
    if (kind == Kind::Found) return kind;
    std::vector<double> end = start;
    if (!follow_to_rest(island_, time_, nominals_, end)) return kind;
    x_ = end;
    return look() ? Kind::Found : Kind::NotFound;
  }

  /// By state: not zero if the equations leave its value open.
  std::vector<double> open() const { return solve::undetermined(scaled(), size_); }
  /// Derivatives that are not zero; zero for the others.
  const std::vector<double>& remaining() const { return remaining_; }

 private:
  using Kind = SteadyOutcome::Kind;

  double scale(std::size_t i) const { return std::abs(x_[i]) + nominals_[i]; }

  bool look() {
    return residuals_.jacobian(x_.data(), matrix_.data()) == solve::Evaluation::Good &&
           residuals_.evaluate(x_.data(), f_.data()) == solve::Evaluation::Good;
  }

  /// The matrix with columns in units of the states and rows in units of their largest entry.
  std::vector<double> scaled() const {
    std::vector<double> result = matrix_;
    for (std::size_t i = 0; i < size_; ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < size_; ++j) {
        result[i * size_ + j] *= scale(j);
        largest = std::max(largest, std::abs(result[i * size_ + j]));
      }
      for (std::size_t j = 0; largest > 0 && j < size_; ++j) result[i * size_ + j] /= largest;
    }
    return result;
  }

  /// Gauss and Newton with shortest steps, halved while the derivatives grow.
  Kind shortest_steps() {
    if (!look() && !move()) return Kind::NotFound;
    for (int count = 0; count < kMostSteps; ++count) {
      std::vector<double> right(size_), step;
      for (std::size_t i = 0; i < size_; ++i) right[i] = -f_[i] / row_scale(i);
      solve::least_norm(scaled(), size_, right, step);
      const double length =
          *std::max_element(step.begin(), step.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
      if (std::abs(length) < kStepGoal) return judge();
      if (!take(step)) return judge();
    }
    return Kind::NotFound;
  }

  /// Derivatives may have no slope where the search begins, as that of a root at zero.
  bool move() {
    for (double factor = 1e-6; factor < 0.1; factor *= 10) {
      for (std::size_t i = 0; i < size_; ++i) x_[i] += factor * scale(i);
      if (look()) return true;
    }
    return false;
  }

  double row_scale(std::size_t i) const {
    double largest = 0;
    for (std::size_t j = 0; j < size_; ++j) largest = std::max(largest, std::abs(matrix_[i * size_ + j]) * scale(j));
    return largest > 0 ? largest : 1;
  }

  bool take(const std::vector<double>& step) {
    const std::vector<double> before = x_;
    std::vector<double> scales(size_), weights(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      scales[i] = scale(i);
      weights[i] = row_scale(i);
    }
    const auto size_of = [&] {
      double sum = 0;
      for (std::size_t i = 0; i < size_; ++i) sum += f_[i] / weights[i] * f_[i] / weights[i];
      return sum;
    };
    const double sum = size_of();
    for (double factor = 1; factor > 1e-10; factor /= 2) {
      for (std::size_t i = 0; i < size_; ++i) x_[i] = before[i] + factor * scales[i] * step[i];
      if (residuals_.evaluate(x_.data(), f_.data()) == solve::Evaluation::Good && size_of() < sum) return look();
    }
    x_ = before;
    look();
    return false;
  }

  /// A derivative counts as zero against the terms that it could consist of.
  Kind judge() {
    remaining_.assign(size_, 0);
    bool is_zero = true;
    for (std::size_t i = 0; i < size_; ++i) {
      double terms = 0;
      for (std::size_t j = 0; j < size_; ++j) terms += std::abs(matrix_[i * size_ + j]) * scale(j);
      if (std::abs(f_[i]) <= kZero * terms) continue;
      remaining_[i] = f_[i];
      is_zero = false;
    }
    return is_zero ? Kind::Found : Kind::None;
  }

  Island& island_;
  double time_;
  IslandResiduals residuals_;
  std::size_t size_;
  std::vector<double>& x_;
  std::vector<double> f_, matrix_, nominals_, remaining_;
};

class SteadySearch {
 public:
  explicit SteadySearch(RunLoop& loop) : loop_(loop), run_(loop.context()) {
    for (const StartName& name : start_names(run_.world)) names_.emplace(name.place, name);
  }

  SteadyOutcome search() {
    const auto before = active_configuration(run_.world);
    for (int round = 0; round < kMostRounds; ++round) {
      outcome_ = {};
      is_moved_ = false;
      if (!search_clusters(round >= kFewRounds)) return std::move(outcome_);
      if (!is_moved_) {
        note_demoted();
        return std::move(outcome_);
      }
      if (!put()) return std::move(outcome_);
      const auto after = active_configuration(run_.world);
      if (after != before) return left(before, after);
    }
    outcome_.kind = SteadyOutcome::Kind::NotFound;
    return std::move(outcome_);
  }

 private:
  struct Assigned {
    RecordedPlace place;
    double value = 0;
  };

  bool search_clusters(bool moves) {
    assigned_.clear();
    bool good = true;
    for (const std::unique_ptr<Cluster>& cluster : run_.world.clusters) {
      if (!cluster || cluster->configuration == nullptr) continue;
      synchronise(run_, *cluster);
      for (const std::unique_ptr<Island>& island : cluster->islands) {
        if (!island->plan->states.empty()) good = search(*cluster, *island, moves) && good;
      }
    }
    return good;
  }

  bool search(const Cluster& cluster, Island& island, bool moves) {
    std::vector<double> x;
    for (const auto& [value, derivative] : island.plan->places) x.push_back(cluster.values[value]);
    const std::vector<double> before = x, kept = cluster.values;
    IslandSearch search(island, run_.now, x);
    const SteadyOutcome::Kind kind = search.search(moves);
    // What is found is assigned, and only what differs from the values before counts as a change.
    island.cluster.values = kept;
    const std::vector<double> open = search.open();
    for (std::size_t i = 0; i < x.size(); ++i) {
      const StartName name = name_of(cluster, island.plan->states[i]);
      if (open[i] > kOpen) outcome_.open.push_back(name);
      if (kind == SteadyOutcome::Kind::None && search.remaining()[i] != 0) {
        outcome_.remaining.emplace_back(name, search.remaining()[i]);
      }
      if (std::abs(x[i] - before[i]) > kMoved * (std::abs(x[i]) + island.plan->nominals[i])) is_moved_ = true;
      if (shape_of(cluster).variables[island.plan->states[i]].derivative_of != kNone) continue;  // not to be assigned
      assigned_.push_back({{name.place.object, name.place.slot, name.place.element}, x[i]});
    }
    if (kind == SteadyOutcome::Kind::Found) return true;
    if (outcome_.kind == SteadyOutcome::Kind::Found) outcome_.kind = kind;
    return false;
  }

  /// Gives the run the values that were found, and lets it settle.
  bool put() {
    loop_.disturb();
    for (const Assigned& one : assigned_) assign(run_, one.place, Slot(one.value));
    loop_.step(run_.now);
    if (!run_.over && !loop_.has_ended()) return true;
    outcome_.kind = SteadyOutcome::Kind::NotFound;
    return false;
  }

  SteadyOutcome left(const std::vector<std::pair<std::string, std::string>>& before,
                     const std::vector<std::pair<std::string, std::string>>& after) {
    outcome_.kind = SteadyOutcome::Kind::Left;
    for (const auto& [object, states] : before) {
      const auto found = std::find_if(after.begin(), after.end(), [&](const auto& it) { return it.first == object; });
      const std::string now = found == after.end() ? "" : found->second;
      if (now != states) outcome_.left.emplace_back(object + ": " + states, now);
    }
    return std::move(outcome_);
  }

  void note_demoted() {
    for (const std::unique_ptr<Cluster>& cluster : run_.world.clusters) {
      if (!cluster || cluster->configuration == nullptr) continue;
      for (const std::unique_ptr<Island>& island : cluster->islands) {
        for (const std::uint32_t variable : island->plan->demoted) {
          if (shape_of(*cluster).variables[variable].derivative_of != kNone) continue;
          outcome_.demoted.push_back(name_of(*cluster, variable));
        }
      }
    }
  }

  StartName name_of(const Cluster& cluster, std::uint32_t number) const {
    const ShapeVariable& variable = shape_of(cluster).variables[number];
    const std::uint32_t base = variable.derivative_of;
    if (base != kNone) return name_of(cluster, base);
    const Place place = {cluster.objects[variable.object], variable.slot, variable.element};
    const auto found = names_.find(place);
    return found != names_.end() ? found->second : StartName{"?", place, variable.id};
  }

  static constexpr double kOpen = 1e-6;    ///< part of a state in what is left open
  static constexpr double kMoved = 1e-10;  ///< of a state, relative to its size

  RunLoop& loop_;
  Run& run_;
  SteadyOutcome outcome_;
  std::vector<Assigned> assigned_;
  bool is_moved_ = false;
  std::unordered_map<Place, StartName, PlaceHash> names_;
};

}  // namespace

std::vector<std::pair<std::string, std::string>> active_configuration(const World& world) {
  std::vector<std::pair<std::string, std::string>> result;
  for (const Object& object : world.objects) {
    if (!world.exists(object.self)) continue;
    std::string text;
    for (const std::string& state : world.active_states(object.self)) text += (text.empty() ? "" : ", ") + state;
    if (!text.empty()) result.emplace_back(world.path(object.self), text);
  }
  return result;
}

SteadyOutcome find_steady(RunLoop& loop) {
  Run& run = loop.context();
  run.looks_at_ranges = false;  // at what is only tried
  SteadyOutcome outcome = SteadySearch(loop).search();
  run.looks_at_ranges = true;
  for (const std::unique_ptr<Cluster>& cluster : run.world.clusters) {
    if (cluster && cluster->configuration != nullptr && !run.over) look_at_settled(run, *cluster);
  }
  return outcome;
}

}  // namespace hyla::engine
