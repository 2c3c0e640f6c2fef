#include "code/external.h"

#include <cmath>
#include <deque>
#include <limits>

#include <fmt/format.h>

namespace hyla::code {
namespace {

using model::TypeKind;

bool is_passable(const ExternalValue& value) {
  const bool number =
      value.type.is_number() || value.type.kind == TypeKind::Boolean || value.type.kind == TypeKind::Enum;
  return number || value.type.is_scalar(TypeKind::String);
}

CType c_type(model::Type type) {
  if (type.rank > 0) return CType::Pointer;
  switch (type.kind) {
    case TypeKind::Real:
      return CType::Real;
    case TypeKind::Boolean:
      return CType::Truth;
    case TypeKind::String:
      return CType::Pointer;
    default:
      return CType::Integer;
  }
}

/// The first result comes as C's own if it is no array.
bool is_returned(const std::vector<ExternalValue>& results, std::size_t index) {
  return index == 0 && results[0].type.rank == 0;
}

CSignature signature_of(ExternalFunction::Kind kind, const std::vector<ExternalValue>& parameters,
                        const std::vector<ExternalValue>& results) {
  CSignature signature;
  const auto add = [&](CType type, std::size_t dimensions) {
    signature.arguments.push_back(type);
    signature.arguments.insert(signature.arguments.end(), dimensions, CType::Integer);
  };
  if (kind == ExternalFunction::Kind::Method) add(CType::Pointer, 0);
  for (const ExternalValue& parameter : parameters) add(c_type(parameter.type), parameter.type.rank);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!is_returned(results, i)) add(CType::Pointer, results[i].type.rank);
  }
  if (kind == ExternalFunction::Kind::Constructor) signature.result = CType::Pointer;
  if (!results.empty() && results[0].type.rank == 0) signature.result = c_type(results[0].type);
  return signature;
}

/// The values of one call as C sees them, and the memory that they point to.
class Passing {
 public:
  std::vector<CValue> values;

  void pointer(const void* address) { values.push_back({.pointer = address}); }

  void argument(const ExternalValue& parameter, Slot slot) {
    if (parameter.type.rank > 0) return array(parameter, slot.box);
    switch (parameter.type.kind) {
      case TypeKind::Real:
        return values.push_back({.real = slot.real});
      case TypeKind::Boolean:
        return values.push_back({.truth = slot.integer != 0 ? 1 : 0});
      case TypeKind::String:
        return pointer(texts_.emplace_back(Heap::text(slot.box)).c_str());
      default:
        return values.push_back({.integer = slot.integer});
    }
  }

  /// Room for a result that goes through a pointer.
  void result(const ExternalValue& value, Slot& slot) {
    if (value.type.rank > 0) {
      if (value.type.kind == TypeKind::Real) {
        for (std::uint32_t i = 0; i < slot.box->size; ++i) slot.box->slots()[i].real = std::nan("");
      }
      return array(value, slot.box);
    }
    CValue& room = rooms_.emplace_back();
    room.integer = 0;
    if (value.type.kind == TypeKind::Real) room.real = std::nan("");
    pointer(&room);
  }

  /// What the function has written into the rooms.
  void fetch(const std::vector<ExternalValue>& results, CValue returned, Heap& heap, Slot* slots) {
    std::size_t room = 0, truths = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].type.rank == 0) {
        slots[i] = slot_of(results[i].type, is_returned(results, i) ? returned : rooms_[room++], heap);
      } else if (results[i].type.kind == TypeKind::Boolean) {
        const std::vector<int>& from = truths_[truths_.size() - count_truths(results) + truths++];
        for (std::size_t k = 0; k < from.size(); ++k) slots[i].box->slots()[k].integer = from[k] != 0 ? 1 : 0;
      }
    }
  }

 private:
  static std::size_t count_truths(const std::vector<ExternalValue>& results) {
    std::size_t count = 0;
    for (const ExternalValue& one : results) count += one.type.rank > 0 && one.type.kind == TypeKind::Boolean ? 1 : 0;
    return count;
  }

  static Slot slot_of(model::Type type, CValue value, Heap& heap) {
    switch (type.kind) {
      case TypeKind::Real:
        return Slot(value.real);
      case TypeKind::Boolean:
        return Slot(std::int64_t{value.truth != 0 ? 1 : 0});
      case TypeKind::String:
        return Slot(heap.new_text(value.pointer != nullptr ? static_cast<const char*>(value.pointer) : ""));
      default:
        return Slot(value.integer);
    }
  }

  void array(const ExternalValue& value, const Box* box) {
    if (value.type.kind == TypeKind::Boolean) {
      std::vector<int>& copy = truths_.emplace_back(box->size);
      for (std::size_t i = 0; i < copy.size(); ++i) copy[i] = box->slots()[i].integer != 0 ? 1 : 0;
      pointer(copy.data());
    } else {
      pointer(box->slots());
    }
    for (std::size_t i = 0; i < value.type.rank; ++i) values.push_back({.integer = dimension(box, i)});
  }

  // They do not move.
  std::deque<std::string> texts_;
  std::deque<std::vector<int>> truths_;
  std::deque<CValue> rooms_;
};

}  // namespace

