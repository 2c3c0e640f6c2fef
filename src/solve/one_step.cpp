#include "solve/one_step.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "solve/weighted_sum.h"

namespace hyla::solve {

namespace {

constexpr double kSafety = 0.9;
constexpr double kLeastGrowth = 0.2, kMostGrowth = 10;
/// A step is stretched by this much if that makes it the last one before the limit.
constexpr double kStretch = 1.05;
/// Steps of a fixed size are stretched only by what rounding of the times may leave over.
constexpr double kRoundingStretch = 1 + 1e-9;
/// After a restart, the old step size is kept while the slope has grown by no more than this.
constexpr double kTrustedChange = 10;
/// The first step of a system at rest, as a part of the way that is left.
constexpr double kAtRest = 1e-3;
constexpr int kMostSingularAttempts = 10;

/// Logarithm to base 2 to five digits: enough for step sizes, and the same on every machine. x is normal and positive.
double rough_log2(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  // The mantissa is taken from [sqrt(1/2), sqrt(2)), where the series of the logarithm converges quickly.
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e00000000;
  const std::int64_t exponent = static_cast<std::int64_t>(bits - kRootHalf) >> 52;
  const auto mantissa = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(exponent) << 52));
  const double z = (mantissa - 1) / (mantissa + 1), z2 = z * z;
  return static_cast<double>(exponent) + z * (2.885390082 + z2 * (0.961796694 + z2 * 0.577078016));
}

/// 2 to the power x, to four digits, for |x| below 1000.
double rough_exp2(double x) {
  const double whole = std::floor(x + 0.5), part = (x - whole) * 0.6931471805599453;
  const double fraction = 1 + part * (1 + part * (0.5 + part * (1.0 / 6 + part * (1.0 / 24))));
  const auto exponent = static_cast<std::uint64_t>(1023 + static_cast<std::int64_t>(whole));
  return fraction * std::bit_cast<double>(exponent << 52);
}

/// Below this a step does not move time reliably.
double smallest_step(double t) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::numeric_limits<double>::min());
}

template <int kDegree>
double polynomial(const double* y, const double* r, std::size_t n, std::size_t i, double s) {
  // From the inside out: the factor of r_{k+1} inside the bracket of r_k is 1-s for odd k, s for even k.
  double sum = r[(kDegree - 1) * n + i];
  for (int k = kDegree - 1; k >= 1; --k) {
    sum = r[static_cast<std::size_t>(k - 1) * n + i] + (k % 2 == 1 ? 1 - s : s) * sum;
  }
  return y[i] + s * sum;
}

}  // namespace

Attempt attempt_of(Evaluation evaluation) {
  switch (evaluation) {
    case Evaluation::Good:
      return Attempt::Made;
    case Evaluation::Undefined:
      return Attempt::Undefined;
    case Evaluation::Failed:
      break;
  }
  return Attempt::Failed;
}

// --- beginning -------------------------------------------------------------------------------------------------------

void OneStep::start(System& system, double t, const double* y, const Settings& settings, bool again) {
  const std::size_t size = system.size();
  const bool resized = size != size_ || memory_ == nullptr;
  const bool guess = again && !resized && proposed_ > 0 && settings.first_step <= 0;
  system_ = &system;
  settings_ = settings;
  speed_ = guess ? speed() : -1;
  if (resized) allocate(size);
  if (!guess) proposed_ = settings.first_step;
  std::copy_n(y, size, y_);
  begin_ = end_ = t;
  step_size_ = 0;
  log_error_ = 0;
  stepped_ = was_cut_ = interpolant_ready_ = false;
  started_ = true;
  begin_system(resized);
}

void OneStep::allocate(std::size_t size) {
  size_ = size;
  exponent_ = error_power() > 0 ? 1.0 / error_power() : 0;
  const std::size_t before = (2 + static_cast<std::size_t>(degree())) * size;
  memory_ = std::make_unique<double[]>(before + vectors() * size);
  y_ = memory_.get();
  y_new_ = y_ + size;
  method_memory_ = y_ + before;
}

void OneStep::advance_to_end() {
  if (!stepped_) return;
  std::swap(y_, y_new_);
  advance(was_cut_);
  begin_ = end_;
  stepped_ = was_cut_ = interpolant_ready_ = false;
}

double OneStep::weight(std::size_t i, double a, double b) const {
  return settings_.absolute_tolerances[i] + settings_.relative_tolerance * std::max(std::fabs(a), std::fabs(b));
}

/// Square of the norm of the last known slope, in units of the tolerances.
double OneStep::speed() const {
  const double* k = slope();
  double sum = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double q = k[i] / weight(i, y_[i], y_[i]);
    sum += q * q;
  }
  return sum;
}

