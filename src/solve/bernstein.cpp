#include "solve/bernstein.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <type_traits>
#include <utility>

namespace hyla::solve {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kLastChange = 0x1p-32;

using WideMatrix = std::array<std::array<long double, kMostFitDegree + 1>, kMostFitDegree + 1>;

/// All basis polynomials of a degree at theta.
std::array<long double, kMostFitDegree + 1> basis(int degree, long double theta) {
  std::array<long double, kMostFitDegree + 1> values{};
  values[0] = 1;
  for (int n = 1; n <= degree; ++n) {
    for (int i = n; i > 0; --i) values[i] = (1 - theta) * values[i] + theta * values[i - 1];
    values[0] *= 1 - theta;
  }
  return values;
}

/// Gauss-Jordan with partial pivoting; the matrix has an inverse, for the nodes are distinct.
WideMatrix invert(WideMatrix matrix, int size) {
  WideMatrix inverse{};
  for (int i = 0; i < size; ++i) inverse[i][i] = 1;
  for (int column = 0; column < size; ++column) {
    int pivot = column;
    for (int i = column + 1; i < size; ++i) {
      if (std::fabs(matrix[i][column]) > std::fabs(matrix[pivot][column])) pivot = i;
    }
    std::swap(matrix[column], matrix[pivot]);
    std::swap(inverse[column], inverse[pivot]);
    const long double scale = 1 / matrix[column][column];
    for (int j = 0; j < size; ++j) {
      matrix[column][j] *= scale;
      inverse[column][j] *= scale;
    }
    for (int i = 0; i < size; ++i) {
      if (i == column) continue;
      const long double factor = matrix[i][column];
      for (int j = 0; j < size; ++j) {
        matrix[i][j] -= factor * matrix[column][j];
        inverse[i][j] -= factor * inverse[column][j];
      }
    }
  }
  return inverse;
}

/// Size of the polynomial that vanishes at the nodes: the error of a smooth function's fit is proportional to it.
long double node_product(const FitTable& table, long double theta) {
  long double product = 1;
  for (int k = 0; k <= table.degree; ++k) product *= theta - table.nodes[k];
  return std::fabs(product);
}

void set_error_bounds(FitTable& table) {
  long double largest = 0, at_checks = 0;
  for (int i = 1; i < 1000; ++i) largest = std::max(largest, node_product(table, i / 1000.0L));
  for (int k = table.degree + 1; k < table.samples; ++k) {
    at_checks = std::max(at_checks, node_product(table, table.nodes[k]));
  }
  // A kink close to an end acts on the fit like an error of the sample there: it must be seen in its full size.
  double least_weight = 1;
  for (const int end : {0, table.degree}) {
    const double weight = std::max(std::fabs(table.predictions[0][end]), std::fabs(table.predictions[1][end]));
    least_weight = std::min(least_weight, weight);
  }
  table.deviation_factor = std::max(static_cast<double>(2 * largest / at_checks), 1.5 / least_weight);

  const auto sum_of_sizes = [](const std::array<double, kMostFitDegree + 1>& row) {
    return std::accumulate(row.begin(), row.end(), 0.0, [](double sum, double x) { return sum + std::fabs(x); });
  };
  double growth = 0;
  for (int i = 0; i <= table.degree; ++i) growth = std::max(growth, sum_of_sizes(table.weights[i]));
  // Weights of a row have the sum one: what they make of the samples leaves the range of these by no more than this.
  const double prediction = std::max(sum_of_sizes(table.predictions[0]), sum_of_sizes(table.predictions[1]));
  table.clear_ratio = 1 + growth + table.deviation_factor * prediction;
  table.rounding = kEpsilon * (growth + table.degree);
}

FitTable make_table(int degree) {
  FitTable table;
  table.degree = degree;
  table.samples = degree + 1 + kCheckNodes;
  const auto node = [&](double k) { return (1 - std::cos(std::numbers::pi * k / degree)) / 2; };
  for (int k = 0; k <= degree; ++k) table.nodes[k] = node(k);
  table.nodes[degree] = 1;
  // In the widest gaps: on both sides of the node in the middle, or in the gap in the middle and the one before.
  table.nodes[degree + 1] = node(degree % 2 == 0 ? degree / 2.0 - 0.5 : degree / 2.0 - 1);
  table.nodes[degree + 2] = node(degree % 2 == 0 ? degree / 2.0 + 0.5 : degree / 2.0);

  const auto end_of_order = table.order.begin() + table.samples;
  std::iota(table.order.begin(), end_of_order, 0);
  std::sort(table.order.begin(), end_of_order, [&](int a, int b) { return table.nodes[a] < table.nodes[b]; });

  WideMatrix values{};
  for (int k = 0; k <= degree; ++k) values[k] = basis(degree, table.nodes[k]);
  const WideMatrix inverse = invert(values, degree + 1);
  for (int i = 0; i <= degree; ++i) {
    for (int k = 0; k <= degree; ++k) table.weights[i][k] = static_cast<double>(inverse[i][k]);
  }
  for (int check = 0; check < kCheckNodes; ++check) {
    const auto at_check = basis(degree, table.nodes[degree + 1 + check]);
    for (int k = 0; k <= degree; ++k) {
      long double weight = 0;
      for (int i = 0; i <= degree; ++i) weight += at_check[i] * inverse[i][k];
      table.predictions[check][k] = static_cast<double>(weight);
    }
  }
  set_error_bounds(table);
  return table;
}

using Weights = std::array<double, kMostFitDegree + 1>;

template <int... ks>
inline double sum_over(const Weights& weights, const double* values, std::integer_sequence<int, ks...> /*places*/) {
  return ((weights[ks] * values[ks]) + ...);
}

/// Written out when it is compiled: this is the innermost loop of every search.
template <int degree>
inline double weighted(const Weights& weights, const double* values) {
  return sum_over(weights, values, std::make_integer_sequence<int, degree + 1>());
}

/// Bound of the difference between the function and its fit.
template <int degree>
inline double fit_error(const FitTable& table, const double* values) {
  double deviation = 0, largest = 0;
  for (int check = 0; check < kCheckNodes; ++check) {
    // Written so that not-a-number is kept.
    const double difference =
        std::fabs(weighted<degree>(table.predictions[check], values) - values[degree + 1 + check]);
    deviation = difference <= deviation ? deviation : difference;
  }
  for (int k = 0; k <= degree; ++k) largest = std::max(largest, std::fabs(values[k]));
  return table.deviation_factor * deviation + table.rounding * largest;
}

/// The usual case: the function hardly changes in the step, compared with its distance from zero.
template <int samples>
inline bool is_far_from_zero(const FitTable& table, const double* values) {
  double low = values[0], high = values[0], sum = 0;
  for (int k = 1; k < samples; ++k) {
    low = std::min(low, values[k]);
    high = std::max(high, values[k]);
    sum += values[k];
  }
  const double distance = table.clear_ratio * (high - low);
  return (low > distance || -high > distance) && sum - sum == 0;  // all are numbers
}

template <int degree>
bool is_clear(const FitTable& table, const double* values, const Rounding& rounding) {
  if ((values[0] < 0) != (values[degree] < 0)) return false;
  if (is_far_from_zero<degree + 1 + kCheckNodes>(table, values)) return true;
  const double error = fit_error<degree>(table, values);
  const double sign = values[0] < 0 ? -1.0 : 1.0;
  double least = std::numeric_limits<double>::infinity(), largest = 0;
  for (int i = 1; i < degree; ++i) {
    const double coefficient = sign * weighted<degree>(table.weights[i], values);
    // Written so that not-a-number is kept.
    least = coefficient >= least ? least : coefficient;
    largest = std::max(largest, coefficient);
  }
  const double least_end = std::min(sign * values[0], sign * values[degree]);
  const double margin_of_ends = is_fine(error, largest, rounding) ? 0 : error;
  return least > error && least_end > margin_of_ends;
}

/// Calls f with the degree as a type.
template <class F>
inline auto with_degree(int degree, const F& f) {
  static_assert(kLeastFitDegree == 4 && kMostFitDegree == 8);
  switch (degree) {
    case 4:
      return f(std::integral_constant<int, 4>());
    case 5:
      return f(std::integral_constant<int, 5>());
    case 6:
      return f(std::integral_constant<int, 6>());
    case 7:
      return f(std::integral_constant<int, 7>());
    default:
      return f(std::integral_constant<int, 8>());
  }
}

/// Of the polynomial with these coefficients, with respect to theta.
std::pair<double, double> value_and_slope(const double* coefficients, int degree, double theta) {
  std::array<double, kMostFitDegree + 1> c;
  std::copy(coefficients, coefficients + degree + 1, c.begin());
  for (int n = degree; n > 1; --n) {
    for (int i = 0; i < n; ++i) c[i] += theta * (c[i + 1] - c[i]);
  }
  if (degree == 0) return {c[0], 0.0};
  return {c[0] + theta * (c[1] - c[0]), degree * (c[1] - c[0])};
}

/// Zero of the polynomial with these coefficients by Newton's method, kept inside a bracket by bisection.
double find_zero_of(const double* coefficients, int degree) {
  double low = 0, high = 1, theta = 0.5;
  int first = 0, last = degree;
  while (first < degree && coefficients[first] == 0) ++first;
  while (last > first && coefficients[last] == 0) --last;
  const bool rising = coefficients[last] > coefficients[first];
  // Where the control polygon changes its sign is a good first guess.
  for (int i = first; i < last; ++i) {
    if ((coefficients[i] < 0) != (coefficients[i + 1] < 0)) {
      theta = (i + coefficients[i] / (coefficients[i] - coefficients[i + 1])) / degree;
      break;
    }
  }
  for (int iteration = 0; iteration < 60; ++iteration) {
    if (!(theta > low && theta < high)) theta = (low + high) / 2;
    const auto [value, slope] = value_and_slope(coefficients, degree, theta);
    if (value == 0) return theta;
    ((value < 0) == rising ? low : high) = theta;
    const double next = theta - value / slope;
    const double change = std::fabs(next - theta);
    if (high - low <= kEpsilon) return theta;
    theta = next;
    // The next change would be about the square of this one.
    if (change <= kLastChange * theta) break;
  }
  return std::clamp(theta, low, high);
}

}  // namespace

