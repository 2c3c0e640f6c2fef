#include "record/mat_writer.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "record/mat_format.h"

namespace hyla::record {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 14;  // numbers that are written at a time

/// Aclass lies by rows, whatever it says of the rest.
void append_class(std::string& bytes) { append_mat_rows(bytes, "Aclass", {"Atrajectory", "1.1", "", "binTrans"}); }

template <class Variable>
std::string description_of(const Variable& variable) {
  const std::string unit = variable.unit.empty() ? "" : "[" + variable.unit + "]";
  return variable.description + (variable.description.empty() || unit.empty() ? "" : " ") + unit;
}

}  // namespace

MatWriter::MatWriter(Store& store, ResultHeader header)
    : store_(store), header_(std::move(header)), width_(count_series(header_.columns) + 1) {}

bool MatWriter::append(std::string_view bytes) {
  if (!store_.write(end_, bytes)) return false;
  end_ += bytes.size();
  return true;
}

bool MatWriter::begin() {
  std::vector<std::string> names = {"time"};
  std::vector<std::string> descriptions = {header_.time_unit.empty() ? "" : "[" + header_.time_unit + "]"};
  std::vector<std::int32_t> places = {0, 1, 0, -1};
  std::vector<double> fixed[2] = {{header_.start_time}, {header_.stop_time}};
  for (const ResultParameter& parameter : header_.parameters) {
    names.push_back(parameter.name);
    descriptions.push_back(description_of(parameter));
    for (std::vector<double>& column : fixed) column.push_back(parameter.value);
    places.insert(places.end(), {1, static_cast<std::int32_t>(fixed[0].size()), 0, 0});
  }
  for (const ResultColumn& column : header_.columns) {
    names.push_back(column.name);
    descriptions.push_back(description_of(column));
    const auto row = static_cast<std::int32_t>(column.series + 2);
    places.insert(places.end(), {2, column.is_negated ? -row : row, 0, -1});
  }
  std::string bytes;
  append_class(bytes);
  append_mat_columns(bytes, "name", names);
  append_mat_columns(bytes, "description", descriptions);
  append_mat_header(bytes, kMatInteger, 4, names.size(), "dataInfo");
  append_mat_numbers<std::int32_t>(bytes, places);
  append_mat_header(bytes, kMatDouble, fixed[0].size(), 2, "data_1");
  for (const std::vector<double>& column : fixed) append_mat_numbers<double>(bytes, column);
  data_place_ = bytes.size();
  append_mat_header(bytes, kMatDouble, width_, 0, "data_2");
  return append(bytes);
}

bool MatWriter::add_rows(const RowBlock& block) {
  if (end_ == 0 && !begin()) return false;
  if (columns_ + block.rows() > kMatMost) {
    problem_ = "a MAT file of level 4 holds at most 2147483647 rows; choose a longer output interval, or HDF5";
    return false;
  }
  const std::size_t most = std::max<std::size_t>(1, kPiece / width_);
  for (std::size_t first = 0; first < block.rows(); first += most) {
    if (!append_rows(block, first, std::min(most, block.rows() - first))) return false;
  }
  return true;
}

/// The file says how many there are when they are in it: on a full disk it holds all but the last piece.
bool MatWriter::append_rows(const RowBlock& block, std::size_t first, std::size_t count) {
  std::vector<double> narrow;
  auto rows = std::span(block.numbers).subspan(first * block.width, count * block.width);
  if (block.width != width_) {
    for (std::size_t i = first; i < first + count; ++i) {
      const auto row = block.row(i).first(width_);
      narrow.insert(narrow.end(), row.begin(), row.end());
    }
    rows = narrow;
  }
  if (!append({reinterpret_cast<const char*>(rows.data()), rows.size_bytes()})) return false;
  columns_ += count;
  std::string grown;
  append_mat_numbers<std::int32_t>(grown, std::vector{static_cast<std::int32_t>(columns_)});
  if (!store_.write(data_place_ + kMatColumns, grown)) return false;
  kept_until_ = block.row(first + count - 1)[0];
  return true;
}

bool MatWriter::add_columns(std::span<const ResultColumn> /*columns*/) { return true; }

bool MatWriter::add_events(std::string_view /*lines*/) { return true; }

bool MatWriter::finish() {
  if (end_ == 0 && !begin()) return false;
  std::string bytes;
  append_mat_text(bytes, "model", header_.model);
  append_mat_text(bytes, "version", header_.version);
  append_mat_text(bytes, "time_unit", header_.time_unit);
  append_mat_scalar(bytes, "seed", static_cast<double>(header_.seed));
  append_mat_scalar(bytes, "start_time", header_.start_time);
  append_mat_scalar(bytes, "stop_time", header_.stop_time);
  return append(bytes);
}

}  // namespace hyla::record
