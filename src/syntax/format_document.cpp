#include "syntax/format_document.h"

#include <algorithm>
#include <limits>

namespace hyla::syntax {
namespace {

constexpr std::string_view kBlanks = " \t\r\v\f";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::size_t kTabWidth = 4;
/// More than any line; what holds an end of line is that wide.
constexpr std::uint64_t kEndless = 1U << 20;

/// Characters, not bytes: everything but the continuation bytes of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string_view without_trailing_blanks(std::string_view text) {
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

/// Takes the blanks from the start of a line and returns their width.
std::size_t take_indentation(std::string_view& line) {
  const std::size_t length = std::min(line.find_first_not_of(kBlanks), line.size());
  std::size_t width = 0;
  for (const char c : line.substr(0, length)) width += c == '\t' ? kTabWidth - width % kTabWidth : 1;
  line.remove_prefix(length);
  return width;
}

/// The column at which the text at an offset stands in the source.
std::size_t column_of(std::string_view source, std::size_t offset) {
  std::string_view before = source.substr(0, offset);
  before.remove_prefix(before.rfind('\n') + 1);
  if (before.data() == source.data() && before.starts_with(kByteOrderMark)) before.remove_prefix(kByteOrderMark.size());
  const std::size_t indentation = take_indentation(before);
  return indentation + width_of(before);
}

}  // namespace

/// Computes Element::width, from the last element to the first.
class Measurer {
 public:
  explicit Measurer(Document& document) : document_(document) {}

  void run() {
    open_.push_back({});
    for (std::size_t i = document_.elements_.size(); i-- > 0;) measure(document_.elements_[i]);
  }

 private:
  using Kind = Document::Kind;

  // Positions are distances from the end of the document, with every line printed as a space and each end of line
  // endlessly wide.
  struct Group {
    std::uint64_t end = 0;
    std::uint64_t reach_end = 0;  ///< the first place behind the group where a line may break
    std::uint64_t next_line = 0;  ///< the nearest line of the group itself, or reach_end
  };

  void measure(Document::Element& element) {
    switch (element.kind) {
      case Kind::Text:
        advance(element.width = clamp(width_of(document_.text_of(element))));
        break;
      case Kind::LineComment:
        break;
      case Kind::BlockComment:
        measure_block_comment(document_.text_of(element));
        break;
      case Kind::Space:
        advance(1);
        break;
      case Kind::Line:
        measure_line(element);
        break;
      case Kind::EndLine:
        advance(kEndless);
        may_break();
        break;
      case Kind::CloseGroup:
        open_.push_back({position_, next_line_, next_line_});
        break;
      case Kind::OpenGroup: {
        const Group group = open_.back();
        open_.pop_back();
        const bool too_wide = position_ - group.end > element.first;
        element.width = clamp(too_wide ? kEndless : position_ - group.reach_end);
        break;
      }
      case Kind::Indent:
      case Kind::Dedent:
        break;
    }
  }

  void measure_line(Document::Element& element) {
    if (static_cast<Document::Line>(element.first) != Document::Line::Soft) advance(1);
    element.width = clamp(position_ - open_.back().next_line);
    may_break();
  }

  void measure_block_comment(std::string_view text) {
    const std::size_t first_end = text.find('\n');
    if (first_end != std::string_view::npos) {
      advance(kEndless);
      may_break();
    }
    advance(width_of(without_trailing_blanks(text.substr(0, first_end))));
  }

  void may_break() { open_.back().next_line = next_line_ = position_; }
  void advance(std::uint64_t width) { position_ += width; }
  static std::uint32_t clamp(std::uint64_t width) { return static_cast<std::uint32_t>(std::min(width, kEndless)); }

  Document& document_;
  std::uint64_t position_ = 0;
  std::uint64_t next_line_ = 0;
  std::vector<Group> open_;
};

class Printer {
 public:
  explicit Printer(const Document& document) : document_(document) {
    out_.reserve(document.source_.size() + document.source_.size() / 4);
  }

  std::string run() {
    for (const Document::Element& element : document_.elements_) print(element);
    if (!out_.empty() && !out_.ends_with('\n')) out_ += '\n';
    return std::move(out_);
  }

 private:
  using Kind = Document::Kind;

  void print(const Document::Element& element) {
    switch (element.kind) {
      case Kind::Text:
        write(document_.text_of(element), element.width);
        break;
      case Kind::LineComment:
        print_line_comment(without_trailing_blanks(document_.text_of(element)));
        break;
      case Kind::BlockComment:
        print_block_comment(element);
        break;
      case Kind::Space:
        ++spaces_;
        break;
      case Kind::Line:
        print_line(element);
        break;
      case Kind::EndLine:
        end_line(element.first != 0, element.second != 0);
        break;
      case Kind::OpenGroup:
        flat_.push_back(is_flat() || fits(element.width));
        break;
      case Kind::CloseGroup:
        flat_.pop_back();
        break;
      case Kind::Indent:
        ++indent_;
        break;
      case Kind::Dedent:
        --indent_;
        break;
    }
  }

  void print_line(const Document::Element& element) {
    const auto line = static_cast<Document::Line>(element.first);
    if (is_flat() || (line == Document::Line::Fill && fits(element.width))) {
      if (line != Document::Line::Soft) ++spaces_;
    } else {
      end_line(false, false);
    }
  }

  void print_line_comment(std::string_view text) {
    if (!at_line_start_) spaces_ = 2;
    write(text, 0);
  }

  void print_block_comment(const Document::Element& element) {
    std::string_view rest = document_.text_of(element);
    const std::size_t new_column = column();
    const bool has_lines = rest.find('\n') != std::string_view::npos;
    const std::size_t old_column = has_lines ? column_of(document_.source_, element.first) : 0;
    for (bool is_first = true; is_first || !rest.empty(); is_first = false) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view line = without_trailing_blanks(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (!is_first) {
        end_line(false, false);
        const std::size_t moved = take_indentation(line) + new_column;
        spaces_ = line.empty() || moved < old_column ? 0 : moved - old_column;
        at_line_start_ = false;
      }
      write(line, width_of(line));
    }
  }

  void write(std::string_view text, std::size_t width) {
    column_ = column() + width;
    out_.append(at_line_start_ ? line_indent_ + spaces_ : spaces_, ' ');
    out_ += text;
    spaces_ = 0;
    at_line_start_ = false;
  }

  void end_line(bool blank, bool hanging) {
    out_ += blank ? "\n\n" : "\n";
    column_ = 0;
    spaces_ = 0;
    at_line_start_ = true;
    line_indent_ = (indent_ + (hanging ? 1 : 0)) * kIndentWidth;
  }

  /// Where the next text will stand.
  std::size_t column() const { return (at_line_start_ ? line_indent_ : column_) + spaces_; }
  bool fits(std::uint32_t width) const { return column() + width <= kLineWidth; }
  bool is_flat() const { return !flat_.empty() && flat_.back(); }

  const Document& document_;
  std::string out_;
  std::vector<bool> flat_;  ///< one per open group: it is printed on one line
  std::size_t indent_ = 0;
  std::size_t line_indent_ = 0;  ///< columns; of the line that begins or has begun
  std::size_t column_ = 0;
  std::size_t spaces_ = 0;  ///< owed before the next text, so that no line ends with them
  bool at_line_start_ = true;
};

std::string Document::print() {
  Measurer(*this).run();
  return Printer(*this).run();
}

}  // namespace hyla::syntax
