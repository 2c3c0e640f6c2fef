#include "record/events.h"

#include <map>

#include <gtest/gtest.h>

#include "record/testing.h"

namespace hyla::record {
namespace {

constexpr std::string_view kHeader = R"({"hyla":"events","version":1,"model":"Room","seed":7})"
                                     "\n";

std::string with_header(std::string_view lines) { return std::string(kHeader) + std::string(lines); }

TEST(Events, ReadsBackWhatTheLogHasWritten) {
  Memory memory;
  {
    EventLog log(memory, {"Room", 7});
    LogEntry entry;
    entry.sequence = 1;
    entry.kind = "start";
    entry.object = "Room.lamp";
    entry.to = "Off";
    log.add(entry);
    log.add({4, 0.1, 2, "transition", "Room.lamp", "c", "Off", "Lit \"x\"", "on@8", "button.Press", R"({"a":[1,"}"]})",
             "p", 1, "on", "t", "x > 1", "Room", "room.hyla:8"});
    entry = {};
    entry.sequence = 9;
    entry.time = 10;
    entry.kind = "stop";
    entry.object = "Room";
    log.add(entry);
  }
  const auto read = read_events("f", memory.text());
  ASSERT_TRUE(read.ok()) << read.message();
  const Events& events = read.value();
  EXPECT_EQ(events.model, "Room");
  EXPECT_EQ(events.seed, 7U);
  EXPECT_TRUE(events.is_complete);
  EXPECT_TRUE(events.notes.empty());
  ASSERT_EQ(events.entries.size(), 3U);
  EXPECT_EQ(events.find(4), &events.entries[1]);
  EXPECT_EQ(events.find(5), nullptr);
  // Written again, it is the same file.
  Memory again;
  {
    EventLog log(again, {events.model, events.seed});
    for (const LogEntry& entry : events.entries) log.add(entry);
  }
  EXPECT_EQ(again.text(), memory.text());
}

TEST(Events, LeavesOutALastLineThatWasCutOff) {
  const auto read = read_events("f", with_header(R"({"seq":1,"t":0,"step":0,"kind":"start","object":"A"})"
                                                 "\n{\"seq\":2,\"t"));
  ASSERT_TRUE(read.ok()) << read.message();
  EXPECT_EQ(read.value().entries.size(), 1U);
  EXPECT_FALSE(read.value().is_complete);
  EXPECT_EQ(read.value().notes, (std::vector<std::string>{"f:3: the last line was cut off and is left out",
                                                          "f: the run has not come to its end, or was killed"}));
}

TEST(Events, SaysWhatMakesNoSense) {
  const std::map<std::string, std::string> cases = {
      {"", "f:1: this is not an events file: its first line is missing"},
      {"{\"hyla\":\"ev", "f:1: this is not an events file: its first line is missing"},
      {"time,a\n", "f:1: expected `{` at column 1"},
      {"{\"hyla\":\"checkpoint\"}\n", "f:1: this is not an events file"},
      {"{\"hyla\":\"events\",\"version\":2}\n", "f:1: the file has version 2, and this program reads version 1"},
      {with_header("\n"), "f:2: expected `{` at column 1"},
      {with_header("{\"seq\":\"x\"}\n"), "f:2: expected a whole number at column 8"},
      {with_header("{\"t\":0,\"kind\":\"start\"}\n"), "f:2: an event has no `seq`"},
      {with_header("{\"seq\":1,\"kind\":\"start\"}\n"), "f:2: an event has no `t`"},
      {with_header("{\"seq\":1,\"t\":0}\n"), "f:2: an event has no `kind`"},
      {with_header("{\"seq\":1,\"t\":0,\"kind\":\"start\"}\n"), "f:2: an event has no `object`"},
      {with_header(R"({"seq":2,"t":0,"kind":"a","object":"A"})"
                   "\n"
                   R"({"seq":2,"t":0,"kind":"a","object":"A"})"
                   "\n"),
       "f:3: the event 2 follows 2"},
  };
  for (const auto& [text, message] : cases) {
    const auto read = read_events("f", text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.message(), message);
  }
}

}  // namespace
}  // namespace hyla::record
