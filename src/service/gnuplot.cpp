// The script goes to gnuplot through a file without a name, and so does what gnuplot complains about: no pipe that
// could fill up, nothing left behind. gnuplot writes straight into the picture's file.
#include "service/gnuplot.h"

#include <cerrno>
#include <cstdio>
#include <memory>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "service/files.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it declared by the program

namespace hyla::service {
namespace {

constexpr mode_t kReadableByAll = 0666;

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

/// A file of its own that vanishes when it is closed.
File nameless() { return {std::tmpfile(), &std::fclose}; }

std::string first_line(std::FILE* file) {
  std::rewind(file);
  char buffer[4096];
  const std::size_t size = std::fread(buffer, 1, sizeof buffer, file);
  for (const std::string_view line : base::split_lines({buffer, size})) {
    const std::string_view text = base::trim(line);
    if (!text.empty() && text != "^") return std::string(text);
  }
  return "";
}

/// Starts gnuplot and waits for it. An error number, or its status.
int run(std::FILE* script, int picture, std::FILE* complaints, int& status) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
  std::string name = "gnuplot";
  std::string plain = "-d";  // no settings of the user
  char* arguments[] = {name.data(), plain.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, name.c_str(), &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

base::Failure cannot_draw(const std::string& path, const std::string& reason) {
  return {"cannot draw `" + path + "`: " + reason};
}

std::string plot_name_complaint(const std::string& path) {
  return "--plot takes a name that ends with `.svg`, `.png` or `.pdf`, not `" + path + "`";
}

}  // namespace

std::optional<base::Failure> check_picture(const std::string& path, record::PlotFormat& format) {
  if (!record::find_plot_format(path, format)) return base::Failure{plot_name_complaint(path)};
  if (::access(path.c_str(), W_OK) == 0) return std::nullopt;
  const std::string folder = folder_of(path);
  if (errno == ENOENT && ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0) return std::nullopt;
  return cannot_draw(path, system_reason(errno));
}

std::optional<base::Failure> run_gnuplot(const std::string& script, const std::string& path) {
  const int picture = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (picture < 0) return cannot_draw(path, system_reason(errno));
  const File input = nameless();
  const File complaints = nameless();
  int status = 0;
  int error = 0;
  if (!input || !complaints || std::fwrite(script.data(), 1, script.size(), input.get()) != script.size() ||
      std::fflush(input.get()) != 0) {
    error = errno;
  } else {
    std::rewind(input.get());
    error = run(input.get(), picture, complaints.get(), status);
  }
  if (::close(picture) != 0 && error == 0) error = errno;
  if (error == 0 && status == 0) return std::nullopt;
  ::unlink(path.c_str());
  if (error == ENOENT || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    return cannot_draw(path, "the program `gnuplot` is missing; the package `gnuplot-nox` has it");
  }
  if (error != 0) return cannot_draw(path, system_reason(error));
  const std::string complaint = first_line(complaints.get());
  return cannot_draw(path, "gnuplot has failed" + (complaint.empty() ? "" : ": " + complaint));
}

}  // namespace hyla::service
