// The file that `hyla run --output-file` writes, in the format that its name asks for. A second thread writes.
//
// It is opened before the run, so that nobody waits in vain; what stands at its beginning, the values of parameters
// among it, is known when the first row comes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/background_writer.h"
#include "record/output.h"
#include "record/result_writer.h"
#include "service/output_file.h"
#include "service/store_file.h"

namespace hyla::service {

enum class ResultFormat : std::uint8_t { Csv, Mat, Hdf5 };

/// By the end of the name: `.csv`, `.mat`, `.h5` or `.hdf5`. Devices, pipes and `-` take CSV.
base::Result<ResultFormat> result_format(const std::string& path);

/// As an Output it takes the lines of the events file, which HDF5 keeps.
class ResultFile : public record::Output {
 public:
  /// Makes the file; the reason if that is not possible.
  std::optional<base::Failure> open(const std::string& path);
  bool is_open() const { return is_open_; }
  ResultFormat format() const { return format_; }
  /// Whether it has room for what comes later.
  bool takes_events() const { return is_open_ && format_ == ResultFormat::Hdf5; }
  bool takes_columns() const { return format_ == ResultFormat::Hdf5; }
  /// Whether several names of one thing can share its values.
  bool takes_aliases() const { return format_ != ResultFormat::Csv; }

  bool has_begun() const { return background_ != nullptr; }
  void begin(record::ResultHeader header);
  void row(double time, std::span<const double> values) { background_->row(time, values); }
  void add_column(record::ResultColumn column);
  bool write(std::string_view lines) override;
  /// What was added will be readable soon.
  void refresh();
  bool failed() const { return background_ != nullptr && background_->failed(); }
  /// The reason if not everything reached the file.
  std::optional<base::Failure> close();

 private:
  bool is_open_ = false;
  ResultFormat format_ = ResultFormat::Csv;
  std::string path_;
  OutputFile text_;
  StoreFile store_;
  std::string early_events_;  ///< from before the beginning
  std::unique_ptr<record::ResultWriter> writer_;
  std::unique_ptr<record::BackgroundWriter> background_;
};

/// The version of this program.
std::string_view program_version();

}  // namespace hyla::service
