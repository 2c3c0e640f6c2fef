// No box is lost: after a run, however it ended, the boxes alive are those that the world refers to, and each counts as
// many references as there are. So destroying the world releases them all.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "service/box_references.h"
#include "service/run_testing.h"
#include "service/testing.h"

namespace hyla::service {
namespace {

/// All `.hyla` files in a folder and the folders in it.
std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> result;
  for (const std::string& name : Disk().names_in(folder)) {
    if (name.ends_with(".hyla")) {
      result.push_back(folder + name);
    } else if (name.find('.') == name.npos) {
      for (const std::string& inner : files_in(folder + name + "/")) result.push_back(inner);
    }
  }
  return result;
}

/// Runs the file and looks for lost boxes. Gives the number of boxes at the end, or -1 if this version cannot run it.
int boxes_after(const std::string& path, double stop_time) {
  const CheckedText text(Disk(), path);
  EXPECT_TRUE(text.good()) << path << text.errors();
  if (!text.good()) return -1;
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  if (!world) return -1;
  EXPECT_EQ(world->heap.live(), References(*world).boxes()) << path << " before the run";
  engine::RunOptions options;
  options.stop_time = stop_time;
  options.queue_limit = 5;
  options.object_limit = 1000;  // so that those which make objects without end do so soon
  engine::run(*world, options, nullptr, sink);
  const References references(*world);
  EXPECT_EQ(world->heap.live(), references.boxes()) << path;
  EXPECT_EQ(references.miscounted(), 0u) << path;
  return static_cast<int>(references.boxes());
}

struct Survey {
  int runs = 0, boxes = 0;
};

Survey survey(const std::string& folder, double stop_time) {
  Survey result;
  for (const std::string& path : files_in(folder)) {
    if (path.ends_with("endless_while.hyla")) continue;  // takes seconds and makes no boxes
    const int boxes = boxes_after(path, stop_time);
    if (boxes < 0) continue;
    ++result.runs;
    result.boxes += boxes;
  }
  return result;
}

TEST(Leaks, NoneInTheExamples) {
  const Survey result = survey("examples/", 500);
  EXPECT_GE(result.runs, 8);
  EXPECT_GT(result.boxes, 0) << "there was something to lose";
}

TEST(Leaks, NoneInTheCasesForCharts) {
  const Survey result = survey("tests/charts/", 100);
  EXPECT_GE(result.runs, 100);
  EXPECT_GT(result.boxes, 0);
}

TEST(Leaks, NoneWhereRunsFail) {
  const Survey result = survey("tests/run_failures/", 10);
  EXPECT_GE(result.runs, 20);
  EXPECT_GT(result.boxes, 0);
}

}  // namespace
}  // namespace hyla::service
