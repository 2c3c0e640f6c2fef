#include "syntax/format_document.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace hyla::syntax {
namespace {

/// Builds a document whose texts are cut from the front of a source, one after the other.
class Builder {
 public:
  explicit Builder(std::string_view source) : document(source) {}
  Builder& text(std::uint32_t length) {
    document.text(at_, at_ + length);
    at_ += length;
    return *this;
  }

  Document document;

 private:
  std::uint32_t at_ = 0;
};

/// `head(`, three arguments of a width each, `)`.
std::string print_call(std::uint32_t width, Document::Line between) {
  const std::string source =
      "head(" + std::string(width, 'a') + "," + std::string(width, 'b') + "," + std::string(width, 'c') + ")";
  Builder builder(source);
  builder.text(5);
  Document& document = builder.document;
  document.open_group();
  document.indent();
  document.line(Document::Line::Soft);
  builder.text(width + 1);
  document.line(between);
  builder.text(width + 1);
  document.line(between);
  builder.text(width);
  document.dedent();
  document.line(Document::Line::Soft);
  builder.text(1);
  document.close_group();
  return document.print();
}

TEST(Document, KeepsAGroupThatFitsOnOneLine) {
  const std::string a(30, 'a');
  const std::string b(30, 'b');
  const std::string c(30, 'c');
  EXPECT_EQ(print_call(30, Document::Line::Space), "head(" + a + ", " + b + ", " + c + ")\n");
  EXPECT_EQ(print_call(30, Document::Line::Fill), "head(" + a + ", " + b + ", " + c + ")\n");
}

TEST(Document, BreaksAllLinesOfAGroupThatDoesNotFit) {
  const std::string a(31, 'a');
  const std::string b(31, 'b');
  const std::string c(31, 'c');
  EXPECT_EQ(print_call(31, Document::Line::Space), "head(\n    " + a + ",\n    " + b + ",\n    " + c + "\n)\n");
}

TEST(Document, FillsLines) {
  const std::string a(40, 'a');
  const std::string b(40, 'b');
  const std::string c(40, 'c');
  EXPECT_EQ(print_call(40, Document::Line::Fill), "head(\n    " + a + ", " + b + ",\n    " + c + "\n)\n");
}

TEST(Document, BreaksGroupsThatHoldAnEndOfLine) {
  Builder builder("abc");
  Document& document = builder.document;
  document.open_group();
  builder.text(1);
  document.line(Document::Line::Space);
  document.open_group();
  builder.text(1);
  document.end_line({.blank = true, .hanging = true});
  builder.text(1);
  document.close_group();
  document.close_group();
  EXPECT_EQ(document.print(), "a\nb\n\n    c\n");
}

TEST(Document, LeavesLineCommentsOutOfAccount) {
  const std::string source = "ab//" + std::string(200, '-');
  Builder builder(source);
  Document& document = builder.document;
  document.open_group();
  builder.text(1);
  document.line(Document::Line::Space);
  builder.text(1);
  document.close_group();
  document.line_comment(2, static_cast<std::uint32_t>(source.size()));
  EXPECT_EQ(document.print(), "a b  " + source.substr(2) + "\n");
}

TEST(Document, MovesTheLinesOfAComment) {
  const std::string_view source = "x\n  /* a\n\n\t  b\n c */";
  Document document(source);
  document.text(0, 1);
  document.indent();
  document.end_line({});
  document.block_comment(4, static_cast<std::uint32_t>(source.size()));
  EXPECT_EQ(document.print(), "x\n    /* a\n\n        b\n   c */\n");
}

TEST(Document, IndentsTheLinesThatFollow) {
  Builder builder("abc");
  Document& document = builder.document;
  builder.text(1);
  document.end_line({});
  document.indent();
  builder.text(1);
  document.end_line({});
  builder.text(1);
  EXPECT_EQ(document.print(), "a\nb\n    c\n");
}

}  // namespace
}  // namespace hyla::syntax
