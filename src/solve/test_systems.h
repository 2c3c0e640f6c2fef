// Systems with known solutions, for tests of integrators.
//
// Reference values of Van der Pol, Robertson, HIRES and Pleiades are those of the Test Set for Initial Value Problem
// Solvers (Mazzia, Magherini 2008).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "solve/system.h"

namespace hyla::solve {

using Vector = std::vector<double>;

inline Pattern banded_pattern(std::size_t size, std::size_t below, std::size_t above) {
  Pattern pattern{.size = size, .starts = {0}, .rows = {}};
  for (std::size_t column = 0; column < size; ++column) {
    for (std::size_t row = column < above ? 0 : column - above; row < size && row <= column + below; ++row) {
      pattern.rows.push_back(static_cast<std::int32_t>(row));
    }
    pattern.starts.push_back(static_cast<std::int32_t>(pattern.rows.size()));
  }
  return pattern;
}
inline Pattern dense_pattern(std::size_t size) { return banded_pattern(size, size, size); }

/// A system given by functions. Copies are independent.
class TestSystem : public System {
 public:
  /// Stores dF_row / dy_column.
  using Set = std::function<void(std::size_t row, std::size_t column, double value)>;

  Vector start;
  double last_time = 1;
  std::function<void(double t, const double* y, double* f)> right_hand_side;
  /// Entries that are not set are zero, as are those of df_dt.
  std::function<void(double t, const double* y, const Set& set, double* df_dt)> derivatives;
  std::function<Vector(double t)> exact;  ///< may be missing
  Vector reference;                       ///< at the last time, if there is no closed form
  std::vector<std::uint8_t> algebraic_variables;
  Pattern entries;
  double undefined_from = std::numeric_limits<double>::infinity();  ///< of the first variable
  bool fails = false;

  std::size_t size() const override { return start.size(); }
  const Pattern& pattern() const override { return entries; }
  const std::uint8_t* algebraic() const override {
    return algebraic_variables.empty() ? nullptr : algebraic_variables.data();
  }
  Evaluation evaluate(double t, const double* y, double* f) override {
    if (fails) return Evaluation::Failed;
    if (!start.empty() && y[0] >= undefined_from) return Evaluation::Undefined;
    right_hand_side(t, y, f);
    return Evaluation::Good;
  }
  Evaluation jacobian(double t, const double* y, double* values, double* df_dt) override {
    if (fails) return Evaluation::Failed;
    if (!start.empty() && y[0] >= undefined_from) return Evaluation::Undefined;
    std::fill_n(values, entries.entries(), 0.0);
    std::fill_n(df_dt, size(), 0.0);
    derivatives(
        t, y,
        [this, values](std::size_t row, std::size_t column, double value) {
          std::int32_t at = entries.starts[column];
          while (entries.rows[static_cast<std::size_t>(at)] != static_cast<std::int32_t>(row)) ++at;
          values[at] = value;
        },
        df_dt);
    return Evaluation::Good;
  }

