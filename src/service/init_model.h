// `hyla init` in plain data: what a model starts with, what is given and what is computed, and what could be given
// instead. Nothing is run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "service/files.h"
#include "service/parameters.h"
#include "service/read_model.h"

namespace hyla::service {

/// Which quantities a table shows.
enum class InitShow : std::uint8_t {
  All,
  Reduced,   ///< unknowns that are iterated on: those left when all that follows by formulas is taken away
  Selected,  ///< that match a pattern
  Changed,   ///< against the values declared or loaded, or in their roles
};

struct InitRequest {
  std::string path;
  std::string model;  ///< empty: the one that no other uses
  std::vector<std::string> library_paths;
  bool allow_external = false;                ///< functions of shared libraries may be called
  std::vector<std::string> external_folders;  ///< where they are looked for, beside the folder of the file
  std::vector<ParameterSetting> settings;
  std::vector<std::string> fixes, frees, guesses;  ///< `tank.level`, `tank.level=2`
  std::string load_file, save_file;                ///< empty: none
  InitShow show = InitShow::All;
  std::vector<std::string> selected;  ///< patterns
};

enum class InitStatus : std::uint8_t { Fixed, Free, Computed };

struct InitRow {
  std::string object;  ///< `Plant.tank`
  std::string name;    ///< in its object: `level`, `der(level)`
  std::string path;    ///< as options take it: `tank.level`, `der(tank.level)`
  InitStatus status = InitStatus::Fixed;
  double value = 0;
  std::string unit;    ///< empty for a bare number
  std::string origin;  ///< `declared`, `argument`, `loaded`, `chosen`, or the place of the equation: `plant.hyla:12`
  bool is_iterated = false;
  bool is_open = false;              ///< not found
  bool is_changed = false;           ///< against what was declared or loaded
  std::vector<std::string> instead;  ///< paths of what could be given instead; of a given one: of what in its place
  std::vector<std::string> affects;  ///< of an iterated one: paths of all that follow from its guess
};

struct InitReport : ModelReport {
  bool has_table = false;  ///< the rest means something
  bool is_solved = false;
  std::string model;
  std::size_t unknowns = 0, iterated = 0, blocks = 0, given = 0;
  std::vector<InitRow> rows;  ///< those to be shown
};

InitReport init_model(const InitRequest& request, FileSystem& files);

std::string init_text(const InitReport& report);
std::string init_json(const InitReport& report);

}  // namespace hyla::service
