#include "record/mat_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "record/mat_format.h"

namespace hyla::record {
namespace {

constexpr std::size_t kLongestName = 256;
constexpr std::size_t kBlock = std::size_t{1} << 16;  // numbers that are read at once
constexpr std::uint64_t kLargestTable = std::uint64_t{1} << 30;

/// Where a matrix lies in the file and what its numbers are.
struct Matrix {
  std::int32_t kind = 0;  ///< P of its type
  bool is_swapped = false;
  std::uint64_t rows = 0, columns = 0;
  std::uint64_t place = 0;  ///< of the first number

  std::size_t width() const {
    constexpr std::array<std::size_t, 6> kWidths = {8, 4, 4, 2, 2, 1};
    return kWidths[static_cast<std::size_t>(kind)];
  }
  std::uint64_t bytes() const { return rows * columns * width(); }
  /// Without the product, which may be too large for 64 bits.
  bool is_larger_than(std::uint64_t room) const { return columns > 0 && rows > room / width() / columns; }
};

template <class T>
double number_at(const char* bytes, bool is_swapped) {
  std::array<char, sizeof(T)> copy{};
  std::memcpy(copy.data(), bytes, sizeof(T));
  if (is_swapped) std::reverse(copy.begin(), copy.end());
  T number;
  std::memcpy(&number, copy.data(), sizeof(T));
  return static_cast<double>(number);
}

double convert(const char* bytes, const Matrix& matrix) {
  switch (matrix.kind) {
    case 0:
      return number_at<double>(bytes, matrix.is_swapped);
    case 1:
      return number_at<float>(bytes, matrix.is_swapped);
    case 2:
      return number_at<std::int32_t>(bytes, matrix.is_swapped);
    case 3:
      return number_at<std::int16_t>(bytes, matrix.is_swapped);
    case 4:
      return number_at<std::uint16_t>(bytes, matrix.is_swapped);
    default:
      return number_at<std::uint8_t>(bytes, matrix.is_swapped);
  }
}

std::int32_t header_number(const char* header, std::size_t place, bool is_swapped) {
  return static_cast<std::int32_t>(number_at<std::int32_t>(header + 4 * place, is_swapped));
}

/// Type, rows, columns, imaginary part and length of the name make sense.
bool read_header(const char* header, Matrix& matrix, std::size_t& name_length) {
  for (const bool is_swapped : {false, true}) {
    const std::int32_t type = header_number(header, 0, is_swapped);
    const bool is_known = type >= 0 && type / 1000 == (is_swapped ? 1 : 0) && type / 100 % 10 == 0 &&
                          type / 10 % 10 <= 5 && type % 10 <= 1;
    const std::int32_t rows = header_number(header, 1, is_swapped), columns = header_number(header, 2, is_swapped);
    const std::int32_t length = header_number(header, 4, is_swapped);
    if (!is_known || rows < 0 || columns < 0 || header_number(header, 3, is_swapped) != 0 || length < 1 ||
        length > static_cast<std::int32_t>(kLongestName)) {
      continue;
    }
    matrix.kind = type / 10 % 10;
    matrix.is_swapped = is_swapped;
    matrix.rows = static_cast<std::uint64_t>(rows);
    matrix.columns = static_cast<std::uint64_t>(columns);
    name_length = static_cast<std::size_t>(length);
    return true;
  }
  return false;
}

/// `text [unit]`.
template <class Variable>
void describe(const std::string& text, Variable& variable) {
  const std::size_t bracket = text.rfind('[');
  if (!text.ends_with(']') || bracket == std::string::npos) {
    variable.description = text;
    return;
  }
  variable.unit = text.substr(bracket + 1, text.size() - bracket - 2);
  variable.description = base::trim(std::string_view(text).substr(0, bracket));
}

class MatReader {
 public:
  MatReader(std::string name, Input& input) : name_(std::move(name)), input_(input) {}

