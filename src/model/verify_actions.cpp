#include "model/verify_steps.h"

namespace hyla::model {
namespace {

constexpr std::string_view kAction = "action";

class ActionChecker {
 public:
  ActionChecker(const Model& model, UsedExprs& used, VerifyReport& report)
      : model_(model), judge_(model, used, report), report_(report) {}

  void check() {
    std::vector<bool> listed(model_.actions.size());
    for (const Block& block : model_.blocks) {
      for (const ActionId id : block.actions) {
        if (!id) {
          report_.add(kAction, id.index, "a block lists an action that is none");
        } else if (listed[id.index]) {
          report_.add(kAction, id.index, "it is listed twice");
        } else {
          listed[id.index] = true;
          action(id.index, model_.actions[id]);
        }
      }
    }
    for (std::size_t i = 0; i < model_.branches.size(); ++i) branch(i, model_.branches[i]);
  }

 private:
  void breach(std::string_view text) {
    report_.add(kAction, index_, "(" + std::string(name_of(action_->kind)) + ") " + std::string(text));
  }
  ExprId expr(std::size_t i) const { return i < action_->exprs.size() ? action_->exprs[i] : ExprId(); }

  void exprs(std::size_t least, std::size_t most) {
    if (action_->exprs.size() < least || action_->exprs.size() > most) breach("it has too few or too many expressions");
  }
  void blocks(std::size_t least, std::size_t most) {
    if (action_->blocks.size() < least || action_->blocks.size() > most) breach("it has too few or too many blocks");
    for (const BlockId block : action_->blocks) {
      if (!block) breach("a block is missing");
    }
  }
  void condition() {
    exprs(1, 1);
    judge_.condition(kAction, index_, expr(0), "condition");
  }

  template <class IdType, class Record>
  const Record* refers(const base::Store<IdType, Record>& store) {
    const IdType id(action_->ref);
    if (store.contains(id)) return &store[id];
    breach("it refers to nothing");
    return nullptr;
  }

  void action(std::size_t index, const Action& action) {
    index_ = index;
    action_ = &action;
    for (const ExprId id : action.exprs) judge_.needed(kAction, index, id, "expression");
    for (const Awaited& awaited : action.awaited) judge_.use(awaited);
    judge_.use(action.result.target);
    if (action.delay_kind != DelayKind::None) judge_.number(kAction, index, action.delay, "delay");
    special(action);
  }

  void special(const Action& action) {
    switch (action.kind) {
      case ActionKind::Assign:
        return exprs(2, SIZE_MAX);
      case ActionKind::Equation:
        return exprs(2, 2);
      case ActionKind::Let:
        if (action.locals.empty()) breach("it names nothing");
        return exprs(1, 1);
      case ActionKind::Variable:
        if (action.locals.size() != 1) breach("it does not name one variable");
        return exprs(0, 1);
      case ActionKind::If:
        condition();
        return blocks(1, 2);
      case ActionKind::For:
        if (action.locals.size() != 1) breach("it does not name one index");
        exprs(1, 1);
        return blocks(1, 1);
      case ActionKind::While:
        condition();
        return blocks(1, 1);
      case ActionKind::Loop:
        return blocks(1, 1);
      case ActionKind::Return:
      case ActionKind::Break:
      case ActionKind::Continue:
        return;
      case ActionKind::Evaluate:
        return exprs(1, 1);
      case ActionKind::Send:
        return send(action);
      case ActionKind::Raise:
        refers(model_.signals);
        return;
      case ActionKind::Start:
        if (const Process* process = refers(model_.processes))
          exprs(process->parameters.size(), process->parameters.size());
        return;
      case ActionKind::Stop:
        if (action.exprs.empty()) refers(model_.processes);
        return;
      case ActionKind::Cancel:
        return exprs(1, 1);
      case ActionKind::New:
        if (action.ref >= model_.occupants.size()) breach("it refers to nothing");
        return exprs(0, 1);
      case ActionKind::Delete:
        return exprs(1, 1);
      case ActionKind::Connect:
        return connection();
      case ActionKind::Disconnect:
        if (action.exprs.empty()) connection();
        return;
      case ActionKind::Wait:
        exprs(1, 1);
        return judge_.number(kAction, index_, expr(0), "duration");
      case ActionKind::WaitUntil:
        return condition();
      case ActionKind::Receive:
        if (action.awaited.empty()) breach("it waits for nothing");
        return;
      case ActionKind::FirstOf:
        if (action.branch_count == 0 || action.ref >= model_.branches.size() ||
            action.branch_count > model_.branches.size() - action.ref) {
          breach("its branches are outside their list");
        }
        return;
      case ActionKind::DevsCall:
        if (action.ref > static_cast<std::uint32_t>(DevsFunctionKind::Confluent)) breach("it refers to nothing");
        return;
    }
  }

  void send(const Action& action) {
    exprs(1, SIZE_MAX);
    if (action.ref == MessageId::kNone) return exprs(2, 2);
    const Message* message = refers(model_.messages);
    if (message == nullptr || action.exprs.size() == message->fields.size() + 1) return;
    const Type whole{TypeKind::Message, 0, action.ref};
    if (action.exprs.size() == 2 && expr(1) && model_.exprs[expr(1)].type == whole) return;
    breach("its values are not those of the message's fields");
  }

  void connection() {
    if (const Connection* connection = refers(model_.connections)) {
      judge_.needed(kAction, index_, connection->from, "first end");
      judge_.needed(kAction, index_, connection->to, "second end");
    }
  }

  void branch(std::size_t index, const Branch& branch) {
    constexpr std::string_view kBranch = "branch";
    switch (branch.kind) {
      case Branch::Kind::Receive:
        judge_.use(branch.awaited);
        return judge_.needed(kBranch, index, branch.awaited.source, "source");
      case Branch::Kind::Until:
        return judge_.condition(kBranch, index, branch.condition, "condition");
      case Branch::Kind::After:
      case Branch::Kind::At:
        return judge_.number(kBranch, index, branch.condition, "time");
    }
  }

  const Model& model_;
  ExprJudge judge_;
  VerifyReport& report_;
  std::size_t index_ = 0;
  const Action* action_ = nullptr;
};

}  // namespace

void verify_actions(const Model& model, UsedExprs& used, VerifyReport& report) {
  ActionChecker(model, used, report).check();
}

}  // namespace hyla::model
