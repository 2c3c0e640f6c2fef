// Runs members on all threads of all processes, and knows those that have been run already.
//
// Every process asks for the same members in the same order and gets the same results, so whoever decides by results
// what to run next decides the same everywhere: nothing depends on the number of threads and processes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "experiment/crew.h"
#include "experiment/journal.h"
#include "experiment/member.h"

namespace hyla::experiment {

struct TeamProgress {
  std::uint64_t finished = 0;  ///< members, those known before included
  std::uint64_t known = 0;     ///< members asked for so far
  std::uint64_t failed = 0;
  double running = 0;  ///< parts of members that run now
};

struct TeamOptions {
  unsigned threads = 1;
  Crew* crew = nullptr;  ///< null: this process alone
  /// Of a job array: only members whose number, counted over all that are asked for, leaves `part` when divided by
  /// `parts` are run here; the others stay missing.
  std::uint64_t part = 0, parts = 1;
};

/// By one thread at a time.
struct TeamWatch {
  std::function<bool(const TeamProgress& progress)> progress;  ///< false: end
  std::function<void(const std::string& key, const MemberResult& result)> finished;
  std::function<void(const Member& member, const diag::Sink& sink)> told;  ///< messages of a member; not from others
};

class Team {
 public:
  Team(const Plan& plan, const MemberSetup& setup, const TeamOptions& options, TeamWatch watch, Results known)
      : plan_(plan), setup_(setup), options_(options), watch_(std::move(watch)), results_(std::move(known)) {}

  /// The results of the members, in their order.
  std::vector<MemberResult> run(const std::vector<Member>& members);
  /// The watch has asked for the end.
  bool is_ending() const { return ending_; }
  std::uint64_t asked() const { return asked_; }

 private:
  class Part;
  void run_here(const std::vector<const Member*>& mine);
  void share(const std::vector<const Member*>& mine);
  bool tell();
  std::shared_ptr<engine::CompiledModel> take_compiled();

  const Plan& plan_;
  const MemberSetup& setup_;
  TeamOptions options_;
  TeamWatch watch_;
  Results results_;
  TeamProgress progress_;
  std::set<std::string> known_;  ///< keys of members that were asked for
  std::uint64_t asked_ = 0;
  std::mutex mutex_;
  std::vector<std::shared_ptr<engine::CompiledModel>> idle_;  ///< left by members, for others
  std::atomic<bool> ending_ = false;
};

}  // namespace hyla::experiment
