// Which values of a world can be recorded, and which are.
//
// A name is the path from the top object: `level`, `valve[2].flow`, `light.On.count` for a variable of a state, `T[3]`
// and `m[1, 2]` for elements of arrays, `pose.x` for a field of a record. Texts, references, arrays in records and
// arrays of records are left out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/observer.h"
#include "engine/world.h"

namespace hyla::service {

struct RecordedColumn {
  std::string name;
  std::string unit;  ///< empty for a bare number and where none is known
  engine::RecordedPlace place;
  bool is_real = true;                  ///< else the slot holds a whole number: of an enumeration, the place from 0
  engine::Index state = engine::kNone;  ///< exists while this state of the object is active
  model::VariableKind kind{};
  bool of_top = false;  ///< a member of the top object
};

/// Everything that can be recorded, in the order of objects and their members. Parameters and constants are among it.
std::vector<RecordedColumn> all_columns(const engine::World& world);

/// Those that the occupants of empty dynamic parts will have, by the models that are declared for them. They have no
/// object yet.
std::vector<RecordedColumn> columns_of_empty_places(const engine::World& world);

/// Those of one object.
std::vector<RecordedColumn> columns_of(const engine::World& world, code::ObjectRef object);

/// A parameter or constant.
bool is_fixed(const RecordedColumn& column);

/// What is recorded if nobody asks for something else: the variables of the top object and the outputs of all others.
bool is_recorded_by_default(const RecordedColumn& column);

/// Whether a pattern (record/glob.h) stands for the column: by its name, or by that of the array, record or object that
/// holds it. Parameters and constants want to be named in full.
bool takes(const std::string& pattern, const RecordedColumn& column);

/// Whether one of the patterns stands for the column; without patterns, whether it is one of the default ones.
bool is_wanted(const RecordedColumn& column, std::span<const std::string> patterns);

/// Takes the columns that one of the patterns stands for, each once, in their order; without patterns the default ones.
/// A pattern that stands for none may stand for some that are expected later; if not, it is a failure.
base::Result<std::vector<RecordedColumn>> choose_columns(const std::vector<RecordedColumn>& all,
                                                         std::span<const std::string> patterns,
                                                         const std::vector<RecordedColumn>& expected = {});

/// Where a column has its values: without names thousands of them lie close together.
struct ColumnSource {
  explicit ColumnSource(const RecordedColumn& column)
      : place(column.place), state(column.state), is_real(column.is_real) {}
  engine::RecordedPlace place;
  engine::Index state;
  bool is_real;
};

/// The present values; record::kAbsent where there is none now.
void read_values(const engine::World& world, std::span<const ColumnSource> sources, std::span<double> values);
double value_of(const engine::World& world, const RecordedColumn& column);

}  // namespace hyla::service
