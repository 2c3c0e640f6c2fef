#include "engine/function_callee.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/builder.h"
#include "engine/compiled_model.h"

namespace hyla::engine {
namespace {

using model::TypeKind;

/// Of loops and calls in one evaluation: solvers evaluate many times, so an endless loop must be noticed soon.
constexpr std::uint64_t kMostTurns = 10'000'000;

bool is_flat(model::Type type) {
  return type.is_number() || type.kind == TypeKind::Boolean || type.kind == TypeKind::Enum;
}

Slot slot_of(TypeKind kind, double number) {
  if (kind == TypeKind::Real) return Slot(number);
  constexpr double kExact = 9007199254740992.0;  // whole numbers up to here are exact in a double
  return Slot(static_cast<std::int64_t>(std::llround(std::clamp(number, -kExact, kExact))));
}

double number_of(TypeKind kind, Slot slot) {
  return kind == TypeKind::Real ? slot.real : static_cast<double>(slot.integer);
}

}  // namespace

std::size_t FlatValue::count() const {
  if (type.kind == TypeKind::String) return 0;
  return static_cast<std::size_t>(product(sizes));
}

/// A machine with what it needs; it needs nothing of a world.
struct FunctionCallees::Runner {
  explicit Runner(CompiledModel& compiled)
      : heap(compiled.model), machine(compiled.model, compiled.functions, heap, host) {
    host.machine = &machine;
    heap.most_elements = compiled.most_elements;
    machine.most_turns = kMostTurns;
  }

  code::Heap heap;
  BuildHost host;
  code::Machine machine;
};

/// The function itself, or the derivative that its declaration names.
class FunctionCallees::Function : public code::Callee {
 public:
  Function(FunctionCallees& all, model::FunctionId id, std::vector<FlatValue> parameters,
           std::vector<FlatValue> results, bool is_derivative)
      : Callee((is_derivative ? 2 : 1) * count(parameters), count(results)),
        all_(all),
        record_(all.compiled_.model.functions[id]),
        id_(id),
        parameters_(std::move(parameters)),
        results_(std::move(results)),
        is_derivative_(is_derivative) {}

  std::string name() const override { return std::string(all_.compiled_.model.name(record_.name)); }

  void call(std::span<const double> arguments, std::span<double> results) const override {
    if (!run(arguments, results).empty()) std::fill(results.begin(), results.end(), std::nan(""));
  }

  std::string failure(std::span<const double> arguments) const override {
    std::vector<double> results(this->results());
    return run(arguments, results);
  }

 private:
  static std::size_t count(const std::vector<FlatValue>& values) {
    std::size_t sum = 0;
    for (const FlatValue& value : values) sum += value.count();
    return sum;
  }

  /// Takes the numbers of a value from the front.
  static Slot unpack(code::Heap& heap, const FlatValue& value, std::span<const double>& numbers) {
    if (value.type.kind == TypeKind::String) return Slot(heap.new_text(value.text));
    const std::span<const double> own = numbers.first(value.count());
    numbers = numbers.subspan(own.size());
    if (value.type.rank == 0) return slot_of(value.type.kind, own[0]);
    Box* const box = heap.new_array(value.sizes, false);
    for (std::size_t i = 0; i < own.size(); ++i) box->slots()[i] = slot_of(value.type.kind, own[i]);
    return Slot(box);
  }

  /// Empty, or why there are no results.
  std::string run(std::span<const double> arguments, std::span<double> results) const {
    const auto is_nan = [](double argument) { return std::isnan(argument); };
    if (std::any_of(arguments.begin(), arguments.end(), is_nan)) return "an argument is no number";
    std::unique_ptr<Runner> runner = all_.take();
    std::vector<Slot> inputs, outputs(std::max<std::size_t>(results_.size(), 1));
    std::vector<Box*> boxes;
    const auto add = [&](const FlatValue& value) {
      inputs.push_back(unpack(runner->heap, value, arguments));
      if (code::is_boxed(value.type)) boxes.push_back(inputs.back().box);
    };
    for (const FlatValue& value : parameters_) add(value);
    for (const FlatValue& value : parameters_) {
      if (is_derivative_ && value.type.kind == TypeKind::Real) {
        add(value);
      } else if (is_derivative_) {
        arguments = arguments.subspan(value.count());
      }
    }
    std::string why_not = execute(*runner, inputs, outputs.data());
    if (why_not.empty()) why_not = read(runner->heap, outputs, results);
    for (Box* const box : boxes) runner->heap.release(box);
    all_.give_back(std::move(runner));
    return why_not;
  }