const FitTable& fit_table(int degree) {
  static const std::array<FitTable, kMostFitDegree - kLeastFitDegree + 1> tables = [] {
    std::array<FitTable, kMostFitDegree - kLeastFitDegree + 1> made;
    for (int n = kLeastFitDegree; n <= kMostFitDegree; ++n) made[n - kLeastFitDegree] = make_table(n);
    return made;
  }();
  return tables[std::clamp(degree, kLeastFitDegree, kMostFitDegree) - kLeastFitDegree];
}

void fit(const FitTable& table, const double* values, Form& form) {
  with_degree(table.degree, [&]<int degree>(std::integral_constant<int, degree> /*degree*/) {
    form.degree = degree;
    form.error = fit_error<degree>(table, values);
    form.coefficients[0] = values[0];
    form.coefficients[degree] = values[degree];
    form.largest = std::max(std::fabs(values[0]), std::fabs(values[degree]));
    for (int i = 1; i < degree; ++i) {
      form.coefficients[i] = weighted<degree>(table.weights[i], values);
      form.largest = std::max(form.largest, std::fabs(form.coefficients[i]));
    }
  });
}

bool fit_is_clear(const FitTable& table, const double* values, const Rounding& rounding) {
  return with_degree(table.degree, [&]<int degree>(std::integral_constant<int, degree> /*degree*/) {
    return is_clear<degree>(table, values, rounding);
  });
}

