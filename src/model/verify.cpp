#include "model/verify_steps.h"

namespace hyla::model {
namespace {

/// What stands outside bodies: functions, sections, experiments, and expressions that other records share.
class DeclarationChecker {
 public:
  DeclarationChecker(const Model& model, UsedExprs& used, VerifyReport& report)
      : model_(model), judge_(model, used, report), report_(report) {}

  void check() {
    for (const Shape& shape : model_.shapes) {
      for (const Dimension& dimension : shape.dimensions) judge_.use(dimension.expr);
    }
    for (std::size_t i = 0; i < model_.occupants.size(); ++i) {
      judge_.use(model_.occupants[i].arguments);
      if (!model_.occupants[i].object_class) report_.add("occupant", i, "its class is missing");
    }
    each("record", model_.records, [&](std::size_t i, const Record& r) { fields("record", i, r.fields); });
    each("message", model_.messages, [&](std::size_t i, const Message& m) { fields("message", i, m.fields); });
    each("connector", model_.connectors, [&](std::size_t i, const Connector& c) { fields("connector", i, c.fields); });
    each("function", model_.functions, [&](std::size_t i, const Function& f) { function(i, f); });
    each("external object", model_.external_objects,
         [&](std::size_t i, const ExternalObject& o) { parameters("external object", i, o.parameters, o.defaults); });
    each("class", model_.classes, [&](std::size_t i, const Class& c) { object_class(i, c); });
    each("experiment", model_.experiments, [&](std::size_t i, const Experiment& e) { experiment(i, e); });
    for (const Variable& variable : model_.variables) {
      if (!variable.body) judge_.use(variable.binding);
    }
  }

 private:
  /// Calls `f` for every record; declarations have names.
  template <class Records, class F>
  void each(std::string_view what, const Records& records, F f) {
    std::size_t index = 0;
    for (const auto& record : records) {
      if (!record.name) report_.add(what, index, "it has no name");
      f(index++, record);
    }
  }

  void fields(std::string_view what, std::size_t i, const std::vector<Field>& fields) {
    for (const Field& field : fields) {
      judge_.use(field.default_value);
      if (field.type.is_error()) report_.add(what, i, "a field has no type");
    }
  }

  void parameters(std::string_view what, std::size_t i, const std::vector<LocalId>& parameters,
                  const std::vector<ExprId>& defaults) {
    judge_.use(defaults);
    if (defaults.size() != parameters.size()) report_.add(what, i, "it has not one default per parameter");
  }

  void function(std::size_t i, const Function& function) {
    parameters("function", i, function.parameters, function.defaults);
    fields("function", i, function.results);
  }

  void object_class(std::size_t i, const Class& one) {
    judge_.use(one.base_arguments);
    if (one.kind == ClassKind::Model && !one.devs_functions.empty()) {
      report_.add("class", i, "only atomic models have the functions of DEVS");
    }
    for (const DevsFunction& function : one.devs_functions) {
      if (!function.block) report_.add("class", i, "the block of a DEVS function is missing");
    }
    if (one.base && model_.extends(one.base, ClassId(i))) report_.add("class", i, "it extends itself");
    for (const Section& section : one.sections) {
      if (!section.package) report_.add("class", i, "the package of a section is missing");
      settings("class", i, section.settings);
      for (const SectionObject& object : section.objects) {
        judge_.use(object.arguments);
        judge_.use(object.references);
      }
    }
  }

  void settings(std::string_view what, std::size_t i, const std::vector<Setting>& settings) {
    for (const Setting& setting : settings) judge_.needed(what, i, setting.value, "value of a setting");
  }

  void experiment(std::size_t i, const Experiment& one) {
    if (!one.of) report_.add("experiment", i, "its model is missing");
    settings("experiment", i, one.settings);
    judge_.use(one.parameters);
    for (const Variation& variation : one.variations) {
      judge_.needed("experiment", i, variation.target, "varied parameter");
      judge_.use(variation.range);
    }
    if (one.replications) judge_.number("experiment", i, one.replications, "number of replications");
    for (const Observation& observation : one.observations) {
      judge_.needed("experiment", i, observation.value, "observed value");
    }
    judge_.use(one.objective);
    if (one.enough) judge_.condition("experiment", i, one.enough, "end of replications");
    for (const RequirementId id : one.requirements) {
      if (id) judge_.condition("experiment", i, model_.requirements[id].condition, "requirement");
    }
  }

  const Model& model_;
  ExprJudge judge_;
  VerifyReport& report_;
};

}  // namespace

std::vector<std::string> verify(const Model& model) {
  VerifyReport report;
  verify_ids(model, report);
  if (!report.empty()) return report.take();
  // From here on every id that is not none may be followed.
  UsedExprs used(model.exprs.size());
  DeclarationChecker(model, used, report).check();
  verify_bodies(model, used, report);
  verify_actions(model, used, report);
  verify_expressions(model, used, report);
  return report.take();
}

}  // namespace hyla::model
