#include "diag/render.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/text.h"
#include "diag/display.h"

namespace hyla::diag {
namespace {

constexpr std::size_t kTabWidth = 4;
constexpr std::size_t kLeastColumns = 40;
constexpr std::string_view kCut = "...";

/// A place of the diagnostic on one line, in bytes of that line.
struct Mark {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_primary = false;
  std::string_view text;
};

using MarksByLine = std::map<std::uint32_t, std::vector<Mark>>;

/// What the pieces of one rendering share.
struct Page {
  const Sources& sources;
  RenderOptions options;
  Paint primary = Paint::Error;  ///< the colour of the severity
  std::size_t gutter_width = 1;  ///< columns of the widest line number
};

// --- Places
// ------------------------------------------------------------------------------------------------------------------------

/// Adds the marks of a span: one, or for a span over several lines one on the first line and one on the last.
void add_marks(MarksByLine& marks, const Sources& sources, Span span, bool is_primary, std::string_view text) {
  // A span that ends behind a line break ends on that line, not on the next.
  if (span.end > span.begin && sources.text(span.file)[span.end - 1] == '\n') --span.end;
  const std::uint32_t first = sources.position(span.file, span.begin).line;
  const std::uint32_t last = sources.position(span.file, span.end).line;
  const std::uint32_t first_start = sources.line_start(span.file, first);
  if (first == last) {
    marks[first].push_back({span.begin - first_start, span.end - first_start, is_primary, text});
    return;
  }
  const std::size_t begin = span.begin - first_start;
  marks[first].push_back({begin, std::max(begin, sources.line(span.file, first).size()), is_primary, text});
  const std::string_view last_line = sources.line(span.file, last);
  const std::size_t end = span.end - sources.line_start(span.file, last);
  const std::size_t indent = std::min(last_line.find_first_not_of(" \t"), end);
  marks[last].push_back({indent, end, is_primary, {}});
}

/// The marks of one file. The file of the primary place comes first, the others in the order of the labels.
struct FileMarks {
  FileId file;
  std::uint32_t first_offset;  ///< of the place named in the heading
  MarksByLine lines;
};

std::vector<FileMarks> collect_marks(const Diagnostic& diagnostic, const Sources& sources) {
  std::vector<FileMarks> files = {{diagnostic.span.file, diagnostic.span.begin, {}}};
  add_marks(files.front().lines, sources, diagnostic.span, true, diagnostic.text);
  for (const Label& label : diagnostic.labels) {
    auto place =
        std::find_if(files.begin(), files.end(), [&](const FileMarks& f) { return f.file == label.span.file; });
    if (place == files.end()) place = files.insert(files.end(), {label.span.file, label.span.begin, {}});
    add_marks(place->lines, sources, label.span, false, label.text);
  }
  return files;
}

// --- One source line
// ---------------------------------------------------------------------------------------------------------------

/// A source line as cells, and the column of each of its bytes.
struct ShownLine {
  Row row;
  std::size_t first_byte = 0;
  std::vector<std::size_t> column_of_byte;  ///< from first_byte on, one more than there are bytes
  std::size_t shift = 0;                    ///< columns cropped at the left

