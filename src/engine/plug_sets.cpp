#include "engine/plug_sets.h"

#include <algorithm>
#include <unordered_set>

#include "code/heap.h"
#include "engine/charts.h"
#include "engine/collect.h"
#include "engine/join_ends.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;

// --- edges ----------------------------------------------------------------------------------------

void PlugEdges::add(PlugEdge edge) {
  const auto number = static_cast<std::uint32_t>(edges_.size());
  by_object_[edge.a.object.index].push_back(number);
  if (edge.b.object != edge.a.object) by_object_[edge.b.object.index].push_back(number);
  by_face_[edge.a_face].push_back(number);
  if (edge.b_face != edge.a_face) by_face_[edge.b_face].push_back(number);
  edges_.push_back(std::move(edge));
}

void PlugEdges::clear() {
  edges_.clear();
  by_object_.clear();
  by_face_.clear();
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

namespace {

// Ranks: the number of a join and the place among its ends; connections by actions come behind.
constexpr int kPlaceBits = 28;
constexpr std::uint64_t kByAction = std::uint64_t{1} << 60;
// Numbers of equations: potentials by their edge, then flows by the first edge of the set, then open plugs.
constexpr std::uint64_t kFlows = std::uint64_t{1} << 61, kOpen = std::uint64_t{1} << 62;

}  // namespace

PlugSets::PlugSets(World& world, Scalariser& scalariser, PlugMemory& memory)
    : world_(world), model_(world.model), scalariser_(scalariser), memory_(memory) {}

bool PlugSets::find(FollowedPlaces& followed) {
  if (world_.joins.size() >= memory_.most) {
    std::erase_if(world_.joins, [this](const Join& one) { return !is_there(world_, one.scope); });
    memory_ = {};
    memory_.most = std::max(memory_.most, 2 * world_.joins.size());
  }
  if (!find_new(followed)) return false;
  for (const std::uint32_t number : memory_.variable) {
    const Join& join = world_.joins[number];
    if (!is_there(world_, join.scope)) continue;
    const bool good = find_ends(join, number, others_);
    for (const std::uint64_t read : scalariser_.structural_reads()) followed.emplace_back(join.scope, read);
    scalariser_.structural_reads().clear();
    if (!good) return false;
  }
  add_made();
  given_.assign(memory_.fixed.size() + others_.size(), 0);
  return true;
}

/// Looks at joins for the first time: those that read nothing that can change are found once and for all.
bool PlugSets::find_new(FollowedPlaces& followed) {
  for (; memory_.seen < world_.joins.size(); ++memory_.seen) {
    const auto number = static_cast<std::uint32_t>(memory_.seen);
    const Join& join = world_.joins[number];
    if (!is_there(world_, join.scope)) continue;
    if (join.state != kNone) {
      memory_.variable.push_back(number);
      continue;
    }
    PlugEdges found;
    const bool good = find_ends(join, number, found);
    const bool is_fixed = scalariser_.structural_reads().empty();
    if (!is_fixed) memory_.variable.push_back(number);
    if (!good) {
      for (const std::uint64_t read : scalariser_.structural_reads()) followed.emplace_back(join.scope, read);
      scalariser_.structural_reads().clear();
      return false;
    }
    scalariser_.structural_reads().clear();
    for (std::size_t i = 0; is_fixed && i < found.size(); ++i) memory_.fixed.add(found[i]);
  }
  return true;
}

bool PlugSets::find_ends(const Join& join, std::uint32_t number, PlugEdges& edges) {
  const Object& object = world_.object(join.scope);
  if (join.state != kNone && !is_active(object, join.state)) return true;
  const Scope scope{object.self, object.plan->object_class, join.locals, join.inputs};
  std::vector<std::pair<PlugEnd, PlugEnd>> ends;
  if (!scalariser_.joined_plugs(scope, model_.connections[join.connection], ends)) return false;
  std::uint64_t rank = std::uint64_t{number} << kPlaceBits;
  for (const auto& [a, b] : ends) {
    if (!model_.plugs[a.plug].variables.empty()) edges.add(edge_of(a, b, rank++, join.scope, join.span));
  }
  return true;
}

/// Connections made by actions.
void PlugSets::add_made() {
  for (std::size_t i = 0; i < world_.connected.size(); ++i) {
    const Joining& joining = world_.connected[i];
    if (!joining.exists) continue;
    const model::Connection& record = model_.connections[joining.connection];
    if (record.kind != model::ConnectionKind::Plugs) continue;
    const auto end = [&](model::ExprId text, ObjectRef object) {
      return PlugEnd{object, model::PlugId(member_of(model_, text).ref), 0, object == joining.scope};
    };
    PlugEnd from = end(record.from, joining.from), to = end(record.to, joining.to);
    if (model_.plugs[from.plug].variables.empty()) continue;
    std::uint64_t rank = kByAction | std::uint64_t{i} << kPlaceBits;
    for (const auto& [from_place, to_place] : joining.pairs) {
      from.element = from_place;
      to.element = to_place;
      others_.add(edge_of(from, to, rank++, joining.scope, record.span));
    }
  }
}

std::uint32_t PlugSets::slot_of(const PlugEnd& end, std::size_t field) const {
  return world_.layout.variables[model_.plugs[end.plug].variables[field].index];
}

/// Objects of a derived class have the slots of the class in which the connection names the plug.
PlugFace PlugSets::face_of(const PlugEnd& end) const {
  return {std::uint64_t{end.object.index} << 32 | std::uint64_t{slot_of(end)} << 1 | (end.own ? 1U : 0U), end.element};
}

PlugEdge PlugSets::edge_of(const PlugEnd& a, const PlugEnd& b, std::uint64_t rank, ObjectRef scope,
                           diag::Span span) const {
  return {a, b, face_of(a), face_of(b), rank, scope, span};
}

// --- sets -----------------------------------------------------------------------------------------

const PlugEdge& PlugSets::edge(std::size_t number) const {
  const std::size_t fixed = memory_.fixed.size();
  return number < fixed ? memory_.fixed[number] : others_[number - fixed];
}

/// Visits the edges that a look-up gives, by number.
template <class Lookup, class Visit>
void PlugSets::each(const Lookup& lookup, Visit&& visit) const {
  for (const std::uint32_t number : lookup(memory_.fixed)) {
    if (is_there(world_, memory_.fixed[number].scope)) visit(std::size_t{number});
  }
  for (const std::uint32_t number : lookup(others_)) visit(memory_.fixed.size() + number);
}

bool PlugSets::is_joined(const PlugFace& face) const {
  bool found = false;
  each([&](const PlugEdges& edges) { return edges.at(face); }, [&](std::size_t) { found = true; });
  return found;
}

/// All edges of the set to which one belongs, in their order.
std::vector<std::size_t> PlugSets::set_of(std::size_t first) {
  std::vector<std::size_t> set = {first};
  std::unordered_set<PlugFace, PlugFaceHash> seen;
  given_[first] = 1;
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (const PlugFace& face : {edge(set[i]).a_face, edge(set[i]).b_face}) {
      if (!seen.insert(face).second) continue;
      each([&](const PlugEdges& edges) { return edges.at(face); },
           [&](std::size_t number) {
             if (std::exchange(given_[number], std::uint8_t{1}) == 0) set.push_back(number);
           });
    }
  }
  std::sort(set.begin(), set.end(), [&](std::size_t a, std::size_t b) { return edge(a).rank < edge(b).rank; });
  return set;
}

