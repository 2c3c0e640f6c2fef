// Expressions as text, with no more parentheses than needed. A stack of pieces still to be written takes the place of
// recursion: a sum of a hundred thousand terms is as deep as it is long.
#include <array>

#include "base/text.h"
#include "model/dump_text.h"

namespace hyla::model {
namespace {

/// How tightly an expression binds, from `if` to names.
enum class Precedence : std::uint8_t { Loose, Or, And, Not, Relation, Sum, Product, Sign, Power, Primary };
using enum Precedence;

struct Operator {
  Op op;
  std::string_view text;
  Precedence own, left, right;
};

constexpr auto kOperators = std::to_array<Operator>({
    {Op::Or, " or ", Or, Or, And},
    {Op::And, " and ", And, And, Not},
    {Op::Less, " < ", Relation, Sum, Sum},
    {Op::LessEqual, " <= ", Relation, Sum, Sum},
    {Op::Greater, " > ", Relation, Sum, Sum},
    {Op::GreaterEqual, " >= ", Relation, Sum, Sum},
    {Op::Equal, " == ", Relation, Sum, Sum},
    {Op::NotEqual, " != ", Relation, Sum, Sum},
    {Op::Add, " + ", Sum, Sum, Product},
    {Op::Subtract, " - ", Sum, Sum, Product},
    {Op::Multiply, " * ", Product, Product, Sign},
    {Op::MatrixProduct, " @ ", Product, Product, Sign},
    {Op::Divide, " / ", Product, Product, Sign},
    {Op::Power, "^", Power, Primary, Power},
});

const Operator* find_operator(Op op) {
  for (const Operator& entry : kOperators) {
    if (entry.op == op) return &entry;
  }
  return nullptr;
}

Precedence precedence_of(const Expr& expr) {
  if (const Operator* binary = find_operator(expr.op)) return binary->own;
  switch (expr.op) {
    case Op::If:
    case Op::Range:
      return Loose;
    case Op::Not:
      return Not;
    case Op::IsMessage:
      return Relation;
    case Op::Negate:
      return Sign;
    case Op::Real:
    case Op::Integer:
      return expr.number < 0 ? Sign : Primary;
    default:
      return Primary;
  }
}

/// A text, or an expression in a place that asks for at least a precedence.
struct Piece {
  std::string text;
  ExprId expr;
  Precedence least = Loose;
  bool is_text = false;
};

class Printer {
 public:
  Printer(const Model& model, Scope scope) : model_(model), scope_(scope) {}

  std::string print(ExprId root) {
    stack_.push_back({{}, root, Loose, false});
    while (!stack_.empty()) {
      const Piece piece = std::move(stack_.back());
      stack_.pop_back();
      if (piece.is_text) {
        result_ += piece.text;
      } else if (!piece.expr) {
        result_ += '?';
      } else {
        expand(model_.exprs[piece.expr], piece.least);
      }
    }
    return std::move(result_);
  }

 private:
  void text(std::string_view text) { pieces_.push_back({std::string(text), {}, Loose, true}); }
  void operand(ExprId expr, Precedence least = Loose) { pieces_.push_back({{}, expr, least, false}); }

  /// Replaces the expression by its pieces; the stack holds them in reverse.
  void expand(const Expr& expr, Precedence least) {
    pieces_.clear();
    const bool parentheses = precedence_of(expr) < least;
    if (parentheses) text("(");
    collect(expr);
    if (parentheses) text(")");
    while (!pieces_.empty()) {
      stack_.push_back(std::move(pieces_.back()));
      pieces_.pop_back();
    }
  }

  void collect(const Expr& expr) {
    const std::span<const ExprId> operands = model_.operands_of(expr);
    const auto at = [&](std::size_t i) { return i < operands.size() ? operands[i] : ExprId(); };
    if (const Operator* binary = find_operator(expr.op)) {
      operand(at(0), binary->left);
      text(binary->text);
      operand(at(1), binary->right);
      return;
    }
    switch (expr.op) {
      case Op::Real:
      case Op::Integer:
        number(expr);
        break;
      case Op::Boolean:
        text(expr.number != 0 ? "true" : "false");
        break;
      case Op::String:
        text(expr.ref < model_.strings.size() ? quoted(model_.strings[expr.ref]) : "?");
        break;
      case Op::None:
        text("none");
        break;
      case Op::EnumValue:
        enum_value(expr);
        break;
      case Op::This:
        text("this");
        break;
      case Op::Time:
        text("time");
        break;
      case Op::Whole:
        text(":");
        break;
      case Op::Entity:
        entity(expr, at(0));
        break;
      case Op::Field:
        field(expr, at(0));
        break;
      case Op::Property:
        operand(at(0), Primary);
        text("." + std::string(info(expr.builtin).name));
        break;
      case Op::Index:
        operand(at(0), Primary);
        list("[", operands.subspan(operands.empty() ? 0 : 1), "]");
        break;
      case Op::Range:
        range(operands);
        break;
      case Op::Array:
        list("[", operands, "]");
        break;
      case Op::Tuple:
        list("(", operands, ")");
        break;
      case Op::Negate:
        text("-");
        operand(at(0), Power);
        break;
      case Op::Not:
        text("not ");
        operand(at(0), Not);
        break;
      case Op::If:
        text("if ");
        operand(at(0));
        text(" then ");
        operand(at(1));
        text(" else ");
        operand(at(2));
        break;
      case Op::Der:
        list("der(", operands, ")");
        break;
      case Op::InState:
        in_state(expr, at(0));
        break;
      case Op::IsMessage:
        is_message(expr, at(0), at(1));
        break;
      case Op::Call:
        list(entity_name(model_, {EntityKind::Function, expr.ref}, scope_) + "(", operands, ")");
        break;
      case Op::Builtin:
        list(std::string(info(expr.builtin).name) + "(", operands, ")");
        break;
      case Op::Method:
        method(expr, operands);
        break;
      case Op::Construct:
        construct(expr, operands);
        break;
      case Op::Occupant:
        occupant(expr.ref);
        break;
      case Op::Reduce:
        reduce(expr, at(0), at(1));
        break;
      default:
        text("?");  // Error; the others are operators
    }
  }

