// Nodes and leaves of a writer: each leaf once, what is known of each node, relations as modes.
#include <cmath>

#include "engine/make_plan.h"
#include "engine/scalarise_writer.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;
using model::Op;
using model::TypeKind;

namespace {

/// From this many leaves on they are looked up by hash.
constexpr std::size_t kFew = 16;

bool same_leaf(const Leaf& a, const Leaf& b) { return a.kind == b.kind && a.place == b.place; }

std::size_t hash_of(const Leaf& leaf, std::uint32_t origin) {
  std::uint64_t hash = static_cast<std::uint64_t>(leaf.kind);
  for (const std::uint64_t word : {leaf.place.object.index, leaf.place.slot, leaf.place.element, origin}) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

}  // namespace

TermWriter::TermWriter(World& world, Programs& programs)
    : world_(world),
      model_(world.model),
      programs_(programs),
      host_(world),
      machine_(world.model, world.functions, world.heap, host_),
      dependences_(world.model.exprs.size(), kUnknown),
      local_dependences_(world.model.locals.size(), kFamily) {
  host_.machine = &machine_;
  find_locals();
}

void TermWriter::look_at(const Scope& scope) {
  scope_ = &scope;
  good_ = true;
  course_ = nullptr;
  locals_.clear();
  for (std::size_t i = 0; i < scope.locals.size(); ++i) locals_.push_back({scope.locals[i], scope.values[i]});
}

void TermWriter::begin(const Scope& scope, Relations relations) {
  look_at(scope);
  graph.clear();
  leaves.clear();
  modes.clear();
  mode_numbers_.clear();
  opaques.clear();
  guards.clear();
  relations_ = relations;
  own_ = true;
  members_.clear();
  facts_.clear();
  leaf_facts_.clear();
  origins_.clear();
  operands_.clear();
  calls_.clear();
  given_up_ = {};
  open_branches_ = steps_ = 0;
}

bool TermWriter::fail(diag::Span span, const std::string& message) {
  if (good_) {
    auto entry = sink_->report(diag::Kind::CannotBuild, span, message);
    if (scope_->object) entry.text("in `" + world_.path(scope_->object) + "`");
  }
  return good_ = false;
}

/// What cannot be written out inside a function makes the function one that is called.
bool TermWriter::refuse(diag::Span span, const std::string& what) {
  if (good_ && !calls_.empty()) {
    given_up_ = calls_.back().first;
  } else if (good_) {
    report_unsupported(*sink_, span, what);
  }
  return good_ = false;
}

bool TermWriter::refuse(const code::Unsupported& item) {
  if (good_) report_unsupported(*sink_, item);
  return good_ = false;
}

/// Facts of all nodes up to this one; nodes come after their operands.
const TermWriter::Facts& TermWriter::facts(NodeId id) {
  for (std::size_t i = facts_.size(); i <= id; ++i) {
    const code::Node& node = graph[static_cast<NodeId>(i)];
    Facts result;
    if (node.op == NodeOp::Operand) {
      result = leaf_facts_[node.operand];
    } else if (node.op == NodeOp::Constant) {
      result = {false, true, node.number};
    } else {
      result.fixed = node.op != NodeOp::Argument && node.op != NodeOp::Call;
      double values[3] = {};
      std::size_t at = 0;
      for (const NodeId inner : {node.a, node.b, node.c}) {
        if (inner == code::kNoNode) continue;
        const Facts& part = facts_[inner];
        result.varies = result.varies || part.varies;
        result.fixed = result.fixed && part.fixed;
        values[at++] = part.value;
      }
      if (result.fixed) result.value = code::apply(node.op, values[0], values[1], values[2]);
    }
    facts_.push_back(result);
  }
  return facts_[id];
}

/// The operand of a leaf. `origin` tells leaves without a place apart.
NodeId TermWriter::operand(const Leaf& leaf, Facts facts, std::uint32_t origin) {
  const auto same = [&](std::size_t i) { return same_leaf(leaves[i], leaf) && origins_[i] == origin; };
  const std::size_t hash = leaves.size() < kFew ? 0 : hash_of(leaf, origin);
  if (leaves.size() < kFew) {
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      if (same(i)) return graph.operand(static_cast<std::uint32_t>(i));
    }
  } else {
    if (operands_.empty()) {
      for (std::uint32_t i = 0; i < leaves.size(); ++i) operands_.emplace(hash_of(leaves[i], origins_[i]), i);
    }
    const auto [first, last] = operands_.equal_range(hash);
    for (auto entry = first; entry != last; ++entry) {
      if (same(entry->second)) return graph.operand(entry->second);
    }
  }
  const auto number = static_cast<std::uint32_t>(leaves.size());
  if (!operands_.empty()) operands_.emplace(hash, number);
  leaves.push_back(leaf);
  origins_.push_back(origin);
  leaf_facts_.push_back(facts);
  return graph.operand(number);
}

