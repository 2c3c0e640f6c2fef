// Colours of columns, for Jacobians by groups of columns (Curtis, Powell and Reid 1974), and connected components.
#include <algorithm>
#include <numeric>

#include "structure/structure.h"

namespace hyla::structure {
namespace {

/// Gives each column the first colour that no column has with which it shares a row.
class Colouring {
 public:
  Colouring(const Incidence& incidence, std::vector<std::uint32_t>& colours)
      : incidence_(incidence), colours_(colours) {
    colours_.assign(incidence.unknowns, kNothing);
    starts_.assign(incidence.unknowns + 1, 0);
    rows_.resize(incidence.columns.size());
    for (const std::uint32_t column : incidence.columns) ++starts_[column + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
    for (std::uint32_t row = 0; row < incidence.equations(); ++row) {
      for (std::uint32_t k = incidence.starts[row]; k < incidence.starts[row + 1]; ++k) {
        rows_[next[incidence.columns[k]]++] = row;
      }
    }
  }

  std::size_t run() {
    colour_longest_row();
    std::vector<std::uint32_t> order(incidence_.unknowns);
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return starts_[a + 1] - starts_[a] > starts_[b + 1] - starts_[b];
    });
    for (const std::uint32_t column : order) {
      if (colours_[column] == kNothing) colour(column);
    }
    return count_;
  }

 private:
  /// Its columns need a colour each in any case; and the search for colours would cost the square of its length.
  void colour_longest_row() {
    std::uint32_t longest = 0, length = 0;
    for (std::uint32_t row = 0; row < incidence_.equations(); ++row) {
      if (incidence_.starts[row + 1] - incidence_.starts[row] <= length) continue;
      longest = row;
      length = incidence_.starts[row + 1] - incidence_.starts[row];
    }
    for (std::uint32_t k = 0; k < length; ++k) colours_[incidence_.columns[incidence_.starts[longest] + k]] = k;
    count_ = incidence_.unknowns == 0 ? 0 : std::max(1U, length);
    taken_.assign(count_ + 1, kNothing);
  }

  void colour(std::uint32_t column) {
    for (std::uint32_t i = starts_[column]; i < starts_[column + 1]; ++i) {
      for (std::uint32_t k = incidence_.starts[rows_[i]]; k < incidence_.starts[rows_[i] + 1]; ++k) {
        const std::uint32_t other = colours_[incidence_.columns[k]];
        if (other != kNothing) taken_[other] = column;
      }
    }
    std::uint32_t colour = 0;
    while (taken_[colour] == column) ++colour;
    colours_[column] = colour;
    if (colour == count_) taken_.resize(++count_ + 1, kNothing);
  }

  const Incidence& incidence_;
  std::vector<std::uint32_t>& colours_;
  std::vector<std::uint32_t> starts_, rows_;
  std::vector<std::uint32_t> taken_;  // by colour: the last column that could not have it; there is one colour to spare
  std::uint32_t count_ = 0;
};

}  // namespace

std::size_t colour_columns(const Incidence& incidence, std::vector<std::uint32_t>& colours) {
  return Colouring(incidence, colours).run();
}

std::vector<std::uint32_t> components(std::size_t nodes,
                                      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
  // Each node points to one with a smaller number in its component; the first node of a component to itself.
  std::vector<std::uint32_t> first(nodes);
  std::iota(first.begin(), first.end(), 0U);
  const auto find = [&](std::uint32_t node) {
    while (first[node] != node) node = first[node] = first[first[node]];
    return node;
  };
  for (const auto& [one, other] : edges) {
    const std::uint32_t a = find(one), b = find(other);
    first[std::max(a, b)] = std::min(a, b);
  }
  std::vector<std::uint32_t> numbers(nodes);
  std::uint32_t count = 0;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    numbers[node] = first[node] == node ? count++ : numbers[first[node]];
  }
  return numbers;
}

}  // namespace hyla::structure