std::unique_ptr<ExternalFunction> ExternalFunction::load(ExternalLibraries& libraries, Kind kind,
                                                         const std::string& symbol,
                                                         std::vector<ExternalValue> parameters,
                                                         std::vector<ExternalValue> results, std::string& why_not) {
  for (const ExternalValue& value : parameters) {
    if (is_passable(value)) continue;
    why_not =
        fmt::format("its parameter `{}` is neither a number, a Boolean, a text nor an array of numbers", value.name);
    return nullptr;
  }
  for (const ExternalValue& value : results) {
    if (!is_passable(value)) {
      why_not = "its results must be numbers, Booleans, texts or arrays of numbers";
      return nullptr;
    }
    for (const std::int64_t size : value.sizes) {
      if (size >= 0) continue;
      why_not = "it gives an array of open size; write the size, as in `-> Real[20]`";
      return nullptr;
    }
  }
  const ExternalSymbol* found = libraries.find(symbol, signature_of(kind, parameters, results), why_not);
  if (found == nullptr) return nullptr;
  std::unique_ptr<ExternalFunction> function(new ExternalFunction);
  function->libraries_ = &libraries;
  function->symbol_ = found;
  function->kind_ = kind;
  function->name_ = symbol.substr(symbol.find(':') + 1);
  function->parameters_ = std::move(parameters);
  function->results_ = std::move(results);
  return function;
}

bool ExternalFunction::check_sizes(std::span<const Slot> arguments, std::string& why_not) const {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    for (std::size_t k = 0; k < parameters_[i].sizes.size(); ++k) {
      const std::int64_t wanted = parameters_[i].sizes[k], given = dimension(arguments[i].box, k);
      if (wanted < 0 || wanted == given) continue;
      why_not = fmt::format("the external function `{}` takes {} elements for `{}`, but gets {}", name_, wanted,
                            parameters_[i].name, given);
      return false;
    }
  }
  return true;
}

bool ExternalFunction::check_results(const Slot* results, std::string& why_not) const {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].type.kind != TypeKind::Real) continue;
    const bool array = results_[i].type.rank > 0;
    const std::size_t count = array ? results[i].box->size : 1;
    for (std::size_t k = 0; k < count; ++k) {
      if (!std::isnan(array ? results[i].box->slots()[k].real : results[i].real)) continue;
      why_not = fmt::format("the external function `{}` gives no number (NaN)", name_);
      if (!results_[i].name.empty()) why_not += fmt::format(" for `{}`", results_[i].name);
      if (array) why_not += fmt::format(" in element {}", k + 1);
      return false;
    }
  }
  return true;
}

bool ExternalFunction::call(Heap& heap, void* object, std::span<const Slot> arguments, Slot* results,
                            std::string& why_not) const {
  if (!check_sizes(arguments, why_not)) return false;
  Passing passing;
  if (kind_ == Kind::Method) passing.pointer(object);
  for (std::size_t i = 0; i < parameters_.size(); ++i) passing.argument(parameters_[i], arguments[i]);
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].type.rank > 0) results[i].box = heap.new_array(results_[i].sizes, false);
    if (!is_returned(results_, i)) passing.result(results_[i], results[i]);
  }
  CValue returned{};
  {
    const std::lock_guard lock(libraries_->calls);
    returned = symbol_->call(passing.values);
  }
  if (kind_ == Kind::Constructor) {
    results[0].integer = reinterpret_cast<std::intptr_t>(returned.pointer);
    return true;
  }
  passing.fetch(results_, returned, heap, results);
  if (check_results(results, why_not)) return true;
  for (std::size_t i = 0; i < results_.size(); ++i) {
    if (is_boxed(results_[i].type)) heap.release(results[i].box);
  }
  return false;
}

ExternalCode::~ExternalCode() {
  for (std::size_t number = objects_.size(); number > 0; --number) free(static_cast<std::int64_t>(number));
}

bool ExternalCode::is_allowed(std::string_view symbol, std::string& why_not) const {
  if (libraries != nullptr) return true;
  why_not = fmt::format("external code is not allowed; run with `--allow-external` if you trust `{}`",
                        symbol.substr(0, symbol.find(':')));
  return false;
}

ExternalValue ExternalCode::value(const std::string& name, model::Type type, model::ShapeId shape) const {
  ExternalValue result{name, type, std::vector<std::int64_t>(type.rank, -1)};
  for (std::size_t i = 0; shape && i < result.sizes.size(); ++i) {
    result.sizes[i] = model_->shapes[shape].dimensions[i].size.value_or(-1);
  }
  return result;
}

