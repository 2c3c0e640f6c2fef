#include "experiment/team.h"

#include <algorithm>
#include <set>
#include <utility>

#include "engine/compiled_model.h"
#include "experiment/parallel.h"

namespace hyla::experiment {

/// Hands the progress of one member on.
class Team::Part final : public engine::Observer {
 public:
  explicit Part(Team& team) : team_(team), options_(team.setup_.options) {}
  ~Part() override { team_.progress_.running -= part_; }

  void occurred(const engine::World& /*world*/, const engine::Occurrence& /*occurrence*/) override {}
  bool progress(const engine::World& /*world*/, double time, std::uint64_t /*events*/) override {
    const std::lock_guard lock(team_.mutex_);
    const double span = options_.stop_time - options_.start_time;
    const double part = span > 0 ? std::clamp((time - options_.start_time) / span, 0.0, 1.0) : 0;
    team_.progress_.running += part - std::exchange(part_, part);
    return team_.tell();
  }
  void printed(const engine::World& /*world*/, double /*time*/, code::ObjectRef /*object*/,
               std::string_view /*text*/) override {}
  bool wants_occurrences() const override { return false; }

 private:
  Team& team_;
  const engine::RunOptions& options_;
  double part_ = 0;
};

bool Team::tell() {
  if (!ending_ && watch_.progress && !watch_.progress(progress_)) ending_ = true;
  return !ending_;
}

std::shared_ptr<engine::CompiledModel> Team::take_compiled() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::shared_ptr<engine::CompiledModel> compiled = std::move(idle_.back());
      idle_.pop_back();
      return compiled;
    }
  }
  return std::make_shared<engine::CompiledModel>(*plan_.model);
}

void Team::run_here(const std::vector<const Member*>& mine) {
  run_parallel(mine.size(), options_.threads, [&](std::size_t number) {
    if (ending_) return;
    const Member& member = *mine[number];
    diag::Sink sink;
    MemberResult result;
    {
      auto part = std::make_unique<Part>(*this);
      const std::shared_ptr<engine::CompiledModel> compiled = take_compiled();
      result = run_member(plan_, setup_, member, compiled, part.get(), sink);
      const std::lock_guard lock(mutex_);
      part.reset();
      if (result.status == MemberStatus::Good && compiled->is_reusable()) idle_.push_back(compiled);
    }
    if (result.status == MemberStatus::Missing) return;
    const std::string key = key_of(member);
    const std::lock_guard lock(mutex_);
    ++progress_.finished;
    if (result.status == MemberStatus::Failed) ++progress_.failed;
    if (watch_.finished) watch_.finished(key, result);
    if (watch_.told && !sink.diagnostics().empty()) watch_.told(member, sink);
    results_[key] = std::move(result);
    tell();
  });
}

/// Every process gets what the others have found.
void Team::share(const std::vector<const Member*>& mine) {
  std::string lines;
  for (const Member* member : mine) {
    const std::string key = key_of(*member);
    const auto found = results_.find(key);
    if (found != results_.end()) lines += journal_line(key, found->second);
  }
  const std::vector<std::string> all = options_.crew->exchange(lines + (ending_ ? "\nend\n" : ""));
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    std::string_view text = all[rank];
    if (text.ends_with("\nend\n")) {
      text.remove_suffix(5);
      ending_ = true;
    }
    if (rank == options_.crew->rank()) continue;
    Results others;
    read_results(text, others);
    for (auto& [key, result] : others) {
      ++progress_.finished;
      if (result.status == MemberStatus::Failed) ++progress_.failed;
      if (watch_.finished) watch_.finished(key, result);
      results_[key] = std::move(result);
    }
  }
}

std::vector<MemberResult> Team::run(const std::vector<Member>& members) {
  std::vector<const Member*> wanted;
  std::set<std::string> seen;
  for (const Member& member : members) {
    const std::string key = key_of(member);
    const bool is_ours = asked_++ % options_.parts == options_.part;
    const bool is_new = known_.insert(key).second;
    if (is_new) ++progress_.known;
    const auto found = results_.find(key);
    if (found == results_.end()) {
      if (is_ours && seen.insert(key).second) wanted.push_back(&member);
    } else if (is_new) {
      ++progress_.finished;
      if (found->second.status == MemberStatus::Failed) ++progress_.failed;
    }
  }
  const unsigned size = options_.crew != nullptr ? options_.crew->size() : 1;
  const unsigned rank = options_.crew != nullptr ? options_.crew->rank() : 0;
  std::vector<const Member*> mine;
  for (std::size_t i = rank; i < wanted.size(); i += size) mine.push_back(wanted[i]);
  if (!ending_) run_here(mine);
  if (size > 1) share(mine);
  std::vector<MemberResult> results;
  results.reserve(members.size());
  for (const Member& member : members) {
    const auto found = results_.find(key_of(member));
    results.push_back(found == results_.end() ? MemberResult{} : found->second);
  }
  return results;
}

}  // namespace hyla::experiment
