#include "diag/source.h"

#include <algorithm>

namespace hyla::diag {

Span join(Span first, Span last) {
  HYLA_CHECK(first.file == last.file, "spans of two files cannot be joined");
  return {first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

FileId Sources::add(std::string path, std::string text) {
  files_.push_back({std::move(path), std::move(text), {}});
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
  const std::vector<std::uint32_t>& starts = line_starts(id);
  const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
  const std::uint32_t start = *(after - 1);
  const std::string_view before = text(id).substr(start, offset - start);
  // Continuation bytes of UTF-8 (10xxxxxx) do not begin a character.
  const auto characters = std::count_if(before.begin(), before.end(), [](char c) { return (c & 0xC0) != 0x80; });
  return {static_cast<std::uint32_t>(after - starts.begin()), static_cast<std::uint32_t>(characters + 1)};
}

std::uint32_t Sources::line_count(FileId id) const { return static_cast<std::uint32_t>(line_starts(id).size()); }

std::uint32_t Sources::line_start(FileId id, std::uint32_t line) const { return line_starts(id)[line - 1]; }

std::string_view Sources::line(FileId id, std::uint32_t line) const {
  const std::uint32_t start = line_start(id, line);
  std::string_view rest = text(id).substr(start);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

}  // namespace hyla::diag
