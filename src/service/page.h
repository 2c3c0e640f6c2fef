// A page of documentation as a list of blocks: the part of Markdown that the pages in docs/diagnostics/ use.
//
// Headings, paragraphs and fenced code; nothing nests. `hyla explain` shows such pages on a terminal, and the tests
// take their examples from the fenced blocks.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::service {

struct Block {
  enum class Form { Heading, Paragraph, Code };
  Form form = Form::Paragraph;
  std::string_view info;  ///< behind the opening fence: `hyla`, `hyla flow.hyla`, `text`
  std::string_view text;  ///< a heading without its `#`; code with all its line breaks
};

/// Splits a page. The blocks refer to `page`.
std::vector<Block> split_page(std::string_view page);

/// The page for a terminal: paragraphs filled to `width` columns, code indented, marks of Markdown removed where they
/// only disturb.
std::string show_page(std::string_view page, std::size_t width, bool colour);

}  // namespace hyla::service
