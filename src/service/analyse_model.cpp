#include "service/analyse_model.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

#include "base/text.h"
#include "engine/linearise.h"
#include "engine/run_loop.h"
#include "engine/steady.h"
#include "service/prepare_run.h"
#include "service/start_values.h"
#include "service/summary.h"
#include "solve/spectrum.h"

namespace hyla::service {
namespace {

/// A real part counts as zero within so much of the largest eigenvalue.
constexpr double kZeroPart = 1e-9;

/// A model that has been run to a time and is held there.
class HeldRun {
 public:
  /// False: the reasons are in the report.
  bool start(const AnalysisRequest& request, const LinearRequest* linear, const FileSystem& files,
             AnalysisReport& report) {
    RunRequest words;
    words.path = request.path;
    words.model = request.model;
    words.library_paths = request.library_paths;
    words.settings = request.settings;
    words.start_values_file = request.start_values_file;
    words.allow_external = request.allow_external;
    words.external_folders = request.external_folders;
    words.solver.tolerance = request.tolerance;
    words.solver.jit = "off";
    RunReport prepared_report;
    const bool is_prepared = prepare_run(words, files, prepared_report, prepared_);
    static_cast<ModelReport&>(report) = std::move(static_cast<ModelReport&>(prepared_report));
    if (!is_prepared) return false;
    report.model = prepared_report.model;
    report.time_unit = prepared_report.time_unit;
    engine::RunOptions& options = prepared_.options;
    const double time = request.at.value_or(options.start_time);
    if (time < options.start_time) {
      report.failures.push_back("t = " + short_number(time) + " lies before the start time " +
                                short_number(options.start_time));
      return false;
    }
    options.stop_time = time + std::max(1.0, std::abs(time));  // a run that is held goes on
    prepared_.build.is_probed = linear != nullptr;
    if (linear != nullptr) prepared_.build.probes = linear->inputs;
    engine::BuildFailure failure;
    world_ = engine::build(*prepared_.model, prepared_.build, sink_, failure);
    if (!world_) {
      add_messages(sink_, report);
      if (!failure.message.empty()) report.failures.push_back(failure.message);
      return false;
    }
    return run_to(time, report);
  }

  engine::RunLoop& loop() { return *loop_; }
  engine::World& world() { return *world_; }
  const diag::Sink& sink() const { return sink_; }
  const PreparedRun& prepared() const { return prepared_; }

 private:
  bool run_to(double time, AnalysisReport& report) {
    loop_ = std::make_unique<engine::RunLoop>(*world_, prepared_.options, nullptr, sink_, nullptr);
    if (loop_->start()) {
      while (loop_->step(time)) {
      }
    }
    const engine::Run& run = loop_->context();
    if (sink_.has_errors()) {
      add_messages(sink_, report);
      return false;
    }
    if (loop_->has_ended()) {
      report.failures.push_back("the run has ended at t = " + short_number(run.now) +
                                ", before t = " + short_number(time));
      return false;
    }
    return true;
  }

