// A text with the places where its lines may break, and the choice among them.
//
// The model is that of Wadler and Prettier, written as a flat sequence: a group is printed on one line if it fits,
// otherwise all its lines break; a fill line breaks only if what follows it, up to the next line of its group, does not
// fit. A group that has to break (it holds an end of line) makes all groups around it break. Whether a group fits is
// known before printing, from one pass over the sequence from its end, so that printing is linear whatever the nesting.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::syntax {

inline constexpr std::uint32_t kLineWidth = 100;
inline constexpr std::uint32_t kIndentWidth = 4;

class Document {
 public:
  /// All texts are ranges of the source, which must outlive the document.
  explicit Document(std::string_view source) : source_(source) {}

  enum class Line : std::uint8_t {
    Space,  ///< a space, or a line break if its group is broken
    Soft,   ///< nothing, or a line break if its group is broken
    Fill,   ///< a space, or a line break if its group is broken and the text up to the next line does not fit
  };
  struct EndLine {
    bool blank = false;    ///< an empty line follows
    bool hanging = false;  ///< the next line alone is indented once more
  };

  void text(std::uint32_t begin, std::uint32_t end) { add(Kind::Text, begin, end); }
  /// A comment to the end of the line, two spaces behind what stands there; it may reach over the margin and moves
  /// nothing.
  void line_comment(std::uint32_t begin, std::uint32_t end) { add(Kind::LineComment, begin, end); }
  /// A comment of one or more lines; the further ones move with the first.
  void block_comment(std::uint32_t begin, std::uint32_t end) { add(Kind::BlockComment, begin, end); }
  void space() { add(Kind::Space); }
  void line(Line line) { add(Kind::Line, static_cast<std::uint32_t>(line)); }
  void end_line(EndLine how) { add(Kind::EndLine, how.blank ? 1 : 0, how.hanging ? 1 : 0); }
  /// Groups and indents may overlap freely; a group that is wider than `widest` does not stay on one line.
  void open_group(std::uint32_t widest = kLineWidth) { add(Kind::OpenGroup, widest); }
  void close_group() { add(Kind::CloseGroup); }
  void indent() { add(Kind::Indent); }
  void dedent() { add(Kind::Dedent); }

  /// Chooses the line breaks. A text that is not empty ends with one line break.
  std::string print();

 private:
  friend class Measurer;
  friend class Printer;

  enum class Kind : std::uint8_t {
    Text,
    LineComment,
    BlockComment,
    Space,
    Line,
    EndLine,
    OpenGroup,
    CloseGroup,
    Indent,
    Dedent
  };
  struct Element {
    Kind kind;
    std::uint32_t first;   ///< begin of the text, kind of line, blank line, widest group
    std::uint32_t second;  ///< end of the text, hanging
    /// Texts: the width. Groups and fill lines: the columns up to the next place where a line may break behind them.
    std::uint32_t width;
  };
  void add(Kind kind, std::uint32_t first = 0, std::uint32_t second = 0) {
    elements_.push_back({kind, first, second, 0});
  }
  std::string_view text_of(const Element& element) const {
    return source_.substr(element.first, element.second - element.first);
  }

  std::string_view source_;
  std::vector<Element> elements_;
};

}  // namespace hyla::syntax
