// Where a record goes: bytes in, somewhere else out. Whoever touches files fills this role.
#pragma once

#include <string_view>

namespace hyla::record {

class Output {
 public:
  Output() = default;
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  virtual ~Output() = default;

  /// Takes all of the bytes. False if that failed; the output then knows why, and is not asked again.
  virtual bool write(std::string_view bytes) = 0;
};

}  // namespace hyla::record
