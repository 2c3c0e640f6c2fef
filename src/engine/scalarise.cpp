// The scalariser's calls: equations, bindings, conditions, numbers; and what is remembered between them.
//
// Most objects of a class give the same terms with the same places in another object. So what was written for one is
// kept, together with what was decided from that object's parameters, and used again for every object for which the
// same would be decided.
#include "engine/scalarise.h"

#include <cmath>
#include <cstring>

#include <fmt/core.h>

#include "engine/scalarise_writer.h"

namespace hyla::engine {

using model::EquationForm;
using model::Expr;
using model::ExprId;
using model::Op;

namespace {

/// More results than this for one text are not kept: then it depends too much on its object.
constexpr std::size_t kMostVariants = 8;

/// What one call has given, for an object that stands for all others.
struct Remembered {
  std::vector<Guard> guards;
  std::vector<ScalarEquation> equations;  ///< of a condition: one, of which only the term and the operands count
  std::vector<Opaque> opaques;
};

enum class Task : std::uint8_t { Equation, Residual, Binding, Condition, Number };

/// The text, and the indices of the families around it.
std::string key_of(Task task, ExprId first, ExprId second, const Scope& scope, bool continued = false) {
  std::string key(2 + 2 * sizeof(std::uint32_t) + scope.values.size() * sizeof(Slot), '\0');
  char* at = key.data();
  const auto put = [&](const void* bytes, std::size_t size) {
    std::memcpy(at, bytes, size);
    at += size;
  };
  put(&task, 1);
  put(&continued, 1);
  put(&first.index, sizeof(std::uint32_t));
  put(&second.index, sizeof(std::uint32_t));
  if (!scope.values.empty()) put(scope.values.data(), scope.values.size() * sizeof(Slot));
  return key;
}

}  // namespace

struct Scalariser::Impl {
  Impl(World& the_world, Programs& programs, Terms& the_terms)
      : world(the_world),
        model(the_world.model),
        terms(the_terms),
        writer(the_world, programs),
        objects(the_world.model.classes.size()) {
    for (const Object& object : world.objects) ++objects[object.object_class.index];
  }

  /// Gives what was remembered for a text, if it fits.
  bool recall(const std::string& key, const Scope& scope, std::vector<ScalarEquation>& result);
  void remember(const std::string& key, const Scope& scope, std::vector<ScalarEquation>::const_iterator first,
                std::vector<ScalarEquation>::const_iterator last);
  /// The term of a node, and its operands with opaques that are entered in the world's list.
  void finish(code::NodeId value, ScalarEquation& result);
  bool subjects(ExprId left, EquationForm& form, Places& places);
  bool write(const Scope& scope, ExprId left, ExprId right, bool is_residual, std::vector<ScalarEquation>& result);
  bool equation(Task task, const Scope& scope, ExprId left, ExprId right, std::vector<ScalarEquation>& result);
  bool single(Task task, const Scope& scope, ExprId expr, ScalarCondition& result);
  /// There is no other object that could use what is remembered.
  bool is_only(const Scope& scope) const {
    return !more_come && objects[world.object(scope.object).object_class.index] < 2;
  }
  void begin(const Scope& scope, Relations relations) {
    writer.guarded = !is_only(scope);
    writer.begin(scope, relations);
    entered.clear();
  }
  std::uint32_t enter(Opaque opaque) {
    world.opaques.push_back(std::move(opaque));
    return static_cast<std::uint32_t>(world.opaques.size() - 1);
  }

