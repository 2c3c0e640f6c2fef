// Polynomials over one interval in Bernstein form.
//
// With theta = (t - a) / (b - a), p(t) = sum of c_i * binomial(n, i) * theta^i * (1 - theta)^(n - i). The form is what
// root isolation wants: p lies between the smallest and the largest coefficient, c_0 and c_n are its values at the
// ends, p has at most as many zeros inside as the coefficients have changes of sign (and as many up to an even number),
// and halving the interval is a handful of averages (de Casteljau).
//
// The form is fitted to samples at the Chebyshev-Lobatto nodes of [0, 1], which include both ends, by a matrix that is
// made once per degree. Two further samples in the widest gaps between nodes tell how well it fits.
#pragma once

#include <array>
#include <cstddef>

namespace hyla::solve {

inline constexpr int kLeastFitDegree = 4;
inline constexpr int kMostFitDegree = 8;
inline constexpr int kCheckNodes = 2;
inline constexpr int kMostSamples = kMostFitDegree + 1 + kCheckNodes;

/// How a polynomial of one degree is fitted.
struct FitTable {
  int degree = 0;
  int samples = 0;  ///< degree + 1 nodes, ascending from 0 to 1, then the check nodes
  std::array<double, kMostSamples> nodes{};
  std::array<int, kMostSamples> order{};  ///< places in `nodes`, by ascending node
  /// Row i: the weights of the samples at the nodes in coefficient i. The first and last row pick one sample.
  std::array<std::array<double, kMostFitDegree + 1>, kMostFitDegree + 1> weights{};
  /// By check node: the weights of the samples in the value that the fit has there.
  std::array<std::array<double, kMostFitDegree + 1>, kCheckNodes> predictions{};
  /// Largest error of the fit in the interval as a multiple of the deviation at the check nodes, with a margin.
  double deviation_factor = 0;
  /// If the samples stay further from zero than this multiple of their range, the fit is clear whatever its error.
  double clear_ratio = 0;
  /// Bound of the rounding error of fit and prediction as a multiple of the largest sample.
  double rounding = 0;
};

/// For degrees outside the table's range the nearest one is used; the deviation tells what that costs.
const FitTable& fit_table(int degree);

/// A polynomial in Bernstein form that stands for a function up to an error.
struct Form {
  int degree = 0;
  double error = 0;    ///< the function differs from the polynomial by no more, as far as samples can tell
  double largest = 0;  ///< largest coefficient by size; bounds the polynomial
  std::array<double, kMostFitDegree + 1> coefficients{};
};

/// `values` are those at table.nodes. Not-a-numbers spread into `error` or the coefficients.
void fit(const FitTable& table, const double* values, Form& form);

/// What rounding does to the samples of a function.
struct Rounding {
  double band = 0;  ///< of its values
  double blur = 0;  ///< of the times of the samples, as a part of the interval
};

/// Whether the error is no more than what rounding explains. Then the fit holds close to the ends too, where it is
/// exact. Otherwise a kink may be hidden there, and a value as small as the error says nothing about what lies next to
/// it.
inline bool is_fine(double error, double largest, const Rounding& rounding) {
  constexpr double kFitRounding = 0x1p-44, kMostRounding = 0x1p-24, kTimes = 16;
  if (error <= kFitRounding * largest) return true;
  return error <= kMostRounding * largest && error <= kTimes * (rounding.band + rounding.blur * largest);
}

/// True: no coefficient is as close to zero as the error of the fit, and all have one sign, so that the function has no
/// zero. The quick way of asking this without making the form.
bool fit_is_clear(const FitTable& table, const double* values, const Rounding& rounding);

double evaluate(const Form& form, double theta);
/// With respect to theta.
double evaluate_derivative(const Form& form, double theta);
/// The polynomial over [0, theta] and over [theta, 1].
void split(const Form& form, double theta, Form& left, Form& right);
/// The function has no zero in [0, result): the hull of the coefficients does not come to zero before. 0 if nothing is
/// known.
double free_of_zeros(const Form& form);
/// A zero of the polynomial (or of its derivative) where the coefficients have one change of sign; some point of [0, 1]
/// otherwise.
double find_zero(const Form& form);
double find_extremum(const Form& form);

}  // namespace hyla::solve
