// How the parts of a run become bytes and come back. Each function serves both ways.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/archive.h"
#include "engine/context.h"
#include "engine/sliding_run.h"

namespace hyla::code {

inline void transfer(base::Archive& archive, ObjectRef& object) { archive(object.index, object.generation); }

}  // namespace hyla::code

namespace hyla::diag {

inline void transfer(base::Archive& archive, Span& span) { archive(span.file, span.begin, span.end); }

}  // namespace hyla::diag

namespace hyla::engine {

inline void transfer(base::Archive& archive, Happening& happening) {
  archive(happening.time, happening.object, happening.reaction, happening.process, happening.atomic, happening.relation,
          happening.sequence);
}

void transfer(base::Archive& archive, Receiver& receiver);

class Keeper {
 public:
  Keeper(Run& run, base::Archive& archive) : run_(run), world_(run.world), archive_(archive) {}

  void keep_world();
  void keep_run();
  /// keep_clusters.cpp
  void keep_clusters();

 private:
  static constexpr int kDeepest = 200;  ///< boxes in boxes

  // keep_structure.cpp
  void keep_structure();
  void keep_identities();
  void keep_start_values();
  void release_start_values(std::uint32_t number);
  void keep_ports();
  void keep_mailboxes();
  void keep_statistics();
  void keep_links();
  void keep_selections();
  bool is_known(ObjectRef object) const;

  void keep_box(Box*& box);
  void keep_new_box(Box*& box);
  Box* read_box(code::BoxKind kind, std::uint32_t type, std::uint32_t port, bool shared);
  void keep_elements(Box& box);
  void keep_boxes(std::vector<Box*>& boxes);

  void keep_object(Object& object);
  void keep_extras(ObjectExtras& extras);
  void keep_mailbox(MailboxInstance& mailbox);
  void keep_process(ProcessInstance& process);
  void keep_frame(ProcessInstance& process);
  void keep_watchers();
  void keep_event(Event& event);
  void keep_dirty();
  void keep_entered();
  void keep_outcome();

  // keep_clusters.cpp
  /// What solving took so far in places that are not kept.
  void add_work_of_others(ContinuousWork& work) const;
  bool gather_again(std::size_t count);
  bool number_again(const std::vector<std::uint32_t>& numbers, std::size_t count);
  void keep_met();
  void keep_cluster(Cluster& cluster);
  void keep_islands(Cluster& cluster);
  void keep_idle(Cluster& cluster);
  void keep_island(Island& island);
  void keep_integrator(Island& island);
  void keep_track(Cluster& cluster);

  // keep_plans.cpp
  void keep_configuration(Cluster& cluster, Configuration*& configuration);
  Configuration* find_configuration(Cluster& cluster, const std::vector<std::uint8_t>& flags);
  void keep_guards(Cluster& cluster, Configuration* configuration, GuardPlan*& guards);
  void keep_plan(Cluster& cluster, IslandPlan*& plan);
  void keep_search(Cluster& cluster, const GuardPlan::Search*& search);
  void keep_constraint(Island& island);
  void keep_side(Cluster& cluster, SurfaceSide& side);

  bool reads() const { return !archive_.is_writing(); }
  /// The number of elements must be what the built world has.
  bool same_count(std::size_t present);

  Run& run_;
  World& world_;
  base::Archive& archive_;
  int depth_ = 0;
  std::unordered_map<const Box*, std::uint32_t> numbers_;  ///< of boxes that have been written, from 1
  std::vector<Box*> boxes_;                                ///< that have been read
};

}  // namespace hyla::engine