std::vector<ExternalValue> ExternalCode::parameters(const std::vector<model::LocalId>& locals) const {
  std::vector<ExternalValue> result;
  for (const model::LocalId id : locals) {
    const model::Local& local = model_->locals[id];
    result.push_back(value(std::string(model_->name(local.name)), local.type, local.shape));
  }
  return result;
}

std::vector<ExternalValue> ExternalCode::results(const std::vector<model::Field>& fields) const {
  std::vector<ExternalValue> result;
  for (const model::Field& field : fields) {
    result.push_back(value(field.name ? std::string(model_->name(field.name)) : "", field.type, field.shape));
  }
  return result;
}

template <class Load>
const ExternalFunction* ExternalCode::find(std::unordered_map<std::uint32_t, Found>& known, std::uint32_t index,
                                           Load load, std::string& why_not) {
  const auto [entry, is_new] = known.try_emplace(index);
  Found& found = entry->second;
  if (is_new) found.function = load(found.why_not);
  why_not = found.why_not;
  return found.function.get();
}

const ExternalFunction* ExternalCode::function(model::FunctionId id, std::string& why_not) {
  const auto load = [&](std::string& reason) -> std::unique_ptr<ExternalFunction> {
    const model::Function& record = model_->functions[id];
    if (!is_allowed(record.library_symbol, reason)) return nullptr;
    ExternalFunction::Kind kind = ExternalFunction::Kind::Function;
    for (const model::ExternalObject& object : model_->external_objects) {
      for (const model::FunctionId method : object.functions) {
        if (method == id) kind = ExternalFunction::Kind::Method;
      }
    }
    return ExternalFunction::load(*libraries, kind, record.library_symbol, parameters(record.parameters),
                                  results(record.results), reason);
  };
  return find(functions_, id.index, load, why_not);
}

const ExternalFunction* ExternalCode::derivative(model::FunctionId id, std::string& why_not) {
  const auto load = [&](std::string& reason) -> std::unique_ptr<ExternalFunction> {
    const model::Function& record = model_->functions[id];
    const std::string library = record.library_symbol.substr(0, record.library_symbol.find(':') + 1);
    const bool elsewhere = record.derivative_symbol.find(':') != std::string::npos;
    const std::string symbol = (elsewhere ? "" : library) + record.derivative_symbol;
    if (!is_allowed(symbol, reason)) return nullptr;
    std::vector<ExternalValue> all = parameters(record.parameters);
    for (std::size_t i = 0; i < record.parameters.size(); ++i) {
      if (all[i].type.kind == TypeKind::Real) all.push_back(ExternalValue(all[i]));
    }
    return ExternalFunction::load(*libraries, ExternalFunction::Kind::Function, symbol, std::move(all),
                                  results(record.results), reason);
  };
  return find(derivatives_, id.index, load, why_not);
}

const ExternalFunction* ExternalCode::constructor(model::ExternalObjectId id, std::string& why_not) {
  const auto load = [&](std::string& reason) -> std::unique_ptr<ExternalFunction> {
    const model::ExternalObject& record = model_->external_objects[id];
    if (!is_allowed(record.library_prefix, reason)) return nullptr;
    return ExternalFunction::load(*libraries, ExternalFunction::Kind::Constructor, record.library_prefix + "_new",
                                  parameters(record.parameters), {}, reason);
  };
  return find(constructors_, id.index, load, why_not);
}

std::int64_t ExternalCode::make(model::ExternalObjectId id, Heap& heap, std::span<const Slot> arguments,
                                std::string& why_not) {
  const ExternalFunction* function = constructor(id, why_not);
  if (function == nullptr) return 0;
  const std::string& prefix = model_->external_objects[id].library_prefix;
  const ExternalSymbol* free = libraries->find(prefix + "_free", {CType::None, {CType::Pointer}}, why_not);
  if (free == nullptr) return 0;
  Slot made;
  if (!function->call(heap, nullptr, arguments, &made, why_not)) return 0;
  if (made.integer == 0) {
    why_not = fmt::format("`{}_new` made no object", prefix.substr(prefix.find(':') + 1));
    return 0;
  }
  if (free_numbers_.empty()) {
    objects_.emplace_back();
    free_numbers_.push_back(static_cast<std::int64_t>(objects_.size()));
  }
  const std::int64_t number = free_numbers_.back();
  free_numbers_.pop_back();
  objects_[static_cast<std::size_t>(number) - 1] = {reinterpret_cast<void*>(static_cast<std::intptr_t>(made.integer)),
                                                    free};
  return number;
}

void ExternalCode::free(std::int64_t number) {
  if (object(number) == nullptr) return;
  Object& gone = objects_[static_cast<std::size_t>(number) - 1];
  const CValue argument{.pointer = gone.pointer};
  gone.pointer = nullptr;
  free_numbers_.push_back(number);
  const std::lock_guard lock(libraries->calls);
  gone.free->call({&argument, 1});
}

}  // namespace hyla::code
