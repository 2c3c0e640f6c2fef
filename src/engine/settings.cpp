// What `section Simulation` of a model says about its run.
#include "engine/build.h"
#include "engine/builder.h"

namespace hyla::engine {
namespace {

/// Calls `take(name, expression)` for each setting of the package Simulation.
template <class Take>
void each_setting(const model::Model& model, model::ClassId top, const Take& take) {
  for (const model::Section& section : model.classes[top].sections) {
    if (model.name(model.packages[section.package].name) != "Simulation") continue;
    for (const model::Setting& setting : section.settings) take(model.name(setting.name), setting.value);
  }
}

void put_number(Settings& settings, std::string_view name, double value) {
  if (name == "start_time") settings.start_time = value;
  if (name == "stop_time") settings.stop_time = value;
  constexpr double kLargestSeed = 9.2e18;
  if (name == "seed" && value >= -kLargestSeed && value <= kLargestSeed) {
    settings.seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
}

}  // namespace

Settings settings_of(const model::Model& model, model::ClassId top) {
  Settings settings;
  each_setting(model, top, [&](std::string_view name, model::ExprId expr) {
    const model::Expr& value = model.exprs[expr];
    if (value.op == model::Op::String && name == "time_unit") settings.time_unit = model.strings[value.ref];
    if (value.known != model::Known::No) put_number(settings, name, value.number);
  });
  return settings;
}

bool settings_vary(const model::Model& model, model::ClassId top) {
  bool vary = false;
  each_setting(model, top, [&](std::string_view, model::ExprId expr) {
    const model::Expr& value = model.exprs[expr];
    vary = vary || (value.op != model::Op::String && value.known != model::Known::Always);
  });
  return vary;
}

Settings settings_of(World& world) {
  const Object& top = world.objects[0];
  Settings settings = settings_of(world.model, top.object_class);
  BuildHost host(world);
  code::Machine machine(world.model, world.functions, world.heap, host);
  host.machine = &machine;
  Programs programs(world);
  each_setting(world.model, top.object_class, [&](std::string_view name, model::ExprId expr) {
    const bool is_wanted = name == "start_time" || name == "stop_time" || name == "seed";
    if (!is_wanted || world.model.exprs[expr].known == model::Known::Always) return;
    const code::Program* program = programs.expression(expr, {top.object_class, {}, nullptr, "", false, true});
    Slot value;
    if (!programs.unsupported().empty()) return;
    if (machine.run(*program, top.self, top.slots, {}, &value) != code::Status::Finished) return;
    put_number(settings, name, value.real);
  });
  return settings;
}

}  // namespace hyla::engine