double evaluate(const Form& form, double theta) {
  return value_and_slope(form.coefficients.data(), form.degree, theta).first;
}

double evaluate_derivative(const Form& form, double theta) {
  return value_and_slope(form.coefficients.data(), form.degree, theta).second;
}

void split(const Form& form, double theta, Form& left, Form& right) {
  std::array<double, kMostFitDegree + 1> c = form.coefficients;
  const int degree = form.degree;
  left.degree = right.degree = degree;
  left.error = right.error = form.error;
  left.largest = right.largest = 0;
  for (int n = degree; n >= 0; --n) {
    left.coefficients[degree - n] = c[0];
    right.coefficients[n] = c[n];
    left.largest = std::max(left.largest, std::fabs(c[0]));
    right.largest = std::max(right.largest, std::fabs(c[n]));
    for (int i = 0; i < n; ++i) c[i] += theta * (c[i + 1] - c[i]);
  }
}

double free_of_zeros(const Form& form) {
  const double side = form.coefficients[0] < 0 ? -1 : 1;
  const double first = side * form.coefficients[0] - form.error;
  if (!(first > 0)) return 0;
  double least = 1;
  for (int i = 1; i <= form.degree; ++i) {
    const double coefficient = side * form.coefficients[i] - form.error;
    if (!(coefficient > 0)) least = std::min(least, i * first / (form.degree * (first - coefficient)));
    if (std::isnan(coefficient)) return 0;
  }
  return least;
}

double find_zero(const Form& form) { return find_zero_of(form.coefficients.data(), form.degree); }

double find_extremum(const Form& form) {
  std::array<double, kMostFitDegree> differences{};
  for (int i = 0; i < form.degree; ++i) differences[i] = form.coefficients[i + 1] - form.coefficients[i];
  return find_zero_of(differences.data(), form.degree - 1);
}

}  // namespace hyla::solve
