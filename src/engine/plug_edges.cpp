#include "engine/plug_edges.h"

#include <algorithm>
#include <utility>

#include "engine/charts.h"
#include "engine/collect.h"
#include "engine/join_ends.h"

namespace hyla::engine {

// --- edges ----------------------------------------------------------------------------------------

std::uint32_t PlugEdges::add(const PlugEdge& edge) {
  auto number = static_cast<std::uint32_t>(edges_.size());
  if (free_.empty()) {
    edges_.push_back(edge);
  } else {
    number = free_.back();
    free_.pop_back();
    edges_[number] = edge;
  }
  by_object_[edge.a.object.index].push_back(number);
  if (edge.b.object.index != edge.a.object.index) by_object_[edge.b.object.index].push_back(number);
  by_face_[edge.a_face].push_back(number);
  if (edge.b_face != edge.a_face) by_face_[edge.b_face].push_back(number);
  return number;
}

void PlugEdges::remove(std::uint32_t number) {
  const PlugEdge& edge = edges_[number];
  // Lists that have become empty stay: most connections come again.
  std::erase(by_object_[edge.a.object.index], number);
  std::erase(by_object_[edge.b.object.index], number);
  std::erase(by_face_[edge.a_face], number);
  std::erase(by_face_[edge.b_face], number);
  free_.push_back(number);
}

std::span<const std::uint32_t> PlugEdges::of(ObjectRef object) const {
  const auto found = by_object_.find(object.index);
  if (found == by_object_.end()) return {};
  return found->second;
}

std::span<const std::uint32_t> PlugEdges::at(const PlugFace& face) const {
  const auto found = by_face_.find(face);
  if (found == by_face_.end()) return {};
  return found->second;
}

std::uint32_t plug_slot(const World& world, const PlugEnd& end, std::size_t field) {
  return world.layout.variables[world.model.plugs[end.plug].variables[field].index];
}

/// Objects of a derived class have the slots of the class in which the connection names the plug.
PlugFace face_of(const World& world, const PlugEnd& end) {
  const std::uint64_t slot = plug_slot(world, end);
  return {std::uint64_t{end.object.index} << 32 | slot << 1 | (end.own ? 1U : 0U), end.element};
}

bool is_there(const World& world, const PlugEdge& edge) {
  return is_there(world, edge.scope) && is_there(world, edge.a.object) && is_there(world, edge.b.object);
}

// --- bringing up to date --------------------------------------------------------------------------

namespace {

// Ranks: the serial number of a join and the place among its ends; connections by actions come behind.
constexpr int kPlaceBits = 28;
constexpr std::uint64_t kByAction = std::uint64_t{1} << 60;

void note_ends(const PlugEdge& edge, std::vector<ObjectRef>& concerned) {
  concerned.push_back(edge.a.object);
  concerned.push_back(edge.b.object);
  concerned.push_back(edge.scope);
}

}  // namespace

bool PlugUpdate::update(std::span<const ObjectRef> scopes, std::vector<ObjectRef>& concerned) {
  bool good = true;
  for (const std::uint32_t number : std::exchange(memory_.unfound, {})) good = look_at(number, concerned) && good;
  for (const ObjectRef scope : scopes) {
    const auto found = memory_.changing.find(scope.index);
    if (found == memory_.changing.end()) continue;
    for (const std::uint32_t number : found->second) {
      if (world_.joins[number].scope == scope) good = look_at(number, concerned) && good;
    }
  }
  if (world_.joins.size() >= memory_.most) throw_away();
  add_new(concerned, good);
  if (!std::exchange(memory_.has_all_made, true)) {
    memory_.changed_made.clear();
    for (std::uint32_t i = 0; i < world_.connected.size(); ++i) take_made(i, concerned);
  }
  for (const std::uint32_t number : memory_.changed_made) take_made(number, concerned);
  memory_.changed_made.clear();
  return good;
}

/// Looks at joins for the first time: those that read nothing that can change are found once and for all.
void PlugUpdate::add_new(std::vector<ObjectRef>& concerned, bool& good) {
  while (memory_.joins.size() < world_.joins.size()) {
    const auto number = static_cast<std::uint32_t>(memory_.joins.size());
    memory_.joins.emplace_back().serial = memory_.serial++;
    good = look_at(number, concerned) && good;
    const Join& join = world_.joins[number];
    const bool can_change = join.state != kNone || !memory_.joins[number].reads.empty();
    if (can_change) memory_.changing[join.scope.index].push_back(number);
  }
}

/// Forgets joins of objects that have gone. The others keep their order.
void PlugUpdate::throw_away() {
  std::vector<std::uint32_t> numbers(world_.joins.size(), kNone);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < world_.joins.size(); ++i) {
    const bool is_new = i >= memory_.joins.size();
    if (!is_there(world_, world_.joins[i].scope)) {
      if (!is_new) remove_edges(memory_.joins[i], nullptr);
      continue;
    }
    if (kept != i) world_.joins[kept] = std::move(world_.joins[i]);
    if (kept != i && !is_new) memory_.joins[kept] = std::move(memory_.joins[i]);
    numbers[i] = kept++;
  }
  const auto renumber = [&](std::vector<std::uint32_t>& list) {
    for (std::uint32_t& number : list) number = numbers[number];
    std::erase(list, kNone);
  };
  renumber(memory_.unfound);
  for (auto& entry : memory_.changing) renumber(entry.second);
  std::erase_if(memory_.changing, [](const auto& entry) { return entry.second.empty(); });
  const auto is_kept = [](std::uint32_t number) { return number != kNone; };
  const auto seen = numbers.begin() + static_cast<std::ptrdiff_t>(memory_.joins.size());
  memory_.joins.resize(static_cast<std::size_t>(std::count_if(numbers.begin(), seen, is_kept)));
  world_.joins.resize(kept);
  memory_.most = std::max(memory_.most, 2 * world_.joins.size());
}

