#include "engine/known_gatherings.h"

#include <algorithm>
#include <utility>

#include "engine/gather.h"
#include "engine/initial_choices.h"
#include "engine/island.h"
#include "engine/make_shape.h"

namespace hyla::engine {
namespace {

/// Stands for no object, and where lists begin.
constexpr std::uint64_t kNobody = UINT64_MAX;

std::uint64_t word_of(ObjectRef object) { return std::uint64_t{object.index} << 32 | object.generation; }

std::uint64_t hash_of(const std::vector<std::uint64_t>& words) {
  std::uint64_t hash = words.size();
  for (const std::uint64_t word : words) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32;
  }
  return hash;
}

/// Whether it, or one around it, is declared in a state.
bool can_vanish(const World& world, const Object& object) {
  for (const Object* at = &object; at->parent; at = &world.object(at->parent)) {
    if (at->host_state != kNone) return true;
  }
  return false;
}

/// Whether a slot of an object outside the group can vary.
bool varies_outside(const World& world, ObjectRef ref, std::uint32_t slot) {
  const Object& object = world.object(ref);
  if (object.cluster == kNone) return false;
  const std::vector<std::uint64_t>& varying = world.clusters[object.cluster]->shape->varying;
  return std::binary_search(varying.begin(), varying.end(), std::uint64_t{object.cluster_member} << 32 | slot);
}

/// The part that has a slot; null: none has.
const model::Part* part_at(const World& world, const Object& object, std::uint32_t slot) {
  for (const PlanPart& part : object.plan->parts) {
    if (part.slot == slot) return &world.model.parts[part.id];
  }
  return nullptr;
}

/// Whether shapes depend on values of an object's parameters: nominal sizes, numbers of plugs.
bool depends_on_values(World& world, const Object& object) {
  const std::size_t slots = world.layout.classes[object.object_class.index].slots.size();
  for (std::uint32_t slot = 0; slot < slots; ++slot) {
    const model::VariableId id = variable_at(world, object.object_class, slot);
    if (!id) continue;
    const model::Variable& variable = world.model.variables[id];
    const model::ExprId nominal = variable.attributes.nominal;
    if (nominal && world.model.exprs[nominal].known != model::Known::Always) return true;
    if (variable.plug && variable.type.rank > 0) return true;
  }
  return false;
}

}  // namespace

ReadNotes KnownGathering::notes_of(const GatheringGroup& group, std::size_t number) const {
  ReadNotes result;
  for (const auto& [source, slot] : notes[number].reads) result.reads.push_back({object(group, source), slot});
  for (const auto& [source, slot] : notes[number].structural) {
    result.structural.push_back(std::uint64_t{object(group, source).index} << 32 | slot);
  }
  return result;
}

// --- groups ---------------------------------------------------------------------------------------

bool KnownGatherings::is_inside(ObjectRef object) const { return seats_[object.index].stamp == stamp_; }

void KnownGatherings::take_in(const World& world, ObjectRef object, GatheringGroup& group) {
  if (is_inside(object) || !is_there(world, object)) return;
  seats_[object.index].stamp = stamp_;
  group.objects.push_back(object);
}

void KnownGatherings::close(const World& world, const std::vector<ObjectRef>& objects, GatheringGroup& group) {
  seats_.resize(world.objects.size());
  clusters_.resize(world.clusters.size());
  ++stamp_;
  group.objects.clear();
  edges_.clear();
  const PlugEdges& edges = world.gathering->plugs.edges;
  for (const ObjectRef object : objects) take_in(world, object, group);
  for (std::size_t i = 0; i < group.objects.size(); ++i) {
    const ObjectRef ref = group.objects[i];
    const std::uint32_t cluster = world.object(ref).cluster;
    if (cluster != kNone && std::exchange(clusters_[cluster], stamp_) != stamp_) {
      for (const ObjectRef member : world.clusters[cluster]->objects) {
        if (world.object(member).cluster == cluster) take_in(world, member, group);
      }
    }
    for (const std::uint32_t number : edges.of(ref)) {
      const PlugEdge& edge = edges[number];
      const bool is_first = edge.a.object == ref;
      if (!is_first && is_inside(edge.a.object)) continue;  // met there
      if (!is_there(world, edge)) continue;
      if (is_first) edges_.push_back(number);
      for (const ObjectRef object : {edge.a.object, edge.b.object, edge.scope}) take_in(world, object, group);
    }
  }
  std::sort(group.objects.begin(), group.objects.end(),
            [&](ObjectRef a, ObjectRef b) { return world.object(a).order < world.object(b).order; });
  for (std::uint32_t i = 0; i < group.objects.size(); ++i) seats_[group.objects[i].index].number = i;
}

// --- keys -----------------------------------------------------------------------------------------

/// In a key: one word.
std::uint64_t KnownGatherings::number_of(ObjectRef object) const {
  if (!object) return kNobody;
  return is_inside(object) ? seats_[object.index].number : std::uint64_t{1} << 63 | word_of(object);
}

