#include "service/files.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace hyla::service {
namespace {

/// An open file, closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;

  int number() const { return number_; }
  /// Closes at once and tells whether all data arrived.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

base::Failure failure(std::string_view what, const std::string& path, const std::string& reason) {
  return {std::string(what) + " `" + path + "`: " + reason};
}

bool write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

/// Reads to the end, whatever size was promised: the path may name a pipe, and files grow.
std::optional<base::Failure> read_all(int descriptor, const std::string& path, std::string& text) {
  std::size_t used = 0;
  while (true) {
    if (used == text.size()) text.resize(std::max<std::size_t>(4096, 2 * text.size()));
    const ssize_t count = ::read(descriptor, text.data() + used, text.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return failure("cannot read", path, system_reason(errno));
    used += static_cast<std::size_t>(count);
    if (used > kLargestFile) return failure("cannot read", path, "it is larger than 1 GiB");
    if (count == 0) break;
  }
  text.resize(used);
  return std::nullopt;
}

struct OpenFile {
  Descriptor descriptor;
  std::size_t size = 0;
  bool is_regular = false;
};

base::Result<OpenFile> open_to_read(const FileSystem& files, const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (file.number() < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return base::Failure{no_such_file(files, path)};
    return failure("cannot read", path, system_reason(errno));
  }
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0) return failure("cannot read", path, system_reason(errno));
  if (S_ISDIR(status.st_mode)) return failure("cannot read", path, "it is a folder");
  return OpenFile{std::move(file), static_cast<std::size_t>(status.st_size), S_ISREG(status.st_mode)};
}

class DiskInput : public record::Input {
 public:
  explicit DiskInput(Descriptor file) : file_(std::move(file)) {}

