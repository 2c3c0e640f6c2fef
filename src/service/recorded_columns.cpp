#include "service/recorded_columns.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/text.h"
#include "engine/charts.h"
#include "record/absent.h"
#include "record/glob.h"

namespace hyla::service {
namespace {

using model::TypeKind;
using model::VariableKind;

bool is_plain(model::Type type) {
  return type.kind == TypeKind::Real || type.kind == TypeKind::Integer || type.kind == TypeKind::Boolean ||
         type.kind == TypeKind::Enum;
}

/// `[2, 3]` for a place in an array, the last index running fastest.
std::string indices(std::span<const std::int64_t> dimensions, std::int64_t place) {
  std::string text = "]";
  for (std::size_t i = dimensions.size(); i > 0; --i) {
    text = std::to_string(place % dimensions[i - 1] + 1) + text;
    place /= dimensions[i - 1];
    if (i > 1) text = ", " + text;
  }
  return "[" + text;
}

/// It or something around it was deleted. Parts declared in states that are not active have not gone.
bool has_gone(const engine::World& world, const engine::Object& object) {
  for (const engine::Object* one = &object;; one = &world.objects[one->parent.index]) {
    if (!one->exists && one->host_state == engine::kNone) return true;
    if (!one->parent) return false;
    if (world.objects[one->parent.index].self != one->parent) return true;
  }
}

/// Walks through the objects of a world.
class Collector {
 public:
  Collector(const engine::World& world, std::vector<RecordedColumn>& columns)
      : world_(world), model_(world.model), columns_(columns) {}

  void collect(const engine::Object& object) {
    object_ = &object;
    prefix_ = prefix_of(object);
    collect_object();
  }

  /// What the occupants of places that are empty now will have.
  void collect_places(const engine::Object& object) {
    for (const engine::PlanPart& part : object.plan->parts) {
      const model::Part& record = model_.parts[part.id];
      if (record.kind != model::PartKind::Dynamic || record.shape) continue;
      if (world_.is_alive(object.slots[part.slot].object)) continue;
      collect_place(object, part, record);
    }
  }

 private:
  struct Member {
    std::uint32_t slot = 0;
    model::VariableId id;
    engine::Index state = engine::kNone;
  };

  /// `valve[2].`; empty for the top object.
  std::string prefix_of(const engine::Object& object) const {
    if (!object.parent) return "";
    const std::string path = world_.path(object.self);
    return path.substr(path.find('.') + 1) + ".";
  }

  /// Members in the order of their slots: that of their declarations.
  void collect_object() {
    std::vector<Member> members;
    for (const engine::PlanBody& body : object_->plan->bodies) {
      for (const model::VariableId id : model_.bodies[body.id].variables) {
        const std::uint32_t slot = world_.layout.variables[id.index];
        if (slot != code::Layout::kNoSlot) members.push_back({slot, id, body.state});
      }
    }
    std::sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.slot < b.slot; });
    for (const Member& member : members) add(member);
  }

  void collect_place(const engine::Object& object, const engine::PlanPart& part, const model::Part& record) {
    object_ = nullptr;
    prefix_ = prefix_of(object);
    if (part.state != engine::kNone) prefix_ += world_.state_path(object.plan->states[part.state].id) + ".";
    prefix_ += std::string(model_.name(record.name)) + ".";
    const model::ClassId occupant = record.occupant ? record.occupant->object_class : record.object_class;
    for (const model::VariableId id : model_.bodies[model_.classes[occupant].body].variables) {
      const std::uint32_t slot = world_.layout.variables[id.index];
      if (slot != code::Layout::kNoSlot) add({slot, id, engine::kNone});
    }
  }

  void add(const Member& member) {
    const model::Variable& variable = model_.variables[member.id];
    std::string name = prefix_;
    if (member.state != engine::kNone) name += world_.state_path(object_->plan->states[member.state].id) + ".";
    name += model_.name(variable.name);
    RecordedColumn column;
    column.place = {object_ != nullptr ? object_->self : code::ObjectRef(), member.slot,
                    engine::RecordedPlace::kScalar};
    column.state = member.state;
    column.kind = variable.kind;
    column.of_top = object_ != nullptr && !object_->parent;
    if (variable.type.kind == TypeKind::Record && variable.type.rank == 0) {
      add_fields(column, name, model_.records[model::RecordId(variable.type.ref)]);
    } else if (is_plain(variable.type)) {
      describe(column, variable.type, variable.unit);
      if (variable.type.rank == 0) {
        column.name = std::move(name);
        columns_.push_back(std::move(column));
      } else {
        add_elements(column, name, variable);
      }
    }
  }

  void add_fields(const RecordedColumn& pattern, const std::string& name, const model::Record& record) {
    for (std::size_t i = 0; i < record.fields.size(); ++i) {
      const model::Field& field = record.fields[i];
      if (!is_plain(field.type) || field.type.rank != 0) continue;
      RecordedColumn& column = columns_.emplace_back(pattern);
      column.name = name + "." + std::string(model_.name(field.name));
      column.place.element = static_cast<std::uint32_t>(i);
      describe(column, field.type, field.unit);
    }
  }

  void add_elements(const RecordedColumn& pattern, const std::string& name, const model::Variable& variable) {
    std::vector<std::int64_t> dimensions;
    if (!find_dimensions(pattern, variable, dimensions)) return;
    std::int64_t count = 1;
    for (const std::int64_t size : dimensions) count *= size;
    for (std::int64_t i = 0; i < count; ++i) {
      RecordedColumn& column = columns_.emplace_back(pattern);
      column.name = name + indices(dimensions, i);
      column.place.element = static_cast<std::uint32_t>(i);
    }
  }

