#include "base/pages.h"

#include <numeric>

#include <gtest/gtest.h>

namespace hyla::base {
namespace {

TEST(Pages, ElementsStayWhereTheyAre) {
  Pages<int, 2> list;
  int& first = list.emplace_back();
  first = 7;
  for (int i = 1; i < 100; ++i) list.emplace_back() = i;
  EXPECT_EQ(&first, &list[0]);
  EXPECT_EQ(list.front(), 7);
  EXPECT_EQ(list.size(), 100U);
  EXPECT_EQ(list[99], 99);
}

TEST(Pages, AreWalkedThroughInOrder) {
  Pages<int, 2> list;
  EXPECT_TRUE(list.begin() == list.end());
  for (int i = 0; i < 10; ++i) list.emplace_back() = i;
  const Pages<int, 2>& same = list;
  EXPECT_EQ(std::accumulate(same.begin(), same.end(), 0), 45);
  for (int& element : list) element *= 2;
  EXPECT_EQ(*++list.begin(), 2);
}

}  // namespace
}  // namespace hyla::base