bool OneStep::slope_is_number() const {
  const double* k = slope();
  return std::all_of(k, k + size_, [](double x) { return std::isfinite(x); });
}

StepStatus OneStep::prepare_step(double remaining) {
  Attempt outcome = prepare();
  if (outcome == Attempt::Made && started_ && exponent_ > 0) {
    const bool trusted = proposed_ > 0 && (speed_ < 0 || speed() <= kTrustedChange * kTrustedChange * speed_);
    if (!trusted) outcome = slope_is_number() ? choose_first_step(remaining) : Attempt::Undefined;
  }
  started_ = false;
  if (outcome == Attempt::Made) return StepStatus::Good;
  return outcome == Attempt::Failed ? StepStatus::Failed : StepStatus::Undefined;
}

/// Hairer, Norsett, Wanner I, section II.4: an Euler step that changes the state by a hundredth gives the second
/// derivative; a step of the method's order is then chosen so that its error would be a hundredth of the tolerance.
Attempt OneStep::choose_first_step(double remaining) {
  const double* k = slope();
  const std::uint8_t* algebraic = system_->algebraic();
  double d0 = 0, d1 = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (algebraic != nullptr && algebraic[i] != 0) continue;
    const double w = weight(i, y_[i], y_[i]), a = y_[i] / w, b = k[i] / w;
    d0 += a * a;
    d1 += b * b;
  }
  const double n = static_cast<double>(std::max<std::size_t>(size_, 1));
  d0 = std::sqrt(d0 / n);
  d1 = std::sqrt(d1 / n);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  if (settings_.longest_step > 0) h0 = std::min(h0, settings_.longest_step);
  h0 = std::min(std::max(h0, smallest_step(begin_)), remaining);

  double* f = spare();
  for (std::size_t i = 0; i < size_; ++i) {
    y_new_[i] = y_[i] + (algebraic != nullptr && algebraic[i] != 0 ? 0 : h0 * k[i]);
  }
  ++work_.evaluations;
  const Attempt outcome = attempt_of(system_->evaluate(begin_ + h0, y_new_, f));
  proposed_ = h0;
  if (outcome == Attempt::Failed) return outcome;
  if (outcome != Attempt::Made) return Attempt::Made;  // The attempts will find a size that can be evaluated.

  double d2 = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    if (algebraic != nullptr && algebraic[i] != 0) continue;
    const double q = (f[i] - k[i]) / weight(i, y_[i], y_[i]);
    d2 += q * q;
  }
  const double d = std::max(d1, std::sqrt(d2 / n) / h0);
  if (d <= 1e-15) {
    // At rest nothing tells a size but the way that is left.
    if (std::isfinite(remaining)) proposed_ = std::max(h0, kAtRest * remaining);
    return Attempt::Made;
  }
  const double h1 = std::pow(0.01 / d, exponent_);
  if (std::isfinite(h1)) proposed_ = std::min(100 * h0, h1);
  return Attempt::Made;
}

// --- stepping --------------------------------------------------------------------------------------------------------

StepStatus OneStep::step(double limit) {
  HYLA_CHECK(system_ != nullptr, "start() comes before step()");
  advance_to_end();
  if (!(limit > begin_)) return StepStatus::Good;
  const StepStatus status = prepare_step(limit - begin_);
  return status == StepStatus::Good ? attempt_until_accepted(limit) : status;
}

StepStatus OneStep::attempt_until_accepted(double limit) {
  const double remaining = limit - begin_, smallest = smallest_step(begin_);
  double wanted = std::max(proposed_, smallest);
  if (settings_.longest_step > 0) wanted = std::min(wanted, settings_.longest_step);
  int singular = 0;
  for (bool rejected = false;; rejected = true) {
    double h = fitted(wanted, remaining), t = limit;
    if (h < remaining) {
      t = begin_ + h;
      h = t - begin_;
    }
    const Attempt outcome = attempt(h, t);
    if (outcome == Attempt::Failed) return StepStatus::Failed;
    if (outcome == Attempt::Made && error_ <= 1) {
      accept(h, t, wanted, rejected);
      return StepStatus::Good;
    }
    ++work_.rejected;
    const bool no_number = outcome == Attempt::Made && std::isnan(error_);
    if (no_number && !slope_is_number()) return StepStatus::Undefined;
    wanted = h * (outcome == Attempt::Made && !no_number ? growth(true) : 0.25);
    proposed_ = wanted;
    const bool hopeless = outcome == Attempt::SingularMatrix && ++singular == kMostSingularAttempts;
    if (!(wanted >= smallest) || hopeless) {
      return outcome == Attempt::SingularMatrix ? StepStatus::SingularMatrix : StepStatus::StepTooSmall;
    }
  }
}

