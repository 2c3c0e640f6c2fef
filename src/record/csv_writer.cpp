#include "record/csv_writer.h"

#include <charconv>
#include <cmath>
#include <string_view>

namespace hyla::record {
namespace {

constexpr std::size_t kLongestNumber = 32;
/// Whole numbers below this are exact and have their shortest form without an exponent.
constexpr double kWhole = 1e15;

char* write_number(char* at, double value) {
  if (std::isnan(value)) {
    constexpr std::string_view kNan = "nan";
    return at + kNan.copy(at, kNan.size());
  }
  if (std::abs(value) < kWhole) {
    const auto whole = static_cast<std::int64_t>(value);
    if (static_cast<double>(whole) == value && (whole != 0 || !std::signbit(value))) {
      return std::to_chars(at, at + kLongestNumber, whole).ptr;
    }
  }
  return std::to_chars(at, at + kLongestNumber, value).ptr;
}

std::string quoted(const std::string& name) {
  if (name.find_first_of(",\"\n") == std::string::npos) return name;
  std::string result = "\"";
  for (const char c : name) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

CsvWriter::CsvWriter(Output& output, std::span<const std::string> names) : output_(output), columns_(names.size()) {
  lines_.reserve(kPiece + kPiece / 4);
  lines_ = "time";
  for (const std::string& name : names) (lines_ += ',') += quoted(name);
  lines_ += '\n';
}

bool CsvWriter::add_rows(const RowBlock& block) {
  for (std::size_t i = 0; i < block.rows(); ++i) row(block.row(i).front(), block.row(i).subspan(1));
  return !failed_;
}

void CsvWriter::row(double time, std::span<const double> values) {
  if (values.size() > columns_) values = values.first(columns_);
  const std::size_t begin = lines_.size();
  lines_.resize(begin + (values.size() + 1) * (kLongestNumber + 1));
  char* at = write_number(lines_.data() + begin, time);
  for (const double value : values) {
    *at++ = ',';
    if (!is_absent(value)) at = write_number(at, value);
  }
  *at++ = '\n';
  lines_.resize(static_cast<std::size_t>(at - lines_.data()));
  if (lines_.size() >= kPiece) flush();
}

bool CsvWriter::flush() {
  if (!failed_ && !lines_.empty()) failed_ = !output_.write(lines_);
  lines_.clear();
  return !failed_;
}

}  // namespace hyla::record
