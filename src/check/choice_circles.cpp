#include "check/choice_circles.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace hyla::check {
namespace {

using namespace model;  // NOLINT(google-build-using-namespace)

/// Strongly connected components by Tarjan's algorithm, with a stack of its own: chains of choices can be as long as
/// the file.
class CircleFinder {
 public:
  explicit CircleFinder(const Model& model) : model_(model) {}

  void visit(ChoiceId start) {
    if (visits_.contains(start)) return;
    open(start);
    while (!path_.empty()) {
      const ChoiceId choice = path_.back();
      if (const ChoiceId next = next_choice(choice)) {
        if (next == choice) circles_.insert(choice);
        if (!visits_.contains(next)) {
          open(next);
        } else if (!visits_[next].closed) {
          lower(choice, visits_[next].number);
        }
      } else {
        close(choice);
      }
    }
  }

  std::unordered_set<ChoiceId> take() { return std::move(circles_); }

 private:
  struct Visit {
    std::size_t number = 0;
    std::size_t lowest = 0;  ///< the earliest choice that is reached from here and still open
    std::size_t next_branch = 0;
    bool closed = false;
  };

  void open(ChoiceId choice) {
    const std::size_t number = visits_.size();
    visits_[choice] = {number, number, 0, false};
    path_.push_back(choice);
    waiting_.push_back(choice);
  }

  /// The choice that the next branch leads to; none when all branches have been followed.
  ChoiceId next_choice(ChoiceId choice) {
    const std::vector<ChoiceBranch>& branches = model_.choices[choice].branches;
    std::size_t& at = visits_[choice].next_branch;
    while (at < branches.size()) {
      if (const ChoiceId next = branches[at++].target.choice) return next;
    }
    return {};
  }

  void lower(ChoiceId choice, std::size_t number) { visits_[choice].lowest = std::min(visits_[choice].lowest, number); }

  void close(ChoiceId choice) {
    path_.pop_back();
    const Visit visit = visits_[choice];
    if (!path_.empty()) lower(path_.back(), visit.lowest);
    if (visit.lowest != visit.number) return;
    // All that waits since this choice leads back to it.
    const bool several = waiting_.back() != choice;
    ChoiceId member;
    do {
      member = waiting_.back();
      waiting_.pop_back();
      visits_[member].closed = true;
      if (several) circles_.insert(member);
    } while (member != choice);
  }

  const Model& model_;
  std::unordered_map<ChoiceId, Visit> visits_;
  std::vector<ChoiceId> path_;     ///< from the start to the choice being followed
  std::vector<ChoiceId> waiting_;  ///< visited, but not known yet whether on a circle
  std::unordered_set<ChoiceId> circles_;
};

}  // namespace

std::unordered_set<ChoiceId> choices_on_circles(const Model& model, std::span<const ChoiceId> choices) {
  CircleFinder finder(model);
  for (ChoiceId choice : choices) finder.visit(choice);
  return finder.take();
}

}  // namespace hyla::check