/// The size of a step that ends at the limit if that is near, and leaves no tiny step before it otherwise.
double OneStep::fitted(double wanted, double remaining) const {
  if (exponent_ == 0) return remaining <= kRoundingStretch * wanted ? remaining : wanted;
  double longest = kStretch * wanted;
  if (settings_.longest_step > 0) longest = std::min(longest, settings_.longest_step);
  if (remaining <= longest) return remaining;
  return remaining < 2 * wanted ? remaining / 2 : wanted;
}

/// By what factor the step size changes after an attempt with this error.
double OneStep::growth(bool after_rejection) {
  const double proportional = 0.2 * exponent_;
  const double log_error = rough_log2(std::clamp(error_, 1e-20, 1e20));
  const double change = after_rejection ? -exponent_ * log_error
                                        : (0.75 * proportional - exponent_) * log_error + proportional * log_error_;
  if (!after_rejection) log_error_ = std::max(log_error, -13.0);
  return std::clamp(kSafety * rough_exp2(change), kLeastGrowth, after_rejection ? kSafety : kMostGrowth);
}

void OneStep::accept(double h, double t, double wanted, bool after_rejection) {
  ++work_.steps;
  end_ = t;
  step_size_ = h;
  stepped_ = true;
  if (exponent_ == 0) return;
  double next = h * growth(false);
  if (after_rejection) next = std::min(next, h);
  proposed_ = h < wanted ? std::max(next, wanted) : next;  // A step shortened for the limit says little about the next.
}

// --- reading and cutting ---------------------------------------------------------------------------------------------

template <int kDegree, int kSize>
void OneStep::interpolate_inside(const double* times, std::size_t count, double* out) const {
  const std::size_t n = kSize > 0 ? kSize : size_;
  const double *r = interpolant(), *y = y_;
  for (std::size_t k = 0; k < count; ++k) {
    if (times[k] == end_ || times[k] == begin_) {
      const double* at_end = times[k] == end_ ? state() : y;
      for (std::size_t i = 0; i < n; ++i) out[i * count + k] = at_end[i];
      continue;
    }
    const double s = (times[k] - begin_) / step_size_;
    for (std::size_t i = 0; i < n; ++i) out[i * count + k] = polynomial<kDegree>(y, r, n, i, s);
  }
}

void OneStep::interpolate(const double* times, std::size_t count, double* out) const {
  if (stepped_ && !interpolant_ready_) {
    make_interpolant(interpolant());
    interpolant_ready_ = true;
  }
  with_size(size_, [&]<int kSize>(std::integral_constant<int, kSize> /*n*/) {
    switch (degree()) {
      case 3:
        return interpolate_inside<3, kSize>(times, count, out);
      case 4:
        return interpolate_inside<4, kSize>(times, count, out);
      default:
        return interpolate_inside<7, kSize>(times, count, out);
    }
  });
}

void OneStep::interpolate(double t, double* y) const {
  if (t == end_ || t == begin_) {
    std::copy_n(t == end_ ? state() : y_, size_, y);
  } else {
    interpolate(&t, 1, y);
  }
}

void OneStep::cut(double t) {
  if (t == end_) return;
  if (t == begin_) {
    stepped_ = interpolant_ready_ = false;
  } else {
    interpolate(t, y_new_);  // This reads the interpolant and y_ only.
    was_cut_ = true;
  }
  end_ = t;
}

// --- keeping ---------------------------------------------------------------------------------------------------------

void OneStep::transfer_order(base::Archive& archive, double* first, double*& here, double*& there) const {
  bool in_order = here == first;
  archive(in_order);
  if (in_order != (here == first)) std::swap(here, there);
}

bool OneStep::transfer(base::Archive& archive) {
  std::size_t size = size_;
  archive(size);
  archive.expect(size == size_);
  archive(begin_, end_, work_, error_, proposed_, step_size_, log_error_, speed_);
  archive(stepped_, was_cut_, started_, interpolant_ready_);
  archive(settings_.relative_tolerance, settings_.first_step, settings_.longest_step, settings_.watched,
          settings_.fixed_step);
  archive.raw(memory_.get(), (2 + static_cast<std::size_t>(degree()) + vectors()) * size_ * sizeof(double));
  transfer_order(archive, memory_.get(), y_, y_new_);
  return true;
}

std::size_t OneStep::worst_variable(double& share) const {
  double total = 0, most = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < size_; ++i) {
    const double q = error_of(i) / weight(i, y_[i], y_new_[i]);
    total += q * q;
    if (q * q > most) {
      most = q * q;
      worst = i;
    }
  }
  share = total > 0 ? most / total : 0;
  return worst;
}

}  // namespace hyla::solve
