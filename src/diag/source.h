// Source files and places in them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"

namespace hyla::diag {

using FileId = base::Id<struct FileTag>;

/// A half-open range of bytes of one file.
struct Span {
  FileId file;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  friend bool operator==(const Span&, const Span&) = default;
};

/// The span from the start of `first` to the end of `last`; both in one file.
Span join(Span first, Span last);

/// Line and column, both counted from 1; the column counts characters (code points), not bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// Owns the texts of all files of a compilation. Texts never move or change once added, so views into them stay valid
/// as long as the Sources.
class Sources {
 public:
  FileId add(std::string path, std::string text);

  std::size_t size() const { return files_.size(); }
  const std::string& path(FileId id) const { return files_[id.index].path; }
  std::string_view text(FileId id) const { return files_[id.index].text; }
  std::string_view text(Span span) const { return text(span.file).substr(span.begin, span.end - span.begin); }
  Position position(FileId id, std::uint32_t offset) const;
  std::uint32_t line_count(FileId id) const;
  /// The text of a line counted from 1, without its line break.
  std::string_view line(FileId id, std::uint32_t line) const;
  std::uint32_t line_start(FileId id, std::uint32_t line) const;

 private:
  struct File {
    std::string path;
    std::string text;
    mutable std::vector<std::uint32_t> line_starts;  ///< found when first asked for: most files have no messages
    /// The last place asked for. Places come in order, so this keeps the cost of many places on one endless line
    /// linear.
    mutable std::uint32_t last_offset = 0;
    mutable Position last_position;
  };
  const std::vector<std::uint32_t>& line_starts(FileId id) const;

  std::deque<File> files_;  ///< a deque, so that texts stay where they are
};

}  // namespace hyla::diag
