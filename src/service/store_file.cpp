#include "service/store_file.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "service/files.h"

namespace hyla::service {
namespace {

constexpr mode_t kReadableByAll = 0666;  // the user's mask takes away what it wants

base::Failure cannot_write(const std::string& path, int error) {
  return {"cannot write `" + path + "`: " + system_reason(error)};
}

}  // namespace

StoreFile::~StoreFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<base::Failure> StoreFile::open(const std::string& path) {
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (descriptor_ < 0) return cannot_write(path, errno);
  return std::nullopt;
}

std::uint64_t StoreFile::size() const {
  struct stat status = {};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

std::size_t StoreFile::read(std::uint64_t place, std::span<char> piece) { return read_at(descriptor_, place, piece); }

bool StoreFile::write(std::uint64_t place, std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(place));
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      place += static_cast<std::uint64_t>(written);
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

std::optional<base::Failure> StoreFile::close() {
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  if (result != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) return cannot_write(path_, error_);
  return std::nullopt;
}

}  // namespace hyla::service