  Vector end_state() const { return exact ? exact(last_time) : reference; }
};

// --- with closed forms -----------------------------------------------------------------------------------------------

/// y' = rate y + t.
inline TestSystem linear_system(double rate = -1) {
  TestSystem s;
  s.start = {1};
  s.last_time = 2;
  s.entries = dense_pattern(1);
  s.right_hand_side = [rate](double t, const double* y, double* f) { f[0] = rate * y[0] + t; };
  s.derivatives = [rate](double, const double*, const auto& set, double* df_dt) {
    set(0, 0, rate);
    df_dt[0] = 1;
  };
  s.exact = [rate](double t) {
    return Vector{(1 + 1 / (rate * rate)) * std::exp(rate * t) - t / rate - 1 / (rate * rate)};
  };
  return s;
}

inline TestSystem circle_system() {
  TestSystem s;
  s.start = {1, 0};
  s.last_time = 6;
  s.entries = dense_pattern(2);
  s.right_hand_side = [](double, const double* y, double* f) {
    f[0] = -y[1];
    f[1] = y[0];
  };
  s.derivatives = [](double, const double*, const auto& set, double*) {
    set(0, 1, -1);
    set(1, 0, 1);
  };
  s.exact = [](double t) { return Vector{std::cos(t), std::sin(t)}; };
  return s;
}

inline TestSystem logistic_system() {
  TestSystem s;
  s.start = {0.1};
  s.last_time = 5;
  s.entries = dense_pattern(1);
  s.right_hand_side = [](double, const double* y, double* f) { f[0] = y[0] * (1 - y[0]); };
  s.derivatives = [](double, const double* y, const auto& set, double*) { set(0, 0, 1 - 2 * y[0]); };
  s.exact = [](double t) { return Vector{1 / (1 + 9 * std::exp(-t))}; };
  return s;
}

/// Not autonomous, not linear, three variables: (exp(sin t), sin t, cos(t^2 / 2)).
inline TestSystem forced_system() {
  TestSystem s;
  s.start = {1, 0, 1};
  s.last_time = 3;
  s.entries = dense_pattern(3);
  s.right_hand_side = [](double t, const double* y, double* f) {
    f[0] = y[0] * std::cos(t);
    f[1] = std::cos(t) + y[0] - std::exp(y[1]);
    f[2] = -t * std::sin(t * t / 2) - (y[2] - std::cos(t * t / 2)) * y[0];
  };
  s.derivatives = [](double t, const double* y, const auto& set, double* df_dt) {
    set(0, 0, std::cos(t));
    set(1, 0, 1);
    set(1, 1, -std::exp(y[1]));
    set(2, 0, std::cos(t * t / 2) - y[2]);
    set(2, 2, -y[0]);
    df_dt[0] = -y[0] * std::sin(t);
    df_dt[1] = -std::sin(t);
    df_dt[2] = -std::sin(t * t / 2) - t * t * std::cos(t * t / 2) - t * std::sin(t * t / 2) * y[0];
  };
  s.exact = [](double t) { return Vector{std::exp(std::sin(t)), std::sin(t), std::cos(t * t / 2)}; };
  return s;
}

/// Prothero and Robinson 1974: y' = -rate (y - cos t) - sin t, stiff for a large rate; y = cos t.
inline TestSystem prothero_robinson_system(double rate) {
  TestSystem s;
  s.start = {1};
  s.last_time = 3;
  s.entries = dense_pattern(1);
  s.right_hand_side = [rate](double t, const double* y, double* f) {
    f[0] = -rate * (y[0] - std::cos(t)) - std::sin(t);
  };
  s.derivatives = [rate](double t, const double*, const auto& set, double* df_dt) {
    set(0, 0, -rate);
    df_dt[0] = -rate * std::sin(t) - std::cos(t);
  };
  s.exact = [](double t) { return Vector{std::cos(t)}; };
  return s;
}

/// The heat equation on `cells` inner points, one slow and one fast mode of the discrete operator.
inline TestSystem heat_system(std::size_t cells) {
  const double width = 1 / static_cast<double>(cells + 1);
  const auto mode = [=](std::size_t k, std::size_t i) {
    return std::sin(M_PI * static_cast<double>(k) * static_cast<double>(i + 1) * width);
  };
  const auto rate = [=](std::size_t k) {
    const double half = std::sin(M_PI * static_cast<double>(k) * width / 2);
    return 4 * half * half / (width * width);
  };
  const auto at = [=](double t) {
    Vector y(cells);
    for (std::size_t i = 0; i < cells; ++i) {
      y[i] = mode(1, i) * std::exp(-rate(1) * t) + 0.5 * mode(cells, i) * std::exp(-rate(cells) * t);
    }
    return y;
  };
  TestSystem s;
  s.start = at(0);
  s.last_time = 0.2;
  s.exact = at;
  s.entries = banded_pattern(cells, 1, 1);
  const double c = 1 / (width * width);
  s.right_hand_side = [=](double, const double* y, double* f) {
    for (std::size_t i = 0; i < cells; ++i) {
      f[i] = c * ((i > 0 ? y[i - 1] : 0) - 2 * y[i] + (i + 1 < cells ? y[i + 1] : 0));
    }
  };
  s.derivatives = [=](double, const double*, const auto& set, double*) {
    for (std::size_t i = 0; i < cells; ++i) {
      set(i, i, -2 * c);
      if (i > 0) set(i, i - 1, c);
      if (i + 1 < cells) set(i, i + 1, c);
    }
  };
  return s;
}

/// Index 1: x' = -x z, 0 = w - x^2, 0 = z^3 + w - 1 - exp(-2 t); x = exp(-t), w = exp(-2 t), z = 1.
inline TestSystem algebraic_system() {
  TestSystem s;
  s.start = {1, 1, 1};
  s.last_time = 2;
  s.entries = dense_pattern(3);
  s.algebraic_variables = {0, 1, 1};
  s.right_hand_side = [](double t, const double* y, double* f) {
    f[0] = -y[0] * y[2];
    f[1] = y[1] - y[0] * y[0];
    f[2] = y[2] * y[2] * y[2] + y[1] - 1 - std::exp(-2 * t);
  };
  s.derivatives = [](double t, const double* y, const auto& set, double* df_dt) {
    set(0, 0, -y[2]);
    set(0, 2, -y[0]);
    set(1, 0, -2 * y[0]);
    set(1, 1, 1);
    set(2, 1, 1);
    set(2, 2, 3 * y[2] * y[2]);
    df_dt[2] = 2 * std::exp(-2 * t);
  };
  s.exact = [](double t) { return Vector{std::exp(-t), std::exp(-2 * t), 1}; };
  return s;
}

// --- of the test set -------------------------------------------------------------------------------------------------

/// Scaled so that one period lasts a few units of time: stiff for small epsilon. The reference is that of 1e-6.
inline TestSystem van_der_pol_system(double epsilon = 1e-6) {
  TestSystem s;
  s.start = {2, 0};
  s.last_time = 2;
  s.entries = dense_pattern(2);
  s.right_hand_side = [epsilon](double, const double* y, double* f) {
    f[0] = y[1];
    f[1] = ((1 - y[0] * y[0]) * y[1] - y[0]) / epsilon;
  };
  s.derivatives = [epsilon](double, const double* y, const auto& set, double*) {
    set(0, 1, 1);
    set(1, 0, (-2 * y[0] * y[1] - 1) / epsilon);
    set(1, 1, (1 - y[0] * y[0]) / epsilon);
  };
  s.reference = {1.706167732170483, -0.8928097010247975};
  return s;
}

inline TestSystem robertson_system() {
  TestSystem s;
  s.start = {1, 0, 0};
  s.last_time = 1e11;
  s.entries = dense_pattern(3);
  s.right_hand_side = [](double, const double* y, double* f) {
    f[0] = -0.04 * y[0] + 1e4 * y[1] * y[2];
    f[2] = 3e7 * y[1] * y[1];
    f[1] = -f[0] - f[2];
  };
  s.derivatives = [](double, const double* y, const auto& set, double*) {
    set(0, 0, -0.04);
    set(0, 1, 1e4 * y[2]);
    set(0, 2, 1e4 * y[1]);
    set(1, 0, 0.04);
    set(1, 1, -1e4 * y[2] - 6e7 * y[1]);
    set(1, 2, -1e4 * y[1]);
    set(2, 1, 6e7 * y[1]);
  };
  s.reference = {0.2083340149701255e-7, 0.8333360770334713e-13, 0.9999999791665050};
  return s;
}

inline TestSystem hires_system() {
  TestSystem s;
  s.start = {1, 0, 0, 0, 0, 0, 0, 0.0057};
  s.last_time = 321.8122;
  s.entries = dense_pattern(8);
  s.right_hand_side = [](double, const double* y, double* f) {
    f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
    f[1] = 1.71 * y[0] - 8.75 * y[1];
    f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
    f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
    f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
    f[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
    f[6] = 280 * y[5] * y[7] - 1.81 * y[6];
    f[7] = -f[6];
  };
  s.derivatives = [](double, const double* y, const auto& set, double*) {
    const struct {
      std::size_t row, column;
      double value;
    } constants[] = {{0, 0, -1.71},  {0, 1, 0.43},   {0, 2, 8.32},  {1, 0, 1.71}, {1, 1, -8.75},
                     {2, 2, -10.03}, {2, 3, 0.43},   {2, 4, 0.035}, {3, 1, 8.32}, {3, 2, 1.71},
                     {3, 3, -1.12},  {4, 4, -1.745}, {4, 5, 0.43},  {4, 6, 0.43}, {5, 3, 0.69},
                     {5, 4, 1.71},   {5, 6, 0.69},   {6, 6, -1.81}, {7, 6, 1.81}};
    for (const auto& entry : constants) set(entry.row, entry.column, entry.value);
    set(5, 5, -280 * y[7] - 0.43);
    set(5, 7, -280 * y[5]);
    set(6, 5, 280 * y[7]);
    set(6, 7, 280 * y[5]);
    set(7, 5, -280 * y[7]);
    set(7, 7, -280 * y[5]);
  };
  s.reference = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                 0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
  return s;
}

/// Hairer, Norsett, Wanner I, section I.16: a reaction that oscillates.
inline TestSystem brusselator_system() {
  TestSystem s;
  s.start = {1.5, 3};
  s.last_time = 20;
  s.entries = dense_pattern(2);
  s.right_hand_side = [](double, const double* y, double* f) {
    f[0] = 1 + y[0] * y[0] * y[1] - 4 * y[0];
    f[1] = 3 * y[0] - y[0] * y[0] * y[1];
  };
  s.derivatives = [](double, const double* y, const auto& set, double*) {
    set(0, 0, 2 * y[0] * y[1] - 4);
    set(0, 1, y[0] * y[0]);
    set(1, 0, 3 - 2 * y[0] * y[1]);
    set(1, 1, -y[0] * y[0]);
  };
  s.reference = {0.4986370712683478, 4.596780349452011};
  return s;
}

/// A hub that is coupled with many followers of different speed: sparse, but no band.
inline TestSystem hub_system(std::size_t followers) {
  TestSystem s;
  s.start.assign(followers + 1, 0.0);
  s.start[0] = 1;
  s.last_time = 3;
  s.entries = {.size = followers + 1, .starts = {0}, .rows = {}};
  for (std::size_t column = 0; column <= followers; ++column) {
    for (std::size_t row = 0; row <= followers; ++row) {
      if (row == column || row == 0 || column == 0) s.entries.rows.push_back(static_cast<std::int32_t>(row));
    }
    s.entries.starts.push_back(static_cast<std::int32_t>(s.entries.rows.size()));
  }
  const double share = 1 / static_cast<double>(followers);
  s.right_hand_side = [=](double t, const double* y, double* f) {
    f[0] = std::cos(3 * t);
    for (std::size_t i = 1; i <= followers; ++i) {
      f[0] += share * (y[i] - y[0]);
      f[i] = static_cast<double>(i) * (std::sin(y[0]) - y[i]);
    }
  };
  s.derivatives = [=](double t, const double* y, const auto& set, double* df_dt) {
    df_dt[0] = -3 * std::sin(3 * t);
    set(0, 0, -1);
    for (std::size_t i = 1; i <= followers; ++i) {
      set(0, i, share);
      set(i, 0, static_cast<double>(i) * std::cos(y[0]));
      set(i, i, -static_cast<double>(i));
    }
  };
  return s;
}

/// Seven stars in the plane; x, y, then their velocities. The reference has the positions only.
inline TestSystem pleiades_system() {
  TestSystem s;
  s.start = {3, 3, -1, -3, 2, -2, 2, 3, -3, 2, 0, 0, -4, 4, 0, 0, 0, 0, 0, 1.75, -1.5, 0, 0, 0, -1.25, 1, 0, 0};
  s.last_time = 3;
  s.entries = dense_pattern(28);
  s.right_hand_side = [](double, const double* y, double* f) {
    for (std::size_t i = 0; i < 14; ++i) f[i] = y[14 + i];
    for (std::size_t i = 0; i < 7; ++i) {
      f[14 + i] = f[21 + i] = 0;
      for (std::size_t j = 0; j < 7; ++j) {
        if (i == j) continue;
        const double dx = y[j] - y[i], dy = y[7 + j] - y[7 + i];
        const double pull = static_cast<double>(j + 1) / std::pow(dx * dx + dy * dy, 1.5);
        f[14 + i] += pull * dx;
        f[21 + i] += pull * dy;
      }
    }
  };
  s.reference = {0.3706139143970502, 3.237284092057233,   -3.222559032418324,  0.6597091455775310, 0.3425581707156584,
                 1.562172101400631,  -0.7003092922212495, -3.943437585517392,  -3.271380973972550, 5.225081843456543,
                 -2.590612434977470, 1.198213693392275,   -0.2429682344935824, 1.091449240428980};
  return s;
}

}  // namespace hyla::solve