KnownGatherings::Nature& KnownGatherings::nature_of(const Object& object) {
  if (natures_.size() <= object.plan->number) natures_.resize(object.plan->number + 1);
  return natures_[object.plan->number];
}

void KnownGatherings::describe(World& world, const std::vector<ObjectRef>& objects, GatheringGroup& group) {
  close(world, objects, group);
  group.key.clear();
  group.links.clear();
  group.is_known = true;
  write_objects(world, group);
  write_links(world, group);
  write_joins(world, group);
}

void KnownGatherings::write_objects(World& world, GatheringGroup& group) {
  const GatheringMemory& memory = *world.gathering;
  std::vector<std::uint64_t>& key = group.key;
  key.push_back(group.objects.size());
  for (const ObjectRef ref : group.objects) {
    const Object& object = world.object(ref);
    const Nature nature = nature_of(object);
    if (nature == Nature::Unknown) group.is_known = false;
    const bool vanishes = can_vanish(world, object);
    key.push_back(object.plan->number);
    key.push_back((nature == Nature::Individual ? 1U : 0U) | (vanishes ? 2U : 0U) | (object.exists ? 4U : 0U));
    if (nature == Nature::Individual) key.push_back(word_of(ref));
    if (const auto found = memory.readers.find(ref.index); found != memory.readers.end()) {
      for (const GatheringMemory::ForeignRead& read : found->second) {
        if (!is_there(world, read.reader) || is_inside(read.reader)) continue;
        key.push_back(number_of(read.reader));
        key.push_back(read.slot);
      }
    }
    write_structural(world, ref, group);
  }
}

/// Where references lead now that the equations of an object follow.
void KnownGatherings::write_structural(World& world, ObjectRef reader, GatheringGroup& group) const {
  std::vector<std::uint64_t>& key = group.key;
  key.push_back(kNobody);
  const auto notes = world.gathering->notes.find(reader.index);
  if (notes == world.gathering->notes.end()) return;
  key.push_back(notes->second.structural.size());
  for (const std::uint64_t read : notes->second.structural) {
    const Object& object = world.objects[read >> 32];
    const auto slot = static_cast<std::uint32_t>(read);
    key.push_back(number_of(object.self));
    key.push_back(slot);
    if (slot == code::Layout::kNoSlot) {
      key.push_back(object.exists ? 1 : 0);
      continue;
    }
    const Slot value = object.slots[slot];
    const model::VariableId id = variable_at(world, object.object_class, slot);
    const auto write = [&](ObjectRef target) { key.push_back(world.is_alive(target) ? number_of(target) : kNobody); };
    const model::Part* part = id ? nullptr : part_at(world, object, slot);
    if (!id && part == nullptr) {
      group.is_known = false;
    } else if (part != nullptr && part->kind == model::PartKind::Population) {
      const PopulationInstance& population = world.populations[static_cast<std::size_t>(value.integer)];
      key.push_back(population.size);
      for (const ObjectRef member : population.members) {
        if (member) write(member);
      }
    } else if (id ? world.model.variables[id].type.rank > 0 : static_cast<bool>(part->shape)) {
      const std::uint32_t size = value.box == nullptr ? 0 : value.box->size;
      key.push_back(size);
      for (std::uint32_t i = 0; i < size; ++i) write(value.box->slots()[i].object);
    } else {
      write(value.object);
    }
  }
}

void KnownGatherings::write_links(World& world, GatheringGroup& group) const {
  for (const ObjectRef ref : group.objects) {
    const auto found = world.links_of.find(ref.index);
    if (found == world.links_of.end()) continue;
    for (const std::uint32_t number : found->second) {
      const Link& link = world.links[number];
      if (!is_there(world, link.scope) || !is_there(world, link.target)) continue;
      if (link.target == ref || !is_inside(link.target)) group.links.push_back(number);
    }
  }
  const auto first_of = [&](const Link& link) { return std::min(number_of(link.scope), number_of(link.target)); };
  std::sort(group.links.begin(), group.links.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(first_of(world.links[a]), a) < std::pair(first_of(world.links[b]), b);
  });
  std::vector<std::uint64_t>& key = group.key;
  key.push_back(group.links.size());
  for (const std::uint32_t number : group.links) {
    const Link& link = world.links[number];
    key.push_back(number_of(link.scope));
    key.push_back(number_of(link.target));
    key.push_back(std::uint64_t{link.slot} << 32 | link.expr.index);
    key.push_back(std::uint64_t{link.state} << 32 | link.inputs.size());
    for (const Slot input : link.inputs) key.push_back(static_cast<std::uint64_t>(input.integer));
    key.push_back(std::uint64_t{link.is_partial ? 1U : 0U} << 32 | link.elements.size());
    key.insert(key.end(), link.elements.begin(), link.elements.end());
    if (!is_inside(link.scope)) write_structural(world, link.scope, group);
  }
}

