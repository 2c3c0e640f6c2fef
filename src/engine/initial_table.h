// The start of a model as a table: what is given, what is computed, from what, and what could be given instead.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/initial_choices.h"
#include "engine/run.h"

namespace hyla::engine {

enum class StartStatus : std::uint8_t {
  Fixed,     ///< its value is given
  Free,      ///< computed, though values of its kind are given as a rule
  Computed,  ///< from the equations
};

/// One quantity at the start.
struct StartEntry {
  std::string name;  ///< with that of its object, without that of the top object: `tank.level`, `der(tank.level)`
  std::string own_name;
  ObjectRef object;
  model::VariableId variable;
  StartStatus status = StartStatus::Fixed;
  StartOrigin origin = StartOrigin::Declared;
  double value = 0;
  std::optional<double> before;  ///< as declared or loaded
  diag::Span equation;           ///< by which it is computed
  bool has_equation = false;
  bool is_parameter = false;
  bool is_iterated = false;       ///< remains when all that follows by formulas has been taken away
  bool is_open = false;           ///< not found: a search that it depends on has failed
  std::uint32_t cluster = kNone;  ///< into World::clusters
  std::uint32_t block = kNone;    ///< of its cluster: the equations solved together with it
  std::uint32_t column = kNone;   ///< of its cluster's extended incidence
};

/// Whether it has another value than was declared or loaded, or was chosen.
bool is_changed(const StartEntry& entry);

struct StartTable {
  StartTable();
  ~StartTable();
  StartTable(StartTable&&) noexcept;

  std::vector<StartEntry> entries;  ///< by object, in the order of declarations; derivatives behind their variables
  bool fits = true;                 ///< false: too much or too little is given, and the sink tells what
  bool solved = false;              ///< false: the sink tells why
  std::size_t unknowns = 0, iterated = 0, blocks = 0;

  /// Entries that could be given instead of a computed one: then they would be computed. Of a given one: entries that
  /// could be given in its place.
  std::vector<std::uint32_t> alternatives(std::uint32_t entry) const;
  /// Entries that are computed from this one, directly or not.
  std::vector<std::uint32_t> dependants(std::uint32_t entry) const;

 private:
  friend class TableMaker;
  struct Structure;
  std::vector<std::unique_ptr<Structure>> clusters_;
};

/// Enters the objects of the world and finds all values of the start; nothing is run.
StartTable find_start_table(World& world, const RunOptions& options, diag::Sink& sink);

}  // namespace hyla::engine