void PlugUpdate::remove_edges(PlugMemory::KnownJoin& known, std::vector<ObjectRef>* concerned) {
  for (const std::uint32_t edge : known.edges) {
    if (concerned != nullptr) note_ends(memory_.edges[edge], *concerned);
    memory_.edges.remove(edge);
  }
  known.edges.clear();
}

/// Finds out whether a join is active, and its ends if they can be others than before.
bool PlugUpdate::look_at(std::uint32_t number, std::vector<ObjectRef>& concerned) {
  const Join& join = world_.joins[number];
  PlugMemory::KnownJoin& known = memory_.joins[number];
  const bool is_active =
      is_there(world_, join.scope) && (join.state == kNone || engine::is_active(world_.object(join.scope), join.state));
  const bool is_fixed = known.reads.empty() && !known.found.empty();
  if (is_active == known.is_active && (!is_active || is_fixed)) return true;
  if (is_active && !is_fixed) {
    std::vector<PlugEdge> found;
    if (!find_ends(join, known, found)) {
      remove_edges(known, &concerned);
      known.is_active = false;
      memory_.unfound.push_back(number);
      return false;
    }
    if (known.is_active && found == known.found) return true;
    known.found = std::move(found);
  }
  remove_edges(known, &concerned);
  known.is_active = is_active;
  if (!is_active) return true;
  for (const PlugEdge& edge : known.found) {
    note_ends(edge, concerned);
    known.edges.push_back(memory_.edges.add(edge));
  }
  return true;
}

bool PlugUpdate::find_ends(const Join& join, PlugMemory::KnownJoin& known, std::vector<PlugEdge>& found) {
  const Object& object = world_.object(join.scope);
  const Scope scope{object.self, object.plan->object_class, join.locals, join.inputs};
  std::vector<std::pair<PlugEnd, PlugEnd>> ends;
  const bool good = scalariser_.joined_plugs(scope, model_.connections[join.connection], ends);
  known.reads = std::exchange(scalariser_.structural_reads(), {});
  if (!good) return false;
  std::uint64_t rank = known.serial << kPlaceBits;
  for (const auto& [a, b] : ends) {
    if (!model_.plugs[a.plug].variables.empty()) found.push_back(edge_of(a, b, rank++, join.scope, join.span));
  }
  return true;
}

/// A connection made by an action, or one that was taken back.
void PlugUpdate::take_made(std::uint32_t number, std::vector<ObjectRef>& concerned) {
  if (const auto found = memory_.made.find(number); found != memory_.made.end()) {
    for (const std::uint32_t edge : found->second) {
      note_ends(memory_.edges[edge], concerned);
      memory_.edges.remove(edge);
    }
    found->second.clear();
  }
  const Joining& joining = world_.connected[number];
  if (!joining.exists) return;
  const model::Connection& record = model_.connections[joining.connection];
  if (record.kind != model::ConnectionKind::Plugs) return;
  const auto end = [&](model::ExprId text, ObjectRef object) {
    return PlugEnd{object, model::PlugId(member_of(model_, text).ref), 0, object == joining.scope};
  };
  PlugEnd from = end(record.from, joining.from), to = end(record.to, joining.to);
  if (model_.plugs[from.plug].variables.empty()) return;
  std::vector<std::uint32_t>& edges = memory_.made[number];
  std::uint64_t rank = kByAction | std::uint64_t{number} << kPlaceBits;
  for (const auto& [from_place, to_place] : joining.pairs) {
    from.element = from_place;
    to.element = to_place;
    const PlugEdge edge = edge_of(from, to, rank++, joining.scope, record.span);
    note_ends(edge, concerned);
    edges.push_back(memory_.edges.add(edge));
  }
}

PlugEdge PlugUpdate::edge_of(const PlugEnd& a, const PlugEnd& b, std::uint64_t rank, ObjectRef scope,
                             diag::Span span) const {
  return {a, b, face_of(world_, a), face_of(world_, b), rank, scope, span};
}

}  // namespace hyla::engine