  base::Result<RunResult> read(const ResultChoice& choice) {
    result_.format = "MAT";
    if (!find_matrices() || !read_layout() || !read_variables(choice) || !read_trajectories()) return failure_;
    read_rest();
    return std::move(result_);
  }

 private:
  bool refuse(const std::string& reason) {
    failure_.message = "cannot read `" + name_ + "`: " + reason;
    return false;
  }
  void note(const std::string& text) { result_.notes.push_back(name_ + ": " + text); }

  bool find_matrices() {
    const std::uint64_t size = input_.size();
    std::uint64_t place = 0;
    while (place < size) {
      std::array<char, kMatHeader> header{};
      Matrix matrix;
      std::size_t length = 0;
      if (input_.read(place, header) < header.size() || !read_header(header.data(), matrix, length)) {
        return end_early("byte " + std::to_string(place) + " should begin a matrix of a MAT file of level 4");
      }
      std::string name(length, '\0');
      if (input_.read(place + kMatHeader, name) < length) return end_early("the file ends in the name of a matrix");
      name = name.c_str();  // up to its 0
      matrix.place = place + kMatHeader + length;
      if (matrix.is_larger_than(size - std::min(size, matrix.place))) {
        if (name != "data_2") return refuse("the file ends in the matrix `" + name + "`");
        matrix.columns = (size - matrix.place) / (matrix.rows * matrix.width());
        note("the file ends in the trajectories: rows that were cut off are left out");
        matrices_[name] = matrix;
        return true;
      }
      matrices_.emplace(name, matrix);
      place = matrix.place + matrix.bytes();
    }
    return true;
  }

  /// Behind the trajectories nothing is needed any more.
  bool end_early(const std::string& reason) {
    if (!matrices_.contains("data_2")) return refuse(reason);
    note("what stands behind the trajectories makes no sense and is left out: the run was killed, or goes on");
    return true;
  }

  const Matrix* find(const std::string& name) const {
    const auto found = matrices_.find(name);
    return found == matrices_.end() ? nullptr : &found->second;
  }

  /// All numbers of a matrix that is no trajectory.
  bool read_numbers(const std::string& name, std::vector<double>& numbers) {
    const Matrix* matrix = find(name);
    if (matrix == nullptr) return refuse("it has no matrix `" + name + "`, as files with trajectories have");
    if (matrix->bytes() > kLargestTable) return refuse("its matrix `" + name + "` is larger than 1 GiB");
    std::string bytes(matrix->bytes(), '\0');
    if (input_.read(matrix->place, bytes) < bytes.size()) return refuse("the matrix `" + name + "` cannot be read");
    numbers.resize(matrix->rows * matrix->columns);
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = convert(bytes.data() + i * matrix->width(), *matrix);
    return true;
  }

  /// The texts of a matrix, one for each variable.
  bool read_texts(const std::string& name, bool by_columns, std::vector<std::string>& texts) {
    std::vector<double> numbers;
    if (!read_numbers(name, numbers)) return false;
    const Matrix& matrix = *find(name);
    const std::uint64_t count = by_columns ? matrix.columns : matrix.rows;
    const std::uint64_t length = by_columns ? matrix.rows : matrix.columns;
    texts.resize(count);
    for (std::uint64_t i = 0; i < count; ++i) {
      for (std::uint64_t k = 0; k < length; ++k) {
        const double number = numbers[by_columns ? i * length + k : k * count + i];
        texts[i] += number > 0 && number < 256 ? static_cast<char>(static_cast<unsigned char>(number)) : ' ';
      }
      texts[i] = base::trim(texts[i]);
    }
    return true;
  }

