// The terminal: the two streams, their width, and whether they show colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hyla::app {

enum class Stream { Out, Error };

enum class Colour { Auto, Always, Never };

/// Writes all of the text. A reader that has gone away is no error: the rest is dropped. False then.
bool write(Stream stream, std::string_view text);

/// Whether to colour what goes to the stream. `Auto` means: on a terminal, unless NO_COLOR is set or the terminal is a
/// dumb one.
bool wants_colour(Stream stream, Colour choice);

bool is_terminal(Stream stream);

/// The terminal cannot move its cursor.
bool is_dumb_terminal();

/// The columns of the terminal behind the stream, or `otherwise` if there is none.
std::size_t width(Stream stream, std::size_t otherwise);

/// All of the standard input.
std::string read_input();

}  // namespace hyla::app
