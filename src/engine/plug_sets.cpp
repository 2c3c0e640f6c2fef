#include "engine/plug_sets.h"

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "code/heap.h"
#include "engine/charts.h"
#include "engine/collect.h"

namespace hyla::engine {
namespace {

using code::NodeId;
using code::NodeOp;

/// A plug seen from one side.
struct Face {
  PlugEnd end;
  std::uint32_t parent = 0;  ///< towards the first of its set
};

class PlugSets {
 public:
  PlugSets(World& world, Scalariser& scalariser, FollowedPlaces& followed,
           const std::function<void(EquationInstance)>& add)
      : world_(world), model_(world.model), scalariser_(scalariser), followed_(followed), add_(add) {}

  bool collect() {
    std::erase_if(world_.joins, [this](const Join& one) { return !is_there(world_, one.scope); });
    for (const Join& one : world_.joins) {
      const bool good = join(one);
      for (const std::uint64_t read : scalariser_.structural_reads()) followed_.emplace_back(one.scope, read);
      scalariser_.structural_reads().clear();
      if (!good) return false;
    }
    for (const Joining& one : world_.connected) join(one);
    add_flows();
    for (const Object& object : world_.objects) add_open(object);
    return true;
  }

 private:
  bool join(const Join& join) {
    const Object& object = world_.object(join.scope);
    if (join.state != kNone && !is_active(object, join.state)) return true;
    const model::Connection& record = model_.connections[join.connection];
    const Scope scope{object.self, object.plan->object_class, join.locals, join.inputs};
    std::vector<std::pair<PlugEnd, PlugEnd>> ends;
    if (!scalariser_.joined_plugs(scope, record, ends)) return false;
    for (const auto& [a, b] : ends) unite(join, a, b);
    return true;
  }

  /// A connection made by an action.
  void join(const Joining& joining) {
    if (!joining.exists) return;
    const model::Connection& record = model_.connections[joining.connection];
    if (record.kind != model::ConnectionKind::Plugs) return;
    const auto end = [&](model::ExprId text, ObjectRef object) {
      return PlugEnd{object, model::PlugId(model_.exprs[text].ref), 0, object == joining.scope};
    };
    made_.push_back({joining.scope, record.span, joining.connection, {}, {}, kNone});
    unite(made_.back(), end(record.from, joining.from.object), end(record.to, joining.to.object));
  }

  // --- sets ---------------------------------------------------------------------------------------

  std::uint32_t slot_of(const PlugEnd& end, std::size_t field = 0) const {
    return world_.layout.variables[model_.plugs[end.plug].variables[field].index];
  }

  /// Objects of a derived class have the slots of the class in which the connection names the plug.
  std::uint64_t key_of(const PlugEnd& end) const {
    return std::uint64_t{end.object.index} << 32 | std::uint64_t{slot_of(end)} << 1 | (end.own ? 1U : 0U);
  }

  std::uint32_t face(const PlugEnd& end) {
    std::vector<std::uint32_t>& elements = numbers_[key_of(end)];
    if (elements.size() <= end.element) elements.resize(end.element + 1, kNone);
    std::uint32_t& number = elements[end.element];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(faces_.size());
      faces_.push_back({end, number});
      joins_.push_back(nullptr);
    }
    return number;
  }

  bool is_joined_outside(const PlugEnd& end) const {
    const auto found = numbers_.find(key_of(end));
    return found != numbers_.end() && end.element < found->second.size() && found->second[end.element] != kNone;
  }

  std::uint32_t root(std::uint32_t i) {
    while (faces_[i].parent != i) i = faces_[i].parent = faces_[faces_[i].parent].parent;
    return i;
  }

  void unite(const Join& join, const PlugEnd& a, const PlugEnd& b) {
    if (model_.plugs[a.plug].variables.empty()) return;
    const std::uint32_t first = root(face(a)), second = root(face(b));
    if (first == second) return;
    faces_[std::max(first, second)].parent = std::min(first, second);
    if (joins_[first] == nullptr) joins_[first] = &join;
    if (joins_[second] == nullptr) joins_[second] = &join;
    add_potentials(join, a, b);
  }

  // --- equations ----------------------------------------------------------------------------------

  const std::vector<model::Field>& fields_of(const PlugEnd& end) const {
    return model_.connectors[model_.plugs[end.plug].connector].fields;
  }

