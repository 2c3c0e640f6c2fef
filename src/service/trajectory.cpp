#include "service/trajectory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "record/absent.h"

namespace hyla::service {

using engine::RowKind;

// --- Output times
// ------------------------------------------------------------------------------------------------------------------

/// Products instead of sums: no error adds up.
double OutputGrid::time_at(double place) const {
  constexpr double kMeant = 1e-6;  // of an interval: nearer to the stop time than this means the stop time
  const double time = start_ + place * interval_;
  return std::abs(time - stop_) < kMeant * interval_ ? stop_ : time;
}

void OutputGrid::pass(double time) {
  next_ = std::numeric_limits<double>::infinity();
  if (!(interval_ > 0) || !(time < stop_)) return;
  place_ = std::max(place_, std::floor((time - start_) / interval_));
  while (time_at(place_) <= time) ++place_;
  if (time_at(place_) <= stop_) next_ = time_at(place_);
}

// --- Rows
// ------------------------------------------------------------------------------------------------------------------

Trajectory::Trajectory(std::vector<RecordedColumn> columns, OutputGrid grid, Row reader)
    : columns_(std::move(columns)), grid_(grid), reader_(std::move(reader)) {
  for (const RecordedColumn& column : columns_) {
    places_.push_back(column.place);
    sources_.emplace_back(column);
  }
}

/// By their bits: two that are no numbers are the same, and 0 and -0 are not.
bool Trajectory::Values::same_values(const Values& other) const {
  return values.size() == other.values.size() &&
         (values.empty() || std::memcmp(values.data(), other.values.data(), values.size() * sizeof(double)) == 0);
}

void Trajectory::set_growth(Growth growth) {
  growth_ = std::move(growth);
  for (std::size_t i = 0; i < columns_.size(); ++i) places_by_name_.emplace(columns_[i].name, i);
}

void Trajectory::find_new_objects(const engine::World& world) {
  if (!growth_.wants || world.creations == creations_) return;
  for (const engine::Object& object : world.objects) {
    if (object.exists && object.order >= std::max(creations_, world.built)) add_object(world, object.self);
  }
  creations_ = world.creations;
}

void Trajectory::add_object(const engine::World& world, code::ObjectRef object) {
  for (RecordedColumn& column : columns_of(world, object)) {
    if (!growth_.wants(column)) continue;
    const auto known = places_by_name_.find(column.name);
    if (known == places_by_name_.end() && (!growth_.added || columns_.size() >= growth_.most)) {
      left_out_.insert(column.name);
      continue;
    }
    places_.push_back(column.place);
    if (known != places_by_name_.end()) {
      sources_[known->second] = ColumnSource(column);
      columns_[known->second] = std::move(column);
      continue;
    }
    places_by_name_.emplace(column.name, columns_.size());
    sources_.emplace_back(column);
    growth_.added(columns_.emplace_back(std::move(column)));
  }
}

void Trajectory::read(const engine::World& world, double time) {
  now_.time = time;
  now_.values.resize(columns_.size());
  read_values(world, sources_, now_.values);
}

/// The last row that was written before has the present values: otherwise there would be a later one.
void Trajectory::resume(const engine::World& world, double time) {
  find_new_objects(world);
  read(world, time);
  written_ = now_;
  has_written_ = true;
  grid_.pass(time);
}

void Trajectory::row(const engine::World& world, double time, RowKind kind) {
  find_new_objects(world);
  read(world, time);
  switch (kind) {
    case RowKind::BeforeEvent:
      std::swap(before_, now_);
      has_before_ = true;
      return;  // whether the output time is passed is asked after the event
    case RowKind::AfterEvent:
      after_event();
      break;
    case RowKind::Start:
    case RowKind::Output:
      write(now_);
      break;
    case RowKind::End:
      if (has_before_) after_event();  // the run has ended in the middle of an instant
      if (!has_written_ || time > written_.time || !now_.same_values(written_)) write(now_);
      break;
  }
  if (settled_ && kind != RowKind::Output) settled_(world, time);
  grid_.pass(time);
}

void Trajectory::after_event() {
  const bool has_moved = has_before_ && !(has_written_ && before_.same_values(written_));
  const bool has_jumped = !has_before_ || !before_.same_values(now_);
  if (has_before_ && (has_moved || has_jumped)) write(before_);
  if (has_moved || has_jumped || grid_.next() <= now_.time) write(now_);
  has_before_ = false;
}

/// Values from before further columns came are absent there.
void Trajectory::write(Values& row) {
  row.values.resize(columns_.size(), record::kAbsent);
  reader_(row.time, row.values);
  written_ = row;
  has_written_ = true;
}

void Trajectory::finish() {
  if (has_before_) write(before_);
  has_before_ = false;
}

}  // namespace hyla::service
