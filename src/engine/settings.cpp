// What `section Simulation` of a model says about its run.
#include "engine/build.h"

namespace hyla::engine {

Settings settings_of(const model::Model& model, model::ClassId top) {
  Settings settings;
  for (const model::Section& section : model.classes[top].sections) {
    if (model.name(model.packages[section.package].name) != "Simulation") continue;
    for (const model::Setting& setting : section.settings) {
      const model::Expr& value = model.exprs[setting.value];
      const std::string_view name = model.name(setting.name);
      if (value.op == model::Op::String && name == "time_unit") settings.time_unit = model.strings[value.ref];
      if (value.known == model::Known::No) continue;
      if (name == "start_time") settings.start_time = value.number;
      if (name == "stop_time") settings.stop_time = value.number;
      if (name == "seed") settings.seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(value.number));
    }
  }
  return settings;
}

}  // namespace hyla::engine
