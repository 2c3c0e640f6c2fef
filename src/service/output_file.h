// A file that a run writes to while it goes on: its events, its trajectories.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "record/output.h"

namespace hyla::service {

class OutputFile : public record::Output {
 public:
  OutputFile() = default;
  ~OutputFile() override;

  /// Makes the file, or empties it. The reason if that is not possible.
  std::optional<base::Failure> open(const std::string& path);
  /// Writes to the standard output instead of a file.
  std::optional<base::Failure> open_standard_output();
  bool write(std::string_view bytes) override;
  /// The reason if not everything reached the file.
  std::optional<base::Failure> close();

 private:
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;  ///< the first one
};

}  // namespace hyla::service