  World& world;
  const model::Model& model;
  Terms& terms;
  TermWriter writer;
  std::vector<std::uint32_t> objects;  ///< how many, by class
  bool more_come = false;
  bool general = true;
  std::unordered_map<std::string, std::vector<Remembered>> remembered;
  std::vector<std::uint32_t> entered;  ///< opaques of the writer, by their number in the world's list
};

bool Scalariser::Impl::recall(const std::string& key, const Scope& scope, std::vector<ScalarEquation>& result) {
  const auto found = remembered.find(key);
  if (found == remembered.end()) return false;
  writer.look_at(scope);
  for (const Remembered& one : found->second) {
    bool holds = true;
    for (const Guard& guard : one.guards) holds = holds && writer.holds(guard);
    if (!holds) continue;
    general = general && one.guards.empty();
    std::vector<std::uint32_t> numbers;
    for (Opaque opaque : one.opaques) {
      opaque.object = scope.object;
      numbers.push_back(enter(std::move(opaque)));
    }
    for (const ScalarEquation& equation : one.equations) {
      ScalarEquation& copy = result.emplace_back(equation);
      copy.subject.object = scope.object;
      for (Leaf& leaf : copy.operands) {
        leaf.place.object = scope.object;
        if (leaf.kind == Leaf::Kind::Opaque) leaf.index = numbers[leaf.index];
      }
    }
    return true;
  }
  return false;
}

void Scalariser::Impl::remember(const std::string& key, const Scope& scope,
                                std::vector<ScalarEquation>::const_iterator first,
                                std::vector<ScalarEquation>::const_iterator last) {
  general = general && writer.is_own() && writer.guards.empty() && !is_only(scope);
  if (!writer.is_own() || is_only(scope)) return;
  std::vector<Remembered>& variants = remembered[key];
  if (variants.size() >= kMostVariants) return;
  Remembered one{writer.guards, std::vector<ScalarEquation>(first, last), writer.opaques};
  for (ScalarEquation& equation : one.equations) {
    for (Leaf& leaf : equation.operands) {
      if (leaf.kind != Leaf::Kind::Opaque) continue;
      for (std::uint32_t i = 0; i < entered.size(); ++i) {
        if (entered[i] != leaf.index) continue;
        leaf.index = i;
        break;
      }
    }
  }
  variants.push_back(std::move(one));
}

void Scalariser::Impl::finish(code::NodeId value, ScalarEquation& result) {
  std::vector<std::uint32_t> operands;
  result.term = terms.cut(writer.graph, value, writer.modes, operands);
  std::uint32_t modes = 0;
  for (const std::uint32_t operand : operands) {
    Leaf& leaf = result.operands.emplace_back(writer.leaves[operand]);
    if (leaf.kind == Leaf::Kind::Mode) leaf.index = modes++;
    if (leaf.kind != Leaf::Kind::Opaque) continue;
    for (std::size_t i = entered.size(); i < writer.opaques.size(); ++i) entered.push_back(enter(writer.opaques[i]));
    leaf.index = entered[leaf.index];
  }
}

/// Whether the left side is a variable of the own object, or the derivative of one, or an element or slice of that.
bool Scalariser::Impl::subjects(ExprId left, EquationForm& form, Places& places) {
  const Expr* expr = &model.exprs[left];
  form = EquationForm::Formula;
  if (expr->op == Op::Der) {
    form = EquationForm::Derivative;
    left = model.operand(*expr, 0);
  }
  const Expr* root = &model.exprs[left];
  while (root->op == Op::Index) root = &model.exprs[model.operand(*root, 0)];
  const bool own = root->op == Op::Entity && root->entity == model::EntityKind::Variable &&
                   (root->operand_count == 0 || model.exprs[model.operand(*root, 0)].op == Op::This);
  const model::Variable* variable = own ? &model.variables[model::VariableId(root->ref)] : nullptr;
  const bool implicit = own && variable->plug && form == EquationForm::Formula;
  if (own && !implicit && !variable->is_fixed()) return writer.places(left, places);
  form = EquationForm::Implicit;
  return false;
}

bool Scalariser::Impl::write(const Scope& scope, ExprId left, ExprId right, bool is_residual,
                             std::vector<ScalarEquation>& result) {
  begin(scope, Relations::Held);
  EquationForm form = EquationForm::Implicit;
  Places places;
  const bool has_subjects = !is_residual && subjects(left, form, places);
  if (!has_subjects && form != EquationForm::Implicit) {
    if (writer.good()) writer.refuse(model.exprs[left].span, "an equation for an element that changes");
    return false;
  }
  const Symbolic value = writer.value(right);
  Symbolic other;
  if (!has_subjects) other = writer.value(left);
  if (!writer.good()) return false;
  const std::vector<std::int64_t>& sizes = has_subjects ? places.sizes : other.sizes;
  if (value.sizes != sizes || !value.parts.empty()) {
    return writer.fail(model.exprs[right].span, "the sides of this equation have different sizes");
  }
  for (std::size_t i = 0; i < value.nodes.size(); ++i) {
    ScalarEquation& equation = result.emplace_back();
    equation.form = form;
    if (has_subjects) {
      equation.subject = places.places[i];
      finish(value.nodes[i], equation);
    } else {
      finish(writer.graph.make(code::NodeOp::Subtract, other.nodes[i], value.nodes[i]), equation);
    }
  }
  return true;
}

bool Scalariser::Impl::single(Task task, const Scope& scope, ExprId expr, ScalarCondition& result) {
  const Relations relations = task == Task::Condition ? Relations::Condition : Relations::Raw;
  const std::string key = key_of(task, expr, {}, scope);
  std::vector<ScalarEquation> made;
  if (!recall(key, scope, made)) {
    begin(scope, relations);
    const code::NodeId value = task == Task::Condition ? writer.truth(expr) : writer.number(expr);
    if (!writer.good()) return false;
    finish(value, made.emplace_back());
    remember(key, scope, made.begin(), made.end());
  }
  result.term = made[0].term;
  result.operands = std::move(made[0].operands);
  return true;
}

Scalariser::Scalariser(World& world, Programs& programs, Terms& terms)
    : impl_(std::make_unique<Impl>(world, programs, terms)) {}
Scalariser::~Scalariser() = default;

void Scalariser::tell(diag::Sink& sink) { impl_->writer.tell(sink); }
std::vector<std::uint64_t>& Scalariser::structural_reads() { return impl_->writer.structural_reads; }
bool Scalariser::met_none() const { return impl_->writer.met_none; }
bool& Scalariser::is_general() { return impl_->general; }
void Scalariser::expect_more() { impl_->more_come = true; }

bool Scalariser::Impl::equation(Task task, const Scope& scope, ExprId left, ExprId right,
                                std::vector<ScalarEquation>& result) {
  const std::string key = key_of(task, left, right, scope, writer.mixes);
  if (recall(key, scope, result)) return true;
  const auto before = static_cast<std::ptrdiff_t>(result.size());
  if (!write(scope, left, right, task == Task::Residual, result)) return false;
  remember(key, scope, result.begin() + before, result.end());
  return true;
}

bool Scalariser::equation(const Scope& scope, ExprId left, ExprId right, std::vector<ScalarEquation>& result) {
  return impl_->equation(Task::Equation, scope, left, right, result);
}

bool Scalariser::residual(const Scope& scope, ExprId left, ExprId right, std::vector<ScalarEquation>& result) {
  return impl_->equation(Task::Residual, scope, left, right, result);
}

bool Scalariser::decide(const Scope& scope, ExprId condition, bool& holds) {
  impl_->begin(scope, Relations::Raw);
  return impl_->writer.decide_now(condition, holds);
}

bool Scalariser::range(const Scope& scope, ExprId range, std::vector<double>& members) {
  impl_->begin(scope, Relations::Raw);
  return impl_->writer.range_now(range, members);
}

void Scalariser::continue_from_simplified(bool on) { impl_->writer.mixes = on; }

bool Scalariser::binding(ObjectRef target, std::uint32_t slot, const Scope& scope, ExprId value,
                         std::vector<ScalarEquation>& result, const std::vector<std::uint32_t>* elements) {
  Impl& impl = *impl_;
  const std::string key = key_of(Task::Binding, value, {}, scope, impl.writer.mixes);
  const auto before = static_cast<std::ptrdiff_t>(result.size());
  if (!impl.recall(key, scope, result)) {
    TermWriter& writer = impl.writer;
    impl.begin(scope, Relations::Held);
    const Symbolic found = writer.value(value);
    if (!writer.good()) return false;
    for (std::uint32_t i = 0; i < found.nodes.size(); ++i) {
      ScalarEquation& equation = result.emplace_back();
      equation.form = EquationForm::Formula;
      equation.subject.element = found.sizes.empty() ? kNone : i;
      impl.finish(found.nodes[i], equation);
    }
    impl.remember(key, scope, result.begin() + before, result.end());
  }
  const std::size_t given = result.size() - static_cast<std::size_t>(before);
  const Box* box = impl.model.exprs[value].type.rank > 0 ? impl.world.object(target).slots[slot].box : nullptr;
  const std::size_t wanted = elements != nullptr ? elements->size() : box != nullptr ? box->size : given;
  if (wanted != given) {
    return impl.writer.fail(impl.model.exprs[value].span,
                            fmt::format("an array of {} elements gets a value of {}", wanted, given));
  }
  for (std::size_t i = 0; i < given; ++i) {
    Place& subject = result[static_cast<std::size_t>(before) + i].subject;
    subject.object = target;
    subject.slot = slot;
    if (elements != nullptr) subject.element = (*elements)[i];
  }
  return true;
}

bool Scalariser::condition(const Scope& scope, ExprId condition, ScalarCondition& result) {
  return impl_->single(Task::Condition, scope, condition, result);
}

bool Scalariser::joined_plugs(const Scope& scope, const model::Connection& connection,
                              std::vector<std::pair<PlugEnd, PlugEnd>>& result) {
  TermWriter& writer = impl_->writer;
  impl_->begin(scope, Relations::Raw);
  std::vector<PlugEnd> from, to;
  if (!writer.plugs(connection.from, from) || !writer.plugs(connection.to, to)) return false;
  if (from.empty() || to.empty()) return true;
  if (from.size() != to.size()) {
    return writer.fail(connection.span, fmt::format("{} on one side, {} on the other", from.size(), to.size()));
  }
  for (std::size_t i = 0; i < from.size(); ++i) result.emplace_back(from[i], to[i]);
  return true;
}

bool Scalariser::number(const Scope& scope, ExprId expr, ScalarCondition& result) {
  return impl_->single(Task::Number, scope, expr, result);
}

}  // namespace hyla::engine