bool PlugSets::give(const Object& object, const Add& add) {
  if (!is_present(object)) return false;
  bool has_plugs = false;
  std::vector<std::size_t> own;
  each([&](const PlugEdges& edges) { return edges.of(object.self); },
       [&](std::size_t number) { own.push_back(number); });
  for (const std::size_t number : own) {
    if (given_[number] == 0) give_set(set_of(number), add);
  }
  for (const PlanBody& body : object.plan->bodies) {
    for (const model::PlugId plug : model_.bodies[body.id].plugs) {
      if (model_.plugs[plug].variables.empty()) continue;
      has_plugs = true;
      add_open(object, plug, add);
    }
  }
  return has_plugs || !own.empty();
}

// --- equations ------------------------------------------------------------------------------------

void PlugSets::give_set(const std::vector<std::size_t>& edges, const Add& add) const {
  std::vector<PlugEnd> ends;
  std::vector<std::uint32_t> parents;  // towards the first end that is joined with it
  std::unordered_map<PlugFace, std::uint32_t, PlugFaceHash> numbers;
  const auto root = [&](const PlugEnd& end, const PlugFace& face) {
    const auto [entry, is_new] = numbers.try_emplace(face, static_cast<std::uint32_t>(ends.size()));
    if (is_new) {
      ends.push_back(end);
      parents.push_back(entry->second);
    }
    std::uint32_t at = entry->second;
    while (parents[at] != at) at = parents[at] = parents[parents[at]];
    return at;
  };
  for (const std::size_t number : edges) {
    const PlugEdge& one = edge(number);
    const std::uint32_t a = root(one.a, one.a_face), b = root(one.b, one.b_face);
    if (a == b) continue;
    parents[std::max(a, b)] = std::min(a, b);
    add_potentials(one, add);
  }
  add_flows(ends, edge(edges.front()), add);
}

const std::vector<model::Field>& PlugSets::fields_of(const PlugEnd& end) const {
  return model_.connectors[model_.plugs[end.plug].connector].fields;
}

