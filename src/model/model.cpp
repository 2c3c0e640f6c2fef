#include "model/model.h"

#include <array>

namespace hyla::model {
namespace {

constexpr auto kOpNames = std::to_array<std::string_view>({
#define HYLA_OP(op, payload) #op,
#include "model/expression_ops.def"
#undef HYLA_OP
});

constexpr auto kActionNames = std::to_array<std::string_view>({
#define HYLA_ACTION(kind, fields) #kind,
#include "model/action_kinds.def"
#undef HYLA_ACTION
});

void mix(std::size_t& hash, std::size_t value) { hash ^= value + 0x9E3779B97F4A7C15 + (hash << 6) + (hash >> 2); }

/// Units of equal dimension share a hash: their factors are compared with a tolerance, so the factor cannot take part.
std::size_t hash_of(const Unit& unit) {
  std::size_t hash = 0;
  for (const std::int16_t twelfths : unit.twelfths) mix(hash, static_cast<std::size_t>(twelfths));
  return hash;
}

std::size_t hash_of(const Shape& shape) {
  std::size_t hash = shape.dimensions.size();
  for (const Dimension& dimension : shape.dimensions) {
    mix(hash, dimension.size ? static_cast<std::size_t>(*dimension.size) : SIZE_MAX);
    mix(hash, dimension.expr.index);
  }
  return hash;
}

/// The id in `store` that is equal to `record`, adding the record if there is none.
template <class IdType, class Record, class Equal>
IdType intern(base::Store<IdType, Record>& store, std::unordered_multimap<std::size_t, IdType>& index,
              const Record& record, Equal equal) {
  const std::size_t hash = hash_of(record);
  const auto [first, last] = index.equal_range(hash);
  for (auto entry = first; entry != last; ++entry) {
    if (equal(store[entry->second], record)) return entry->second;
  }
  const IdType id = store.add(record);
  index.emplace(hash, id);
  return id;
}

std::uint64_t pair_key(UnitId a, UnitId b) { return (std::uint64_t{a.index} << 32) | b.index; }

/// The name of what a type refers to; `?` if it refers to nothing.
template <class IdType, class Record>
std::string name_in(const Model& model, const base::Store<IdType, Record>& store, std::uint32_t ref) {
  const IdType id(ref);
  return store.contains(id) ? std::string(model.name(store[id].name)) : "?";
}

std::string class_name(const Model& model, std::uint32_t ref) {
  const ClassId id(ref);
  const bool atomic = model.classes.contains(id) && model.classes[id].kind == ClassKind::Atomic;
  return (atomic ? "atomic " : "model ") + name_in(model, model.classes, ref);
}

std::string tuple_name(const Model& model, std::uint32_t ref) {
  const FunctionId id(ref);
  if (!model.functions.contains(id)) return "several values";
  std::string text = "(";
  for (const Field& result : model.functions[id].results) {
    if (text.size() > 1) text += ", ";
    text += model.type_name(result.type);
  }
  return text + ")";
}

std::string element_name(const Model& model, Type type) {
  switch (type.kind) {
    case TypeKind::Error:
      return "?";
    case TypeKind::Nothing:
      return "nothing";
    case TypeKind::None:
      return "none";
    case TypeKind::Real:
      return "Real";
    case TypeKind::Integer:
      return "Integer";
    case TypeKind::Boolean:
      return "Boolean";
    case TypeKind::String:
      return "String";
    case TypeKind::Enum:
      return name_in(model, model.enums, type.ref);
    case TypeKind::Record:
      return name_in(model, model.records, type.ref);
    case TypeKind::Message:
      return "message " + name_in(model, model.messages, type.ref);
    case TypeKind::AnyMessage:
      return "message";
    case TypeKind::Object:
      return class_name(model, type.ref);
    case TypeKind::External:
      return "external object " + name_in(model, model.external_objects, type.ref);
    case TypeKind::Connector:
      return "connector " + name_in(model, model.connectors, type.ref);
    case TypeKind::Population:
      return "population of " + name_in(model, model.classes, type.ref);
    case TypeKind::Mailbox:
      return "mailbox " + name_in(model, model.mailboxes, type.ref);
    case TypeKind::Port:
      return "port " + name_in(model, model.ports, type.ref);
    case TypeKind::Statistic:
      return "statistic";
    case TypeKind::Process:
      return "process";
    case TypeKind::Delivery:
      return "delivery";
    case TypeKind::Connection:
      return "connection";
    case TypeKind::Bag:
      return "bag";
    case TypeKind::Tuple:
      return tuple_name(model, type.ref);
    case TypeKind::Reference:
      return "reference";
  }
  return "?";
}

template <class T>
std::size_t bytes_of(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}

}  // namespace

std::string_view name_of(Op op) { return kOpNames[static_cast<std::size_t>(op)]; }

std::string_view name_of(ActionKind kind) { return kActionNames[static_cast<std::size_t>(kind)]; }

SymbolId Symbols::intern(std::string_view name) {
  if (const auto found = table_.find(name); found != table_.end()) return found->second;
  const SymbolId id(names_.size());
  names_.emplace_back(name);
  table_.emplace(names_.back(), id);
  return id;
}

std::string Model::type_name(Type type) const {
  std::string text = element_name(*this, type);
  if (type.rank == 0) return text;
  text += "[:";
  for (std::size_t i = 1; i < type.rank; ++i) text += ", :";
  return text + "]";
}

std::string_view Model::unit_name(UnitId unit) const {
  if (!unit) return "?";
  const std::string& text = units[unit].text;
  return text.empty() ? std::string_view("1") : std::string_view(text);
}

UnitId Model::intern_unit(const Unit& unit) {
  if (units.size() == 0) {  // kBareUnit, which is equal to no other
    units.add(Unit{.text = "1"});
  }
  // Units that mean the same but are written differently stay apart: messages show what the modeller wrote.
  return intern(units, unit_index, unit,
                [](const Unit& a, const Unit& b) { return a.text == b.text && a.same_unit(b); });
}

UnitId Model::multiply_units(UnitId a, UnitId b) {
  if (!a || !b) return {};
  if (a == kBareUnit) return b;
  if (b == kBareUnit) return a;
  const auto [entry, is_new] = unit_products.try_emplace(pair_key(a, b));
  if (is_new) entry->second = intern_unit(multiply(units[a], units[b]));
  return entry->second;
}

UnitId Model::divide_units(UnitId a, UnitId b) {
  if (!a || !b) return {};
  if (b == kBareUnit) return a;
  const auto [entry, is_new] = unit_quotients.try_emplace(pair_key(a, b));
  if (is_new) entry->second = intern_unit(divide(units[a], units[b]));
  return entry->second;
}

ShapeId Model::intern_shape(const Shape& shape) { return intern(shapes, shape_index, shape, std::equal_to<>()); }

bool Model::extends(ClassId derived, ClassId base) const {
  // A class that extends itself is an error of the text; counting the steps ends the walk.
  for (std::size_t steps = 0; derived && steps <= classes.size(); ++steps) {
    if (derived == base) return true;
    derived = classes[derived].base;
  }
  return false;
}

std::size_t Model::memory() const {
  std::size_t bytes = bytes_of(strings) + bytes_of(operands) + bytes_of(occupants) + bytes_of(branches) +
                      units.memory() + shapes.memory() + exprs.memory() + locals.memory() + actions.memory() +
                      blocks.memory() + enums.memory() + records.memory() + messages.memory() + connectors.memory() +
                      protocols.memory() + functions.memory() + external_objects.memory() + classes.memory() +
                      packages.memory() + experiments.memory() + bodies.memory() + variables.memory() + parts.memory() +
                      plugs.memory() + ports.memory() + mailboxes.memory() + signals.memory() + statistics.memory() +
                      processes.memory() + equations.memory() + connections.memory() + requirements.memory() +
                      reactions.memory() + charts.memory() + states.memory() + choices.memory();
  bytes += symbols.size() * (sizeof(std::string) + sizeof(std::string_view) + sizeof(SymbolId) + sizeof(void*));
  for (const Action& action : actions)
    bytes += bytes_of(action.exprs) + bytes_of(action.locals) + bytes_of(action.blocks);
  for (const Block& block : blocks) bytes += bytes_of(block.actions);
  for (const Body& body : bodies) {
    bytes += bytes_of(body.variables) + bytes_of(body.equations) + bytes_of(body.reactions) + bytes_of(body.parts);
  }
  for (const Reaction& reaction : reactions) bytes += bytes_of(reaction.awaited) + bytes_of(reaction.target.states);
  return bytes;
}

bool is_fold(const Model& model, const Expr& expr) {
  if (expr.op != Op::Builtin) return false;
  if (info(expr.builtin).group == BuiltinClass::Observer) return true;
  const bool chooses = expr.builtin == Builtin::Min || expr.builtin == Builtin::Max;
  return chooses && expr.operand_count == 1 && model.exprs[model.operand(expr, 0)].type.rank == 0;
}

}  // namespace hyla::model
