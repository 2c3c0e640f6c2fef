// Functions that graphs call without looking inside: those of shared libraries, and those of a model that cannot be
// written out as operations (`while` loops, recursion).
//
// A callee is pure: the same arguments give the same results, and nothing else happens. All values are doubles, as
// everywhere in graphs. A call that fails gives results that are no numbers; `failure` says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>

namespace hyla::code {

struct TapeCall;

class Callee {
 public:
  Callee(std::size_t arguments, std::size_t results);
  virtual ~Callee();
  Callee(const Callee&) = delete;
  Callee& operator=(const Callee&) = delete;

  std::size_t arguments() const { return arguments_; }
  std::size_t results() const { return results_; }
  /// Tells callees apart, in the order in which they were made.
  std::uint32_t number() const { return number_; }

  /// For messages.
  virtual std::string name() const = 0;
  /// Can be entered by several threads at once.
  virtual void call(std::span<const double> arguments, std::span<double> results) const = 0;
  /// Why a call with these arguments gives no numbers; empty if the function gave them itself.
  virtual std::string failure(std::span<const double> arguments) const = 0;

  /// The derivative along a direction: takes the arguments and then a direction, gives the rates of the results.
  const Callee& derivative() const;

 private:
  /// By central differences, if nobody knows better.
  virtual std::unique_ptr<Callee> make_derivative() const;

  std::size_t arguments_, results_;
  std::uint32_t number_;
  mutable std::once_flag once_;
  mutable std::unique_ptr<Callee> derivative_;
};

/// A result of a call whose arguments stand in registers that are `stride` doubles apart. What a function with several
/// results gave last is kept for a while, so that asking for one after the other calls it once.
double run_call(const TapeCall& call, const double* registers, std::size_t stride);
/// The same with a row for each register.
double run_call(const TapeCall& call, const double* const* rows, std::size_t lane);

}  // namespace hyla::code
