// Actions: what happens at an instant, as data. action_kinds.def says what the fields of each kind hold.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "diag/source.h"
#include "model/ids.h"
#include "model/type.h"

namespace hyla::model {

enum class ActionKind : std::uint8_t {
#define HYLA_ACTION(kind, fields) kind,
#include "model/action_kinds.def"
#undef HYLA_ACTION
};

std::string_view name_of(ActionKind kind);

/// A name inside a block, function, process, family or selection: constant unless `assignable`.
struct Local {
  SymbolId name;
  diag::Span span;
  Type type;
  UnitId unit;
  ShapeId shape;
  bool assignable = false;
};

/// A message waited for: at `port` (own port, mailbox or signal) one of `message`, or any if that is none.
struct Awaited {
  ExprId source;
  MessageId message;
  LocalId whole;                ///< `as m`
  std::vector<LocalId> fields;  ///< `(id, size)`, in the order of the message's fields; none where a field is not bound
  ExprId where;
};

enum class DelayKind : std::uint8_t { None, After, At };

/// Where the result of an operation (`let p = start …`, `leader := new …`) goes.
struct ResultPlace {
  LocalId local;
  ExprId target;
};

struct Action {
  ActionKind kind = ActionKind::Break;
  diag::Span span;
  std::vector<ExprId> exprs;
  std::vector<LocalId> locals;
  std::vector<BlockId> blocks;
  std::vector<Awaited> awaited;
  std::uint32_t ref = UINT32_MAX;
  std::uint32_t branch_count = 0;
  DelayKind delay_kind = DelayKind::None;
  ExprId delay;
  ResultPlace result;
  bool flag = false;
};

/// One way out of `first_of`.
struct Branch {
  enum class Kind : std::uint8_t { Receive, Until, After, At };
  Kind kind = Kind::Until;
  diag::Span span;
  ExprId condition;  ///< condition, duration or time; none for Receive
  Awaited awaited;
  BlockId block;
};

struct Block {
  std::vector<ActionId> actions;
};

}  // namespace hyla::model
