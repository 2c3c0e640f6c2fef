#include "engine/plug_sets.h"

#include <algorithm>
#include <unordered_set>

#include "code/heap.h"
#include "engine/charts.h"
#include "engine/collect.h"

namespace hyla::engine {

using code::NodeId;
using code::NodeOp;

namespace {

// Numbers of equations: potentials by the rank of their edge, then flows by the first edge of the set, then open plugs.
constexpr std::uint64_t kFlows = std::uint64_t{1} << 61, kOpen = std::uint64_t{1} << 62;

}  // namespace

PlugSets::PlugSets(World& world, const PlugMemory& memory)
    : world_(world), model_(world.model), edges_(memory.edges), inner_(memory.inner), given_(memory.edges.bound()) {}

// --- sets -----------------------------------------------------------------------------------------

/// Visits those whose objects have not gone.
template <class Visit>
void PlugSets::each(std::span<const std::uint32_t> edges, Visit&& visit) const {
  for (const std::uint32_t number : edges) {
    if (is_there(world_, edges_[number])) visit(number);
  }
}

bool PlugSets::is_joined(const PlugEnd& end) const {
  bool found = false;
  each(edges_.at(face_of(world_, end)), [&](std::uint32_t) { found = true; });
  return found;
}

/// Whether nothing is joined on the other side of a plug, and nothing can flow for that reason.
bool PlugSets::is_dead_end(PlugEnd end) const {
  if (!end.own && inner_[end.plug.index] == 0) return false;
  end.own = !end.own;
  return !is_joined(end);
}

/// All edges of the set to which one belongs, in their order.
std::vector<std::uint32_t> PlugSets::set_of(std::uint32_t first) {
  std::vector<std::uint32_t> set = {first};
  std::unordered_set<PlugFace, PlugFaceHash> seen;
  given_[first] = 1;
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (const PlugFace& face : {edges_[set[i]].a_face, edges_[set[i]].b_face}) {
      if (!seen.insert(face).second) continue;
      each(edges_.at(face), [&](std::uint32_t number) {
        if (std::exchange(given_[number], std::uint8_t{1}) == 0) set.push_back(number);
      });
    }
  }
  std::sort(set.begin(), set.end(), [&](std::uint32_t a, std::uint32_t b) { return edges_[a].rank < edges_[b].rank; });
  return set;
}

bool PlugSets::give(const Object& object, const Add& add) {
  if (!is_present(object)) return false;
  bool has_plugs = false;
  std::vector<std::uint32_t> own;
  each(edges_.of(object.self), [&](std::uint32_t number) { own.push_back(number); });
  for (const std::uint32_t number : own) {
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

void PlugSets::give_set(const std::vector<std::uint32_t>& edges, const Add& add) const {
  std::vector<PlugEnd> ends;
  std::vector<std::uint32_t> parents;  // towards the first end that is joined with it
  std::unordered_map<PlugFace, std::uint32_t, PlugFaceHash> numbers;
  const bool is_open = std::all_of(edges.begin(), edges.end(), [&](std::uint32_t number) {
    return is_dead_end(edges_[number].a) && is_dead_end(edges_[number].b);
  });
  if (is_open) return;
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
  for (const std::uint32_t number : edges) {
    const PlugEdge& one = edges_[number];
    const std::uint32_t a = root(one.a, one.a_face), b = root(one.b, one.b_face);
    if (a == b) continue;
    parents[std::max(a, b)] = std::min(a, b);
    add_potentials(one, add);
  }
  add_flows(ends, edges_[edges.front()], add);
}

const std::vector<model::Field>& PlugSets::fields_of(const PlugEnd& end) const {
  return model_.connectors[model_.plugs[end.plug].connector].fields;
}

/// The places of one field of a plug.
std::vector<Place> PlugSets::places_of(const PlugEnd& end, std::size_t field) const {
  const model::Variable& variable = model_.variables[model_.plugs[end.plug].variables[field]];
  const std::uint32_t slot = plug_slot(world_, end, field);
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

/// The elements of a plug to which nothing is joined from outside, or inside where their flows would come from.
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
    const Box* box = object.slots[plug_slot(world_, end)].box;
    const std::size_t rank = variable.type.rank - fields_of(end)[0].type.rank;
    for (std::size_t i = 0; i < rank; ++i) count *= static_cast<std::uint32_t>(code::dimension(box, i));
  }
  for (end.element = 0; end.element < count; ++end.element) {
    if (is_joined(end) && !is_dead_end(end)) continue;
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
