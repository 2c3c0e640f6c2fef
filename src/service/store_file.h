// A file that a run writes at any place and reads back: results in MAT and HDF5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "record/store.h"

namespace hyla::service {

class StoreFile : public record::Store {
 public:
  StoreFile() = default;
  ~StoreFile() override;

  /// Makes the file, or empties it. The reason if that is not possible.
  std::optional<base::Failure> open(const std::string& path);
  std::uint64_t size() const override;
  std::size_t read(std::uint64_t place, std::span<char> piece) override;
  bool write(std::uint64_t place, std::string_view bytes) override;
  /// The reason if not everything reached the file.
  std::optional<base::Failure> close();

 private:
  std::string path_;
  int descriptor_ = -1;
  int error_ = 0;  ///< the first one
};

}  // namespace hyla::service
