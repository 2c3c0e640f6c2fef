#include "record/event_log.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/background_output.h"
#include "record/testing.h"

namespace hyla::record {
namespace {

LogEntry full_entry() {
  LogEntry entry;
  entry.sequence = 7;
  entry.time = 0.1;
  entry.step = 2;
  entry.kind = "transition";
  entry.object = "Plant.valve[2]";
  entry.chart = "light";
  entry.from = "light.On";
  entry.to = "light.Off";
  entry.reaction = "after@42";
  entry.message = "p.Job";
  entry.data = R"({"id":3})";
  entry.process = "serve";
  entry.cause = 5;
  entry.trigger = "after";
  entry.text = "say \"x\"\n";
  entry.condition = "x > 1";
  entry.sender = "Plant";
  entry.place = "plant.hyla:42";
  return entry;
}

constexpr std::string_view kHeader =
    "{\"hyla\":\"events\",\"version\":1,\"model\":\"Plant\",\"seed\":18446744073709551615}\n";

TEST(EventLog, WritesAllMembersInOrder) {
  Memory memory;
  EventLog log(memory, {"Plant", std::numeric_limits<std::uint64_t>::max()});
  log.add(full_entry());
  ASSERT_TRUE(log.flush());
  EXPECT_EQ(memory.text(), std::string(kHeader) +
                               R"({"seq":7,"t":0.1,"step":2,"kind":"transition","object":"Plant.valve[2]",)"
                               R"("chart":"light","from":"light.On","to":"light.Off","reaction":"after@42",)"
                               R"("condition":"x > 1","message":"p.Job","data":{"id":3},"sender":"Plant",)"
                               R"("process":"serve","cause":5,"trigger":"after","place":"plant.hyla:42",)"
                               R"("text":"say \"x\"\n"})"
                               "\n");
}

TEST(EventLog, LeavesOutWhatIsEmpty) {
  Memory memory;
  EventLog log(memory, {"Plant", 1});
  log.flush();
  memory.pieces.clear();
  LogEntry entry;
  entry.sequence = 1;
  entry.time = 1e300;
  entry.kind = "stop";
  entry.object = "Plant";
  log.add(entry);
  log.flush();
  EXPECT_EQ(memory.text(), "{\"seq\":1,\"t\":1e+300,\"step\":0,\"kind\":\"stop\",\"object\":\"Plant\"}\n");
}

TEST(EventLog, HandsOnWholeLines) {
  Memory memory;
  {
    EventLog log(memory, {"Plant", 1});
    for (int i = 0; i < 2000; ++i) log.add(full_entry());
  }
  EXPECT_GT(memory.pieces.size(), 4U);
  for (const std::string& piece : memory.pieces) EXPECT_EQ(piece.back(), '\n');
}

TEST(EventLog, StopsWritingAfterAFailure) {
  Memory memory;
  memory.room = 1;
  EventLog log(memory, {"Plant", 1});
  EXPECT_TRUE(log.flush());
  log.add(full_entry());
  EXPECT_FALSE(log.flush());
  EXPECT_TRUE(log.failed());
  memory.room = 10;
  log.add(full_entry());
  EXPECT_FALSE(log.flush());
  EXPECT_EQ(memory.pieces.size(), 1U);
}

TEST(BackgroundOutput, WritesTheSameBytes) {
  Memory direct;
  Memory target;
  {
    BackgroundOutput background(target);
    EventLog log(background, {"Plant", 1});
    EventLog reference(direct, {"Plant", 1});
    for (int i = 0; i < 20000; ++i) {
      log.add(full_entry());
      reference.add(full_entry());
    }
    reference.flush();
    log.flush();
    EXPECT_TRUE(background.finish());
  }
  EXPECT_GT(target.pieces.size(), BackgroundOutput::kMostWaiting);
  EXPECT_TRUE(target.text() == direct.text());
}

TEST(BackgroundOutput, TellsAFailureAndDoesNotHang) {
  Memory target;
  target.room = 2;
  BackgroundOutput background(target);
  for (int i = 0; i < 1000; ++i) background.write("line\n");
  EXPECT_FALSE(background.finish());
  EXPECT_FALSE(background.write("line\n"));
  EXPECT_EQ(target.pieces.size(), 2U);
}

}  // namespace
}  // namespace hyla::record
