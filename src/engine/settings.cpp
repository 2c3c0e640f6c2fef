// What `section Simulation` of a model says about its run.
#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/build.h"
#include "engine/builder.h"
#include "engine/compiled_model.h"

namespace hyla::engine {
namespace {

/// Calls `take(name, expression)` for each setting of the package Simulation that no other counts before.
template <class Take>
void each_setting(const model::Model& model, model::ClassId top, const SettingsOverlay& overlay, const Take& take) {
  const auto is_overlaid = [&](model::SymbolId name) {
    return std::any_of(overlay.settings.begin(), overlay.settings.end(),
                       [&](const model::Setting& setting) { return setting.name == name; });
  };
  for (const model::Section& section : model.classes[top].sections) {
    if (model.name(model.packages[section.package].name) != "Simulation") continue;
    for (const model::Setting& setting : section.settings) {
      if (!is_overlaid(setting.name)) take(model.name(setting.name), setting.value);
    }
  }
  for (const model::Setting& setting : overlay.settings) take(model.name(setting.name), setting.value);
}

/// The absolute tolerance follows the accuracy asked for at this distance.
constexpr double kAbsolutePart = 1e-3;

/// Takes the values of settings and fills in those that follow from others.
class SettingsReader {
 public:
  void put_number(std::string_view name, double value) {
    if (name == "start_time") settings_.start_time = value;
    if (name == "stop_time") settings_.stop_time = value;
    if (name == "output_interval") settings_.output_interval = value;
    if (name == "tolerance") tolerance_ = value;
    if (name == "relative_tolerance") relative_ = value;
    if (name == "absolute_tolerance") absolute_ = value;
    constexpr double kLargestSeed = 9.2e18;
    if (name == "seed" && value >= -kLargestSeed && value <= kLargestSeed) {
      settings_.seed = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
  }
  void put_text(std::string_view name, const std::string& value) {
    if (name == "time_unit") settings_.time_unit = value;
    if (name == "solver") settings_.solver = value;
    if (name == "events") settings_.events = value;
    if (name == "zeno") settings_.zeno = value;
  }
  Settings result() {
    const double tolerance = tolerance_.value_or(settings_.relative_tolerance);
    settings_.relative_tolerance = relative_.value_or(tolerance);
    settings_.absolute_tolerance = absolute_.value_or(kAbsolutePart * tolerance);
    return settings_;
  }

 private:
  Settings settings_;
  std::optional<double> tolerance_, relative_, absolute_;
};

void read_constants(const model::Model& model, model::ClassId top, const SettingsOverlay& overlay,
                    SettingsReader& reader) {
  each_setting(model, top, overlay, [&](std::string_view name, model::ExprId expr) {
    const model::Expr& value = model.exprs[expr];
    if (value.op == model::Op::String) reader.put_text(name, model.strings[value.ref]);
    if (value.known != model::Known::No) reader.put_number(name, value.number);
  });
}

void read_values(const SettingsOverlay& overlay, SettingsReader& reader) {
  for (const auto& [name, text] : overlay.values) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size()) {
      reader.put_number(name, number);
    } else {
      reader.put_text(name, text);
    }
  }
}

}  // namespace

Settings settings_of(const model::Model& model, model::ClassId top, const SettingsOverlay& overlay) {
  SettingsReader reader;
  read_constants(model, top, overlay, reader);
  read_values(overlay, reader);
  return reader.result();
}

bool settings_vary(const model::Model& model, model::ClassId top, const SettingsOverlay& overlay) {
  bool vary = false;
  each_setting(model, top, overlay, [&](std::string_view, model::ExprId expr) {
    const model::Expr& value = model.exprs[expr];
    vary = vary || (value.op != model::Op::String && value.known != model::Known::Always);
  });
  return vary;
}

Settings settings_of(World& world, const SettingsOverlay& overlay) {
  const Object& top = world.objects[0];
  SettingsReader reader;
  read_constants(world.model, top.object_class, overlay, reader);
  BuildHost host(world);
  code::Machine machine(world.model, world.functions, world.heap, host);
  host.machine = &machine;
  Programs& programs = world.compiled->other_texts;
  each_setting(world.model, top.object_class, overlay, [&](std::string_view name, model::ExprId expr) {
    const model::Expr& value_expr = world.model.exprs[expr];
    if (!value_expr.type.is_number() || value_expr.known == model::Known::Always) return;
    const code::Program* program = programs.expression(expr, {top.object_class, {}, nullptr, "", false, true});
    Slot value;
    if (!programs.unsupported().empty()) return;
    if (machine.run(*program, top.self, top.slots, {}, &value) != code::Status::Finished) return;
    reader.put_number(name, value.real);
  });
  read_values(overlay, reader);
  return reader.result();
}

}  // namespace hyla::engine
