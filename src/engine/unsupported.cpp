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
    for (const auto part : record.parts) this->part(model_.parts[part], record);
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
  void part(const model::Part& part, const model::Body& around) {
    if (part.external && around.state) report_unsupported(sink_, part.span, "an external object in a state");
  }

  void in_state(const model::Body& body) {
    for (const auto id : body.connections) {
      const model::Connection& connection = model_.connections[id];
      if (connection.kind != model::ConnectionKind::Mailboxes) continue;
      report_unsupported(sink_, connection.span, "a connection of mailboxes in a state");
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
