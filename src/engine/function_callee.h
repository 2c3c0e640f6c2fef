// Functions of the model that equations call without being written out: `while` loops, recursion, shared libraries.
//
// A callee runs its function on a machine of its own, with no object around it. Several threads may call at once: each
// takes a machine from a pool.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/callee.h"
#include "code/compiler.h"

namespace hyla::engine {

class CompiledModel;

/// A value as one row of numbers.
struct FlatValue {
  model::Type type;
  std::vector<std::int64_t> sizes;  ///< of an array
  std::string text;                 ///< of a String, which is no number and stays as it is

  std::size_t count() const;
};

class FunctionCallees {
 public:
  explicit FunctionCallees(CompiledModel& compiled);
  ~FunctionCallees();

  /// The function for arguments of these sizes; the same again gives the same. Null with a reason if numbers cannot
  /// take the place of its parameters and results.
  const code::Callee* find(model::FunctionId id, std::vector<FlatValue> parameters,
                           std::vector<code::Unsupported>& unsupported, std::string& why_not);

 private:
  class Function;
  class WithDerivative;
  struct Runner;

  std::unique_ptr<Runner> take();
  void give_back(std::unique_ptr<Runner> runner);
  bool results_of(const model::Function& record, std::vector<FlatValue>& results, std::string& why_not) const;

  CompiledModel& compiled_;
  std::unordered_map<std::string, std::unique_ptr<Function>> functions_;  ///< by id and sizes
  std::mutex mutex_;                                                      ///< guards what follows
  std::vector<std::unique_ptr<Runner>> idle_;
};

}  // namespace hyla::engine
