#include "service/output_file.h"

#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "service/files.h"

namespace hyla::service {
namespace {

constexpr mode_t kReadableByAll = 0666;  // the user's mask takes away what it wants

base::Failure cannot_write(const std::string& path, int error) {
  return {"cannot write `" + path + "`: " + system_reason(error)};
}

}  // namespace

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::optional<base::Failure> OutputFile::open(const std::string& path) {
  path_ = path;
  descriptor_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (descriptor_ < 0) return cannot_write(path, errno);
  return std::nullopt;
}

std::optional<base::Failure> OutputFile::open_standard_output() {
  path_ = "standard output";
  descriptor_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (descriptor_ < 0) return cannot_write(path_, errno);
  return std::nullopt;
}

bool OutputFile::write(std::string_view bytes) {
  while (!bytes.empty() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      error_ = errno;
    }
  }
  return error_ == 0;
}

std::optional<base::Failure> OutputFile::close() {
  const int result = ::close(descriptor_);
  descriptor_ = -1;
  if (result != 0 && error_ == 0) error_ = errno;
  if (error_ != 0) return cannot_write(path_, error_);
  return std::nullopt;
}

}  // namespace hyla::service