NodeId TermWriter::slot_leaf(const Place& place, TypeKind type) {
  own_ = own_ && place.object == scope_->object;
  Leaf leaf;
  leaf.type = type;
  leaf.place = place;
  return operand(leaf, {}, 0);
}

NodeId TermWriter::value_leaf(const Place& place, model::VariableId variable) {
  const model::Variable& record = model_.variables[variable];
  own_ = own_ && place.object == scope_->object;
  Leaf leaf;
  leaf.type = record.type.kind;
  leaf.place = place;
  Facts facts;
  facts.varies = !record.is_discrete() && !record.is_fixed();
  facts.fixed = record.is_fixed() && !world_.is_freed(variable) && record.type.kind != TypeKind::Record;
  if (facts.fixed) {
    Slot value = world_.object(place.object).slots[place.slot];
    if (place.element != kNone) value = value.box->slots()[place.element];
    facts.value = leaf.type == TypeKind::Real ? value.real : static_cast<double>(value.integer);
  }
  return operand(leaf, facts, 0);
}

NodeId TermWriter::time_leaf() {
  Leaf leaf;
  leaf.kind = Leaf::Kind::Time;
  return operand(leaf, {true, false, 0}, 0);
}

/// What `homotopy` means while a start is continued from its simplified form.
NodeId TermWriter::mixture(NodeId actual, NodeId simplified) {
  Leaf leaf;
  leaf.kind = Leaf::Kind::Continuation;
  const NodeId part = operand(leaf, {}, 0);
  const NodeId rest = graph.make(NodeOp::Multiply, graph.make(NodeOp::Subtract, one(), part), simplified);
  return graph.make(NodeOp::Add, graph.make(NodeOp::Multiply, part, actual), rest);
}

NodeId TermWriter::derivative_leaf(const Place& place) {
  own_ = own_ && place.object == scope_->object;
  Leaf leaf;
  leaf.kind = Leaf::Kind::Derivative;
  leaf.place = place;
  return operand(leaf, {true, false, 0}, 0);
}

/// The index of a family is an operand, so that its members share a term; that of a reduction is written out.
NodeId TermWriter::local_number(model::LocalId id, Slot value) {
  const double number = model_.locals[id].type.kind == TypeKind::Real ? value.real : static_cast<double>(value.integer);
  if (local_dependences_[id.index] != kFamily) return graph.constant(number);
  Leaf leaf;
  leaf.kind = Leaf::Kind::Constant;
  leaf.number = number;
  return operand(leaf, {false, true, number}, 2 * id.index + 1);
}

/// An expression over indices of families only.
NodeId TermWriter::folded(model::ExprId id) {
  double number = 0;
  if (!evaluate(id, number)) return zero();
  Leaf leaf;
  leaf.kind = Leaf::Kind::Constant;
  leaf.number = number;
  return operand(leaf, {false, true, number}, 2 * id.index + 2);
}

NodeId TermWriter::mode(ModeKind kind, NodeId g) {
  const std::uint64_t key = static_cast<std::uint64_t>(g) << 8 | static_cast<std::uint64_t>(kind);
  const auto [entry, added] = mode_numbers_.try_emplace(key, static_cast<std::uint32_t>(modes.size()));
  if (!added) return graph.operand(modes[entry->second].operand);
  Leaf leaf;
  leaf.kind = Leaf::Kind::Mode;
  leaf.index = static_cast<std::uint32_t>(modes.size());
  const NodeId result = operand(leaf, {}, leaf.index);
  modes.push_back({kind, graph[result].operand, g});
  return result;
}

