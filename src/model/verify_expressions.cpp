#include "model/verify_steps.h"

namespace hyla::model {
namespace {

class ExpressionChecker {
 public:
  ExpressionChecker(const Model& model, UsedExprs& used, VerifyReport& report)
      : model_(model), used_(used), report_(report) {}

  /// Backwards, so that an expression is known to be used before its operands are met.
  void check() {
    for (std::size_t i = model_.exprs.size(); i-- > 0;) {
      if (!used_[i]) continue;
      const Expr& expr = model_.exprs[ExprId(i)];
      operands_ = model_.operands_of(expr);
      for (const ExprId operand : operands_) {
        if (operand) used_[operand.index] = true;
      }
      index_ = i;
      op_ = expr.op;
      general(expr);
      special(expr);
    }
  }

 private:
  void breach(std::string_view text) {
    report_.add("expression", index_, "(" + std::string(name_of(op_)) + ") " + std::string(text));
  }

  void general(const Expr& expr) {
    if (expr.op == Op::Error) breach("a reported mistake is left in the model");
    if (expr.type.is_error() && expr.op != Op::Error && expr.op != Op::Whole) breach("it has no type");
    if (expr.shape && model_.shapes[expr.shape].dimensions.size() != expr.type.rank) {
      breach("its shape does not fit the rank of its type");
    }
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const bool step = expr.op == Op::Range && i == 2;
      if (!operands_[i] && !step) breach("an operand is missing");
    }
  }

  void count(std::size_t least, std::size_t most) {
    if (operands_.size() < least || operands_.size() > most) {
      breach("it has " + std::to_string(operands_.size()) + " operands, not " + std::to_string(least) +
             (most == least      ? ""
              : most == SIZE_MAX ? " or more"
                                 : " to " + std::to_string(most)));
    }
  }

  void boolean_operands(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < std::min(last, operands_.size()); ++i) {
      if (operands_[i] && model_.exprs[operands_[i]].type.kind != TypeKind::Boolean)
        breach("an operand is not Boolean");
    }
  }

  void result(const Expr& expr, TypeKind kind) {
    if (expr.type.kind != kind) breach("its type is " + model_.type_name(expr.type));
  }

  template <class IdType, class Record>
  void refers(const base::Store<IdType, Record>& store, const Expr& expr) {
    if (!store.contains(IdType(expr.ref))) breach("it refers to nothing");
  }

  void special(const Expr& expr) {
    switch (expr.op) {
      case Op::Error:
      case Op::None:
      case Op::This:
      case Op::Time:
      case Op::Whole:
        return count(0, 0);
      case Op::Real:
        return result(expr, TypeKind::Real);
      case Op::Integer:
        return count(0, 0);  // may have become Real where one is wanted
      case Op::Boolean:
        return result(expr, TypeKind::Boolean);
      case Op::String:
        if (expr.ref >= model_.strings.size()) breach("it refers to nothing");
        return result(expr, TypeKind::String);
      case Op::EnumValue:
        return enum_value(expr);
      case Op::Entity:
        count(0, 1);
        return entity(expr);
      case Op::Field:
        return field(expr);
      case Op::Property:
        count(1, 1);
        return builtin(expr);
      case Op::Index:
        return count(2, SIZE_MAX);
      case Op::Range:
        return count(2, 3);
      case Op::Array:
      case Op::Tuple:
        return;
      case Op::Negate:
        return count(1, 1);
      case Op::Add:
      case Op::Subtract:
      case Op::Multiply:
      case Op::MatrixProduct:
      case Op::Divide:
      case Op::Power:
        return count(2, 2);
      case Op::Less:
      case Op::LessEqual:
      case Op::Greater:
      case Op::GreaterEqual:
      case Op::Equal:
      case Op::NotEqual:
        count(2, 2);
        return result(expr, TypeKind::Boolean);
      case Op::And:
      case Op::Or:
        count(2, 2);
        boolean_operands(0, 2);
        return result(expr, TypeKind::Boolean);
      case Op::Not:
        count(1, 1);
        boolean_operands(0, 1);
        return result(expr, TypeKind::Boolean);
      case Op::If:
        count(3, 3);
        return boolean_operands(0, 1);
      case Op::Der:
        count(1, 1);
        return result(expr, TypeKind::Real);
      case Op::InState:
        count(0, 1);
        refers(model_.states, expr);
        return result(expr, TypeKind::Boolean);
      case Op::IsMessage:
        count(1, 2);
        refers(model_.messages, expr);
        return result(expr, TypeKind::Boolean);
      case Op::Call:
        return call(expr);
      case Op::Builtin:
        return builtin(expr);
      case Op::Method:
        return method(expr);
      case Op::Construct:
        return construct(expr);
      case Op::Occupant:
        if (expr.ref >= model_.occupants.size()) breach("it refers to nothing");
        return result(expr, TypeKind::Object);
      case Op::Reduce:
        count(2, 2);
        refers(model_.locals, expr);
        return builtin(expr);
    }
  }