void KnownGatherings::write_joins(const World& world, GatheringGroup& group) {
  const PlugEdges& edges = world.gathering->plugs.edges;
  std::sort(edges_.begin(), edges_.end(),
            [&](std::uint32_t a, std::uint32_t b) { return edges[a].rank < edges[b].rank; });
  group.key.push_back(edges_.size());
  for (const std::uint32_t number : edges_) {
    const PlugEdge& edge = edges[number];
    group.key.push_back(number_of(edge.scope));
    for (const auto* end : {&edge.a, &edge.b}) {
      group.key.push_back(number_of(end->object));
      const PlugFace& face = end == &edge.a ? edge.a_face : edge.b_face;
      group.key.push_back(std::uint64_t{face.element} << 32 | static_cast<std::uint32_t>(face.plug));
    }
  }
}

// --- finding and keeping --------------------------------------------------------------------------

KnownGathering* KnownGatherings::find(World& world, const GatheringGroup& group) {
  if (!group.is_known) return nullptr;
  const auto list = known_.find(hash_of(group.key));
  if (list == known_.end()) return nullptr;
  for (const std::unique_ptr<KnownGathering>& known : list->second) {
    if (known->key != group.key) continue;
    const auto stays_outside = [&](ObjectRef object) { return is_there(world, object) && !is_inside(object); };
    if (!std::all_of(known->outsiders.begin(), known->outsiders.end(), stays_outside)) return nullptr;
    for (const KnownGathering::Notes& notes : known->notes) {
      for (const auto& [source, slot] : notes.reads) {
        if (source < group.objects.size()) continue;
        if (varies_outside(world, known->object(group, source), slot)) return nullptr;
      }
    }
    return known.get();
  }
  return nullptr;
}

/// Objects of which it is not known yet what their equations depend on have shown it.
void KnownGatherings::learn(World& world, const Gatherer& gatherer) {
  for (const ObjectRef ref : gatherer.objects()) {
    const Object& object = world.object(ref);
    Nature& nature = nature_of(object);
    if (nature == Nature::Individual) continue;
    if (gatherer.is_individual(ref)) {
      nature = Nature::Individual;
    } else if (nature == Nature::Unknown) {
      nature = depends_on_values(world, object) ? Nature::Individual : Nature::General;
    }
  }
}

void KnownGatherings::keep(World& world, const Gatherer& gatherer, GatheringGroup& group) {
  learn(world, gatherer);
  if (gatherer.objects().size() != group.objects.size() || !gatherer.has_conditions()) return;
  describe(world, gatherer.objects(), group);
  const bool is_same = group.objects == gatherer.objects();
  if (!is_same || words_ + group.key.size() > most_words_) return;
  auto known = std::make_unique<KnownGathering>();
  known->key = group.key;
  const auto number = [&](ObjectRef object) -> std::uint32_t {
    if (is_inside(object)) return seats_[object.index].number;
    const auto found = std::find(known->outsiders.begin(), known->outsiders.end(), object);
    const auto place = static_cast<std::uint32_t>(found - known->outsiders.begin());
    if (found == known->outsiders.end()) known->outsiders.push_back(object);
    return static_cast<std::uint32_t>(group.objects.size()) + place;
  };
  for (std::uint32_t i = 0; i < group.objects.size(); ++i) {
    const Object& object = world.object(group.objects[i]);
    for (Index watch = 0; watch < object.plan->watches.size(); ++watch) {
      const WatchState& state = object.watches[watch];
      if (state.in_cluster) known->marks.push_back({i, watch, state.condition});
    }
    KnownGathering::Notes& notes = known->notes.emplace_back();
    const auto found = world.gathering->notes.find(object.self.index);
    if (found == world.gathering->notes.end()) continue;
    for (const ReadNotes::Read& read : found->second.reads) notes.reads.emplace_back(number(read.source), read.slot);
    for (const std::uint64_t read : found->second.structural) {
      notes.structural.emplace_back(number(world.objects[read >> 32].self), static_cast<std::uint32_t>(read));
    }
  }
  for (const std::uint32_t link : group.links) known->links.push_back(world.links[link].in_cluster ? 1 : 0);
  for (const std::uint32_t cluster : gatherer.clusters()) {
    KnownGathering::Piece& piece = known->pieces.emplace_back();
    piece.shape = world.clusters[cluster]->shape;
    for (const ObjectRef object : world.clusters[cluster]->objects) {
      piece.objects.push_back(number(object));
      if (world.object(object).cluster == cluster) ++piece.members;
    }
    const auto reads_other = [&](const ShapeVariable& variable) {
      return variable.object >= piece.members && !(variable.id && world.model.variables[variable.id].is_fixed());
    };
    const std::vector<ShapeVariable>& variables = piece.shape->variables;
    piece.reads_others = !piece.shape->opaques.empty() || std::any_of(variables.begin(), variables.end(), reads_other);
  }
  for (std::size_t i = 0; i < known->pieces.size(); ++i) {
    Cluster& cluster = *world.clusters[gatherer.clusters()[i]];
    if (cluster.pool == nullptr) cluster.pool = &known->pieces[i].idle;
  }
  words_ += known->key.size();
  known_[hash_of(known->key)].push_back(std::move(known));
}

}  // namespace hyla::engine
