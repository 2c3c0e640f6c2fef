// Trajectories in the layout that Dymola and OpenModelica write and many tools read: a MAT file of level 4.
//
//     Aclass       "Atrajectory", "1.1", "", "binTrans": everything that follows is stored by columns, one each
//     variable name         names, `time` first description  `[unit]` dataInfo     for each variable: 1 or 2 (which
//     data; 0 for time), its row there (negative: the negated row), 0, -1 data_1       parameters: time and values at
//     the beginning and at the end data_2       time and values, a column for each row of the trajectory; last, so that
//     it can grow
//
// data_2 is written as it comes; its header tells how many columns there are and is brought up to date behind each
// block. When the run has ended, `model`, `version`, `seed`, `start_time`, `stop_time` and `time_unit` follow. The
// format has no sizes in bytes, so files may be of any size: data_2 may have 2^31 - 1 columns.
#pragma once

#include "record/result_writer.h"
#include "record/store.h"

namespace hyla::record {

class MatWriter : public ResultWriter {
 public:
  /// `store` is empty and outlives the writer.
  MatWriter(Store& store, ResultHeader header);

  bool add_rows(const RowBlock& block) override;
  /// The columns are fixed by what stands before data_2: these are left out.
  bool add_columns(std::span<const ResultColumn> columns) override;
  bool add_events(std::string_view lines) override;
  bool refresh() override { return true; }
  bool finish() override;
  std::string problem() const override { return problem_; }
  std::optional<double> kept_until() const override { return kept_until_; }

 private:
  bool begin();
  bool append(std::string_view bytes);
  bool append_rows(const RowBlock& block, std::size_t first, std::size_t count);

  Store& store_;
  ResultHeader header_;
  std::size_t width_ = 0;  ///< rows of data_2
  std::uint64_t end_ = 0;
  std::uint64_t data_place_ = 0;  ///< of the header of data_2
  std::uint64_t columns_ = 0;     ///< of data_2
  std::string problem_;
  std::optional<double> kept_until_;
};

}  // namespace hyla::record
