// From a class to a world of objects that is ready to run.
//
// Builds the tree of objects from the top class: parameters (defaults, arguments, settings from outside), arrays,
// parts, ports, mailboxes and statistics; then makes the connections. Charts are entered by the run. What cannot be run
// or built (equations of this version's future, a bad size, an unknown setting) is told to the sink with its place;
// then no world comes back.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/initial_choices.h"
#include "engine/world.h"

namespace hyla::engine {

/// A parameter or initial value from outside: `servers[2].mean`, "0.5".
struct Assignment {
  std::string path;
  std::string value;
};

/// What is taken for a mistake.
struct BuildLimits {
  std::size_t objects = 10'000'000;             ///< also ports, mailboxes
  std::size_t elements = std::size_t{1} << 27;  ///< of an array
  std::uint64_t loop_turns = 1'000'000'000;     ///< of loops and calls of functions in one expression
};

struct BuildRequest {
  model::ClassId top;
  std::uint64_t seed = 1;
  std::uint64_t substream = 0;  ///< number of the replication
  std::vector<Assignment> assignments;
  std::vector<StartWish> starts;  ///< later ones win
  bool notes_arguments = false;   ///< StartChoices::arguments is filled
  bool is_probed = false;         ///< derivatives with respect to given quantities are wanted: see choose_probes()
  std::vector<std::string> probes;
  BuildLimits limits;
  code::ExternalLibraries* external = nullptr;  ///< none: external code is not allowed
  /// What earlier worlds of the same model have left, none of which is there any more; null: nothing.
  std::shared_ptr<CompiledModel> compiled;
};

struct BuildFailure {
  std::string message;  ///< a mistake in the request: unknown path, wrong value; empty if the sink tells
};

std::unique_ptr<World> build(const model::Model& model, const BuildRequest& request, diag::Sink& sink,
                             BuildFailure& failure);

/// Numbers of values that the settings of the top class's `section Simulation` give; defaults of the package otherwise.
struct Settings {
  double start_time = 0;
  double stop_time = 10;
  std::uint64_t seed = 1;
  std::string time_unit = "s";
  double relative_tolerance = 1e-6;
  double absolute_tolerance = 1e-9;
  double output_interval = 0;  ///< 0: not given
  std::string solver = "auto", events = "interpolant", zeno = "stop";
};
/// What counts before the section: the settings of an experiment, and before them values by name.
struct SettingsOverlay {
  std::vector<model::Setting> settings;
  std::vector<std::pair<std::string, std::string>> values;
};
Settings settings_of(const model::Model& model, model::ClassId top, const SettingsOverlay& overlay = {});
/// Whether some of them depend on parameters, so that only the built world tells.
bool settings_vary(const model::Model& model, model::ClassId top, const SettingsOverlay& overlay = {});
/// The same with the values that the parameters of the built top object have.
Settings settings_of(World& world, const SettingsOverlay& overlay = {});

/// The model to run if none is named: not abstract, no environment package's, used by no other of its module. Several
/// or none give a message that lists them.
model::ClassId find_top(const model::Model& model, std::string_view module, std::string_view name,
                        std::string& message);

}  // namespace hyla::engine