  std::string execute(Runner& runner, std::span<const Slot> inputs, Slot* outputs) const {
    code::Functions& functions = all_.compiled_.functions;
    if (record_.block) {
      const code::Status status = runner.machine.run(functions.program(id_), {}, nullptr, inputs, outputs);
      return status == code::Status::Finished ? "" : runner.machine.failure().message;
    }
    std::string why_not;
    const code::ExternalFunction* const external =
        is_derivative_ ? functions.external.derivative(id_, why_not) : functions.external.function(id_, why_not);
    if (external != nullptr && external->call(runner.heap, nullptr, inputs, outputs, why_not)) return "";
    return why_not;
  }

  std::string read(code::Heap& heap, std::span<const Slot> outputs, std::span<double> results) const {
    std::string why_not;
    for (std::size_t i = 0; i < results_.size(); ++i) {
      const FlatValue& value = results_[i];
      if (value.type.rank == 0) {
        results[0] = number_of(value.type.kind, outputs[i]);
        results = results.subspan(1);
        continue;
      }
      Box* const box = outputs[i].box;
      if (box == nullptr || box->size != value.count()) {
        why_not = fmt::format("it gives an array of {} elements where {} are declared", box == nullptr ? 0 : box->size,
                              value.count());
      }
      for (std::size_t k = 0; why_not.empty() && k < box->size; ++k) {
        results[k] = number_of(value.type.kind, box->slots()[k]);
      }
      results = results.subspan(value.count());
      heap.release(box);
    }
    return why_not;
  }

 protected:
  FunctionCallees& all_;
  const model::Function& record_;
  model::FunctionId id_;
  std::vector<FlatValue> parameters_, results_;
  bool is_derivative_;
};

/// One whose declaration names a derivative; the others have differences.
class FunctionCallees::WithDerivative final : public Function {
 public:
  using Function::Function;

 private:
  std::unique_ptr<Callee> make_derivative() const override {
    return std::make_unique<Function>(all_, id_, parameters_, results_, true);
  }
};

FunctionCallees::FunctionCallees(CompiledModel& compiled) : compiled_(compiled) {}
FunctionCallees::~FunctionCallees() = default;

bool FunctionCallees::results_of(const model::Function& record, std::vector<FlatValue>& results,
                                 std::string& why_not) const {
  for (const model::Field& field : record.results) {
    FlatValue value{field.type, {}, ""};
    for (std::size_t i = 0; i < field.type.rank; ++i) {
      const model::Dimension size =
          field.shape ? compiled_.model.shapes[field.shape].dimensions[i] : model::Dimension{};
      if (!size.size) why_not = "it gives an array of open size";
      value.sizes.push_back(size.size.value_or(0));
    }
    if (!is_flat(field.type)) why_not = "it gives something that is no number";
    results.push_back(std::move(value));
  }
  if (results.empty()) why_not = "it gives nothing";
  return why_not.empty();
}

const code::Callee* FunctionCallees::find(model::FunctionId id, std::vector<FlatValue> parameters,
                                          std::vector<code::Unsupported>& unsupported, std::string& why_not) {
  std::string key = fmt::format("{}", id.index);
  for (const FlatValue& value : parameters) {
    if (!is_flat(value.type) && !value.type.is_scalar(TypeKind::String)) {
      why_not = "it takes something that is no number";
      return nullptr;
    }
    key += fmt::format(";{},{}", fmt::join(value.sizes, ","), value.text);
  }
  if (const auto found = functions_.find(key); found != functions_.end()) return found->second.get();
  const model::Function& record = compiled_.model.functions[id];
  std::vector<FlatValue> results;
  if (!results_of(record, results, why_not)) return nullptr;
  if (record.block) {
    const std::size_t before = unsupported.size();
    compiled_.functions.prepare(id, unsupported);
    if (unsupported.size() > before) return nullptr;
  } else {
    if (compiled_.functions.external.function(id, why_not) == nullptr) return nullptr;
    if (!record.derivative_symbol.empty() && compiled_.functions.external.derivative(id, why_not) == nullptr) {
      return nullptr;
    }
  }
  std::unique_ptr<Function>& made = functions_[key];
  if (record.derivative_symbol.empty()) {
    made = std::make_unique<Function>(*this, id, std::move(parameters), std::move(results), false);
  } else {
    made = std::make_unique<WithDerivative>(*this, id, std::move(parameters), std::move(results), false);
  }
  return made.get();
}

std::unique_ptr<FunctionCallees::Runner> FunctionCallees::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Runner> runner = std::move(idle_.back());
      idle_.pop_back();
      return runner;
    }
  }
  return std::make_unique<Runner>(compiled_);
}

void FunctionCallees::give_back(std::unique_ptr<Runner> runner) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(runner));
}

}  // namespace hyla::engine
