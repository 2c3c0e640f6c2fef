// The recorder of a run: takes rows of values from the world and hands them on, to a file or into memory.
//
// Rows are due at the start, at the end, at output times (start + k * interval) and twice at every instant with events.
// An instant that changes nothing of what is recorded, and before which nothing has changed since the last row, adds no
// rows: a model with a million events of which the columns show ten gets twenty rows for them.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/observer.h"
#include "service/recorded_columns.h"

namespace hyla::service {

/// Times from start to stop at equal distances. The last one is exactly the stop time if it is meant to be.
class OutputGrid {
 public:
  /// No interval: no times.
  OutputGrid(double start, double stop, double interval) : start_(start), stop_(stop), interval_(interval) {}
  double next() const { return next_; }
  /// Moves on behind a time.
  void pass(double time);

 private:
  double time_at(double place) const;
  double start_, stop_, interval_;
  double place_ = 0;
  double next_ = std::numeric_limits<double>::infinity();
};

class Trajectory : public engine::Recorder {
 public:
  using Row = std::function<void(double time, std::span<const double> values)>;

  /// Each row goes to the reader.
  Trajectory(std::vector<RecordedColumn> columns, OutputGrid grid, Row reader);

  /// Called when an instant has settled.
  void set_settled(std::function<void(const engine::World& world, double time)> settled) {
    settled_ = std::move(settled);
  }
  /// What is recorded of objects that come while the model runs, and who hears of further columns. One with the name of
  /// an earlier column goes on in it, as it is with occupants that are exchanged. Without `added`, or beyond `most`
  /// columns, they are left out.
  struct Growth {
    std::function<bool(const RecordedColumn& column)> wants;
    std::function<void(const RecordedColumn& column)> added;
    std::size_t most = 0;
  };
  void set_growth(Growth growth);
  /// Columns that were left out.
  std::size_t left_out() const { return left_out_.size(); }
  const std::vector<RecordedColumn>& columns() const { return columns_; }

  double next_output() const override { return grid_.next(); }
  std::span<const engine::RecordedPlace> places() const override { return places_; }
  void row(const engine::World& world, double time, engine::RowKind kind) override;
  void resume(const engine::World& world, double time) override;
  /// The run has ended, however it did.
  void finish();

 private:
  struct Values {
    double time = 0;
    std::vector<double> values;
    bool same_values(const Values& other) const;
  };

  void find_new_objects(const engine::World& world);
  void add_object(const engine::World& world, code::ObjectRef object);
  void read(const engine::World& world, double time);
  void after_event();
  void write(Values& row);

  std::vector<RecordedColumn> columns_;
  std::vector<ColumnSource> sources_;  ///< by column
  std::vector<engine::RecordedPlace> places_;
  OutputGrid grid_;
  Row reader_;
  std::function<void(const engine::World& world, double time)> settled_;
  Values now_, before_, written_;
  Growth growth_;
  std::unordered_map<std::string, std::size_t> places_by_name_;  ///< with growth: of columns_
  std::unordered_set<std::string> left_out_;
  std::uint32_t creations_ = 0;  ///< with growth: how many objects have been looked at
  bool has_before_ = false;
  bool has_written_ = false;
};

}  // namespace hyla::service