  bool read_layout() {
    std::vector<std::string> lines;
    if (!read_texts("Aclass", false, lines)) return false;
    if (find("data_2") == nullptr) return refuse("it has no matrix `data_2`, as files with trajectories have");
    if (lines.size() < 4 || lines[0] != "Atrajectory") return refuse("its matrix `Aclass` does not say `Atrajectory`");
    if (lines[3] != "binTrans" && lines[3] != "binNormal") {
      return refuse("its matrix `Aclass` says `" + lines[3] + "`, and neither `binTrans` nor `binNormal`");
    }
    by_columns_ = lines[3] == "binTrans";
    return true;
  }

  bool read_variables(const ResultChoice& choice) {
    std::vector<std::string> names, descriptions;
    std::vector<double> places, fixed;
    if (!read_texts(find("names") != nullptr ? "names" : "name", by_columns_, names) ||
        !read_texts("description", by_columns_, descriptions) || !read_numbers("dataInfo", places)) {
      return false;
    }
    if (find("data_1") != nullptr && !read_numbers("data_1", fixed)) return false;
    if (places.size() != 4 * names.size()) return refuse("`dataInfo` does not have four numbers for each name");
    descriptions.resize(names.size());
    std::vector<ResultColumn> all;
    std::unordered_set<std::string_view> known;
    bool has_others = false;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (!known.insert(names[i]).second) return refuse("two variables are named `" + names[i] + "`");
      const auto number = [&](std::size_t k) { return places[by_columns_ ? 4 * i + k : k * names.size() + i]; };
      const double data = number(0), place = number(1);
      if (data == 0) {  // the time
        ResultColumn time;
        describe(descriptions[i], time);
        result_.time_unit = time.unit;
      } else if (data == 1) {
        if (!add_parameter(names[i], descriptions[i], place, fixed)) return false;
      } else if (data == 2) {
        if (std::abs(place) < 2 || !(std::abs(place) <= static_cast<double>(width_of("data_2")))) {
          return refuse("`dataInfo` sends `" + names[i] + "` to a row that `data_2` does not have");
        }
        ResultColumn& column = all.emplace_back();
        column.name = names[i];
        describe(descriptions[i], column);
        column.series = static_cast<std::size_t>(std::abs(place)) - 1;
        column.is_negated = place < 0;
      } else {
        has_others = true;
      }
    }
    if (has_others) note("variables with a time axis of their own (`data_3` and further) are left out");
    base::Result<ChosenColumns> chosen = choose_columns(all, choice);
    if (!chosen.ok()) {
      failure_.message = name_ + ": " + chosen.message();
      return false;
    }
    result_.columns = chosen.value().columns;
    wanted_ = chosen.value().series;
    return true;
  }

  /// Numbers at one time, the time itself among them.
  std::uint64_t width_of(const std::string& name) const {
    const Matrix* matrix = find(name);
    if (matrix == nullptr) return 0;
    return by_columns_ ? matrix->rows : matrix->columns;
  }

  bool add_parameter(const std::string& name, const std::string& description, double place,
                     const std::vector<double>& fixed) {
    const std::uint64_t width = width_of("data_1");
    if (std::abs(place) < 1 || !(std::abs(place) <= static_cast<double>(width)) || fixed.empty()) {
      return refuse("`dataInfo` sends `" + name + "` to a row that `data_1` does not have");
    }
    ResultParameter& parameter = result_.parameters.emplace_back();
    parameter.name = name;
    describe(description, parameter);
    const std::size_t row = static_cast<std::size_t>(std::abs(place)) - 1;
    const double value = fixed[by_columns_ ? row : row * (fixed.size() / width)];
    parameter.value = place < 0 ? -value : value;
    return true;
  }

  bool read_trajectories() {
    const Matrix* data = find("data_2");
    const std::uint64_t count = by_columns_ ? data->columns : data->rows;
    if (width_of("data_2") == 0 && count > 0) return refuse("its matrix `data_2` has no time");
    result_.series.resize(wanted_.size());
    if (count == 0) {
      note("the file has no rows");
      return true;
    }
    return by_columns_ ? read_columns(*data) : read_rows(*data);
  }

