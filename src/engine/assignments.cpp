#include "engine/assignments.h"

#include <optional>

#include <fmt/core.h>

#include "base/text.h"

namespace hyla::engine {
namespace {

using model::BodyId;
using model::ClassId;

/// `name[1, 2]`.
struct Segment {
  std::string_view name;
  std::vector<IndexRange> indices;
};

std::optional<std::int64_t> read_index(std::string_view text) {
  text = base::trim(text);
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<Segment> read_segment(std::string_view text) {
  Segment segment;
  const std::size_t open = text.find('[');
  segment.name = base::trim(text.substr(0, open));
  if (open == std::string_view::npos) return segment;
  if (text.back() != ']') return std::nullopt;
  std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  for (;;) {
    const std::size_t comma = inside.find(',');
    const std::optional<std::int64_t> index = read_index(inside.substr(0, comma));
    if (!index) return std::nullopt;
    segment.indices.push_back({*index, *index, 1});
    if (comma == std::string_view::npos) return segment;
    inside.remove_prefix(comma + 1);
  }
}

/// What an object of a class lets be set or reached: its variables and parts, also those of conditional bodies.
class Members {
 public:
  Members(const model::Model& model, ClassId id) : model_(model) { collect(model.classes[id].body); }

  model::VariableId variable(std::string_view name) const {
    for (const model::VariableId id : variables_) {
      if (model_.name(model_.variables[id].name) == name) return id;
    }
    return {};
  }
  model::PartId part(std::string_view name) const {
    for (const model::PartId id : parts_) {
      if (model_.name(model_.parts[id].name) == name) return id;
    }
    return {};
  }
  std::vector<std::string_view> names(bool with_variables) const {
    std::vector<std::string_view> result;
    for (const model::VariableId id : variables_) {
      if (with_variables && model_.variables[id].kind != model::VariableKind::Constant) {
        result.push_back(model_.name(model_.variables[id].name));
      }
    }
    for (const model::PartId id : parts_) result.push_back(model_.name(model_.parts[id].name));
    return result;
  }

 private:
  void collect(BodyId id) {
    const model::Body& body = model_.bodies[id];
    variables_.insert(variables_.end(), body.variables.begin(), body.variables.end());
    parts_.insert(parts_.end(), body.parts.begin(), body.parts.end());
    for (const model::Conditional& conditional : body.conditionals) {
      if (conditional.then_body) collect(conditional.then_body);
      if (conditional.else_body) collect(conditional.else_body);
    }
  }

  const model::Model& model_;
  std::vector<model::VariableId> variables_;
  std::vector<model::PartId> parts_;
};

class Reader {
 public:
  Reader(World& world, const Assignment& assignment, Override& result, std::string& message)
      : world_(world), model_(world.model), assignment_(assignment), result_(result), message_(message) {}

  bool read(ClassId top) {
    result_.text = assignment_.path;
    ClassId at = top;
    std::string_view rest = assignment_.path;
    for (;;) {
      const std::size_t dot = rest.find('.');
      const std::optional<Segment> segment = read_segment(rest.substr(0, dot));
      if (!segment || segment->name.empty()) return refuse("is not a path such as `servers[2].mean`");
      if (dot == std::string_view::npos) return read_variable(at, *segment);
      if (!read_part(at, *segment)) return false;
      rest.remove_prefix(dot + 1);
    }
  }

 private:
  bool refuse(const std::string& why) {
    message_ = fmt::format("`{}` {}", assignment_.path, why);
    return false;
  }

  bool unknown(ClassId at, std::string_view name, const std::vector<std::string_view>& names) {
    std::string why = fmt::format("cannot be set: model `{}` has no `{}`", model_.name(model_.classes[at].name), name);
    if (const auto near = base::nearest(name, names)) {
      why += fmt::format("; did you mean `{}`?", *near);
    } else if (!names.empty()) {
      why += fmt::format("; it has {}", base::quoted_list(names));
    }
    return refuse(why);
  }

  bool check_rank(const Segment& segment, model::ShapeId shape, bool required) {
    const std::size_t rank = shape ? model_.shapes[shape].dimensions.size() : 0;
    if (segment.indices.empty() && (!required || rank == 0)) return true;
    if (segment.indices.size() == rank) return true;
    return refuse(
        rank == 0 ? fmt::format("cannot be set: `{}` is no array", segment.name)
                  : fmt::format("cannot be set: `{}` takes {} ind{}", segment.name, rank, rank == 1 ? "ex" : "ices"));
  }

  bool read_part(ClassId& at, const Segment& segment) {
    const Members members(model_, at);
    const model::PartId part = members.part(segment.name);
    if (!part || !model_.parts[part].object_class) return unknown(at, segment.name, members.names(false));
    if (!check_rank(segment, model_.parts[part].shape, false)) return false;
    result_.path.push_back({world_.layout.parts[part.index], segment.indices});
    at = model_.parts[part].object_class;
    return true;
  }

  bool read_variable(ClassId at, const Segment& segment) {
    const Members members(model_, at);
    const model::VariableId id = members.variable(segment.name);
    if (!id) return unknown(at, segment.name, members.names(true));
    const model::Variable& variable = model_.variables[id];
    if (variable.kind == model::VariableKind::Constant) return refuse("cannot be set: it is a constant");
    const bool takes = variable.kind == model::VariableKind::Parameter || variable.kind == model::VariableKind::Input ||
                       variable.initial;
    if (!takes) return refuse("cannot be set: it is neither a parameter nor a variable with an initial value");
    if (!check_rank(segment, variable.shape, false)) return false;
    result_.slot = world_.layout.variables[id.index];
    result_.elements = segment.indices;
    const model::Type type = segment.indices.empty() ? variable.type : variable.type.element();
    std::string why;
    if (!read_value(world_, type, assignment_.value, result_.value, why)) return refuse("cannot be set: " + why);
    result_.boxed = code::is_boxed(type);
    return true;
  }

  World& world_;
  const model::Model& model_;
  const Assignment& assignment_;
  Override& result_;
  std::string& message_;
};

}  // namespace

bool read_assignments(World& world, ClassId top, const std::vector<Assignment>& assignments,
                      std::deque<Override>& result, std::string& message) {
  for (const Assignment& assignment : assignments) {
    if (!Reader(world, assignment, result.emplace_back(), message).read(top)) return false;
  }
  return true;
}

}  // namespace hyla::engine
