#include "diag/display.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace hyla::diag {
namespace {

struct Range {
  char32_t first;
  char32_t last;
};

// The common scripts' combining marks; rarer ones take a column too many, which only shifts the marks under a line.
constexpr std::array kCombining = {
    Range{0x0300, 0x036F}, Range{0x0483, 0x0489}, Range{0x0591, 0x05BD}, Range{0x0610, 0x061A}, Range{0x064B, 0x065F},
    Range{0x1AB0, 0x1AFF}, Range{0x1DC0, 0x1DFF}, Range{0x20D0, 0x20FF}, Range{0xFE00, 0xFE0F}, Range{0xFE20, 0xFE2F},
};

constexpr std::array kWide = {
    Range{0x1100, 0x115F}, Range{0x2E80, 0x303E},   Range{0x3041, 0x4DBF},   Range{0x4E00, 0xA4CF},
    Range{0xAC00, 0xD7A3}, Range{0xF900, 0xFAFF},   Range{0xFE30, 0xFE6F},   Range{0xFF00, 0xFF60},
    Range{0xFFE0, 0xFFE6}, Range{0x1F300, 0x1F64F}, Range{0x1F900, 0x1F9FF}, Range{0x20000, 0x3FFFD},
};

// Control characters, invisible characters and those that turn the direction of writing.
constexpr std::array kUnprintable = {
    Range{0x0000, 0x001F}, Range{0x007F, 0x009F}, Range{0x200B, 0x200F}, Range{0x2028, 0x202E},
    Range{0x2060, 0x206F}, Range{0xFEFF, 0xFEFF}, Range{0xFFF9, 0xFFFB}, Range{0xE0000, 0xE007F},
};

template <class Ranges>
bool is_in(const Ranges& ranges, char32_t code_point) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [&](const Range& range) { return code_point >= range.first && code_point <= range.last; });
}

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

struct Glyph {
  std::string_view text;
  std::size_t length;  ///< bytes of the source it stands for
  std::size_t width;
};

Glyph next_glyph(std::string_view text) {
  if (text.front() == '\t' || text.front() == '\n') return {" ", 1, 1};
  char32_t code_point = 0;
  const std::size_t length = base::decode_utf8(text, code_point);
  if (length == 0) return {kReplacement, 1, 1};
  if (is_in(kUnprintable, code_point)) return {kReplacement, length, 1};
  return {text.substr(0, length), length, display_width(code_point)};
}

std::string_view escape_sequence(Paint paint) {
  switch (paint) {
    case Paint::Plain:
      return "";
    case Paint::Strong:
      return "\x1b[1m";
    case Paint::Gutter:
      return "\x1b[2m";
    case Paint::Error:
      return "\x1b[1;31m";
    case Paint::Warning:
      return "\x1b[1;33m";
    case Paint::Label:
      return "\x1b[1;36m";
    case Paint::Hint:
      return "\x1b[1;32m";
  }
  return "";
}

}  // namespace

std::size_t display_width(char32_t code_point) {
  if (code_point < 0x300) return 1;
  if (is_in(kCombining, code_point)) return 0;
  return is_in(kWide, code_point) ? 2 : 1;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Glyph glyph = next_glyph(text);
    width += glyph.width;
    text.remove_prefix(glyph.length);
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const Glyph glyph = next_glyph(text);
    result += glyph.text;
    text.remove_prefix(glyph.length);
  }
  return result;
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  for (std::string_view paragraph : base::split_lines(text)) {
    std::string line;
    std::size_t used = 0;
    while (!paragraph.empty()) {
      const std::size_t end = std::min(paragraph.find(' ', 1), paragraph.size());
      const std::string word = printable(paragraph.substr(0, end));  // with the blank before it
      const std::size_t columns = display_width(word);
      if (!line.empty() && used + columns > width) {
        lines.push_back(std::move(line));
        line = base::trim(word);
        used = display_width(line);
      } else {
        line += word;
        used += columns;
      }
      paragraph.remove_prefix(end);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string painted(std::string_view text, Paint paint, bool colour) {
  if (!colour || paint == Paint::Plain || text.empty()) return std::string(text);
  std::string result(escape_sequence(paint));
  result += text;
  result += "\x1b[0m";
  return result;
}

void Row::append(std::string_view glyph, std::size_t width, Paint paint) {
  if (width == 0) {
    if (!cells_.empty()) cells_.back().glyph += glyph;
    return;
  }
  cells_.push_back({std::string(glyph), paint});
  for (std::size_t i = 1; i < width; ++i) cells_.push_back({"", paint});
}

void Row::put(std::size_t column, std::string_view text, Paint paint) {
  Row painted_text;
  while (!text.empty()) {
    const Glyph glyph = next_glyph(text);
    painted_text.append(glyph.text, glyph.width, paint);
    text.remove_prefix(glyph.length);
  }
  const std::size_t end = column + painted_text.width();
  if (cells_.size() < end) cells_.resize(end);
  std::move(painted_text.cells_.begin(), painted_text.cells_.end(),
            cells_.begin() + static_cast<std::ptrdiff_t>(column));
}

void Row::crop(std::size_t begin, std::size_t end) {
  end = std::min(end, cells_.size());
  begin = std::min(begin, end);
  cells_.resize(end);
  cells_.erase(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(begin));
  // Half a wide character at the edge becomes a blank.
  if (!cells_.empty() && cells_.front().glyph.empty()) cells_.front().glyph = " ";
}

bool Row::is_blank(std::size_t begin, std::size_t end) const {
  for (std::size_t i = begin; i < std::min(end, cells_.size()); ++i) {
    if (cells_[i].glyph != " ") return false;
  }
  return true;
}

std::string Row::text(bool colour) const {
  std::size_t end = cells_.size();
  while (end > 0 && cells_[end - 1].glyph == " ") --end;
  std::string result;
  for (std::size_t i = 0; i < end;) {
    std::string run;
    const Paint paint = cells_[i].paint;
    for (; i < end && cells_[i].paint == paint; ++i) run += cells_[i].glyph;
    result += painted(run, paint, colour);
  }
  return result;
}

}  // namespace hyla::diag
