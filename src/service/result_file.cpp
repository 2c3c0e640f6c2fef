#include "service/result_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "record/csv_writer.h"
#include "record/hdf5_writer.h"
#include "record/mat_writer.h"

namespace hyla::service {
namespace {

struct Ending {
  std::string_view text;
  ResultFormat format;
};
constexpr std::array<Ending, 4> kEndings = {{{".csv", ResultFormat::Csv},
                                             {".mat", ResultFormat::Mat},
                                             {".h5", ResultFormat::Hdf5},
                                             {".hdf5", ResultFormat::Hdf5}}};

/// Something that exists and is neither file nor folder.
bool is_device(const std::string& path) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  return std::filesystem::is_other(status);
}

std::string ending_of(const std::string& path) {
  const std::string name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  std::string ending = dot == std::string::npos ? "" : name.substr(dot);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

}  // namespace

base::Result<ResultFormat> result_format(const std::string& path) {
  const std::string ending = ending_of(path);
  for (const Ending& known : kEndings) {
    if (ending == known.text) return known.format;
  }
  if (path == "-" || is_device(path)) return ResultFormat::Csv;
  return base::Failure{"cannot write `" + path +
                       "`: its name must end with `.csv`, `.mat`, `.h5` or `.hdf5`, which "
                       "tells the format"};
}

std::string_view program_version() { return HYLA_VERSION; }

std::optional<base::Failure> ResultFile::open(const std::string& path) {
  const base::Result<ResultFormat> format = result_format(path);
  if (!format.ok()) return base::Failure{format.message()};
  format_ = format.value();
  path_ = path;
  const auto failure = path == "-"                    ? text_.open_standard_output()
                       : format_ == ResultFormat::Csv ? text_.open(path)
                                                      : store_.open(path);
  is_open_ = !failure;
  return failure;
}

void ResultFile::begin(record::ResultHeader header) {
  const std::size_t series = record::count_series(header.columns);
  if (format_ == ResultFormat::Csv) {
    std::vector<std::string> names;
    for (const record::ResultColumn& column : header.columns) names.push_back(column.name);
    writer_ = std::make_unique<record::CsvWriter>(text_, names);
  } else if (format_ == ResultFormat::Mat) {
    writer_ = std::make_unique<record::MatWriter>(store_, std::move(header));
  } else {
    writer_ = record::make_hdf5_writer(store_, std::move(header));
  }
  background_ = std::make_unique<record::BackgroundWriter>(*writer_, series);
  if (!early_events_.empty()) background_->write(std::exchange(early_events_, {}));
}

void ResultFile::add_column(record::ResultColumn column) { background_->add_columns({std::move(column)}); }

bool ResultFile::write(std::string_view lines) {
  if (background_) return background_->write(lines);
  early_events_ += lines;
  return true;
}

void ResultFile::refresh() {
  if (background_) background_->refresh();
}

std::optional<base::Failure> ResultFile::close() {
  const bool is_written = background_->finish();
  const std::string problem = writer_->problem();
  const std::optional<double> kept_until = writer_->kept_until();
  background_.reset();
  writer_.reset();
  is_open_ = false;
  auto failure = format_ == ResultFormat::Csv ? text_.close() : store_.close();
  if (!failure && !is_written) {
    failure = base::Failure{"cannot write `" + path_ + "`: " + (problem.empty() ? "HDF5 has failed" : problem)};
  }
  if (failure && kept_until) failure->message += "; it holds the run up to time " + base::format_number(*kept_until);
  return failure;
}

}  // namespace hyla::service
