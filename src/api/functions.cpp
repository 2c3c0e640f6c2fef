#include "api/functions.h"

#include <algorithm>
#include <limits>
#include <mutex>
#include <utility>

#include "base/text.h"

namespace hyla::api {
namespace {

using code::CType;
using code::CValue;

class FunctionSymbol final : public code::ExternalSymbol {
 public:
  FunctionSymbol(const Function& function, const code::CSignature& signature, Thrown& thrown)
      : function_(function), signature_(signature), thrown_(thrown) {}

  CValue call(std::span<const CValue> arguments) const override {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < arguments.size(); ++i) numbers.push_back(number_of(arguments[i], i));
    double result = std::numeric_limits<double>::quiet_NaN();
    thrown_.keep([&] { result = function_(numbers); });
    if (thrown_ && signature_.result == CType::Integer) return {.integer = 0};
    if (signature_.result == CType::Integer) return {.integer = static_cast<std::int64_t>(result)};
    if (signature_.result == CType::Truth) return {.truth = result != 0 ? 1 : 0};
    return {.real = result};
  }

 private:
  double number_of(const CValue& value, std::size_t place) const {
    switch (signature_.arguments[place]) {
      case CType::Integer:
        return static_cast<double>(value.integer);
      case CType::Truth:
        return value.truth;
      default:
        return value.real;
    }
  }

  const Function& function_;
  code::CSignature signature_;
  Thrown& thrown_;
};

class FunctionLibraries final : public code::ExternalLibraries {
 public:
  FunctionLibraries(std::map<std::string, Function> functions, std::unique_ptr<code::ExternalLibraries> others,
                    Thrown& thrown)
      : functions_(std::move(functions)), others_(std::move(others)), thrown_(thrown) {}

  const code::ExternalSymbol* find(std::string_view name, const code::CSignature& signature,
                                   std::string& why_not) override {
    const auto found = functions_.find(std::string(name));
    if (found == functions_.end()) return find_other(name, signature, why_not);
    const auto is_pointer = [](CType type) { return type == CType::Pointer; };
    if (std::any_of(signature.arguments.begin(), signature.arguments.end(), is_pointer) ||
        signature.result == CType::Pointer || signature.result == CType::None) {
      why_not =
          "a function of the program takes numbers and gives one number; arrays, texts and several results need "
          "a shared library";
      return nullptr;
    }
    const std::lock_guard lock(finding_);
    symbols_.push_back(std::make_unique<FunctionSymbol>(found->second, signature, thrown_));
    return symbols_.back().get();
  }

 private:
  const code::ExternalSymbol* find_other(std::string_view name, const code::CSignature& signature,
                                         std::string& why_not) {
    if (others_ != nullptr) return others_->find(name, signature, why_not);
    std::vector<std::string_view> names;
    for (const auto& [known, function] : functions_) names.push_back(known);
    const auto near = base::nearest(name, names);
    why_not = "the program has no function `" + std::string(name) + "`" +
              (near ? "; did you mean `" + std::string(*near) + "`?" : "") +
              ", and shared libraries are not allowed (Options::allow_external)";
    return nullptr;
  }

  const std::map<std::string, Function> functions_;
  std::unique_ptr<code::ExternalLibraries> others_;
  Thrown& thrown_;
  std::mutex finding_;
  std::vector<std::unique_ptr<FunctionSymbol>> symbols_;
};

}  // namespace

std::unique_ptr<code::ExternalLibraries> make_libraries(std::map<std::string, Function> functions,
                                                        std::unique_ptr<code::ExternalLibraries> others,
                                                        Thrown& thrown) {
  return std::make_unique<FunctionLibraries>(std::move(functions), std::move(others), thrown);
}

}  // namespace hyla::api
