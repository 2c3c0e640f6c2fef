// The input goes to the program through a file without a name, and so does what it complains about: no pipe that could
// fill up, nothing left behind. The program writes straight into the picture's file.
#include "service/drawing_program.h"

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

/// Starts the program and waits for it. An error number, or its status.
int run(const DrawingProgram& program, std::FILE* input, int picture, std::FILE* complaints, int& status) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, picture, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, fileno(complaints), STDERR_FILENO);
  std::vector<std::string> words = {program.name};
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.name.c_str(), &actions, nullptr, arguments.data(), environ);
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

}  // namespace

std::optional<base::Failure> check_writable(const std::string& path) {
  if (::access(path.c_str(), W_OK) == 0) return std::nullopt;
  const std::string folder = folder_of(path);
  if (errno == ENOENT && ::access(folder.empty() ? "." : folder.c_str(), W_OK) == 0) return std::nullopt;
  return cannot_draw(path, system_reason(errno));
}

std::optional<base::Failure> run_drawing_program(const DrawingProgram& program, const std::string& input,
                                                 const std::string& path) {
  const int picture = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kReadableByAll);
  if (picture < 0) return cannot_draw(path, system_reason(errno));
  const File text = nameless();
  const File complaints = nameless();
  int status = 0;
  int error = 0;
  if (!text || !complaints || std::fwrite(input.data(), 1, input.size(), text.get()) != input.size() ||
      std::fflush(text.get()) != 0) {
    error = errno;
  } else {
    std::rewind(text.get());
    error = run(program, text.get(), picture, complaints.get(), status);
  }
  if (::close(picture) != 0 && error == 0) error = errno;
  if (error == 0 && status == 0) return std::nullopt;
  ::unlink(path.c_str());
  if (error == ENOENT || (WIFEXITED(status) && WEXITSTATUS(status) == 127)) {
    return cannot_draw(path,
                       "the program `" + program.name + "` is missing; the package `" + program.package + "` has it");
  }
  if (error != 0) return cannot_draw(path, system_reason(error));
  const std::string complaint = first_line(complaints.get());
  return cannot_draw(path, program.name + " has failed" + (complaint.empty() ? "" : ": " + complaint));
}

}  // namespace hyla::service
