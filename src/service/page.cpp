#include "service/page.h"

#include <algorithm>

#include "base/text.h"
#include "diag/display.h"

namespace hyla::service {
namespace {

constexpr std::string_view kFence = "```";
constexpr std::string_view kCodeIndent = "    ";

/// Takes the next line off `rest`, without its line break.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

/// Takes lines up to the closing fence; the result has their line breaks.
std::string_view take_code(std::string_view& rest) {
  const std::string_view start = rest;
  while (!rest.empty()) {
    const std::size_t length = start.size() - rest.size();
    if (take_line(rest).starts_with(kFence)) return start.substr(0, length);
  }
  return start;
}

/// Takes the remaining lines of the paragraph that began at `start`.
std::string_view take_paragraph(std::string_view start, std::string_view& rest) {
  while (!rest.empty() && rest.front() != '\n' && rest.front() != '#' && !rest.starts_with(kFence)) take_line(rest);
  return base::trim(start.substr(0, start.size() - rest.size()));
}

}  // namespace

std::vector<Block> split_page(std::string_view page) {
  std::vector<Block> blocks;
  std::string_view rest = page;
  while (!rest.empty()) {
    const std::string_view start = rest;
    const std::string_view line = take_line(rest);
    if (base::trim(line).empty()) continue;
    if (line.starts_with(kFence)) {
      const std::string_view info = base::trim(line.substr(kFence.size()));
      blocks.push_back({Block::Form::Code, info, take_code(rest)});
    } else if (line.starts_with('#')) {
      const std::size_t text = std::min(line.find_first_not_of('#'), line.size());
      blocks.push_back({Block::Form::Heading, {}, base::trim(line.substr(text))});
    } else {
      blocks.push_back({Block::Form::Paragraph, {}, take_paragraph(start, rest)});
    }
  }
  return blocks;
}

std::string show_page(std::string_view page, std::size_t width, bool colour) {
  std::string out;
  for (const Block& block : split_page(page)) {
    if (!out.empty()) out += '\n';
    switch (block.form) {
      case Block::Form::Heading:
        out += diag::painted(diag::printable(block.text), diag::Paint::Strong, colour) + '\n';
        break;
      case Block::Form::Paragraph: {
        std::string joined(block.text);
        std::replace(joined.begin(), joined.end(), '\n', ' ');
        for (const std::string& line : diag::wrap(joined, width)) out += line + '\n';
        break;
      }
      case Block::Form::Code:
        for (std::string_view line : base::split_lines(block.text)) {
          if (!line.empty()) out += std::string(kCodeIndent) + std::string(line);
          out += '\n';
        }
        break;
    }
  }
  return out;
}

}  // namespace hyla::service
