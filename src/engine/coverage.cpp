#include "engine/coverage.h"

#include <algorithm>

namespace hyla::engine {
namespace {

void add(std::vector<std::uint64_t>& counts, const std::vector<std::uint64_t>& others) {
  counts.resize(std::max(counts.size(), others.size()));
  for (std::size_t i = 0; i < others.size(); ++i) counts[i] += others[i];
}

void add(Coverage::Truths& truths, const Coverage::Truths& others) {
  add(truths.yes, others.yes);
  add(truths.no, others.no);
}

Coverage::Truths no_truths(std::size_t count) {
  return {std::vector<std::uint64_t>(count), std::vector<std::uint64_t>(count)};
}

}  // namespace

std::vector<std::uint32_t> first_branches(const model::Model& model) {
  std::vector<std::uint32_t> result;
  std::uint32_t next = 0;
  for (const model::Choice& choice : model.choices) {
    result.push_back(next);
    next += static_cast<std::uint32_t>(choice.branches.size());
  }
  return result;
}

Coverage make_coverage(const model::Model& model) {
  std::size_t branches = 0;
  for (const model::Choice& choice : model.choices) branches += choice.branches.size();
  Coverage result;
  result.objects.resize(model.classes.size());
  result.states.resize(model.states.size());
  result.reactions.resize(model.reactions.size());
  result.branches.resize(branches);
  result.conditions = no_truths(model.reactions.size());
  result.guards = no_truths(model.reactions.size());
  result.branch_guards = no_truths(branches);
  return result;
}

void merge(Coverage& coverage, const Coverage& other) {
  add(coverage.objects, other.objects);
  add(coverage.states, other.states);
  add(coverage.reactions, other.reactions);
  add(coverage.branches, other.branches);
  add(coverage.conditions, other.conditions);
  add(coverage.guards, other.guards);
  add(coverage.branch_guards, other.branch_guards);
}

}  // namespace hyla::engine
