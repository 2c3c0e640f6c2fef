#include "engine/compiled_model.h"

namespace hyla::engine {

CompiledModel::CompiledModel(const model::Model& model_of)
    : model(model_of),
      layout(code::lay_out(model_of)),
      functions(model_of, layout),
      plan_texts(*this),
      other_texts(*this),
      recipes(model_of.classes.size()),
      variables_by_slot(model_of.classes.size()),
      callees(*this),
      tapes(terms) {}

CompiledModel::~CompiledModel() = default;

bool CompiledModel::is_reusable() const {
  constexpr std::size_t kMost = 1000;
  return functions.external.libraries == nullptr && plans.size() < kMost && shapes.size() < kMost &&
         programs.size() < 100 * kMost;
}

void CompiledModel::begin_run() {
  for (const auto& [text, shape] : shapes) {
    shape->met.clear();
    shape->configurations.each([](const std::vector<std::uint8_t>& /*flags*/, Configuration& configuration) {
      configuration.is_met = false;
      for (IslandPlan& island : configuration.islands) island.absolute_tolerances.clear();
    });
  }
}

}  // namespace hyla::engine