/// A discrete value that has no form as a term.
NodeId TermWriter::opaque(model::ExprId id) {
  const model::Expr& expr = model_.exprs[id];
  if (course_ != nullptr) {
    refuse(expr.span, "such an operation in a function of an equation");
    return zero();
  }
  if ((dependence(id) & kContinuous) != 0) {
    refuse(expr.span, "such an operation on quantities that change continuously");
    return zero();
  }
  TextUnit unit{scope_->object_class, {}, nullptr, "", false, true};
  const TypeKind type =
      expr.type.kind == TypeKind::Integer ? TypeKind::Real : expr.type.kind;  // as the program gives it
  Opaque result{scope_->object, nullptr, type, {}};
  for (const KnownLocal& local : locals_) {
    unit.inputs.push_back(local.id);
    result.inputs.push_back(local.value);
  }
  const std::size_t unsupported = programs_.unsupported().size();
  result.program = programs_.expression(id, unit);
  if (programs_.unsupported().size() > unsupported) {
    refuse(programs_.unsupported().back());
    return zero();
  }
  Leaf leaf;
  leaf.kind = Leaf::Kind::Opaque;
  leaf.type = type;
  leaf.index = static_cast<std::uint32_t>(opaques.size());
  opaques.push_back(std::move(result));
  return operand(leaf, {}, leaf.index);
}

NodeId TermWriter::select(NodeId condition, NodeId yes, NodeId no) {
  if (yes == no) return yes;
  const code::Node& node = graph[condition];
  if (node.op == NodeOp::Constant) return node.number != 0 ? yes : no;
  if (graph.is_constant(yes, 1) && graph.is_constant(no, 0)) return condition;
  if (graph.is_constant(yes, 0) && graph.is_constant(no, 1)) return negation(condition);
  return graph.make(NodeOp::Select, condition, yes, no);
}

Symbolic TermWriter::select(NodeId condition, const Symbolic& yes, const Symbolic& no, diag::Span span) {
  if (yes == no) return yes;
  if (yes.sizes != no.sizes || yes.nodes.size() != no.nodes.size() || yes.parts.size() != no.parts.size()) {
    fail(span, "both branches must give arrays of the same size");
    return yes;
  }
  Symbolic result;
  result.sizes = yes.sizes;
  for (std::size_t i = 0; i < yes.nodes.size(); ++i)
    result.nodes.push_back(select(condition, yes.nodes[i], no.nodes[i]));
  for (std::size_t i = 0; i < yes.parts.size(); ++i) {
    result.parts.push_back(select(condition, yes.parts[i], no.parts[i], span));
  }
  return result;
}

NodeId TermWriter::both(NodeId a, NodeId b) {
  if (a == b || graph.is_constant(a, 1)) return b;
  if (graph.is_constant(b, 1)) return a;
  if (graph.is_constant(a, 0) || graph.is_constant(b, 0)) return zero();
  return graph.make(NodeOp::And, a, b);
}

NodeId TermWriter::either(NodeId a, NodeId b) {
  if (a == b || graph.is_constant(a, 0)) return b;
  if (graph.is_constant(b, 0)) return a;
  if (graph.is_constant(a, 1) || graph.is_constant(b, 1)) return one();
  return graph.make(NodeOp::Or, a, b);
}

NodeId TermWriter::negation(NodeId a) {
  if (graph[a].op == NodeOp::Not) return graph[a].a;
  return graph.make(NodeOp::Not, a);
}

/// A relation of numbers: a mode if one side changes while time passes, else computed as it is.
NodeId TermWriter::relation(Op op, NodeId a, NodeId b) {
  if (op == Op::Equal) return graph.make(NodeOp::Equal, a, b);
  if (op == Op::NotEqual) return graph.make(NodeOp::NotEqual, a, b);
  if (op == Op::Greater || op == Op::GreaterEqual) {
    std::swap(a, b);
    op = op == Op::Greater ? Op::Less : Op::LessEqual;
  }
  if (relations_ == Relations::Raw || (!facts(a).varies && !facts(b).varies)) {
    return graph.make(op == Op::Less ? NodeOp::Less : NodeOp::LessEqual, a, b);
  }
  NodeId g = graph.is_constant(a, 0) ? b : graph.make(NodeOp::Subtract, b, a);
  if (graph.is_constant(b, 0)) g = graph.make(NodeOp::Negate, a);
  return mode(op == Op::Less ? ModeKind::Positive : ModeKind::NotNegative, g);
}

}  // namespace hyla::engine
