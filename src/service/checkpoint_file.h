// Checkpoints as files: who they belong to, and whether they are whole.
//
//     HYLACKPT | version | identity of the run | checksum of the rest | size of the rest | the rest
//     (engine/checkpoint.h)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/checkpoint.h"
#include "service/run_model.h"

namespace hyla::service {

/// The bytes of a file.
std::string seal_checkpoint(std::uint64_t identity, const std::string& content);
/// The content of a file; a sentence if it is none, damaged, or of another run.
base::Result<std::string> open_checkpoint(std::string_view bytes, std::uint64_t identity);

/// The checkpoints of one run, as its request wants them.
class CheckpointFile {
 public:
  /// `options`: everything besides the text of the model on which the course of the run depends.
  CheckpointFile(const RunRequest& request, const std::string& options, RunReport& report);

  /// Reads what the run is to go on from; false if that is not possible, with the reason in the report.
  bool open(const FileSystem& files);
  /// Null: no checkpoint is wanted.
  engine::Checkpointing* checkpointing() { return is_wanted_ ? &checkpointing_ : nullptr; }
  /// Writes what was taken; reasons go to the report. False: the run could not be taken up again.
  bool finish();

 private:
  bool refuse(const std::string& reason);
  bool misfits();

  const RunRequest& request_;
  RunReport& report_;
  std::uint64_t identity_ = 0;
  bool is_wanted_ = false;
  engine::Checkpointing checkpointing_;
};

}  // namespace hyla::service
