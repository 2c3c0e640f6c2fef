#include "record/csv_reader.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_set>

#include "base/text.h"

namespace hyla::record {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
/// A longer line without end is no line of such a file.
constexpr std::size_t kLongestLine = std::size_t{1} << 28;

/// The lines of an input, one after the other, without their ends.
class Lines {
 public:
  explicit Lines(Input& input) : input_(input) {}

  /// False at the end, or behind a line that is too long.
  bool next(std::string_view& line) {
    while (true) {
      const std::size_t end = buffer_.find('\n', scanned_);
      if (end != std::string::npos) {
        line = std::string_view(buffer_).substr(begin_, end - begin_);
        if (line.ends_with('\r')) line.remove_suffix(1);
        begin_ = scanned_ = end + 1;
        ++number_;
        return true;
      }
      scanned_ = buffer_.size();
      if (scanned_ - begin_ > kLongestLine || !fill()) return false;
    }
  }
  /// Of the line that next() gave.
  std::size_t number() const { return number_; }
  /// What stands behind the last line end.
  bool has_rest() const { return begin_ < buffer_.size(); }

 private:
  bool fill() {
    buffer_.erase(0, begin_);
    scanned_ -= begin_;
    begin_ = 0;
    const std::size_t kept = buffer_.size();
    buffer_.resize(kept + kPiece);
    const std::size_t count = input_.read(place_, std::span(buffer_).subspan(kept));
    buffer_.resize(kept + count);
    place_ += count;
    return count > 0;
  }

  Input& input_;
  std::uint64_t place_ = 0;
  std::string buffer_;
  std::size_t begin_ = 0, scanned_ = 0;
  std::size_t number_ = 0;
};

/// The cells of the first line; none if a quote has no end.
std::optional<std::vector<std::string>> split_names(std::string_view line) {
  std::vector<std::string> names(1);
  std::size_t i = 0;
  while (i < line.size()) {
    if (line[i] == '"' && base::trim(names.back()).empty()) {
      names.back().clear();
      for (++i;; ++i) {
        if (i >= line.size()) return std::nullopt;
        if (line[i] == '"' && (i + 1 == line.size() || line[i + 1] != '"')) break;
        if (line[i] == '"') ++i;
        names.back() += line[i];
      }
      ++i;
    } else if (line[i] == ',') {
      names.emplace_back();
      ++i;
    } else {
      names.back() += line[i++];
    }
  }
  for (std::string& name : names) name = base::trim(name);
  return names;
}

bool read_cell(std::string_view cell, double& value) {
  cell = base::trim(cell);
  if (cell.empty()) {
    value = kAbsent;
    return true;
  }
  if (cell.front() == '+') cell.remove_prefix(1);
  const auto result = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (result.ptr != cell.data() + cell.size() || result.ec == std::errc::invalid_argument) return false;
  if (result.ec == std::errc::result_out_of_range) value = std::strtod(std::string(cell).c_str(), nullptr);
  return true;
}

std::string shown(std::string_view cell) {
  constexpr std::size_t kMost = 40;
  return "`" + std::string(cell.substr(0, kMost)) + (cell.size() > kMost ? "…" : "") + "`";
}

class CsvReader {
 public:
  CsvReader(std::string name, Input& input) : name_(std::move(name)), lines_(input) {}

