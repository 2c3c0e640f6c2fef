// Linear equations that tie unknowns together: which of the unknowns to compute from the others.
//
// Gauss and Jordan's elimination on sparse rows. Rows are brought to the form "a chosen column = sum of factors times
// columns that are not chosen". A factor is the ratio of the determinants before and after the two columns change
// places, so as long as a factor is large, exchanging its columns improves the choice; with all factors near one or
// below, the chosen columns are about as independent as any others (Goreinov and Tyrtyshnikov 2001).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyla::solve {

class Elimination {
 public:
  struct Entry {
    std::uint32_t column = 0;
    double value = 0;
  };
  using Row = std::vector<Entry>;

  /// Rows may have entries in any order, a column once. A column with a larger weight is chosen rather than others.
  Elimination(std::vector<Row> rows, std::vector<double> weights);

  /// Chooses a column for each row. False: rows depend on each other, and `left_over` tells which could not be solved.
  bool choose();
  /// The same with given columns; false if these do not determine each other's values.
  bool take(const std::vector<std::uint8_t>& columns);

  /// By column: 1 if it is chosen.
  std::vector<std::uint8_t> chosen() const;
  /// The largest factor, weighted: by so much one exchange would improve the choice.
  double worst() const;
  /// The factors from which the chosen column of a row is computed.
  std::uint32_t column_of(std::size_t row) const { return pivots_[row]; }
  const Row& row(std::size_t row) const { return rows_[row]; }  ///< with the chosen column itself, factor 1
  std::size_t rows() const { return rows_.size(); }
  const std::vector<std::uint32_t>& left_over() const { return left_over_; }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  bool solve_all(const std::vector<std::uint8_t>* allowed);
  bool improve();
  const Entry* best_of(std::size_t row, const std::vector<std::uint8_t>* allowed) const;
  /// Chooses a column for a row and removes it from the others, or from those that have none yet.
  void eliminate(std::uint32_t row, std::uint32_t column, bool only_open);
  void substitute_back(const std::vector<std::uint32_t>& order);
  void subtract(std::uint32_t from, const Row& row, double factor, std::uint32_t column);

  std::vector<Row> rows_;  ///< by ascending column
  std::vector<double> weights_;
  std::vector<std::uint32_t> pivots_;                ///< by row
  std::vector<std::vector<std::uint32_t>> holders_;  ///< by column: rows that may contain it
  std::vector<std::uint32_t> left_over_;
  Row merged_;
};

}  // namespace hyla::solve
