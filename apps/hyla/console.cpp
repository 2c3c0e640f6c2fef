#include "console.h"

#include <cerrno>
#include <cstdlib>

#include <sys/ioctl.h>
#include <unistd.h>

namespace hyla::app {
namespace {

int descriptor(Stream stream) { return stream == Stream::Out ? STDOUT_FILENO : STDERR_FILENO; }

}  // namespace

bool write(Stream stream, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor(stream), text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool is_terminal(Stream stream) { return ::isatty(descriptor(stream)) == 1; }

bool is_dumb_terminal() {
  const char* terminal = std::getenv("TERM");
  return terminal != nullptr && std::string_view(terminal) == "dumb";
}

bool wants_colour(Stream stream, Colour choice) {
  if (choice != Colour::Auto) return choice == Colour::Always;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  return !is_dumb_terminal() && is_terminal(stream);
}

std::size_t width(Stream stream, std::size_t otherwise) {
  winsize size = {};
  if (::ioctl(descriptor(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return otherwise;
  return size.ws_col;
}

std::string read_input() {
  std::string text;
  std::size_t used = 0;
  while (true) {
    if (used == text.size()) text.resize(2 * used + 4096);
    const ssize_t count = ::read(STDIN_FILENO, text.data() + used, text.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    used += static_cast<std::size_t>(count);
  }
  text.resize(used);
  return text;
}

}  // namespace hyla::app
