#include "code/heap.h"

#include <gtest/gtest.h>

#include "model/test_builder.h"

namespace hyla::code {
namespace {

class Heaps : public testing::Test {
 protected:
  Heaps() {
    point = b.model.records.add(
        {b.symbol("P"), {}, {b.field("x", model::kReal), b.field("name", {model::TypeKind::String})}});
  }
  model::TestBuilder b;
  model::RecordId point;
};

TEST_F(Heaps, TheEmptyTextIsNoBox) {
  Heap heap(b.model);
  EXPECT_EQ(heap.new_text(""), nullptr);
  EXPECT_EQ(Heap::text(nullptr), "");
  Box* text = heap.new_text("a text of more than eight bytes");
  EXPECT_EQ(Heap::text(text), "a text of more than eight bytes");
  heap.release(text);
  EXPECT_EQ(heap.live(), 0U);
}

TEST_F(Heaps, ArraysKnowTheirDimensions) {
  Heap heap(b.model);
  const std::int64_t sizes[3] = {2, 3, 40};
  Box* array = heap.new_array(sizes, false);
  EXPECT_EQ(array->size, 240U);
  Box* same = heap.copy(array);
  for (const Box* box : {array, same}) {
    for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(dimension(box, i), sizes[i]);
    EXPECT_EQ(dimension(box, 3), 0);
  }
  EXPECT_TRUE(heap.same(array, same));
  same->slots()[239].real = 1;
  EXPECT_FALSE(heap.same(array, same));
  heap.release(array);
  heap.release(same);
  EXPECT_EQ(heap.live(), 0U);
}

TEST_F(Heaps, CopiesShareTheBoxesInside) {
  Heap heap(b.model);
  Box* record = heap.new_record(point);
  record->slots()[1].box = heap.new_text("name");
  Box* other = heap.copy(record);
  EXPECT_EQ(other->slots()[1].box, record->slots()[1].box);
  EXPECT_EQ(heap.live(), 3U);
  heap.release(record);
  EXPECT_EQ(Heap::text(other->slots()[1].box), "name");
  heap.release(other);
  EXPECT_EQ(heap.live(), 0U);
}

TEST_F(Heaps, BoxesAreEqualByContent) {
  Heap heap(b.model);
  Box* one = heap.new_record(point);
  Box* other = heap.new_record(point);
  one->slots()[1].box = heap.new_text("name");
  other->slots()[1].box = heap.new_text("name");
  EXPECT_TRUE(heap.same(one, other));
  other->slots()[0].real = 2;
  EXPECT_FALSE(heap.same(one, other));
  heap.release(one);
  heap.release(other);
  EXPECT_EQ(heap.live(), 0U);
}

}  // namespace
}  // namespace hyla::code
