#include "experiment/coverage_counts.h"

#include <charconv>

namespace hyla::experiment {
namespace {

using Counts = std::vector<std::uint64_t>;

template <class Coverage, class Use>
void for_each_list(Coverage& coverage, Use&& use) {
  for (auto* list : {&coverage.objects, &coverage.states, &coverage.reactions, &coverage.branches}) use(*list);
  for (auto* truths : {&coverage.conditions, &coverage.guards, &coverage.branch_guards}) {
    use(truths->yes);
    use(truths->no);
  }
}

/// A number up to a character, which is taken away too.
template <class Number>
bool take(std::string_view& text, char end, Number& number) {
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
  if (text.empty()) return end == ' ';
  if (text.front() != end) return false;
  text.remove_prefix(1);
  return !text.empty();
}

}  // namespace

CoverageCounts counts_of(const engine::Coverage& coverage) {
  CoverageCounts counts;
  std::uint32_t place = 0;
  for_each_list(coverage, [&](const Counts& list) {
    for (const std::uint64_t count : list) {
      if (count > 0) counts.emplace_back(place, count);
      ++place;
    }
  });
  return counts;
}

bool add_counts(const CoverageCounts& counts, engine::Coverage& coverage) {
  std::size_t places = 0;
  for_each_list(coverage, [&](const Counts& list) { places += list.size(); });
  if (!counts.empty() && counts.back().first >= places) return false;
  auto next = counts.begin();
  std::size_t first = 0;
  for_each_list(coverage, [&](Counts& list) {
    for (; next != counts.end() && next->first < first + list.size(); ++next) list[next->first - first] += next->second;
    first += list.size();
  });
  return true;
}

std::string counts_text(const CoverageCounts& counts) {
  std::string text;
  for (const auto& [place, count] : counts) {
    text += (text.empty() ? "" : " ") + std::to_string(place) + ':' + std::to_string(count);
  }
  return text;
}

std::optional<CoverageCounts> read_counts(std::string_view text) {
  CoverageCounts counts;
  while (!text.empty()) {
    std::uint32_t place = 0;
    std::uint64_t count = 0;
    if (!take(text, ':', place) || !take(text, ' ', count)) return std::nullopt;
    if (count == 0 || (!counts.empty() && place <= counts.back().first)) return std::nullopt;
    counts.emplace_back(place, count);
  }
  return counts;
}

}  // namespace hyla::experiment