  std::size_t column(std::size_t byte) const {
    const std::size_t index = byte < first_byte ? 0 : std::min(byte - first_byte, column_of_byte.size() - 1);
    const std::size_t full = column_of_byte[index];
    return full < shift ? 0 : std::min(full - shift, row.width());
  }
};

ShownLine expand(std::string_view line, std::size_t first_byte) {
  ShownLine shown;
  shown.first_byte = first_byte;
  for (std::size_t i = 0; i < line.size();) {
    char32_t code_point = 0;
    const std::size_t length = std::max<std::size_t>(1, base::decode_utf8(line.substr(i), code_point));
    shown.column_of_byte.insert(shown.column_of_byte.end(), length, shown.row.width());
    if (line[i] == '\t') {
      do {
        shown.row.append(" ", 1);
      } while (shown.row.width() % kTabWidth != 0);
    } else {
      const std::string glyph = printable(line.substr(i, length));
      shown.row.append(glyph, display_width(glyph));
    }
    i += length;
  }
  shown.column_of_byte.push_back(shown.row.width());
  return shown;
}

bool continues_character(char c) { return (c & 0xC0) == 0x80; }

/// Shows the part of a line around its marks that fits into `width` columns.
ShownLine show_line(std::string_view line, const std::vector<Mark>& marks, std::size_t width) {
  const auto primary = std::find_if(marks.begin(), marks.end(), [](const Mark& mark) { return mark.is_primary; });
  const Mark& focus = primary != marks.end() ? *primary : marks.front();

  // A character has at most four bytes; what is further away from the focus than that cannot be shown. This keeps lines
  // of megabytes cheap.
  const std::size_t reach = 4 * width;
  std::size_t from = focus.begin > reach ? focus.begin - reach : 0;
  std::size_t to = std::min(line.size(), focus.begin + reach);
  while (from > 0 && continues_character(line[from])) --from;
  while (to < line.size() && continues_character(line[to])) ++to;
  ShownLine shown = expand(line.substr(from, to - from), from);
  const std::size_t total = shown.row.width();
  if (total <= width && from == 0 && to == line.size()) return shown;

  std::size_t left = shown.column(focus.begin);
  std::size_t right = shown.column(focus.end);
  for (const Mark& mark : marks) {
    const std::size_t wider_left = std::min(left, shown.column(mark.begin));
    const std::size_t wider_right = std::max(right, shown.column(mark.end));
    if (wider_right - wider_left > width - 2 * kCut.size()) continue;
    left = wider_left;
    right = wider_right;
  }
  right = std::min(right, left + width - 2 * kCut.size());

  std::size_t begin = 0;
  if (right + kCut.size() > width) {
    begin = left - std::min(left, (width - (right - left)) / 2);
    begin = std::min(begin, total > width ? total - width : 0);
  }
  const std::size_t end = std::min(total, begin + width);
  shown.row.crop(begin, end);
  shown.shift = begin;
  if (begin > 0 || from > 0) shown.row.put(0, kCut, Paint::Gutter);
  if (end < total || to < line.size()) {
    shown.row.put(shown.row.width() - std::min(shown.row.width(), kCut.size()), kCut, Paint::Gutter);
  }
  return shown;
}

// --- Marks and texts under a line
// --------------------------------------------------------------------------------------------------

/// The texts that start under one column, top to bottom.
struct TextBlock {
  std::size_t anchor = 0;  ///< the column of the mark
  std::size_t start = 0;   ///< the column of the text; left of the anchor if there is no room at the right
  std::size_t width = 0;
  std::vector<std::pair<std::string, Paint>> lines;
};

Paint paint_of(const Mark& mark, const Page& page) { return mark.is_primary ? page.primary : Paint::Label; }

Row draw_marks(std::vector<Mark> marks, const ShownLine& shown, const Page& page) {
  // Wide marks first, so that narrow ones stay visible on them.
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return a.end - a.begin != b.end - b.begin ? a.end - a.begin > b.end - b.begin : a.is_primary < b.is_primary;
  });
  Row row;
  for (const Mark& mark : marks) {
    const std::size_t begin = shown.column(mark.begin);
    const std::size_t end = std::max(begin + 1, shown.column(mark.end));
    row.put(begin, std::string(end - begin, mark.is_primary ? '^' : '~'), paint_of(mark, page));
  }
  return row;
}

/// The texts of a line, the rightmost first: that is the order in which they find room best.
std::vector<TextBlock> collect_texts(const std::vector<Mark>& marks, const ShownLine& shown, const Page& page,
                                     std::size_t width) {
  std::map<std::size_t, TextBlock> blocks;
  for (const Mark& mark : marks) {
    if (mark.text.empty()) continue;
    const std::size_t anchor = shown.column(mark.begin);
    TextBlock& block = blocks[anchor];
    block.anchor = anchor;
    const std::size_t room = std::max(width - std::min(width, anchor), std::min(width, kLeastColumns));
    for (std::string& line : wrap(mark.text, room)) {
      block.width = std::max(block.width, display_width(line));
      block.lines.emplace_back(std::move(line), paint_of(mark, page));
    }
  }
  std::vector<TextBlock> result;
  for (auto& [anchor, block] : blocks) {
    block.start = std::min(anchor, width - std::min(width, block.width));
    result.push_back(std::move(block));
  }
  std::reverse(result.begin(), result.end());
  return result;
}

/// Whether a block can stand at `top`: its own cells are free with a blank or two around, and so is the way up to its
/// mark.
bool fits(const TextBlock& block, std::size_t top, const std::vector<Row>& rows) {
  for (std::size_t r = 0; r < std::min(rows.size(), top + block.lines.size()); ++r) {
    const bool is_text = r >= top;
    const std::size_t begin = is_text ? block.start : block.anchor;
    const std::size_t end = is_text ? block.start + block.width + 2 : block.anchor + 1;
    const std::size_t gap = is_text && begin > 0 ? 1 : 0;
    if (!rows[r].is_blank(begin - gap, end)) return false;
  }
  return true;
}

/// Lays the texts out below the marks, each as high as it finds room, joined to its mark by `|`.
std::vector<Row> draw_texts(const std::vector<TextBlock>& blocks) {
  std::vector<Row> rows;
  for (const TextBlock& block : blocks) {
    std::size_t top = 0;
    while (top < rows.size() && !fits(block, top, rows)) ++top;
    if (rows.size() < top + block.lines.size()) rows.resize(top + block.lines.size());
    for (std::size_t r = 0; r < top; ++r) {
      if (rows[r].is_blank(block.anchor, block.anchor + 1)) rows[r].put(block.anchor, "|", block.lines.front().second);
    }
    for (std::size_t i = 0; i < block.lines.size(); ++i) {
      rows[top + i].put(block.start, block.lines[i].first, block.lines[i].second);
    }
  }
  return rows;
}

