// Which model of a file is to be run.
#include <algorithm>
#include <set>

#include <fmt/core.h>

#include "base/text.h"
#include "engine/build.h"

namespace hyla::engine {

using model::ClassId;

namespace {

bool can_run(const model::Model& model, ClassId id, std::string_view module) {
  const model::Class& record = model.classes[id];
  return !record.is_abstract && !record.package && record.body && model.name(record.module) == module;
}

/// Models that another model of the module extends, contains, makes or names in a path such as `Outer.Inner`.
std::set<ClassId> used_classes(const model::Model& model, std::string_view module) {
  std::set<ClassId> used;
  const auto note = [&](ClassId used_class, ClassId by) {
    if (used_class && used_class != by && model.name(model.classes[by].module) == module) used.insert(used_class);
  };
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    note(model.classes[ClassId(i)].base, ClassId(i));
    if (model.classes[ClassId(i)].outer) used.insert(ClassId(i));
  }
  for (const model::Part& part : model.parts) {
    if (!part.body) continue;
    const ClassId by = model.bodies[part.body].object_class;
    note(part.object_class, by);
    if (part.occupant) note(part.occupant->object_class, by);
  }
  // Objects made by actions: who makes them is not kept, but nothing makes itself the top.
  for (const model::Occupant& occupant : model.occupants) used.insert(occupant.object_class);
  return used;
}

std::string list(const model::Model& model, const std::vector<ClassId>& ids) {
  std::vector<std::string_view> names;
  for (const ClassId id : ids) names.push_back(model.name(model.classes[id].name));
  return base::quoted_list(names, 12);
}

}  // namespace

ClassId find_top(const model::Model& model, std::string_view module, std::string_view name, std::string& message) {
  const std::set<ClassId> used = used_classes(model, module);
  std::vector<ClassId> runnable, tops;
  for (std::size_t i = 0; i < model.classes.size(); ++i) {
    const ClassId id(i);
    if (!can_run(model, id, module)) continue;
    runnable.push_back(id);
    if (!used.contains(id)) tops.push_back(id);
  }
  if (name.empty()) {
    if (tops.size() == 1) return tops.front();
    message = tops.empty() ? fmt::format("`{}` has no model that can be run", module)
                           : fmt::format("`{}` has several models: {}; name the one to run", module, list(model, tops));
    return {};
  }
  std::vector<std::string_view> names;
  for (const ClassId id : runnable) {
    if (model.name(model.classes[id].name) == name) return id;
    names.push_back(model.name(model.classes[id].name));
  }
  message = fmt::format("`{}` has no model `{}` that can be run", module, name);
  if (const auto near = base::nearest(name, names)) {
    message += fmt::format("; did you mean `{}`?", *near);
  } else if (!runnable.empty()) {
    message += fmt::format("; it has {}", list(model, runnable));
  }
  return {};
}

}  // namespace hyla::engine