  /// Behind each other lie the numbers at one time.
  bool read_columns(const Matrix& data) {
    const std::uint64_t at_once = std::max<std::uint64_t>(1, kBlock / data.rows);
    std::string bytes;
    for (std::uint64_t first = 0; first < data.columns; first += at_once) {
      const std::uint64_t count = std::min(at_once, data.columns - first);
      bytes.resize(count * data.rows * data.width());
      if (input_.read(data.place + first * data.rows * data.width(), bytes) < bytes.size()) {
        return refuse("its trajectories cannot be read");
      }
      for (std::uint64_t i = 0; i < count; ++i) {
        const char* const row = bytes.data() + i * data.rows * data.width();
        if (!add_time(convert(row, data))) return false;
        for (std::size_t k = 0; k < wanted_.size(); ++k) {
          result_.series[k].push_back(convert(row + wanted_[k] * data.width(), data));
        }
      }
    }
    return true;
  }

  /// Behind each other lie the numbers of one variable.
  bool read_rows(const Matrix& data) {
    std::string bytes(data.rows * data.width(), '\0');
    const auto read_row = [&](std::uint64_t number) {
      const bool done = input_.read(data.place + number * bytes.size(), bytes) == bytes.size();
      return done || refuse("its trajectories cannot be read");
    };
    if (!read_row(0)) return false;
    for (std::uint64_t i = 0; i < data.rows; ++i) {
      if (!add_time(convert(bytes.data() + i * data.width(), data))) return false;
    }
    for (std::size_t k = 0; k < wanted_.size(); ++k) {
      if (!read_row(wanted_[k])) return false;
      for (std::uint64_t i = 0; i < data.rows; ++i) {
        result_.series[k].push_back(convert(bytes.data() + i * data.width(), data));
      }
    }
    return true;
  }

  bool add_time(double time) {
    if (!std::isfinite(time) || (!result_.time.empty() && time < result_.time.back())) {
      return refuse("the time of row " + std::to_string(result_.time.size() + 1) + " is " + base::format_number(time) +
                    (result_.time.empty() ? "" : ", that before it " + base::format_number(result_.time.back())));
    }
    result_.time.push_back(time);
    return true;
  }

  /// What our own files have besides.
  void read_rest() {
    const auto text = [&](const std::string& name) {
      std::vector<std::string> lines;
      const Matrix* matrix = find(name);
      if (matrix == nullptr || matrix->rows != 1 || !read_texts(name, false, lines)) return std::string();
      return lines.front();
    };
    const auto number = [&](const std::string& name) -> std::optional<double> {
      std::vector<double> numbers;
      const Matrix* matrix = find(name);
      if (matrix == nullptr || matrix->rows != 1 || matrix->columns != 1 || !read_numbers(name, numbers)) return {};
      return numbers.front();
    };
    result_.model = text("model");
    result_.version = text("version");
    result_.start_time = number("start_time");
    result_.stop_time = number("stop_time");
    const std::optional<double> seed = number("seed");
    constexpr double kMostSeed = 9007199254740992.0;  // beyond it, doubles leave numbers out
    if (seed && *seed >= 0 && *seed <= kMostSeed) result_.seed = static_cast<std::uint64_t>(*seed);
  }

  std::string name_;
  Input& input_;
  RunResult result_;
  std::map<std::string, Matrix> matrices_;
  bool by_columns_ = true;
  std::vector<std::size_t> wanted_;  ///< rows of data_2
  base::Failure failure_;
};

}  // namespace

bool looks_like_mat(std::string_view beginning) {
  Matrix matrix;
  std::size_t length = 0;
  return beginning.size() >= kMatHeader && read_header(beginning.data(), matrix, length) &&
         beginning.substr(kMatHeader).starts_with("Aclass");
}

base::Result<RunResult> read_mat(const std::string& name, Input& input, const ResultChoice& choice) {
  return MatReader(name, input).read(choice);
}

}  // namespace hyla::record
