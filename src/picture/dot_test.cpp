#include "picture/dot.h"

#include <gtest/gtest.h>

namespace hyla::picture {
namespace {

TEST(Dot, QuotesNames) {
  EXPECT_EQ(quoted("plant.tank"), "\"plant.tank\"");
  EXPECT_EQ(quoted("a\"b\\c\nd"), "\"a\\\"b\\\\c d\"");
}

TEST(Dot, TextCannotActAsMarkup) {
  EXPECT_EQ(escaped("</TD><script a='1'>&\"\n"), "&lt;/TD&gt;&lt;script a=&#39;1&#39;&gt;&amp;&quot; ");
  EXPECT_EQ(escaped("α ≤ β"), "α ≤ β");
}

TEST(Dot, NothingIsNotFramed) {
  EXPECT_EQ(small(""), "");  // Graphviz refuses a font around nothing
  EXPECT_EQ(code(""), "");
}

TEST(Dot, IndentsWhatIsOpen) {
  Dot dot;
  dot.open("digraph g");
  dot.line("a -> b");
  dot.close();
  EXPECT_EQ(dot.take(), "digraph g {\n  a -> b\n}\n");
}

}  // namespace
}  // namespace hyla::picture
