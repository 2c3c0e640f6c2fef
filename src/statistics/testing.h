// What the tests of this library share: random numbers of their own, and processes whose long-run means are known.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace hyla::statistics::testing {

/// SplitMix64, seeded by two numbers: which test, which run.
class Random {
 public:
  Random(std::uint64_t test, std::uint64_t run) : state_(test * 0xD1342543DE82EF95 + run) { state_ = next(); }

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  /// Strictly between 0 and 1.
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  double exponential(double mean) { return -mean * std::log(uniform()); }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

/// Waiting times of an M/M/1 queue with mean service time 1, by Lindley's recursion; the first customer waits `wait`.
class WaitingTimes {
 public:
  WaitingTimes(Random random, double load, double wait = 0) : random_(random), load_(load), wait_(wait) {}

  double next() {
    const double wait = wait_;
    wait_ = std::max(0.0, wait_ + service_minus_gap());
    return wait;
  }
  double long_run_mean() const { return load_ / (1 - load_); }

 private:
  /// The difference of two exponential times from one logarithm: which of them ends first is a matter of chance, and
  /// what is left of the other is exponential again.
  double service_minus_gap() {
    const double service_longer = load_ / (1 + load_);
    const double u = random_.uniform();
    return u < service_longer ? -std::log(u / service_longer) : std::log((1 - u) / (1 - service_longer)) / load_;
  }

  Random random_;
  double load_;
  double wait_;
};

/// A first-order autoregressive process with mean 0 and variance 1.
class Autoregression {
 public:
  Autoregression(Random random, double correlation, double first)
      : random_(random), correlation_(correlation), value_(first) {}

  double next() {
    value_ = correlation_ * value_ + std::sqrt(1 - correlation_ * correlation_) * random_.normal();
    return value_;
  }

 private:
  Random random_;
  double correlation_;
  double value_;
};

}  // namespace hyla::statistics::testing
