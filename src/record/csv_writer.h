// Trajectories as comma-separated values: a header `time,a.b,…`, then one row for each time.
//
// Numbers have the shortest form that reads back as the same double, bit for bit: at most 17 significant digits, `.` as
// decimal point, `inf`, `-inf` and `nan` for what is no number. A value that does not exist is an empty cell. Names
// with a comma or a quote stand in quotes (RFC 4180). Lines end with a line feed.
//
// Lines are handed on in pieces of about a megabyte, whole lines each, so that a run that is killed leaves a file that
// can be read. Cost: 47 ns a number, nearly all of it for finding its shortest form (17 digits for all: 65 ns, and a
// larger file). Handing the pieces to the system adds 4 ns, so a second thread for writing would gain nothing.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "record/absent.h"
#include "record/output.h"
#include "record/result_writer.h"

namespace hyla::record {

class CsvWriter : public ResultWriter {
 public:
  static constexpr std::size_t kPiece = std::size_t{1} << 20;

  /// `output` outlives the writer. The header is the first line: `time` and the names of the columns behind it.
  CsvWriter(Output& output, std::span<const std::string> names);
  ~CsvWriter() override { flush(); }

  bool add_rows(const RowBlock& block) override;
  /// The first line has been written: these are left out.
  bool add_columns(std::span<const ResultColumn> /*columns*/) override { return !failed_; }
  bool add_events(std::string_view /*lines*/) override { return !failed_; }
  bool refresh() override { return flush(); }
  bool finish() override { return flush(); }

  /// One value for each name; further ones are left out.
  void row(double time, std::span<const double> values);
  /// Hands on what has been collected. False if the output has failed; then nothing more is written.
  bool flush();
  bool failed() const { return failed_; }

 private:
  Output& output_;
  std::size_t columns_;
  std::string lines_;
  bool failed_ = false;
};

}  // namespace hyla::record
