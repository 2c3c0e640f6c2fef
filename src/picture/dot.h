// The DOT language: how names and labels are written, and a text that grows line by line.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace hyla::picture {

/// A name in quotes.
std::string quoted(std::string_view name);

/// Plain text for a label in angle brackets: nothing in it can act as markup, neither in DOT nor in a picture made of
/// it.
std::string escaped(std::string_view text);

/// Text of another size, colour or face inside a label. `markup` is escaped already.
std::string small(std::string_view markup, std::string_view colour = "");
std::string code(std::string_view markup);

inline constexpr std::string_view kFont = "Helvetica,Arial,sans-serif";
inline constexpr std::string_view kCodeFont = "DejaVu Sans Mono,Menlo,Consolas,monospace";

/// A graph under construction.
class Dot {
 public:
  void line(std::string_view text);
  /// `head {`; what follows is indented.
  void open(std::string_view head);
  void close();
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace hyla::picture