  void builtin(const Expr& expr) {
    if (expr.builtin == Builtin::None) breach("it does not say which function it is");
  }

  void enum_value(const Expr& expr) {
    result(expr, TypeKind::Enum);
    const EnumId id(expr.type.ref);
    if (model_.enums.contains(id) && expr.ref >= model_.enums[id].values.size())
      breach("its enumeration has no such value");
  }

  void entity(const Expr& expr) {
    switch (expr.entity) {
      case EntityKind::Variable:
        return refers(model_.variables, expr);
      case EntityKind::Part:
        return refers(model_.parts, expr);
      case EntityKind::Plug:
        return refers(model_.plugs, expr);
      case EntityKind::Port:
        return refers(model_.ports, expr);
      case EntityKind::Mailbox:
        return refers(model_.mailboxes, expr);
      case EntityKind::Signal:
        return refers(model_.signals, expr);
      case EntityKind::Statistic:
        return refers(model_.statistics, expr);
      case EntityKind::Process:
        return refers(model_.processes, expr);
      case EntityKind::Chart:
        return refers(model_.charts, expr);
      case EntityKind::State:
        return refers(model_.states, expr);
      case EntityKind::Local:
        return refers(model_.locals, expr);
      case EntityKind::Class:
        return refers(model_.classes, expr);
      default:
        return breach("a name stands for something that is not a value");
    }
  }

  /// The number of fields of a record, message or connector; none for other types.
  std::optional<std::size_t> field_count(Type type) const {
    const auto fields =
        [&]<class IdType, class Record>(const base::Store<IdType, Record>& store) -> std::optional<std::size_t> {
      const IdType id(type.ref);
      return store.contains(id) ? std::optional(store[id].fields.size()) : std::nullopt;
    };
    if (type.kind == TypeKind::Record) return fields(model_.records);
    if (type.kind == TypeKind::Message) return fields(model_.messages);
    if (type.kind == TypeKind::Connector) return fields(model_.connectors);
    return std::nullopt;
  }

  void field(const Expr& expr) {
    count(1, 1);
    if (operands_.empty() || !operands_[0]) return;
    const std::optional<std::size_t> fields = field_count(model_.exprs[operands_[0]].type);
    if (!fields) return breach("its operand has no fields");
    if (expr.ref >= *fields) breach("its operand has no such field");
  }

  void construct(const Expr& expr) {
    const std::optional<std::size_t> fields = field_count(expr.type);
    if (!fields || expr.type.kind == TypeKind::Connector) return breach("its type is neither a record nor a message");
    count(*fields, *fields);
  }

  void call(const Expr& expr) {
    refers(model_.functions, expr);
    const FunctionId id(expr.ref);
    if (model_.functions.contains(id)) count(0, model_.functions[id].parameters.size());
  }

  void method(const Expr& expr) {
    count(1, SIZE_MAX);
    if (expr.builtin == Builtin::None) refers(model_.functions, expr);
  }

  const Model& model_;
  UsedExprs& used_;
  VerifyReport& report_;
  std::span<const ExprId> operands_;
  std::size_t index_ = 0;
  Op op_ = Op::Error;
};

}  // namespace

void verify_expressions(const Model& model, UsedExprs& used, VerifyReport& report) {
  ExpressionChecker(model, used, report).check();
}

}  // namespace hyla::model
