#include "solve/automatic.h"

#include <algorithm>
#include <cmath>

namespace hyla::solve {

namespace {

/// The explicit method is stable up to 3.3 on the negative axis; steps that stability limits settle somewhat below.
constexpr double kStiff = 2.5;
/// Below this the explicit method is stable with some room.
constexpr double kNotStiff = 1.7;
constexpr int kMostSuspicions = 15, kMostObjections = 6, kWatchEvery = 8;
constexpr std::uint16_t kLeastPatience = 15, kMostPatience = 240;

bool has_algebraic(const System& system) {
  const std::uint8_t* algebraic = system.algebraic();
  return algebraic != nullptr && std::any_of(algebraic, algebraic + system.size(), [](auto a) { return a != 0; });
}

}  // namespace

void Automatic::start(System& system, double t, const double* y, const Settings& settings, bool again) {
  if (!again) {
    suspicions_ = objections_ = 0;
    patience_ = kLeastPatience;
    since_watched_ = 0;
  }
  algebraic_ = has_algebraic(system);
  const bool was_stiff = stiff_;
  stiff_ = algebraic_ || (again && (stiff_ != switching_));
  switching_ = false;
  Rk45::start(system, t, y, settings, again && !was_stiff);
  if (stiff_) start_implicit(t, y, settings, again && was_stiff);
}

void Automatic::start_implicit(double t, const double* y, const Settings& settings, bool again) {
  if (implicit_ == nullptr) implicit_ = std::make_unique<Rosenbrock>();
  // The long steps of a stiff method leave more to the interpolant, and a crossing on a slow slope shows it.
  constexpr double kMargin = 0.1;
  Settings margin = settings;
  if (settings.watched) margin.relative_tolerance *= kMargin;
  implicit_->start(system(), t, y, margin, again);
  if (direction_.size() != size()) {
    direction_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) direction_[i] = 1 + 0.1 * std::sin(static_cast<double>(i));
  }
}

StepStatus Automatic::step(double limit) {
  if (switching_) switch_method();
  if (stiff_) return step_implicit(limit);
  const StepStatus status = Rk45::step(limit);
  if (status == StepStatus::Good) watch_explicit_step();
  return status;
}

StepStatus Automatic::step_implicit(double limit) {
  const Work before = implicit_->work();
  const StepStatus status = implicit_->step(limit);
  const Work& after = implicit_->work();
  work_.steps += after.steps - before.steps;
  work_.rejected += after.rejected - before.rejected;
  work_.evaluations += after.evaluations - before.evaluations;
  work_.jacobians += after.jacobians - before.jacobians;
  work_.factorisations += after.factorisations - before.factorisations;
  begin_ = implicit_->begin();
  end_ = implicit_->end();
  if (status == StepStatus::Good && !algebraic_) watch_implicit_step();
  return status;
}

void Automatic::watch_explicit_step() {
  if (suspicions_ == 0 && ++since_watched_ < kWatchEvery) return;
  since_watched_ = 0;
  if (stiffness() > kStiff) {
    objections_ = 0;
    switching_ = ++suspicions_ >= kMostSuspicions;
  } else if (++objections_ >= kMostObjections) {
    suspicions_ = objections_ = 0;
  }
}

void Automatic::watch_implicit_step() {
  radius_ = implicit_->iterate_spectral_radius(direction_.data());
  if (std::isfinite(radius_) && (end_ - begin_) * radius_ < kNotStiff) {
    switching_ = ++suspicions_ >= patience_;
  } else {
    suspicions_ = 0;
  }
}

/// Happens at the begin of a step, because the interpolant of the last one may be read until then.
void Automatic::switch_method() {
  Settings continued = settings();
  switching_ = false;
  suspicions_ = objections_ = 0;
  continued.first_step = next_step();
  if (stiff_) {
    Rk45::start(system(), end_, implicit_->state(), continued, false);
    stiff_ = false;
    patience_ = std::min<std::uint16_t>(static_cast<std::uint16_t>(2 * patience_), kMostPatience);
    ++work_.to_nonstiff;
  } else {
    start_implicit(end_, Rk45::state(), continued, false);
    stiff_ = true;
    ++work_.to_stiff;
  }
}

void Automatic::interpolate(double t, double* y) const {
  if (stiff_) {
    implicit_->interpolate(t, y);
  } else {
    Rk45::interpolate(t, y);
  }
}

void Automatic::interpolate(const double* times, std::size_t count, double* out) const {
  if (stiff_) {
    implicit_->interpolate(times, count, out);
  } else {
    Rk45::interpolate(times, count, out);
  }
}

void Automatic::cut(double t) {
  if (stiff_) {
    implicit_->cut(t);
    end_ = t;
  } else {
    Rk45::cut(t);
  }
}

std::size_t Automatic::worst_variable(double& share) const {
  return stiff_ ? implicit_->worst_variable(share) : Rk45::worst_variable(share);
}

/// What the implicit method has left matters only while it is at work, except for the pivots of its matrix.
bool Automatic::transfer(base::Archive& archive) {
  bool has_implicit = implicit_ != nullptr && (stiff_ || implicit_->has_present_pattern());
  archive(has_implicit, stiff_, direction_, radius_, suspicions_, objections_, patience_, since_watched_, switching_);
  archive.expect(direction_.empty() || direction_.size() == size());
  archive.expect(has_implicit || !stiff_);
  if (has_implicit && !archive.is_writing() && !archive.failed()) {
    const std::vector<double> nothing(size());
    start_implicit(begin_, nothing.data(), settings(), false);
  }
  const bool good = Rk45::transfer(archive);
  return has_implicit && !archive.failed() ? implicit_->transfer(archive) && good : good;
}

}  // namespace hyla::solve
