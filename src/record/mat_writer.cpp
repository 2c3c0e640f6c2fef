#include "record/mat_writer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "record/mat_format.h"

namespace hyla::record {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

void append_number(std::string& bytes, std::int32_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class T>
void append_numbers(std::string& bytes, std::span<const T> numbers) {
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes());
}

void append_header(std::string& bytes, std::int32_t type, std::size_t rows, std::size_t columns,
                   std::string_view name) {
  append_number(bytes, type);
  append_number(bytes, static_cast<std::int32_t>(rows));
  append_number(bytes, static_cast<std::int32_t>(columns));
  append_number(bytes, 0);
  append_number(bytes, static_cast<std::int32_t>(name.size() + 1));
  bytes += name;
  bytes += '\0';
}

/// Each text is a column, filled up with blanks.
void append_texts(std::string& bytes, std::string_view name, const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  append_header(bytes, kMatText, length, texts.size(), name);
  for (const std::string& text : texts) bytes += text + std::string(length - text.size(), ' ');
}

/// One text as one row, which is how programs show it.
void append_text(std::string& bytes, std::string_view name, const std::string& text) {
  append_header(bytes, kMatText, 1, text.size(), name);
  bytes += text;
}

void append_scalar(std::string& bytes, std::string_view name, double value) {
  append_header(bytes, kMatDouble, 1, 1, name);
  append_numbers<double>(bytes, {&value, 1});
}

/// Aclass lies by rows, whatever it says of the rest.
void append_class(std::string& bytes) {
  constexpr std::size_t kLength = 11;
  const std::vector<std::string> lines = {"Atrajectory", "1.1", "", "binTrans"};
  append_header(bytes, kMatText, lines.size(), kLength, "Aclass");
  for (std::size_t i = 0; i < kLength; ++i) {
    for (const std::string& line : lines) bytes += i < line.size() ? line[i] : ' ';
  }
}

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
  append_texts(bytes, "name", names);
  append_texts(bytes, "description", descriptions);
  append_header(bytes, kMatInteger, 4, names.size(), "dataInfo");
  append_numbers<std::int32_t>(bytes, places);
  append_header(bytes, kMatDouble, fixed[0].size(), 2, "data_1");
  for (const std::vector<double>& column : fixed) append_numbers<double>(bytes, column);
  data_place_ = bytes.size();
  append_header(bytes, kMatDouble, width_, 0, "data_2");
  return append(bytes);
}

bool MatWriter::add_rows(const RowBlock& block) {
  if (end_ == 0 && !begin()) return false;
  if (columns_ + block.rows() > kMatMost) {
    problem_ = "a MAT file of level 4 holds at most 2147483647 rows; choose a longer output interval, or HDF5";
    return false;
  }
  if (block.width == width_) {
    if (!append({reinterpret_cast<const char*>(block.numbers.data()), block.numbers.size() * sizeof(double)})) {
      return false;
    }
  } else {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const auto row = block.row(i).first(width_);
      if (!append({reinterpret_cast<const char*>(row.data()), row.size_bytes()})) return false;
    }
  }
  columns_ += block.rows();
  std::string count;
  append_number(count, static_cast<std::int32_t>(columns_));
  return store_.write(data_place_ + kMatColumns, count);
}

bool MatWriter::add_columns(std::span<const ResultColumn> /*columns*/) { return true; }

bool MatWriter::add_events(std::string_view /*lines*/) { return true; }

bool MatWriter::finish() {
  if (end_ == 0 && !begin()) return false;
  std::string bytes;
  append_text(bytes, "model", header_.model);
  append_text(bytes, "version", header_.version);
  append_text(bytes, "time_unit", header_.time_unit);
  append_scalar(bytes, "seed", static_cast<double>(header_.seed));
  append_scalar(bytes, "start_time", header_.start_time);
  append_scalar(bytes, "stop_time", header_.stop_time);
  return append(bytes);
}

}  // namespace hyla::record