  base::Result<RunResult> read(const ResultChoice& choice) {
    result_.format = "CSV";
    if (!read_names(choice)) return failure_;
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty()) return fail("the line is empty");
      if (!read_row(line)) return failure_;
    }
    if (lines_.has_rest()) {
      note(
          "the last line has no end: it may have been cut off and is left out; if it is whole, end it with a line "
          "feed");
    }
    if (result_.time.empty()) result_.notes.push_back(name_ + ": the file has no rows");
    return std::move(result_);
  }

 private:
  bool read_names(const ResultChoice& choice) {
    std::string_view line;
    if (!lines_.next(line)) return refuse(1, "the first line, with the names of the columns, is missing or cut off");
    if (line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    const auto names = split_names(line);
    if (!names) return refuse(1, "a name in quotes has no end");
    double number = 0;
    if (names->size() == 1 && !line.starts_with("time")) {
      return refuse(1, "this is no result file: names with commas between them are expected here");
    }
    if (read_cell(names->front(), number) && !is_absent(number)) {
      return refuse(1, "the first line must name the columns, but begins with the number " + names->front());
    }
    std::unordered_set<std::string_view> known;
    for (std::size_t i = 1; i < names->size(); ++i) {
      if ((*names)[i].empty()) return refuse(1, "column " + std::to_string(i + 1) + " has no name");
      if (!known.insert((*names)[i]).second) return refuse(1, "two columns are named `" + (*names)[i] + "`");
    }
    return choose(*names, choice);
  }

  bool choose(const std::vector<std::string>& names, const ResultChoice& choice) {
    std::vector<ResultColumn> all;
    for (std::size_t i = 1; i < names.size(); ++i) {
      all.emplace_back().name = names[i];
      all.back().series = i - 1;
    }
    base::Result<ChosenColumns> chosen = choose_columns(all, choice);
    if (!chosen.ok()) return refuse(0, chosen.message());
    wanted_.assign(all.size(), false);
    for (const std::size_t series : chosen.value().series) wanted_[series] = true;
    result_.columns = std::move(chosen).value().columns;
    result_.series.resize(result_.columns.size());
    return true;
  }

  bool read_row(std::string_view line) {
    double time = 0;
    std::string_view cell = take_cell(line);
    if (!read_cell(cell, time) || !std::isfinite(time)) return refuse_line(shown(cell) + " is no time");
    if (!result_.time.empty() && time < result_.time.back()) {
      return refuse_line("the time " + shown(cell) + " lies before that of the row above");
    }
    std::size_t series = 0, column = 0;
    for (; column < wanted_.size() && has_cells_; ++column) {
      cell = take_cell(line);
      if (!wanted_[column]) continue;
      double value = 0;
      if (!read_cell(cell, value)) {
        return refuse_line(shown(cell) + " in the column `" + result_.columns[series].name + "` is no number");
      }
      result_.series[series++].push_back(value);
    }
    if (column < wanted_.size() || has_cells_) {
      return refuse_line("the row has " + std::string(has_cells_ ? "more" : "fewer") +
                         " cells than the first line has "
                         "names (" +
                         std::to_string(wanted_.size() + 1) + ")");
    }
    result_.time.push_back(time);
    return true;
  }

  /// Up to the next comma; has_cells_ tells whether there was one.
  std::string_view take_cell(std::string_view& line) {
    const void* const comma = line.empty() ? nullptr : std::memchr(line.data(), ',', line.size());
    has_cells_ = comma != nullptr;
    const std::size_t size =
        has_cells_ ? static_cast<std::size_t>(static_cast<const char*>(comma) - line.data()) : line.size();
    const std::string_view cell = line.substr(0, size);
    line.remove_prefix(has_cells_ ? size + 1 : size);
    return cell;
  }

  /// Line 0: the file as a whole.
  bool refuse(std::size_t line, const std::string& reason) {
    failure_.message = name_ + (line > 0 ? ":" + std::to_string(line) : "") + ": " + reason;
    return false;
  }
  bool refuse_line(const std::string& reason) { return refuse(lines_.number(), reason); }
  base::Failure fail(const std::string& reason) {
    refuse_line(reason);
    return failure_;
  }
  void note(const std::string& text) {
    result_.notes.push_back(name_ + ":" + std::to_string(lines_.number() + 1) + ": " + text);
  }

  std::string name_;
  Lines lines_;
  RunResult result_;
  std::vector<bool> wanted_;  ///< by column of the file, without the time
  bool has_cells_ = false;
  base::Failure failure_;
};

}  // namespace

base::Result<RunResult> read_csv(const std::string& name, Input& input, const ResultChoice& choice) {
  return CsvReader(name, input).read(choice);
}

}  // namespace hyla::record