  /// The places of one field of a plug.
  std::vector<Place> places_of(const PlugEnd& end, std::size_t field) const {
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

  void add_potentials(const Join& join, const PlugEnd& a, const PlugEnd& b) {
    for (std::size_t field = 0; field < fields_of(a).size(); ++field) {
      if (fields_of(a)[field].is_flow) continue;
      const std::vector<Place> left = places_of(a, field), right = places_of(b, field);
      for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
        add_sum({left[i]}, {right[i]}, PlugRule::Potentials, join.scope, join.span);
      }
    }
  }

  void add_flows() {
    std::vector<std::vector<std::uint32_t>> sets(faces_.size());
    for (std::uint32_t i = 0; i < faces_.size(); ++i) sets[root(i)].push_back(i);
    for (std::uint32_t i = 0; i < sets.size(); ++i) {
      if (!sets[i].empty()) add_flows(sets[i], *joins_[i]);
    }
  }

  void add_flows(const std::vector<std::uint32_t>& set, const Join& join) {
    const PlugEnd& first = faces_[set[0]].end;
    for (std::size_t field = 0; field < fields_of(first).size(); ++field) {
      if (!fields_of(first)[field].is_flow) continue;
      const std::size_t size = places_of(first, field).size();
      for (std::size_t i = 0; i < size; ++i) {
        std::vector<Place> in, out;
        for (const std::uint32_t number : set) {
          const PlugEnd& end = faces_[number].end;
          const std::vector<Place> places = places_of(end, field);
          if (i < places.size()) (end.own ? out : in).push_back(places[i]);
        }
        add_sum(in, out, PlugRule::Flows, join.scope, join.span);
      }
    }
  }

  /// Whether it has not gone: one declared in a state is there while the state is not active, too.
  bool is_present(const Object& object) const {
    if (object.exists) return true;
    for (ObjectRef at = object.self; at; at = world_.object(at).parent) {
      if (world_.object(at).host_state != kNone) return true;
    }
    return false;
  }

  /// Plugs to which nothing is joined from outside.
  void add_open(const Object& object) {
    if (!is_present(object)) return;
    for (const PlanBody& body : object.plan->bodies) {
      for (const model::PlugId plug : model_.bodies[body.id].plugs) {
        if (!model_.plugs[plug].variables.empty()) add_open(object, plug);
      }
    }
  }

  void add_open(const Object& object, model::PlugId plug) {
    const model::Plug& record = model_.plugs[plug];
    const model::Variable& variable = model_.variables[record.variables[0]];
    PlugEnd end{object.self, plug, 0, false};
    std::uint32_t count = 1;
    if (record.shape) {
      const Box* box = object.slots[slot_of(end)].box;
      const std::size_t rank = variable.type.rank - fields_of(end)[0].type.rank;
      for (std::size_t i = 0; i < rank; ++i) count *= static_cast<std::uint32_t>(code::dimension(box, i));
    }
    for (end.element = 0; end.element < count; ++end.element) {
      if (is_joined_outside(end)) continue;
      for (std::size_t field = 0; field < fields_of(end).size(); ++field) {
        if (!fields_of(end)[field].is_flow) continue;
        for (const Place& place : places_of(end, field)) add_sum({place}, {}, PlugRule::Open, object.self, record.span);
      }
    }
  }

  /// The sum of some places minus that of others is zero.
  void add_sum(const std::vector<Place>& plus, const std::vector<Place>& minus, PlugRule rule, ObjectRef scope,
               diag::Span span) {
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
    EquationInstance equation;
    std::vector<std::uint32_t> operands;
    equation.scalar.term = world_.terms.cut(graph, sum, {}, operands);
    for (const std::uint32_t number : operands) {
      Leaf& leaf = equation.scalar.operands.emplace_back();
      leaf.place = places[number];
    }
    equation.object = scope;
    equation.span = span;
    equation.rule = rule;
    add_(std::move(equation));
  }

  World& world_;
  const model::Model& model_;
  Scalariser& scalariser_;
  FollowedPlaces& followed_;
  std::deque<Join> made_;  ///< by actions
  const std::function<void(EquationInstance)>& add_;
  std::vector<Face> faces_;
  std::vector<const Join*> joins_;                                         ///< by face: one that made its set
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> numbers_;  ///< of faces, by plug and element
};

}  // namespace

bool collect_plug_equations(World& world, Scalariser& scalariser, FollowedPlaces& followed,
                            const std::function<void(EquationInstance)>& add) {
  return PlugSets(world, scalariser, followed, add).collect();
}

}  // namespace hyla::engine
