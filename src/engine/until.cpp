#include "engine/until.h"

#include <algorithm>
#include <cmath>

#include "engine/islands.h"
#include "engine/waits.h"

namespace hyla::engine {
namespace {

/// Puts the values that a cluster has at a time into its slots. The slots of the present time are restored when they
/// are needed next.
void show(Run& run, Cluster& cluster, double time) {
  const double now = std::exchange(run.now, time);
  run.machine.time = time;
  cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
  place_islands(run, cluster);
  run.now = now;
  run.machine.time = now;
  cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
}

/// The relations of one `until`, as functions of time.
class UntilCourse final : public solve::Course {
 public:
  UntilCourse(Run& run, Cluster& cluster, ProcessInstance& instance, const code::WaitBranch& branch)
      : run_(run), cluster_(cluster), instance_(instance), branch_(branch) {}

  /// The truth value comes last, as 1 and -1: it finds what has no relation of its own.
  std::size_t count() const override { return branch_.relation_probes.size() + 1; }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t k = 0; k < number; ++k) {
      show(run_, cluster_, times[k]);
      for (std::size_t r = 0; r < count(); ++r) values[r * number + k] = probe(r, times[k]);
    }
  }
  double value(std::size_t relation, double t) override {
    show(run_, cluster_, t);
    return probe(relation, t);
  }
  bool holds(double t) {
    show(run_, cluster_, t);
    return probe(branch_.relation_probes.size(), t) > 0;
  }

 private:
  double probe(std::size_t relation, double t) {
    Object& owner = run_.object(instance_.owner);
    const double now = std::exchange(run_.now, t);
    run_.machine.time = t;
    double value = std::numeric_limits<double>::quiet_NaN();
    if (relation < branch_.relation_probes.size()) {
      const std::uint32_t pc = branch_.relation_probes[relation];
      if (run_.machine.probe_value(instance_.frame, pc, owner.self, owner.slots, value) != code::Status::Finished) {
        value = std::numeric_limits<double>::quiet_NaN();
      }
    } else {
      bool holds = false;
      run_.machine.probe(instance_.frame, branch_.probe, owner.self, owner.slots, holds);
      value = holds ? 1 : -1;
    }
    run_.now = now;
    run_.machine.time = now;
    return value;
  }

  Run& run_;
  Cluster& cluster_;
  ProcessInstance& instance_;
  const code::WaitBranch& branch_;
};

bool is_waiting_at(const Run& run, const Cluster& cluster, const ProcessInstance& instance) {
  if (!instance.running || !instance.waiting || instance.watcher == kNone) return false;
  const std::vector<std::uint64_t>& reads = run.world.watchers[instance.watcher].reads;
  return std::any_of(reads.begin(), reads.end(),
                     [&](std::uint64_t read) { return run.world.objects[read >> 32].cluster == cluster.number; });
}

}  // namespace

void wait_at_clusters(Run& run, ProcessInstance& instance) {
  if (instance.watcher == kNone) return;
  for (const std::uint64_t read : run.world.watchers[instance.watcher].reads) {
    const std::uint32_t number = run.world.objects[read >> 32].cluster;
    if (number == kNone) continue;
    Cluster& cluster = *run.world.clusters[number];
    if (std::find(cluster.waiting.begin(), cluster.waiting.end(), instance.number) != cluster.waiting.end()) continue;
    cluster.waiting.push_back(instance.number);
    for (const std::unique_ptr<Island>& island : cluster.islands) island->search = true;
    touch(run, number);
  }
}

void search_untils(Run& run, Island& island, double begin) {
  Cluster& cluster = island.cluster;
  cluster.waiting.erase(
      std::remove_if(cluster.waiting.begin(), cluster.waiting.end(),
                     [&](std::uint32_t number) { return !is_waiting_at(run, cluster, *run.world.processes[number]); }),
      cluster.waiting.end());
  double end = island.next;
  for (const std::unique_ptr<Island>& other : cluster.islands) end = std::min(end, other->end);
  if (cluster.waiting.empty() || !(end > begin)) return;
  const std::vector<double> values = cluster.values;  // searching puts other times into them
  double first = std::numeric_limits<double>::infinity();
  std::vector<solve::Crossing> crossings;
  for (const std::uint32_t number : cluster.waiting) {
    ProcessInstance& instance = *run.world.processes[number];
    for (const code::WaitBranch& branch : wait_of(instance).branches) {
      if (branch.kind != model::Branch::Kind::Until) continue;
      UntilCourse course(run, cluster, instance, branch);
      solve::Search request;
      request.begin = begin;
      request.end = std::min(end, first);
      request.degree = island.integrator ? island.integrator->degree() : 6;
      crossings.clear();
      run.isolator.find(course, request, crossings);
      for (const solve::Crossing& crossing : crossings) {
        if (crossing.at >= first || !course.holds(crossing.at)) continue;
        first = crossing.at;
        break;
      }
    }
  }
  cluster.values = values;
  cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
  if (!(first <= island.next)) return;
  island.next = first;
  island.next_is_event = true;
  island.due = island.passed;
  while (island.due < island.crossings.size() && island.crossings[island.due].at <= first) ++island.due;
}

void wake_waiting(Run& run, Cluster& cluster) {
  for (const std::uint32_t number : cluster.waiting) {
    run.dirty_processes.push_back({{}, number, run.cause});
    run.dirty = true;
  }
}

}  // namespace hyla::engine
