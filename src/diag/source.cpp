#include "diag/source.h"

#include <algorithm>

namespace hyla::diag {

Span join(Span first, Span last) {
  HYLA_CHECK(first.file == last.file, "spans of two files cannot be joined");
  return {first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

FileId Sources::add(std::string path, std::string text) {
  files_.push_back({std::move(path), std::move(text), {}, 0, {}});
  return FileId(files_.size() - 1);
}

const std::vector<std::uint32_t>& Sources::line_starts(FileId id) const {
  const File& file = files_[id.index];
  if (file.line_starts.empty()) {
    file.line_starts.push_back(0);
    for (std::size_t i = file.text.find('\n'); i != std::string::npos; i = file.text.find('\n', i + 1)) {
      file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return file.line_starts;
}

Position Sources::position(FileId id, std::uint32_t offset) const {
  const File& file = files_[id.index];
  const std::vector<std::uint32_t>& starts = line_starts(id);
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  // Continuation bytes of UTF-8 (10xxxxxx) do not begin a character.
  const auto characters = [&](std::uint32_t begin, std::uint32_t end) {
    const std::string_view between = text(id).substr(begin, end - begin);
    return static_cast<std::uint32_t>(
        std::count_if(between.begin(), between.end(), [](char c) { return (c & 0xC0) != 0x80; }));
  };
  Position position = {static_cast<std::uint32_t>(after - starts.begin()), 1};
  const std::uint32_t start = *(after - 1);
  if (position.line != file.last_position.line || offset - start < file.last_offset / 2 - start / 2) {
    position.column += characters(start, offset);
  } else if (file.last_offset <= offset) {
    position.column = file.last_position.column + characters(file.last_offset, offset);
  } else {
    position.column = file.last_position.column - characters(offset, file.last_offset);
  }
  file.last_offset = offset;
  file.last_position = position;
  return position;
}

std::uint32_t Sources::line_count(FileId id) const { return static_cast<std::uint32_t>(line_starts(id).size()); }

std::uint32_t Sources::line_start(FileId id, std::uint32_t line) const { return line_starts(id)[line - 1]; }

std::string_view Sources::line(FileId id, std::uint32_t line) const {
  const std::uint32_t start = line_start(id, line);
  const bool is_last = line == line_count(id);
  std::string_view content = text(id).substr(start);
  if (!is_last) content = content.substr(0, line_start(id, line + 1) - 1 - start);
  if (content.ends_with('\r')) content.remove_suffix(1);
  return content;
}

}  // namespace hyla::diag
