// Judges what a class is made of: objects inside objects without end, inputs fed by nothing or twice.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "check/hierarchy.h"
#include "check/passes.h"

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

class StructureJudge {
 public:
  StructureJudge(Context& context, ClassId id)
      : context_(context), model_(context.model), id_(id), bodies_(context.class_bodies[id]) {}

  void judge() {
    for (BodyId body : bodies_) {
      if (context_.maybe_endless[id_] == 0) break;
      for (PartId part : model_.bodies[body].parts) judge_endless(part);
    }
    gather_sources();
    for (BodyId body : bodies_) {
      for (PartId part : model_.bodies[body].parts) judge_inputs(part);
    }
  }

 private:
  struct Source {
    BodyId body;
    Span span;
    std::string element;  ///< constant indices, "[2]"; "*" if they are not known
  };

  /// A model that holds an object of itself, directly or through others, can never be built.
  void judge_endless(PartId id) {
    const Part& part = model_.parts[id];
    if (part.kind != PartKind::Object || !part.object_class) return;
    std::vector<ClassId> pending = {part.object_class};
    std::vector<ClassId> seen;
    while (!pending.empty()) {
      const ClassId next = pending.back();
      pending.pop_back();
      if (next == id_) {
        context_.sink
            .report(Kind::RecursiveType, part.span,
                    fmt::format("model `{}` contains itself without end", context_.name(model_.classes[id_].name)))
            .label(model_.classes[id_].span, "the model")
            .hint("declare the inner object `dynamic` or make it with `new`");
        return;
      }
      if (std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
      seen.push_back(next);
      for (BodyId body : context_.class_bodies[next]) {
        for (PartId inner : model_.bodies[body].parts) {
          const Part& record = model_.parts[inner];
          if (record.kind == PartKind::Object && record.object_class) pending.push_back(record.object_class);
        }
      }
    }
  }

  void gather_sources() {
    for (BodyId body : bodies_) {
      for (ConnectionId id : model_.bodies[body].connections) {
        const Connection& connection = model_.connections[id];
        if (connection.kind == ConnectionKind::Value) add_source(connection.to, {body, connection.span, {}});
      }
    }
    // Connections made by actions feed an input too, at times of their own.
    for (ConnectionId id : context_.action_connections[id_]) {
      const Connection& connection = model_.connections[id];
      if (connection.kind == ConnectionKind::Value) add_source(connection.to, {{}, connection.span, {}});
    }
  }

  /// The part and input that an expression `part[i].input` names.
  void add_source(ExprId target, Source source) {
    const Expr* expr = &model_.exprs[target];
    source.element = element_of(expr);
    if (expr->op != Op::Entity || expr->entity != EntityKind::Variable || expr->operand_count != 1) return;
    const VariableId input(expr->ref);
    const Expr* object = &model_.exprs[model_.operand(*expr, 0)];
    source.element = element_of(object) + source.element;
    if (object->op != Op::Entity || object->entity != EntityKind::Part || object->operand_count != 0) return;
    sources_[{object->ref, input.index}].push_back(source);
  }

  /// Strips the indices off an expression and returns them as text.
  std::string element_of(const Expr*& expr) const {
    std::string text;
    while (expr->op == Op::Index) {
      for (std::size_t i = 1; i < expr->operand_count; ++i) {
        const Expr& index = model_.exprs[model_.operand(*expr, i)];
        text += index.known == Known::Always ? fmt::format("[{}]", index.number) : "*";
      }
      expr = &model_.exprs[model_.operand(*expr, 0)];
    }
    return text;
  }

  void judge_inputs(PartId id) {
    const Part& part = model_.parts[id];
    if (part.kind == PartKind::Population || !part.object_class) return;
    for (VariableId input : model_.bodies[model_.classes[part.object_class].body].variables) {
      if (model_.variables[input].kind == VariableKind::Input) judge_input(part, id, input);
    }
  }

  bool bound_by_argument(const Part& part, VariableId input, Span& span) const {
    const auto binds = [&](const std::vector<Argument>& arguments) {
      for (const Argument& argument : arguments) {
        const Expr* target = &model_.exprs[argument.target];
        while (target->op == Op::Index) target = &model_.exprs[model_.operand(*target, 0)];
        // A derived model has members of its own with the names of its base's, so names decide.
        if (target->op == Op::Entity && target->entity == EntityKind::Variable && target->operand_count == 0 &&
            model_.variables[VariableId(target->ref)].name == model_.variables[input].name) {
          span = model_.exprs[argument.value].span;
          return true;
        }
      }
      return false;
    };
    return binds(part.arguments) || (part.occupant && binds(part.occupant->arguments));
  }

  void judge_input(const Part& part, PartId id, VariableId input) {
    const Variable& variable = model_.variables[input];
    std::vector<Source> sources;
    if (const auto found = sources_.find({id.index, input.index}); found != sources_.end()) sources = found->second;
    Span argument;
    if (bound_by_argument(part, input, argument)) sources.insert(sources.begin(), {part.body, argument, {}});
    const std::string name =
        fmt::format("{}{}.{}", context_.name(part.name), part.shape ? "[…]" : "", context_.name(variable.name));
    for (std::size_t i = 0; i < sources.size(); ++i) {
      for (std::size_t k = i + 1; k < sources.size(); ++k) {
        const Source& a = sources[i];
        const Source& b = sources[k];
        if (!a.body || !b.body || !may_meet(a.element, b.element) ||
            together(model_, a.body, b.body) == Together::Never)
          continue;
        context_.sink.report(Kind::TwoSources, b.span, fmt::format("the input `{}` is fed twice", name))
            .text("the second source")
            .label(a.span, "the first source")
            .hint("an input has exactly one source");
      }
    }
    if (context_.spoiled_parts.contains(id.index)) return;
    if (sources.empty()) {
      report_unfed(part, variable, name);
    } else if (const auto index = first_unfed(part, variable, sources)) {
      report_unfed(part, variable,
                   part.shape ? fmt::format("{}[{}].{}", context_.name(part.name), *index, context_.name(variable.name))
                              : fmt::format("{}[{}]", name, *index));
    }
  }

  void report_unfed(const Part& part, const Variable& variable, const std::string& name) {
    if (model_.classes[id_].is_abstract) return;  // a derived model may feed it
    const std::string_view own = context_.name(variable.name);
    if (variable.initial) {
      context_.sink
          .report(Kind::InputUsesDefault, part.span,
                  fmt::format("nothing feeds the input `{}`; it keeps its declared value", name))
          .label(variable.span, "the input")
          .hint(fmt::format("if that is meant, say so by an argument `{} = …`", own));
    } else {
      context_.sink.report(Kind::InputWithoutSource, part.span, fmt::format("nothing feeds the input `{}`", name))
          .label(variable.span, "the input")
          .hint(fmt::format(
              "write `connect … -> {0};`, give it an argument `{1} = …`, or declare it with a value: `input {1} := …`",
              name, own));
    }
  }

  /// Whether two sources feed one element for sure: the same one, or one of them feeds all.
  static bool may_meet(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return true;
    return a == b && a.find('*') == std::string::npos;
  }

  /// The first element of a row of parts or of an input that nothing feeds, if all sources are known.
  std::optional<std::int64_t> first_unfed(const Part& part, const Variable& variable,
                                          const std::vector<Source>& sources) const {
    if (static_cast<bool>(part.shape) == static_cast<bool>(variable.shape)) return std::nullopt;
    const Shape& shape = model_.shapes[part.shape ? part.shape : variable.shape];
    if (shape.dimensions.size() != 1 || !shape.dimensions[0].size) return std::nullopt;
    std::set<std::string> fed;
    for (const Source& source : sources) {
      if (source.element.empty() || source.element.find('*') != std::string::npos) return std::nullopt;
      fed.insert(source.element);
    }
    for (std::int64_t i = 1; i <= *shape.dimensions[0].size; ++i) {
      if (!fed.contains(fmt::format("[{}]", i))) return i;
    }
    return std::nullopt;
  }

  Context& context_;
  const Model& model_;
  ClassId id_;
  const std::vector<BodyId>& bodies_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Source>> sources_;
};

}  // namespace

void find_endless(Context& context) {
  // Take away the classes that hold no others, again and again: what is left holds a circle or leads to one.
  const std::size_t count = context.model.classes.size();
  std::vector<std::vector<std::uint32_t>> holders(count);
  std::vector<std::size_t> held(count, 0);
  for (const Part& part : context.model.parts) {
    if (part.kind != PartKind::Object || !part.object_class) continue;
    const ClassId holder = context.model.bodies[part.body].object_class;
    holders[part.object_class.index].push_back(holder.index);
    ++held[holder.index];
  }
  std::vector<std::uint32_t> finite;
  for (std::uint32_t i = 0; i < count; ++i) {
    context.maybe_endless[ClassId(i)] = 1;
    if (held[i] == 0) finite.push_back(i);
  }
  while (!finite.empty()) {
    const std::uint32_t next = finite.back();
    finite.pop_back();
    context.maybe_endless[ClassId(next)] = 0;
    for (std::uint32_t holder : holders[next]) {
      if (--held[holder] == 0) finite.push_back(holder);
    }
  }
}

void judge_structure(Context& context, ClassId id) { StructureJudge(context, id).judge(); }

}  // namespace hyla::check