  /// Of the array as it is now; one of a state that is not active yet by its declaration.
  bool find_dimensions(const RecordedColumn& column, const model::Variable& variable,
                       std::vector<std::int64_t>& dimensions) const {
    const code::Box* box = object_ != nullptr ? object_->slots[column.place.slot].box : nullptr;
    for (std::size_t i = 0; i < variable.type.rank; ++i) {
      if (box != nullptr) {
        dimensions.push_back(code::dimension(box, i));
      } else if (variable.shape && model_.shapes[variable.shape].dimensions[i].size) {
        dimensions.push_back(*model_.shapes[variable.shape].dimensions[i].size);
      } else {
        return false;
      }
    }
    return true;
  }

  void describe(RecordedColumn& column, model::Type type, model::UnitId unit) const {
    column.is_real = type.kind == TypeKind::Real;
    column.unit = unit && unit != model::kBareUnit ? std::string(model_.unit_name(unit)) : std::string();
  }

  const engine::World& world_;
  const model::Model& model_;
  std::vector<RecordedColumn>& columns_;
  const engine::Object* object_ = nullptr;  ///< null: it is not there yet
  std::string prefix_;
};

base::Failure no_match(const std::vector<RecordedColumn>& all, const std::string& pattern) {
  std::vector<std::string_view> names;
  for (const RecordedColumn& column : all) names.push_back(column.name);
  const auto near = base::nearest(pattern, names);
  return {"no variable matches `" + pattern + "`" + (near ? "; did you mean `" + std::string(*near) + "`?" : "")};
}

}  // namespace

bool is_fixed(const RecordedColumn& column) {
  return column.kind == VariableKind::Constant || column.kind == VariableKind::Parameter;
}

bool takes(const std::string& pattern, const RecordedColumn& column) {
  if (is_fixed(column)) return !record::is_pattern(pattern) && record::matches(pattern, column.name);
  return record::takes(pattern, column.name);
}

std::vector<RecordedColumn> all_columns(const engine::World& world) {
  std::vector<RecordedColumn> columns;
  Collector collector(world, columns);
  for (const engine::Object& object : world.objects) {
    if (!has_gone(world, object)) collector.collect(object);
  }
  return columns;
}

std::vector<RecordedColumn> columns_of_empty_places(const engine::World& world) {
  std::vector<RecordedColumn> columns;
  Collector collector(world, columns);
  for (const engine::Object& object : world.objects) {
    if (!has_gone(world, object)) collector.collect_places(object);
  }
  return columns;
}

std::vector<RecordedColumn> columns_of(const engine::World& world, code::ObjectRef object) {
  std::vector<RecordedColumn> columns;
  Collector(world, columns).collect(world.object(object));
  return columns;
}

bool is_wanted(const RecordedColumn& column, std::span<const std::string> patterns) {
  if (patterns.empty()) return is_recorded_by_default(column);
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return takes(pattern, column); });
}

bool is_recorded_by_default(const RecordedColumn& column) {
  return column.of_top ? !is_fixed(column) : column.kind == VariableKind::Output;
}

base::Result<std::vector<RecordedColumn>> choose_columns(const std::vector<RecordedColumn>& all,
                                                         std::span<const std::string> patterns,
                                                         const std::vector<RecordedColumn>& expected) {
  std::vector<bool> is_taken(all.size()), is_expected(expected.size());
  const auto match = [](const std::string& pattern, const std::vector<RecordedColumn>& columns,
                        std::vector<bool>& taken) {
    bool any = false;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (takes(pattern, columns[i])) taken[i] = any = true;
    }
    return any;
  };
  if (patterns.empty()) std::transform(all.begin(), all.end(), is_taken.begin(), is_recorded_by_default);
  for (const std::string& pattern : patterns) {
    if (!match(pattern, all, is_taken) && !match(pattern, expected, is_expected)) return no_match(all, pattern);
  }
  std::vector<RecordedColumn> chosen;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (is_taken[i]) chosen.push_back(all[i]);
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_expected[i]) chosen.push_back(expected[i]);
  }
  return chosen;
}

namespace {

/// Of an object that is there.
double read_value(const engine::Object& object, const ColumnSource& source) {
  if (source.state != engine::kNone && !engine::is_active(object, source.state)) return record::kAbsent;
  code::Slot slot = object.slots[source.place.slot];
  if (source.place.element != engine::RecordedPlace::kScalar) {
    if (slot.box == nullptr || source.place.element >= slot.box->size) return record::kAbsent;
    slot = slot.box->slots()[source.place.element];
  }
  return source.is_real ? slot.real : static_cast<double>(slot.integer);
}

}  // namespace

void read_values(const engine::World& world, std::span<const ColumnSource> sources, std::span<double> values) {
  code::ObjectRef looked_up;
  const engine::Object* object = nullptr;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (const code::ObjectRef ref = sources[i].place.object; i == 0 || !(ref == looked_up)) {
      looked_up = ref;
      object = world.is_alive(ref) ? &world.object(ref) : nullptr;
    }
    values[i] = object != nullptr ? read_value(*object, sources[i]) : record::kAbsent;
  }
}

double value_of(const engine::World& world, const RecordedColumn& column) {
  const ColumnSource source(column);
  double value = 0;
  read_values(world, {&source, 1}, {&value, 1});
  return value;
}

}  // namespace hyla::service