  std::uint64_t size() const override {
    struct stat status = {};
    return ::fstat(file_.number(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
  }
  std::size_t read(std::uint64_t place, std::span<char> piece) override {
    return read_at(file_.number(), place, piece);
  }

 private:
  Descriptor file_;
};

/// Of a pipe, or of files in memory.
class OwnedInput : public record::Input {
 public:
  explicit OwnedInput(std::string bytes) : bytes_(std::move(bytes)), input_(bytes_) {}
  std::uint64_t size() const override { return input_.size(); }
  std::size_t read(std::uint64_t place, std::span<char> piece) override { return input_.read(place, piece); }

 private:
  std::string bytes_;
  record::MemoryInput input_;
};

}  // namespace

std::size_t read_at(int descriptor, std::uint64_t place, std::span<char> piece) {
  std::size_t used = 0;
  while (used < piece.size()) {
    const ssize_t count =
        ::pread(descriptor, piece.data() + used, piece.size() - used, static_cast<off_t>(place + used));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    used += static_cast<std::size_t>(count);
  }
  return used;
}

std::string system_reason(int error) {
  switch (error) {
    case EACCES:
    case EPERM:
      return "permission denied";
    case ENOENT:
      return "no such file or folder";
    case ENOSPC:
      return "the disk is full";
    case EFBIG:
      return "the file would become larger than is allowed";
    case EROFS:
      return "the disk is read-only";
    default:
      return std::strerror(error);
  }
}

base::Result<std::string> Disk::read(const std::string& path) const {
  base::Result<OpenFile> opened = open_to_read(*this, path);
  if (!opened.ok()) return base::Failure{opened.message()};
  const OpenFile file = std::move(opened).value();
  if (file.size > kLargestFile) return failure("cannot read", path, "it is larger than 1 GiB");
  std::string text(file.size + 1, '\0');  // one more, so that the end is seen without growing
  if (auto problem = read_all(file.descriptor.number(), path, text)) return *std::move(problem);
  return text;
}

base::Result<std::unique_ptr<record::Input>> Disk::open(const std::string& path) const {
  base::Result<OpenFile> opened = open_to_read(*this, path);
  if (!opened.ok()) return base::Failure{opened.message()};
  OpenFile file = std::move(opened).value();
  if (file.is_regular) {
    return std::unique_ptr<record::Input>(std::make_unique<DiskInput>(std::move(file.descriptor)));
  }
  std::string text(1, '\0');
  if (auto problem = read_all(file.descriptor.number(), path, text)) return *std::move(problem);
  return std::unique_ptr<record::Input>(std::make_unique<OwnedInput>(std::move(text)));
}

std::optional<base::Failure> Disk::write(const std::string& path, const std::string& text) {
  // The new content goes into a file beside the old one and takes its place in one step. Links are followed first, so
  // that they stay links.
  const std::unique_ptr<char, decltype(&std::free)> resolved(::realpath(path.c_str(), nullptr), &std::free);
  const std::string target = resolved ? resolved.get() : path;
  std::string draft = target + ".XXXXXX";
  Descriptor file(::mkstemp(draft.data()));
  if (file.number() < 0) return failure("cannot write", path, system_reason(errno));
  struct stat status = {};
  const bool kept_mode = ::stat(target.c_str(), &status) != 0 || ::fchmod(file.number(), status.st_mode) == 0;
  if (!kept_mode || !write_all(file.number(), text) || !file.close() || ::rename(draft.c_str(), target.c_str()) != 0) {
    const base::Failure problem = failure("cannot write", path, system_reason(errno));
    ::unlink(draft.c_str());
    return problem;
  }
  return std::nullopt;
}

bool Disk::is_file(const std::string& path) const {
  struct stat status = {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISDIR(status.st_mode);
}

std::vector<std::string> Disk::names_in(const std::string& folder) const {
  std::vector<std::string> names;
  const auto close = [](DIR* directory) { ::closedir(directory); };
  const std::unique_ptr<DIR, decltype(close)> directory(::opendir(folder.empty() ? "." : folder.c_str()), close);
  if (!directory) return names;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

base::Result<std::string> MemoryFiles::read(const std::string& path) const {
  const auto file = files_.find(path);
  if (file == files_.end()) return base::Failure{no_such_file(*this, path)};
  return file->second;
}

base::Result<std::unique_ptr<record::Input>> MemoryFiles::open(const std::string& path) const {
  base::Result<std::string> text = read(path);
  if (!text.ok()) return base::Failure{text.message()};
  return std::unique_ptr<record::Input>(std::make_unique<OwnedInput>(std::move(text).value()));
}

std::optional<base::Failure> MemoryFiles::write(const std::string& path, const std::string& text) {
  files_[path] = text;
  return std::nullopt;
}

std::vector<std::string> MemoryFiles::names_in(const std::string& folder) const {
  std::vector<std::string> names;
  for (const auto& [path, text] : files_) {
    if (folder_of(path) == folder) names.push_back(path.substr(folder.size()));
  }
  return names;
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

std::string no_such_file(const FileSystem& files, const std::string& path) {
  const std::string folder = folder_of(path);
  const std::string name = path.substr(folder.size());
  const std::string stem = name.substr(0, name.rfind('.'));
  const std::string ending = stem.size() == name.size() ? ".hyla" : name.substr(stem.size());
  // Only what stands before the ending is compared: endings are equal and would make everything look alike.
  std::vector<std::string> stems;
  for (const std::string& other : files.names_in(folder)) {
    if (other.ends_with(ending)) stems.push_back(other.substr(0, other.size() - ending.size()));
  }
  const std::vector<std::string_view> candidates(stems.begin(), stems.end());
  std::optional<std::string_view> near = base::nearest(stem, candidates);
  if (std::find(stems.begin(), stems.end(), stem) != stems.end()) near = stem;
  const std::string message = "cannot read `" + path + "`: no such file";
  return near ? message + "; did you mean `" + folder + std::string(*near) + ending + "`?" : message;
}

}  // namespace hyla::service
