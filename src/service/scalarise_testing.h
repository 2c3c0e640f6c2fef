// What tests of scalar terms share: a text, its world, its terms, and how to compute them.
#pragma once

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "code/heap.h"
#include "engine/builder.h"
#include "engine/scalarise.h"
#include "service/run_testing.h"

namespace hyla::service {

/// The world of a text whose top model is `Case`, and everything needed to write its equations as terms.
class WrittenText {
 public:
  explicit WrittenText(const std::string& text, std::vector<engine::Assignment> assignments = {}) : text_(text) {
    if (text_.good()) world = text_.build(text_.request(1, std::move(assignments)), sink);
    if (world == nullptr) return;
    programs = std::make_unique<engine::Programs>(*world->compiled);
    scalariser = std::make_unique<engine::Scalariser>(*world, *programs, terms);
    scalariser->tell(sink);
    host_ = std::make_unique<engine::BuildHost>(*world);
    machine_ = std::make_unique<code::Machine>(world->model, world->functions, world->heap, *host_);
    host_->machine = machine_.get();
  }

  const model::Model& model() const { return text_.model(); }
  /// Why there is no world, or no term.
  std::string messages() { return text_.errors() + diag::render(sink.sorted(), text_.sources()); }

  /// An equation of an object, with the indices of the families around it.
  struct Written {
    engine::Scope scope;
    model::EquationId id;
  };

  std::vector<Written> equations_of(code::ObjectRef object) {
    std::vector<Written> result;
    engine::Scope scope{object, world->object(object).object_class, {}, {}};
    collect(model().classes[scope.object_class].body, scope, result);
    return result;
  }
  std::vector<engine::ScalarEquation> write(const Written& equation) {
    std::vector<engine::ScalarEquation> result;
    const model::Equation& record = model().equations[equation.id];
    written = scalariser->equation(equation.scope, record.left, record.right, result);
    return result;
  }
  model::ExprId right(const Written& equation) const { return model().equations[equation.id].right; }

  // Values.
  double read(const engine::Leaf& leaf) {
    if (leaf.kind == engine::Leaf::Kind::Time) return machine_->time;
    if (leaf.kind == engine::Leaf::Kind::Constant) return leaf.number;
    if (leaf.kind == engine::Leaf::Kind::Opaque) {
      const engine::Opaque& opaque = world->opaques[leaf.index];
      return as_number(run(*opaque.program, opaque.object, opaque.inputs), opaque.type);
    }
    if (leaf.kind != engine::Leaf::Kind::Value) return 0;
    const code::Slot slot = world->object(leaf.place.object).slots[leaf.place.slot];
    return as_number(leaf.place.element == engine::kNone ? slot : slot.box->slots()[leaf.place.element], leaf.type);
  }
  /// The value of a term; modes follow from their functions.
  double compute(engine::TermId id, const std::vector<engine::Leaf>& operands) {
    const engine::Term& term = terms[id];
    std::vector<double> values;
    for (const engine::Leaf& leaf : operands) values.push_back(read(leaf));
    for (std::size_t i = 0; i < term.modes.size(); ++i) {
      for (const engine::Mode& mode : term.modes)
        values[mode.operand] = mode_value(mode.kind, node(term, mode.g, values));
    }
    return node(term, term.value, values);
  }
  /// The machine's value of an expression, as a number.
  double machine_value(const engine::Scope& scope, model::ExprId expr) {
    const engine::TextUnit unit{scope.object_class, scope.locals, nullptr, "", false, false};
    const code::Slot slot = run(*programs->expression(expr, unit), scope.object, scope.values);
    return as_number(slot, model().exprs[expr].type.kind);
  }
  /// The same for an array.
  std::vector<double> machine_values(const engine::Scope& scope, model::ExprId expr) {
    if (model().exprs[expr].type.rank == 0) return {machine_value(scope, expr)};
    const engine::TextUnit unit{scope.object_class, scope.locals, nullptr, "", false, false};
    const code::Slot slot = run(*programs->expression(expr, unit), scope.object, scope.values);
    std::vector<double> result;
    for (std::uint32_t i = 0; slot.box != nullptr && i < slot.box->size; ++i) {
      result.push_back(as_number(slot.box->slots()[i], model().exprs[expr].type.kind));
    }
    world->heap.release(slot.box);
    return result;
  }
  /// Gives all continuous variables new values.
  void shuffle() {
    std::uniform_real_distribution<double> draw(-3, 3);
    for (std::size_t id = 0; id < model().variables.size(); ++id) {
      const model::Variable& record = model().variables[model::VariableId(id)];
      if (!record.body || record.is_fixed() || record.type.kind != model::TypeKind::Real) continue;
      for (engine::Object& object : world->objects) {
        if (object.object_class != model().bodies[record.body].object_class) continue;
        code::Slot& slot = object.slots[world->layout.variables[id]];
        if (record.type.rank == 0) slot.real = draw(random_);
        for (std::uint32_t i = 0; record.type.rank > 0 && i < slot.box->size; ++i) {
          slot.box->slots()[i].real = draw(random_);
        }
      }
    }
    machine_->time = draw(random_) + 3;
  }

