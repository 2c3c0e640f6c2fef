#include "service/solver_options.h"

#include <array>
#include <charconv>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "solve_sundials/sundials.h"

namespace hyla::service {
namespace {

using engine::ContinuousOptions;
using engine::Jit;
using engine::Zeno;

constexpr double kAbsolutePart = 1e-3;  // of the relative tolerance

/// How the command line and a section call the same thing.
struct Names {
  std::string_view solver, events, zeno, tolerance, step_size;
};
constexpr Names kOptionNames = {"--solver", "--events", "--zeno", "--tolerance", "--step-size"};
constexpr Names kSettingNames = {"section Simulation: solver", "section Simulation: events", "section Simulation: zeno",
                                 "section Simulation: tolerance", ""};

constexpr std::array<std::pair<std::string_view, Zeno>, 3> kZeno = {
    {{"stop", Zeno::Stop}, {"slide", Zeno::Slide}, {"continue", Zeno::Continue}}};
constexpr std::array<std::pair<std::string_view, Jit>, 3> kJit = {
    {{"auto", Jit::Auto}, {"on", Jit::On}, {"off", Jit::Off}}};
constexpr std::array<std::pair<std::string_view, bool>, 3> kEvents = {
    {{"isolate", false}, {"one_sided", true}, {"interpolant", false}}};

base::Failure not_among(std::string_view name, std::string_view word, const std::vector<std::string_view>& words) {
  const auto near = base::nearest(word, words);
  return {std::string(name) + " takes one of " + base::quoted_list(words, words.size()) + ", not `" +
          std::string(word) + "`" + (near ? "; did you mean `" + std::string(*near) + "`?" : "")};
}

template <class Value, std::size_t count>
std::optional<base::Failure> choose(std::string_view name, std::string_view word,
                                    const std::array<std::pair<std::string_view, Value>, count>& choices,
                                    Value& value) {
  if (word.empty()) return std::nullopt;
  std::vector<std::string_view> words;
  for (const auto& [choice, meaning] : choices) {
    words.push_back(choice);
    if (choice != word) continue;
    value = meaning;
    return std::nullopt;
  }
  return not_among(name, word, words);
}

std::optional<base::Failure> choose_method(std::string_view name, const std::string& word, solve::Method& method) {
  if (word.empty() || solve::find_method(word, method)) return std::nullopt;
  std::vector<std::string_view> words;
  for (int i = 0; i <= static_cast<int>(solve::Method::Ida); ++i) {
    words.push_back(solve::name_of(static_cast<solve::Method>(i)));
  }
  return not_among(name, word, words);
}

/// `one_sided:0.1`.
std::optional<base::Failure> choose_events(std::string_view name, const std::string& word, ContinuousOptions& options) {
  const std::size_t colon = word.find(':');
  if (auto wrong = choose(name, std::string_view(word).substr(0, colon), kEvents, options.one_sided)) return wrong;
  if (colon == std::string::npos) return std::nullopt;
  const std::string_view part = std::string_view(word).substr(colon + 1);
  double gamma = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), gamma);
  const bool is_number = error == std::errc() && end == part.data() + part.size();
  if (!options.one_sided || !is_number || !(gamma > 0) || !(gamma < 1)) {
    return base::Failure{std::string(name) + " takes `one_sided:GAMMA` with a number between 0 and 1, not `" + word +
                         "`"};
  }
  options.gamma = gamma;
  return std::nullopt;
}

std::optional<base::Failure> read_positive(std::string_view name, std::optional<double> number, double& value) {
  if (!number) return std::nullopt;
  if (!(*number > 0) || !std::isfinite(*number)) {
    return base::Failure{std::string(name) + " takes a positive number, not `" + base::format_number(*number) + "`"};
  }
  value = *number;
  return std::nullopt;
}

std::optional<base::Failure> read(const Names& names, const SolverWords& words, ContinuousOptions& options) {
  if (auto wrong = choose_method(names.solver, words.solver, options.method)) return wrong;
  if (auto wrong = choose_events(names.events, words.events, options)) return wrong;
  if (auto wrong = choose(names.zeno, words.zeno, kZeno, options.zeno)) return wrong;
  if (auto wrong = choose("--jit", words.jit, kJit, options.jit)) return wrong;
  if (auto wrong = read_positive(names.tolerance, words.tolerance, options.relative_tolerance)) return wrong;
  if (words.tolerance) options.absolute_tolerance = kAbsolutePart * options.relative_tolerance;
  return read_positive(names.step_size, words.step_size, options.fixed_step);
}

/// The project's own methods, or those of SUNDIALS.
std::unique_ptr<solve::Integrator> make_any_integrator(solve::Method method) {
  std::unique_ptr<solve::Integrator> own = solve::make_integrator(method);
  return own != nullptr ? std::move(own) : solve_sundials::make_sundials_integrator(method);
}

}  // namespace

std::optional<base::Failure> check_solver_words(const SolverWords& words) {
  ContinuousOptions options;
  return read(kOptionNames, words, options);
}

base::Result<ContinuousOptions> continuous_options(const engine::Settings& settings, const SolverWords& words,
                                                   double interval) {
  ContinuousOptions options;
  options.make_integrator = make_any_integrator;
  const SolverWords of_model = {settings.solver, settings.events, settings.zeno, "", std::nullopt, std::nullopt};
  if (auto wrong = read(kSettingNames, of_model, options)) return *wrong;
  const std::string_view name = kSettingNames.tolerance;
  if (auto wrong = read_positive(name, settings.relative_tolerance, options.relative_tolerance)) return *wrong;
  if (auto wrong = read_positive(name, settings.absolute_tolerance, options.absolute_tolerance)) return *wrong;
  options.fixed_step = interval;
  if (auto wrong = read(kOptionNames, words, options)) return *wrong;
  return options;
}

}  // namespace hyla::service
