#include "statistics/quantiles.h"

#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "statistics/moments.h"

namespace hyla::statistics {
namespace {

namespace policies = boost::math::policies;

/// A library never throws to its caller: what Boost cannot compute is NaN or infinite.
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>, policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>>;

}  // namespace

double student_t_quantile(double p, double degrees) {
  if (!(p > 0 && p < 1 && degrees > 0)) {
    return kUnknown;
  }
  return boost::math::quantile(boost::math::students_t_distribution<double, Quiet>(degrees), p);
}

double normal_quantile(double p) {
  if (!(p > 0 && p < 1)) {
    return kUnknown;
  }
  return boost::math::quantile(boost::math::normal_distribution<double, Quiet>(0, 1), p);
}

double two_sided_t(double confidence, double degrees) { return student_t_quantile((1 + confidence) / 2, degrees); }

}  // namespace hyla::statistics