// --- The whole
// ---------------------------------------------------------------------------------------------------------------------

void write_row(std::string& out, const Page& page, std::string_view number, const Row& row) {
  std::string gutter = "  " + std::string(page.gutter_width - number.size(), ' ');
  gutter += number;
  gutter += " |";
  out += painted(gutter, Paint::Gutter, page.options.colour);
  const std::string text = row.text(page.options.colour);
  if (!text.empty()) out += ' ' + text;
  out += '\n';
}

void write_line(std::string& out, const Page& page, FileId file, std::uint32_t line, const std::vector<Mark>& marks) {
  const std::size_t width = std::max(page.options.max_columns, kLeastColumns) - page.gutter_width - 5;
  const std::vector<Mark> focus = marks.empty() ? std::vector<Mark>(1) : marks;
  const ShownLine shown = show_line(page.sources.line(file, line), focus, width);
  write_row(out, page, std::to_string(line), shown.row);
  if (marks.empty()) return;
  write_row(out, page, "", draw_marks(marks, shown, page));
  for (const Row& row : draw_texts(collect_texts(marks, shown, page, width))) write_row(out, page, "", row);
}

void write_file(std::string& out, const Page& page, const FileMarks& marks) {
  std::uint32_t previous = 0;
  for (const auto& [line, on_line] : marks.lines) {
    if (previous != 0 && line == previous + 2) {
      write_line(out, page, marks.file, line - 1, {});
    } else if (previous != 0 && line > previous + 2) {
      out += painted("  ...", Paint::Gutter, page.options.colour) + '\n';
    }
    write_line(out, page, marks.file, line, on_line);
    previous = line;
  }
}

std::string place_of(const Sources& sources, FileId file, std::uint32_t offset) {
  const Position position = sources.position(file, offset);
  return printable(sources.path(file)) + ':' + std::to_string(position.line) + ':' + std::to_string(position.column);
}

/// `blame   the text (file:12)`.
void write_part(std::string& out, const Page& page, const Part& part) {
  constexpr std::size_t kNames = 8;  // columns of the names
  const std::string blanks(kNames - std::min(kNames, part.name.size()), ' ');
  out += "  " + painted(part.name, Paint::Label, page.options.colour) + blanks + printable(part.text);
  if (part.span.file) {
    const std::uint32_t line = page.sources.position(part.span.file, part.span.begin).line;
    out += " (" + printable(page.sources.path(part.span.file)) + ':' + std::to_string(line) + ')';
  }
  out += '\n';
}

std::string count_of(std::size_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + std::string(noun) + (number == 1 ? "" : "s");
}

}  // namespace

std::string render(const Diagnostic& diagnostic, const Sources& sources, const RenderOptions& options) {
  const bool is_error = diagnostic.severity() == Severity::Error;
  const std::vector<FileMarks> files = collect_marks(diagnostic, sources);
  std::uint32_t last_line = 1;
  for (const FileMarks& file : files) last_line = std::max(last_line, file.lines.rbegin()->first);
  const Page page = {sources, options, is_error ? Paint::Error : Paint::Warning, std::to_string(last_line).size()};

  std::string out =
      painted(place_of(sources, diagnostic.span.file, diagnostic.span.begin) + ':', Paint::Strong, options.colour);
  const std::string heading = (is_error ? "error[" : "warning[") + std::string(info(diagnostic.kind).name) + "]:";
  out += ' ' + painted(heading, page.primary, options.colour);
  out += ' ' + painted(printable(diagnostic.message), Paint::Strong, options.colour) + '\n';
  for (const FileMarks& file : files) {
    if (&file != &files.front()) out += "  in " + place_of(sources, file.file, file.first_offset) + '\n';
    write_file(out, page, file);
  }
  for (const Part& part : diagnostic.parts) write_part(out, page, part);
  for (const std::string& hint : diagnostic.hints) {
    std::string_view lead = diagnostic.parts.empty() ? "hint: " : "hint    ";
    for (std::string_view line : base::split_lines(hint)) {
      out += "  " + painted(lead, Paint::Hint, options.colour) + printable(line) + '\n';
      lead = diagnostic.parts.empty() ? "      " : "        ";
    }
  }
  return out;
}

std::string render(std::span<const Diagnostic> diagnostics, const Sources& sources, const RenderOptions& options) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics) {
    if (!out.empty()) out += '\n';
    out += render(diagnostic, sources, options);
  }
  return out;
}

std::string summary(const Counts& counts) {
  std::string text;
  if (counts.errors > 0) text = count_of(counts.errors, "error");
  if (counts.warnings > 0) text += (text.empty() ? "" : ", ") + count_of(counts.warnings, "warning");
  if (counts.omitted > 0) text += " and " + std::to_string(counts.omitted) + " more";
  return text;
}

}  // namespace hyla::diag
