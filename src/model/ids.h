// The ids of everything a checked model consists of. Each indexes the store of the same name in model.h.
#pragma once

#include <cstdint>

#include "base/ids.h"

namespace hyla::model {

using SymbolId = base::Id<struct SymbolTag>;  ///< an interned name
using UnitId = base::Id<struct UnitTag>;
using ShapeId = base::Id<struct ShapeTag>;
using ExprId = base::Id<struct ExprTag>;
using ActionId = base::Id<struct ActionTag>;
using BlockId = base::Id<struct BlockTag>;
using LocalId = base::Id<struct LocalTag>;

using EnumId = base::Id<struct EnumTag>;
using RecordId = base::Id<struct RecordTag>;
using MessageId = base::Id<struct MessageTag>;
using ConnectorId = base::Id<struct ConnectorTag>;
using ProtocolId = base::Id<struct ProtocolTag>;
using FunctionId = base::Id<struct FunctionTag>;
using ExternalObjectId = base::Id<struct ExternalObjectTag>;
using ClassId = base::Id<struct ClassTag>;
using PackageId = base::Id<struct PackageTag>;
using ExperimentId = base::Id<struct ExperimentTag>;

using BodyId = base::Id<struct BodyTag>;
using VariableId = base::Id<struct VariableTag>;
using PartId = base::Id<struct PartTag>;
using PlugId = base::Id<struct PlugTag>;
using PortId = base::Id<struct PortTag>;
using MailboxId = base::Id<struct MailboxTag>;
using SignalId = base::Id<struct SignalTag>;
using StatisticId = base::Id<struct StatisticTag>;
using ProcessId = base::Id<struct ProcessTag>;
using EquationId = base::Id<struct EquationTag>;
using ConnectionId = base::Id<struct ConnectionTag>;
using RequirementId = base::Id<struct RequirementTag>;
using ReactionId = base::Id<struct ReactionTag>;
using ChartId = base::Id<struct ChartTag>;
using StateId = base::Id<struct StateTag>;
using ChoiceId = base::Id<struct ChoiceTag>;

/// What a name can stand for inside an object. The id is an index into the store that the kind names.
enum class EntityKind : std::uint8_t {
  None,
  Variable,
  Part,
  Plug,
  Port,
  Mailbox,
  Signal,
  Statistic,
  Process,
  Chart,
  State,
  Choice,
  Local,
  Module,
  Class,
  Message,
  Record,
  Enum,
  EnumValue,
  TypeAlias,
  Connector,
  Protocol,
  Function,
  ExternalObject,
  Package,
  Experiment,
};

struct Entity {
  EntityKind kind = EntityKind::None;
  std::uint32_t index = UINT32_MAX;
  explicit operator bool() const { return kind != EntityKind::None; }
  friend bool operator==(Entity, Entity) = default;
};

}  // namespace hyla::model