  PreparedRun prepared_;
  diag::Sink sink_;
  std::unique_ptr<engine::World> world_;
  std::unique_ptr<engine::RunLoop> loop_;
};

AnalysedQuantity quantity_of(const engine::World& world, const engine::LinearQuantity& one) {
  AnalysedQuantity result = {one.name.name, "", one.value, one.derivative};
  if (!one.name.variable) return result;
  const model::UnitId unit = world.model.variables[one.name.variable].unit;
  if (unit && unit != model::kBareUnit) result.unit = world.model.unit_name(unit);
  return result;
}

Stability stability_of(const std::vector<std::complex<double>>& eigenvalues) {
  double largest = 0;
  for (const std::complex<double>& one : eigenvalues) largest = std::max(largest, std::abs(one));
  Stability result = Stability::Stable;
  for (const std::complex<double>& one : eigenvalues) {
    if (one.real() > kZeroPart * largest) return Stability::Unstable;
    if (one.real() >= -kZeroPart * largest) result = Stability::Marginal;
  }
  return result;
}

bool fill(HeldRun& held, const std::vector<engine::StartName>& outputs, AnalysisReport& report) {
  engine::LinearModel linear;
  std::string message;
  const bool good = engine::linearise(held.loop().context(), outputs, linear, message);
  if (held.sink().has_errors()) {
    add_messages(held.sink(), report);
    return false;
  }
  if (!good) {
    report.failures.push_back("cannot linearise at t = " + short_number(held.loop().context().now) + ": " + message);
    return false;
  }
  const engine::World& world = held.world();
  report.time = held.loop().context().now;
  report.configuration = engine::active_configuration(world);
  for (const engine::LinearQuantity& one : linear.states) {
    report.states.push_back(quantity_of(world, one));
    report.depends_on_time = report.depends_on_time || one.drift != 0;
  }
  for (const engine::LinearQuantity& one : linear.inputs) report.inputs.push_back(quantity_of(world, one));
  for (const engine::LinearQuantity& one : linear.outputs) report.outputs.push_back(quantity_of(world, one));
  report.a = std::move(linear.a);
  report.b = std::move(linear.b);
  report.c = std::move(linear.c);
  report.d = std::move(linear.d);
  report.eigenvalues = solve::eigenvalues(report.a, report.states.size());
  report.stability = stability_of(report.eigenvalues);
  report.has_result = true;
  return true;
}

bool find_outputs(const LinearRequest& request, const engine::World& world, AnalysisReport& report,
                  std::vector<engine::StartName>& outputs) {
  if (request.outputs.empty()) {
    outputs = engine::top_outputs(world);
    return true;
  }
  const std::vector<engine::StartName> names = engine::start_names(world);
  for (const std::string& wanted : request.outputs) {
    const auto found =
        std::find_if(names.begin(), names.end(), [&](const engine::StartName& one) { return one.name == wanted; });
    if (found == names.end()) {
      report.failures.push_back(engine::no_such_name(wanted, names));
      return false;
    }
    outputs.push_back(*found);
  }
  return true;
}

std::optional<base::Failure> write_linear(const AnalysisReport& report, const std::string& path, FileSystem& files) {
  return files.write(path, path.ends_with(".mat") ? linear_mat(report) : linear_json(report));
}

// --- steady states

std::string name_list(const std::vector<engine::StartName>& names) {
  std::vector<std::string_view> words;
  for (const engine::StartName& one : names) words.push_back(one.name);
  return base::quoted_list(words);
}

/// Why there is no steady state, and what to try.
std::string complaint_of(const engine::SteadyOutcome& outcome, double time) {
  const std::string where = " from the values at t = " + short_number(time);
  switch (outcome.kind) {
    case engine::SteadyOutcome::Kind::None: {
      std::string text = "there is no steady state" + where + ":";
      for (std::size_t i = 0; i < outcome.remaining.size(); ++i) {
        const auto& [name, derivative] = outcome.remaining[i];
        text +=
            (i > 0 ? ", " : " ") + ("der(" + name.name + ") comes no nearer to zero than " + short_number(derivative));
      }
      if (!outcome.open.empty()) text += "; no derivative determines " + name_list(outcome.open);
      return text;
    }
    case engine::SteadyOutcome::Kind::Left: {
      std::string text = "there is no steady state in the active states" + where +
                         ": put where all derivatives are zero, the model leaves them:";
      for (const auto& [before, after] : outcome.left) {
        text += " " + before + " becomes " + (after.empty() ? "nothing" : after) + ";";
      }
      return text + " `--at` begins the search in other states";
    }
    default:
      return "no steady state was found" + where + "; other values to begin with may help: --start-values, --at";
  }
}

/// States are given; what follows from them is computed.
std::string values_to_save(const SteadyRequest& request, const SteadyReport& report,
                           const engine::SteadyOutcome& outcome, const engine::World& world) {
  StartValues values;
  values.model = report.model;
  values.settings = request.settings;
  for (const AnalysedQuantity& state : report.states) {
    if (state.name.starts_with("der(")) continue;
    values.wishes.push_back({engine::StartWish::Kind::Fix, state.name, state.value, engine::StartOrigin::Chosen});
  }
  for (const engine::StartName& one : outcome.demoted) {
    const engine::Slot& slot = world.object(one.place.object).slots[one.place.slot];
    const double value = one.place.element == engine::kNone ? slot.real : slot.box->slots()[one.place.element].real;
    values.wishes.push_back({engine::StartWish::Kind::Free, one.name, value, engine::StartOrigin::Chosen});
  }
  return start_values_text(values);
}

}  // namespace

AnalysisReport linearise_model(const LinearRequest& request, FileSystem& files) {
  AnalysisReport report;
  if (!request.output.empty() && !request.output.ends_with(".json") && !request.output.ends_with(".mat")) {
    report.failures.push_back("-o takes a name that ends with `.json` or `.mat`, not `" + request.output + "`");
    return report;
  }
  HeldRun held;
  std::vector<engine::StartName> outputs;
  if (!held.start(request, &request, files, report) || !find_outputs(request, held.world(), report, outputs) ||
      !fill(held, outputs, report)) {
    return report;
  }
  add_messages(held.sink(), report);
  if (request.output.empty()) return report;
  if (const auto wrong = write_linear(report, request.output, files)) report.failures.push_back(wrong->message);
  return report;
}

SteadyReport find_steady_state(const SteadyRequest& request, FileSystem& files) {
  SteadyReport report;
  HeldRun held;
  if (!held.start(request, nullptr, files, report)) return report;
  engine::LinearModel start;  // its states alone are of interest: matrices need not exist there
  std::string message;
  engine::linearise(held.loop().context(), {}, start, message);
  const double time = held.loop().context().now;
  const engine::SteadyOutcome outcome = engine::find_steady(held.loop());
  if (held.sink().has_errors()) {
    add_messages(held.sink(), report);
    return report;
  }
  if (outcome.kind != engine::SteadyOutcome::Kind::Found) {
    report.complaint = complaint_of(outcome, time);
    return report;
  }
  if (!fill(held, {}, report)) return report;
  add_messages(held.sink(), report);
  for (const AnalysedQuantity& state : report.states) {
    const auto same = std::find_if(start.states.begin(), start.states.end(),
                                   [&](const engine::LinearQuantity& it) { return it.name.name == state.name; });
    report.starts.push_back(same == start.states.end() ? std::nan("") : same->value);
  }
  for (const engine::StartName& one : outcome.open) report.open.push_back(one.name);
  if (request.save_file.empty()) return report;
  if (const auto wrong = files.write(request.save_file, values_to_save(request, report, outcome, held.world()))) {
    report.failures.push_back(wrong->message);
  }
  return report;
}

}  // namespace hyla::service