/// The places of one field of a plug.
std::vector<Place> PlugSets::places_of(const PlugEnd& end, std::size_t field) const {
  const model::Variable& variable = model_.variables[model_.plugs[end.plug].variables[field]];
  const std::uint32_t slot = slot_of(end, field);
  if (variable.type.rank == 0) return {{end.object, slot, kNone}};
  const Box* box = world_.object(end.object).slots[slot].box;
  std::uint32_t size = 1;
  for (std::size_t i = variable.type.rank - fields_of(end)[field].type.rank; i < variable.type.rank; ++i) {
    size *= static_cast<std::uint32_t>(code::dimension(box, i));
  }
  std::vector<Place> places;
  for (std::uint32_t i = 0; i < size; ++i) places.push_back({end.object, slot, end.element * size + i});
  return places;
}

void PlugSets::add_potentials(const PlugEdge& edge, const Add& add) const {
  EquationInstance pattern;
  pattern.object = edge.scope;
  pattern.span = edge.span;
  pattern.rule = PlugRule::Potentials;
  pattern.number = edge.rank;
  for (std::size_t field = 0; field < fields_of(edge.a).size(); ++field) {
    if (fields_of(edge.a)[field].is_flow) continue;
    const std::vector<Place> left = places_of(edge.a, field), right = places_of(edge.b, field);
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) add_sum({left[i]}, {right[i]}, pattern, add);
  }
}

void PlugSets::add_flows(const std::vector<PlugEnd>& ends, const PlugEdge& first, const Add& add) const {
  EquationInstance pattern;
  pattern.object = first.scope;
  pattern.span = first.span;
  pattern.rule = PlugRule::Flows;
  pattern.number = kFlows | first.rank;
  for (std::size_t field = 0; field < fields_of(ends[0]).size(); ++field) {
    if (!fields_of(ends[0])[field].is_flow) continue;
    std::vector<std::vector<Place>> places;
    for (const PlugEnd& end : ends) places.push_back(places_of(end, field));
    for (std::size_t i = 0; i < places[0].size(); ++i) {
      std::vector<Place> in, out;
      for (std::size_t k = 0; k < ends.size(); ++k) {
        if (i < places[k].size()) (ends[k].own ? out : in).push_back(places[k][i]);
      }
      add_sum(in, out, pattern, add);
    }
  }
}

/// Whether it has not gone: one declared in a state is there while the state is not active, too.
bool PlugSets::is_present(const Object& object) const {
  if (object.exists) return true;
  for (ObjectRef at = object.self; at; at = world_.object(at).parent) {
    if (world_.object(at).host_state != kNone) return true;
  }
  return false;
}

/// The elements of a plug to which nothing is joined from outside.
void PlugSets::add_open(const Object& object, model::PlugId plug, const Add& add) const {
  const model::Plug& record = model_.plugs[plug];
  const model::Variable& variable = model_.variables[record.variables[0]];
  EquationInstance pattern;
  pattern.object = object.self;
  pattern.span = record.span;
  pattern.rule = PlugRule::Open;
  pattern.number = kOpen;
  PlugEnd end{object.self, plug, 0, false};
  std::uint32_t count = 1;
  if (record.shape) {
    const Box* box = object.slots[slot_of(end)].box;
    const std::size_t rank = variable.type.rank - fields_of(end)[0].type.rank;
    for (std::size_t i = 0; i < rank; ++i) count *= static_cast<std::uint32_t>(code::dimension(box, i));
  }
  for (end.element = 0; end.element < count; ++end.element) {
    if (is_joined(face_of(end))) continue;
    for (std::size_t field = 0; field < fields_of(end).size(); ++field) {
      if (!fields_of(end)[field].is_flow) continue;
      for (const Place& place : places_of(end, field)) add_sum({place}, {}, pattern, add);
    }
  }
}

/// The sum of some places minus that of others is zero.
void PlugSets::add_sum(const std::vector<Place>& plus, const std::vector<Place>& minus, EquationInstance equation,
                       const Add& add) const {
  code::Graph graph;
  std::vector<Place> places;
  NodeId sum = code::kNoNode;
  const auto operand = [&](const Place& place) {
    places.push_back(place);
    return graph.operand(static_cast<std::uint32_t>(places.size() - 1));
  };
  for (const Place& place : plus) {
    const NodeId next = operand(place);
    sum = sum == code::kNoNode ? next : graph.make(NodeOp::Add, sum, next);
  }
  for (const Place& place : minus) {
    const NodeId next = operand(place);
    sum = graph.make(NodeOp::Subtract, sum == code::kNoNode ? graph.constant(0) : sum, next);
  }
  std::vector<std::uint32_t> operands;
  equation.scalar.term = world_.terms.cut(graph, sum, {}, operands);
  for (const std::uint32_t number : operands) {
    Leaf& leaf = equation.scalar.operands.emplace_back();
    leaf.place = places[number];
  }
  add(std::move(equation));
}

}  // namespace hyla::engine