  void number(const Expr& expr) {
    text(base::format_number(expr.number));
    if (expr.unit && expr.unit != kBareUnit) text(" [" + std::string(model_.unit_name(expr.unit)) + "]");
  }

  void enum_value(const Expr& expr) {
    const EnumId id(expr.type.ref);
    if (!model_.enums.contains(id)) return text("?");
    const Enum& type = model_.enums[id];
    const std::string_view value = expr.ref < type.values.size() ? model_.name(type.values[expr.ref]) : "?";
    text(std::string(model_.name(type.name)) + "." + std::string(value));
  }

  void entity(const Expr& expr, ExprId object) {
    if (!object) return text(entity_name(model_, expr.target(), scope_));
    operand(object, Primary);
    text("." + entity_name(model_, expr.target(), {}));  // seen from outside the object: with its full path
  }

  void field(const Expr& expr, ExprId whole) {
    operand(whole, Primary);
    const std::vector<Field>* fields = whole ? fields_of(model_, model_.exprs[whole].type) : nullptr;
    const bool known = fields != nullptr && expr.ref < fields->size();
    text("." + (known ? std::string(model_.name((*fields)[expr.ref].name)) : "?"));
  }

  void range(std::span<const ExprId> operands) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i == 2 && !operands[i]) break;
      if (i > 0) text(i == 1 ? ".." : " step ");
      operand(operands[i], Sum);
    }
  }

  void list(std::string_view open, std::span<const ExprId> operands, std::string_view close) {
    text(open);
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) text(", ");
      operand(operands[i]);
    }
    text(close);
  }

  void in_state(const Expr& expr, ExprId object) {
    text("in(");
    if (object) {
      operand(object, Primary);
      text(".");
    }
    text(entity_name(model_, {EntityKind::State, expr.ref}, object ? Scope{} : scope_));
    text(")");
  }

  void is_message(const Expr& expr, ExprId message, ExprId port) {
    operand(message, Sum);
    text(" is ");
    if (port) {
      operand(port, Primary);
      text(".");
    }
    text(entity_name(model_, {EntityKind::Message, expr.ref}, scope_));
  }

  /// A built-in method with a local is one with a condition over it: `box.take(where (m) m.size < 2)`.
  void method(const Expr& expr, std::span<const ExprId> operands) {
    if (operands.empty()) return text("?");
    operand(operands[0], Primary);
    const bool builtin = expr.builtin != Builtin::None;
    text("." +
         (builtin ? std::string(info(expr.builtin).name) : entity_name(model_, {EntityKind::Function, expr.ref}, {})));
    const LocalId local(expr.ref);
    const bool where = builtin && model_.locals.contains(local);
    list(where ? "(where (" + std::string(model_.name(model_.locals[local].name)) + ") " : "(", operands.subspan(1),
         ")");
  }

  void construct(const Expr& expr, std::span<const ExprId> operands) {
    const std::vector<Field>* fields = fields_of(model_, expr.type);
    const EntityKind kind = expr.type.kind == TypeKind::Record ? EntityKind::Record : EntityKind::Message;
    text(entity_name(model_, {kind, expr.type.ref}, scope_) + "(");
    for (std::size_t i = 0; i < operands.size(); ++i) {
      if (i > 0) text(", ");
      if (fields != nullptr && i < fields->size()) text(std::string(model_.name((*fields)[i].name)) + " = ");
      operand(operands[i]);
    }
    text(")");
  }

  void occupant(std::uint32_t index) {
    if (index >= model_.occupants.size()) return text("?");
    const Occupant& occupant = model_.occupants[index];
    text(entity_name(model_, {EntityKind::Class, occupant.object_class.index}, scope_) + "(");
    for (std::size_t i = 0; i < occupant.arguments.size(); ++i) {
      const Argument& argument = occupant.arguments[i];
      if (i > 0) text(", ");
      operand(argument.target);
      text(argument.initial ? " := " : " = ");
      operand(argument.value);
    }
    text(")");
  }

  void reduce(const Expr& expr, ExprId term, ExprId over) {
    text(std::string(info(expr.builtin).name) + "(");
    operand(term);
    text(" for " + entity_name(model_, {EntityKind::Local, expr.ref}, scope_) + " in ");
    operand(over);
    text(")");
  }

  const Model& model_;
  Scope scope_;
  std::vector<Piece> stack_;
  std::vector<Piece> pieces_;
  std::string result_;
};

}  // namespace

std::string expression_text(const Model& model, ExprId expr, Scope scope) { return Printer(model, scope).print(expr); }

std::string arguments_text(const Model& model, const std::vector<Argument>& arguments, Scope scope) {
  std::string text;
  for (const Argument& argument : arguments) {
    text += text.empty() ? "(" : ", ";
    text += expression_text(model, argument.target, scope) + (argument.initial ? " := " : " = ") +
            expression_text(model, argument.value, scope);
  }
  return text.empty() ? text : text + ")";
}

std::string occupant_text(const Model& model, const Occupant& occupant, Scope scope) {
  return entity_name(model, {EntityKind::Class, occupant.object_class.index}, scope) +
         arguments_text(model, occupant.arguments, scope);
}

}  // namespace hyla::model
