// A file that a run writes its events to.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "record/output.h"

namespace hyla::service {

class EventFile : public record::Output {
 public:
  EventFile() = default;
  ~EventFile() override;

  /// Makes the file, or empties it. The reason if that is not possible.
  std::optional<base::Failure> open(const std::string& path);
  bool write(std::string_view bytes) override;
  /// The reason if not everything reached the file.
  std::optional<base::Failure> close();

 private:
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;  ///< the first one
};

}  // namespace hyla::service
