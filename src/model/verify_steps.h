// The steps of verify(). Each adds sentences to a report and relies on the steps before it having found nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/model.h"

namespace hyla::model {

/// Collects breaches; the first few tell enough.
class VerifyReport {
 public:
  /// "reaction 7: its condition is missing".
  void add(std::string_view what, std::size_t index, std::string_view breach) {
    if (sentences_.size() < kMost) {
      sentences_.push_back(std::string(what) + " " + std::to_string(index) + ": " + std::string(breach));
    }
  }
  bool empty() const { return sentences_.empty(); }
  std::vector<std::string> take() { return std::move(sentences_); }

 private:
  static constexpr std::size_t kMost = 50;
  std::vector<std::string> sentences_;
};

/// The expressions that the model uses, found from the records that hold them. Others may be left over from inherited
/// text that was redefined.
using UsedExprs = std::vector<bool>;

/// Every id lies inside its store, every operand before its user.
void verify_ids(const Model& model, VerifyReport& report);
/// Records and the bodies that list them agree; nothing that a reaction or equation needs is missing. Marks the
/// expressions met.
void verify_bodies(const Model& model, UsedExprs& used, VerifyReport& report);
/// Likewise for the actions of all blocks.
void verify_actions(const Model& model, UsedExprs& used, VerifyReport& report);
/// Operands and payload of every used expression fit its operation.
void verify_expressions(const Model& model, UsedExprs& used, VerifyReport& report);

/// Marks expressions as used and judges them in the words of the record that holds them.
class ExprJudge {
 public:
  ExprJudge(const Model& model, UsedExprs& used, VerifyReport& report) : model_(model), used_(used), report_(report) {}

  void use(ExprId id) {
    if (id) used_[id.index] = true;
  }
  void use(const std::vector<ExprId>& ids) {
    for (const ExprId id : ids) use(id);
  }
  void use(const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) {
      use(argument.target);
      use(argument.value);
    }
  }
  void use(const Awaited& awaited) {
    use(awaited.source);
    use(awaited.where);
  }
  /// Must be there.
  void needed(std::string_view what, std::size_t index, ExprId id, std::string_view role) {
    use(id);
    if (!id) report_.add(what, index, "its " + std::string(role) + " is missing");
  }
  /// Must be there and a scalar Boolean.
  void condition(std::string_view what, std::size_t index, ExprId id, std::string_view role) {
    needed(what, index, id, role);
    if (id && !model_.exprs[id].type.is_scalar(TypeKind::Boolean)) wrong_type(what, index, id, role, "Boolean");
  }
  /// Must be there and a scalar number.
  void number(std::string_view what, std::size_t index, ExprId id, std::string_view role) {
    needed(what, index, id, role);
    if (id && !(model_.exprs[id].type.is_number() && model_.exprs[id].type.rank == 0)) {
      wrong_type(what, index, id, role, "number");
    }
  }

 private:
  void wrong_type(std::string_view what, std::size_t index, ExprId id, std::string_view role, std::string_view wanted) {
    report_.add(
        what, index,
        "its " + std::string(role) + " is " + model_.type_name(model_.exprs[id].type) + ", not " + std::string(wanted));
  }

  const Model& model_;
  UsedExprs& used_;
  VerifyReport& report_;
};

}  // namespace hyla::model
