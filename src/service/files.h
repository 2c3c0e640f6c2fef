// The outside world as a parameter: files on disk, or in memory for tests and fuzzers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/input.h"

namespace hyla::service {

/// Larger files are refused: places in a file are 32-bit numbers, and no model is that long.
inline constexpr std::size_t kLargestFile = std::size_t{1} << 30;

class FileSystem {
 public:
  FileSystem() = default;
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;
  virtual ~FileSystem() = default;

  /// The content of a file, or a sentence that names the path and the reason; for a missing file also the nearest name
  /// beside it.
  virtual base::Result<std::string> read(const std::string& path) const = 0;
  /// For files that may be too large to be read at once. Failures are those of read().
  virtual base::Result<std::unique_ptr<record::Input>> open(const std::string& path) const = 0;
  /// Replaces the content of a file, all of it or nothing; the reason if that failed.
  virtual std::optional<base::Failure> write(const std::string& path, const std::string& text) = 0;
  virtual bool is_file(const std::string& path) const = 0;
  /// The names in a folder, sorted; empty if it cannot be read.
  virtual std::vector<std::string> names_in(const std::string& folder) const = 0;
};

class Disk : public FileSystem {
 public:
  base::Result<std::string> read(const std::string& path) const override;
  base::Result<std::unique_ptr<record::Input>> open(const std::string& path) const override;
  std::optional<base::Failure> write(const std::string& path, const std::string& text) override;
  bool is_file(const std::string& path) const override;
  std::vector<std::string> names_in(const std::string& folder) const override;
};

class MemoryFiles : public FileSystem {
 public:
  MemoryFiles() = default;
  explicit MemoryFiles(std::map<std::string, std::string> files) : files_(std::move(files)) {}

  base::Result<std::string> read(const std::string& path) const override;
  base::Result<std::unique_ptr<record::Input>> open(const std::string& path) const override;
  std::optional<base::Failure> write(const std::string& path, const std::string& text) override;
  bool is_file(const std::string& path) const override { return files_.contains(path); }
  std::vector<std::string> names_in(const std::string& folder) const override;

 private:
  std::map<std::string, std::string> files_;
};

/// Reads from a place of an open file; fewer bytes only at its end, or if reading failed.
std::size_t read_at(int descriptor, std::uint64_t place, std::span<char> piece);

/// What an error number of the system means, in our words.
std::string system_reason(int error);

/// The folder of a path with its `/`; empty for a bare name.
std::string folder_of(const std::string& path);

/// What is said of a path that does not exist: the nearest name beside it is suggested.
std::string no_such_file(const FileSystem& files, const std::string& path);

}  // namespace hyla::service