  diag::Sink sink;
  std::unique_ptr<engine::World> world;
  engine::Terms terms;
  std::unique_ptr<engine::Programs> programs;
  std::unique_ptr<engine::Scalariser> scalariser;
  bool written = false;

 private:
  static double as_number(code::Slot slot, model::TypeKind type) {
    return type == model::TypeKind::Real ? slot.real : static_cast<double>(slot.integer);
  }
  static double mode_value(engine::ModeKind kind, double g) {
    switch (kind) {
      case engine::ModeKind::NotNegative:
        return g >= 0 ? 1 : 0;
      case engine::ModeKind::Positive:
        return g > 0 ? 1 : 0;
      case engine::ModeKind::Floor:
        return std::floor(g);
      case engine::ModeKind::Ceil:
        return std::ceil(g);
      case engine::ModeKind::Round:
        return std::round(g);
      case engine::ModeKind::Truncate:
        return std::trunc(g);
      default:
        return 0;
    }
  }
  static double node(const engine::Term& term, code::NodeId id, const std::vector<double>& operands) {
    std::vector<double> values;
    for (code::NodeId i = 0; i <= id; ++i) {
      const code::Node& one = term.graph[i];
      const auto at = [&](code::NodeId inner) { return inner == code::kNoNode ? 0 : values[inner]; };
      values.push_back(one.op == code::NodeOp::Constant  ? one.number
                       : one.op == code::NodeOp::Operand ? operands[one.operand]
                                                         : code::apply(one.op, at(one.a), at(one.b), at(one.c)));
    }
    return values[id];
  }
  code::Slot run(const code::Program& program, code::ObjectRef self, const engine::Inputs& inputs) {
    code::Slot result;
    const code::Status status = machine_->run(program, self, world->object(self).slots, inputs, &result);
    return status == code::Status::Finished ? result : code::Slot(std::nan(""));
  }
  /// Families with known bounds only.
  void collect(model::BodyId body, const engine::Scope& scope, std::vector<Written>& result) {
    for (const model::EquationId id : model().bodies[body].equations) result.push_back({scope, id});
    for (const model::Family& family : model().bodies[body].families) {
      engine::Scope inner = scope;
      inner.locals.push_back(family.index);
      inner.values.emplace_back();
      const model::Expr& range = model().exprs[family.range];
      const auto first = static_cast<std::int64_t>(machine_value(scope, model().operand(range, 0)));
      const auto last = static_cast<std::int64_t>(machine_value(scope, model().operand(range, 1)));
      for (std::int64_t i = first; i <= last; ++i) {
        inner.values.back() = code::Slot(i);
        collect(family.body, inner, result);
      }
    }
  }

  CheckedText text_;
  std::unique_ptr<engine::BuildHost> host_;
  std::unique_ptr<code::Machine> machine_;
  std::mt19937 random_{7};
};

}  // namespace hyla::service
