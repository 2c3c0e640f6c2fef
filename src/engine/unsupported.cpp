// What the language has and this version cannot run.
#include <fmt/core.h>

#include "engine/make_plan.h"

namespace hyla::engine {

void report_unsupported(diag::Sink& sink, diag::Span span, const std::string& what) {
  const bool several = what.ends_with("equations") || what.ends_with("objects");
  sink.report(diag::Kind::NotInThisVersion, span,
              fmt::format("{} {} not part of this version yet", what, several ? "are" : "is"));
}

void report_unsupported(diag::Sink& sink, const code::Unsupported& item) {
  if (item.external.empty()) return report_unsupported(sink, item.span, item.what);
  sink.report(diag::Kind::CannotBuild, item.span, fmt::format("{} cannot be called: {}", item.what, item.external));
}

namespace {

class Inspector {
 public:
  Inspector(const model::Model& model, diag::Sink& sink) : model_(model), sink_(sink) {}

  void body(model::BodyId id) {
    const model::Body& record = model_.bodies[id];
    for (const auto variable : record.variables) free_parameter(model_.variables[variable]);
    for (const auto part : record.parts) this->part(model_.parts[part], record);
    for (const auto plug : record.plugs) report_unsupported(sink_, model_.plugs[plug].span, "a plug");
    if (record.state) in_state(record);
    for (const auto chart : record.charts) {
      for (const auto state : model_.charts[chart].states) {
        if (model_.states[state].body) body(model_.states[state].body);
      }
    }
    for (const model::Family& family : record.families) body(family.body);
    for (const model::Conditional& conditional : record.conditionals) {
      if (conditional.then_body) body(conditional.then_body);
      if (conditional.else_body) body(conditional.else_body);
    }
  }

 private:
  void free_parameter(const model::Variable& variable) {
    if (variable.kind != model::VariableKind::Parameter || variable.attributes.fixed != false) return;
    report_unsupported(sink_, variable.span, "a parameter that is computed at the start");
  }

  void part(const model::Part& part, const model::Body& around) {
    if (part.external && around.state) {
      report_unsupported(sink_, part.span, "an external object in a state");
    } else if (part.kind == model::PartKind::Dynamic) {
      report_unsupported(sink_, part.span, "a dynamic object");
    } else if (part.kind == model::PartKind::Population) {
      report_unsupported(sink_, part.span, "a population");
    } else if (around.state) {
      report_unsupported(sink_, part.span, "an object in a state");
    }
  }

  void in_state(const model::Body& body) {
    for (const auto port : body.ports) report_unsupported(sink_, model_.ports[port].span, "a port in a state");
    for (const auto box : body.mailboxes) report_unsupported(sink_, model_.mailboxes[box].span, "a mailbox in a state");
    for (const auto id : body.connections) {
      const model::Connection& connection = model_.connections[id];
      if (connection.kind == model::ConnectionKind::Value) continue;
      report_unsupported(sink_, connection.span, "a connection of ports or mailboxes in a state");
    }
  }

  const model::Model& model_;
  diag::Sink& sink_;
};

}  // namespace

void report_unsupported_items(const model::Model& model, model::ClassId object_class, diag::Sink& sink) {
  Inspector(model, sink).body(model.classes[object_class].body);
}

}  // namespace hyla::engine
