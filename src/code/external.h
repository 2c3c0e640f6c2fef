// Functions and objects of shared libraries.
//
//   ExternalLibraries  the role of who loads them; service fills it in, and only if the user allows it
//   ExternalFunction   one function with its signature: turns values into C's and back
//   ExternalCode       what a world has of them; its objects are freed with it
//
// C sees: Real double, Integer and enumerations int64_t, Boolean int, String const char*, an array a pointer and one
// int64_t for each dimension. The first result is returned if it is no array; all others go through pointers at the
// end. Libraries need not be made for threads: one call goes on at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "code/heap.h"
#include "code/slot.h"
#include "model/model.h"

namespace hyla::code {

enum class CType : std::uint8_t { None, Real, Integer, Truth, Pointer };

union CValue {
  double real;
  std::int64_t integer;
  int truth;
  const void* pointer;
};

struct CSignature {
  CType result = CType::None;
  std::vector<CType> arguments;
};

class ExternalSymbol {
 public:
  virtual ~ExternalSymbol() = default;
  virtual CValue call(std::span<const CValue> arguments) const = 0;
};

class ExternalLibraries {
 public:
  virtual ~ExternalLibraries() = default;
  /// Of `libfem.so:fem_step`. Null with a reason. A symbol lives as long as the libraries.
  virtual const ExternalSymbol* find(std::string_view name, const CSignature& signature, std::string& why_not) = 0;

  std::mutex calls;  ///< held during each call
};

/// A parameter or result.
struct ExternalValue {
  std::string name;  ///< may be empty
  model::Type type;
  std::vector<std::int64_t> sizes;  ///< of an array; -1 where they are open
};

class ExternalFunction {
 public:
  enum class Kind : std::uint8_t { Function, Method, Constructor };

  /// Null with a reason.
  static std::unique_ptr<ExternalFunction> load(ExternalLibraries& libraries, Kind kind, const std::string& symbol,
                                                std::vector<ExternalValue> parameters,
                                                std::vector<ExternalValue> results, std::string& why_not);

  /// Boxes among the results have a reference for the caller. False with a reason: nothing is to be released. A
  /// constructor gives its pointer as an integer.
  bool call(Heap& heap, void* object, std::span<const Slot> arguments, Slot* results, std::string& why_not) const;

  std::size_t parameters() const { return parameters_.size(); }

 private:
  ExternalFunction() = default;
  bool check_sizes(std::span<const Slot> arguments, std::string& why_not) const;
  bool check_results(const Slot* results, std::string& why_not) const;

  ExternalLibraries* libraries_ = nullptr;
  const ExternalSymbol* symbol_ = nullptr;
  Kind kind_ = Kind::Function;
  std::string name_;
  std::vector<ExternalValue> parameters_, results_;
};

class ExternalCode {
 public:
  explicit ExternalCode(const model::Model& model) : model_(&model) {}
  ~ExternalCode();
  ExternalCode(const ExternalCode&) = delete;
  ExternalCode& operator=(const ExternalCode&) = delete;

  ExternalLibraries* libraries = nullptr;  ///< none: external code is not allowed

  // Each gives null with a reason; the second time the same without looking again.
  const ExternalFunction* function(model::FunctionId id, std::string& why_not);
  /// Takes the arguments, then a direction for each Real one.
  const ExternalFunction* derivative(model::FunctionId id, std::string& why_not);
  const ExternalFunction* constructor(model::ExternalObjectId id, std::string& why_not);

  /// The number of a new object, from 1; 0 with a reason.
  std::int64_t make(model::ExternalObjectId id, Heap& heap, std::span<const Slot> arguments, std::string& why_not);
  /// Null if it has been freed.
  void* object(std::int64_t number) const {
    return number > 0 && static_cast<std::size_t>(number) <= objects_.size()
               ? objects_[static_cast<std::size_t>(number) - 1].pointer
               : nullptr;
  }
  void free(std::int64_t number);

 private:
  struct Found {
    std::unique_ptr<ExternalFunction> function;
    std::string why_not;
  };
  struct Object {
    void* pointer = nullptr;
    const ExternalSymbol* free = nullptr;
  };

  bool is_allowed(std::string_view symbol, std::string& why_not) const;
  ExternalValue value(const std::string& name, model::Type type, model::ShapeId shape) const;
  std::vector<ExternalValue> parameters(const std::vector<model::LocalId>& locals) const;
  std::vector<ExternalValue> results(const std::vector<model::Field>& fields) const;
  template <class Load>
  const ExternalFunction* find(std::unordered_map<std::uint32_t, Found>& known, std::uint32_t index, Load load,
                               std::string& why_not);

  const model::Model* model_;
  std::unordered_map<std::uint32_t, Found> functions_, derivatives_, constructors_;  ///< by id
  std::vector<Object> objects_;                                                      ///< by number, from 1
  std::vector<std::int64_t> free_numbers_;  ///< of objects that have been freed
};

}  // namespace hyla::code
