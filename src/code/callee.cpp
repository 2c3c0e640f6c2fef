#include "code/callee.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "code/tape.h"

namespace hyla::code {
namespace {

/// Central differences have their least error where truncation (h^2) and rounding (epsilon / h) are equal.
const double kStep = std::cbrt(std::numeric_limits<double>::epsilon());
/// Arguments smaller than this are taken to be zero by chance.
constexpr double kLeastSize = 1e-3;

class Difference final : public Callee {
 public:
  explicit Difference(const Callee& function) : Callee(2 * function.arguments(), function.results()), of_(function) {}

  std::string name() const override { return "the derivative of " + of_.name(); }

  void call(std::span<const double> arguments, std::span<double> results) const override {
    const std::span<const double> point = arguments.first(of_.arguments()), direction = arguments.last(of_.arguments());
    const double step = step_along(point, direction);
    if (step == 0) return std::fill(results.begin(), results.end(), 0.0);
    std::vector<double> at(point.size()), below(results.size());
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = point[k] - step * direction[k];
    of_.call(at, below);
    for (std::size_t k = 0; k < at.size(); ++k) at[k] = point[k] + step * direction[k];
    of_.call(at, results);
    for (std::size_t k = 0; k < results.size(); ++k) results[k] = (results[k] - below[k]) / (2 * step);
  }

  std::string failure(std::span<const double> arguments) const override {
    return of_.failure(arguments.first(of_.arguments()));
  }

 private:
  /// Such that the argument that moves most, for its size, moves by kStep of it.
  static double step_along(std::span<const double> point, std::span<const double> direction) {
    double most = 0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      most = std::max(most, std::abs(direction[k]) / std::max(std::abs(point[k]), kLeastSize));
    }
    return most > 0 && std::isfinite(most) ? kStep / most : 0;
  }

  const Callee& of_;
};

std::uint32_t next_number() {
  static std::atomic<std::uint32_t> next = 0;
  return next++;
}

/// What functions with several results gave last, by their arguments.
struct Memory {
  const Callee* callee = nullptr;
  std::uint32_t number = 0;  ///< of the callee: another one could be at the same address by now
  std::vector<double> arguments, results;
};
constexpr std::size_t kMemories = 128;

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

std::size_t place_of(const Callee& callee, const std::vector<double>& arguments) {
  std::uint64_t hash = callee.number();
  for (const double argument : arguments) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(argument)) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
  }
  return hash % kMemories;
}

double remembered(const Callee& callee, const std::vector<double>& arguments, std::uint32_t result) {
  thread_local std::array<Memory, kMemories> memories;
  Memory& memory = memories[place_of(callee, arguments)];
  if (memory.callee != &callee || memory.number != callee.number() || !same_bits(memory.arguments, arguments)) {
    memory.results.resize(callee.results());
    callee.call(arguments, memory.results);
    memory.callee = &callee;
    memory.number = callee.number();
    memory.arguments = arguments;
  }
  return memory.results[result];
}

template <class Value>
double called(const TapeCall& call, const Value& value_of) {
  const Callee& callee = *call.callee;
  thread_local std::vector<double> room;
  room.resize(call.arguments.size());
  for (std::size_t k = 0; k < room.size(); ++k) room[k] = value_of(call.arguments[k]);
  if (callee.results() > 1) return remembered(callee, room, call.result);
  double result = 0;
  callee.call(room, {&result, 1});
  return result;
}

}  // namespace

Callee::Callee(std::size_t arguments, std::size_t results)
    : arguments_(arguments), results_(results), number_(next_number()) {}
Callee::~Callee() = default;

const Callee& Callee::derivative() const {
  std::call_once(once_, [this] { derivative_ = make_derivative(); });
  return *derivative_;
}

std::unique_ptr<Callee> Callee::make_derivative() const { return std::make_unique<Difference>(*this); }

double run_call(const TapeCall& call, const double* registers, std::size_t stride) {
  return called(call, [&](std::uint32_t argument) { return registers[argument * stride]; });
}

double run_call(const TapeCall& call, const double* const* rows, std::size_t lane) {
  return called(call, [&](std::uint32_t argument) { return rows[argument][lane]; });
}

}  // namespace hyla::code
