#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlopt.h>

#include "experiment/optimizer.h"

namespace hyla::optimize {
namespace {

using experiment::SearchRequest;
using experiment::SearchResult;

struct Method {
  std::string_view name;
  nlopt_algorithm algorithm;
  bool needs_slopes = false;
  bool takes_bounds = false;  ///< inequalities
  bool is_global = false;     ///< goes on as long as it may
};

constexpr std::array kMethods = {
    Method{"cobyla", NLOPT_LN_COBYLA, false, true},
    Method{"bobyqa", NLOPT_LN_BOBYQA},
    Method{"sbplx", NLOPT_LN_SBPLX},
    Method{"nelder_mead", NLOPT_LN_NELDERMEAD},
    Method{"direct", NLOPT_GN_DIRECT_L, false, false, true},
    Method{"crs", NLOPT_GN_CRS2_LM, false, false, true},
    Method{"isres", NLOPT_GN_ISRES, false, true, true},
    Method{"slsqp", NLOPT_LD_SLSQP, true, true},
    Method{"lbfgs", NLOPT_LD_LBFGS, true},
    Method{"mma", NLOPT_LD_MMA, true, true},
};

/// Quadratic models are the best of those without slopes; they need two axes and take no inequalities.
const Method& method_of(const SearchRequest& request) {
  const auto found = std::find_if(kMethods.begin(), kMethods.end(),
                                  [&](const Method& method) { return method.name == request.method; });
  if (found != kMethods.end()) return *found;
  return request.bounds == 0 && request.low.size() > 1 ? kMethods[1] : kMethods[0];
}

/// NLopt asks for the value and for each bound by itself; both come from one evaluation. Axes run from 0 to 1.
class Course {
 public:
  explicit Course(const SearchRequest& request, bool with_slopes) : request_(request), with_slopes_(with_slopes) {
    bounds_.resize(request.bounds);
    if (with_slopes) slopes_.resize(axes() * (1 + request.bounds));
  }

  std::size_t axes() const { return request_.low.size(); }
  double value(const double* x, double* slopes) {
    look(x);
    copy_slopes(0, slopes);
    return value_;
  }
  double bound(std::size_t k, const double* x, double* slopes) {
    look(x);
    copy_slopes(k + 1, slopes);
    return bounds_[k];
  }
  double at(std::size_t axis, double x) const {
    return request_.low[axis] + std::clamp(x, 0.0, 1.0) * (request_.high[axis] - request_.low[axis]);
  }
  void stop_by(nlopt_opt search) { search_ = search; }
  const std::vector<double>& best() const { return best_; }
  double best_value() const { return best_value_; }

 private:
  void look(const double* x) {
    const std::vector<double> point(x, x + axes());
    if (point == last_) return;
    last_ = point;
    std::vector<double> scaled;
    for (std::size_t i = 0; i < axes(); ++i) scaled.push_back(at(i, point[i]));
    if (!request_.evaluate(scaled, value_, bounds_, slopes_)) nlopt_force_stop(search_);
    const bool is_allowed = std::all_of(bounds_.begin(), bounds_.end(), [](double bound) { return bound <= 0; });
    if (is_allowed && value_ < best_value_) {
      best_value_ = value_;
      best_ = scaled;
    }
    if (!std::isfinite(value_)) value_ = 1e100;  // a run that failed is worse than all others
  }
  void copy_slopes(std::size_t row, double* slopes) const {
    for (std::size_t i = 0; i < axes() && slopes != nullptr && with_slopes_; ++i) {
      const double slope = slopes_[row * axes() + i] * (request_.high[i] - request_.low[i]);
      slopes[i] = std::isfinite(slope) ? slope : 0;
    }
  }

  const SearchRequest& request_;
  bool with_slopes_;
  nlopt_opt search_ = nullptr;
  std::vector<double> last_, bounds_, slopes_, best_;
  double value_ = 0, best_value_ = HUGE_VAL;
};

struct Bound {
  Course* course = nullptr;
  std::size_t number = 0;
};

std::string ending_of(nlopt_result result) {
  switch (result) {
    case NLOPT_XTOL_REACHED:
    case NLOPT_FTOL_REACHED:
    case NLOPT_SUCCESS:
    case NLOPT_STOPVAL_REACHED:
      return "found to the tolerance asked for";
    case NLOPT_MAXEVAL_REACHED:
      return "ended after as many points as are allowed (max_points)";
    case NLOPT_ROUNDOFF_LIMITED:
      return "found as far as rounding allows";
    case NLOPT_FORCED_STOP:
      return "interrupted";
    default:
      return "gave up";
  }
}

class Search final : public experiment::Optimizer {
 public:
  std::vector<std::string> methods() const override {
    std::vector<std::string> names = {"auto"};
    for (const Method& method : kMethods) names.emplace_back(method.name);
    return names;
  }
  bool needs_slopes(const SearchRequest& request) const override { return method_of(request).needs_slopes; }

  SearchResult search(const SearchRequest& request) override {
    const Method& method = method_of(request);
    Course course(request, method.needs_slopes);
    const auto axes = static_cast<unsigned>(course.axes());
    const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> search(nlopt_create(method.algorithm, axes),
                                                                        nlopt_destroy);
    course.stop_by(search.get());
    nlopt_srand(1);
    nlopt_set_lower_bounds1(search.get(), 0);
    nlopt_set_upper_bounds1(search.get(), 1);
    nlopt_set_min_objective(
        search.get(),
        [](unsigned, const double* x, double* slopes, void* data) {
          return static_cast<Course*>(data)->value(x, slopes);
        },
        &course);
    std::vector<Bound> bounds(method.takes_bounds ? request.bounds : 0);
    for (std::size_t k = 0; k < bounds.size(); ++k) {
      bounds[k] = {&course, k};
      nlopt_add_inequality_constraint(
          search.get(),
          [](unsigned, const double* x, double* slopes, void* data) {
            const auto* bound = static_cast<const Bound*>(data);
            return bound->course->bound(bound->number, x, slopes);
          },
          &bounds[k], 0);
    }
    const std::vector<double> tolerances(axes, request.tolerance);
    nlopt_set_xtol_abs(search.get(), tolerances.data());
    // Slopes by differences end before the last digits do.
    nlopt_set_ftol_rel(search.get(), method.needs_slopes ? 1e-10 : 1e-14);
    nlopt_set_maxeval(search.get(), static_cast<int>(std::min<std::uint64_t>(request.most, INT32_MAX)));
    constexpr double kFirstStep = 0.1;
    nlopt_set_initial_step1(search.get(), kFirstStep);
    std::vector<double> x;
    for (std::size_t i = 0; i < axes; ++i) {
      const double width = request.high[i] - request.low[i];
      x.push_back(width > 0 ? std::clamp((request.start[i] - request.low[i]) / width, 0.0, 1.0) : 0);
    }
    double value = 0;
    const nlopt_result outcome = nlopt_optimize(search.get(), x.data(), &value);
    SearchResult result;
    result.method = method.name;
    result.ending = ending_of(outcome);
    result.good = outcome > 0 && (method.is_global || outcome != NLOPT_MAXEVAL_REACHED);
    result.point = course.best();
    result.value = course.best_value();
    return result;
  }
};

}  // namespace
}  // namespace hyla::optimize

extern "C" hyla::experiment::Optimizer* hyla_optimizer() { return new hyla::optimize::Search(); }
