// Objects and connections that come and go: random programs against a direct reading of the rules, with lists.
#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/box_references.h"
#include "service/run_testing.h"

namespace hyla::service {
namespace {

constexpr std::string_view kNode = R"(
message Go;
model Part {
    port p receives Go;
    output heard := 0;
    on p.Go { heard := heard + 1; }
}
model Node {
    parameter id: Integer;
    parameter label: String = "";
    port p receives Go;
    input u := 0;
    object part: Part;
    output heard = part.heard;
    connect p -- part.p;
}
)";

constexpr std::string_view kReport =
    "print(nodes.size, sum(m.id for m in nodes), sum(m.heard for m in nodes), sum(m.u for m in nodes));";

/// What the program does, one action a second, and what the rules say about it.
class Story {
 public:
  explicit Story(std::mt19937_64& random) : random_(random) {}

  void write(int actions) {
    for (time_ = 1; time_ <= actions; ++time_) {
      act();
      text_ += fmt::format("    at {}.5 {{ {} }}\n", time_, kReport);
      report();
    }
  }
  std::string text() const {
    return fmt::format(
        "{}model Case {{\n    port out sends Go;\n    discrete x := 0;\n    population nodes: Node;\n{}}}\n", kNode,
        text_);
  }
  const std::string& expected() const { return expected_; }
  int made() const { return made_; }

 private:
  struct Member {
    int id = 0;
    int joins = 0;  ///< of its port with `out`
    int heard = 0;
    bool follows = false;  ///< its input follows x
    double u = 0;
  };

  void say(const std::string& actions) { text_ += fmt::format("    at {} {{ {} }}\n", time_, actions); }
  void say(const Member& member, const std::string& actions) {
    say(fmt::format("let m = nodes.first(where (m) m.id == {}); {}", member.id, actions));
  }

  void act() {
    const std::uint64_t what = members_.empty() ? 0 : random_() % 9;
    if (what < 2) return create();
    const std::size_t which = random_() % members_.size();
    Member& member = members_[which];
    switch (what) {
      case 2:
        say(member, "delete m;");
        members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(which));
        return;
      case 3:
        say(member, "connect out -- m.p;");
        ++member.joins;
        return;
      case 4:
        if (member.joins == 0) return send();
        say(member, "disconnect m.p -- out;");
        --member.joins;
        return;
      case 5:
        say(member, member.follows ? "disconnect x -> m.u;" : "connect x -> m.u;");
        member.follows = !member.follows;
        if (member.follows) member.u = x_;
        return;
      case 6:
        x_ = static_cast<double>(random_() % 100);
        say(fmt::format("x := {};", x_));
        for (Member& one : members_) one.u = one.follows ? x_ : one.u;
        return;
      default:
        return send();
    }
  }
  void create() {
    say(fmt::format("let m = new Node(id = {0}, label = \"node \" + string({0})) in nodes;", time_));
    members_.push_back({time_, 0, 0, false, 0});
    ++made_;
  }
  /// A message reaches each receiver once, however often they are joined.
  void send() {
    say("send out.Go;");
    for (Member& member : members_) member.heard += member.joins > 0 ? 1 : 0;
  }
  void report() {
    int ids = 0, heard = 0;
    double u = 0;
    for (const Member& member : members_) {
      ids += member.id;
      heard += member.heard;
      u += member.u;
    }
    expected_ += fmt::format("{} {} {} {}\n", members_.size(), ids, heard, u);
  }

  std::mt19937_64& random_;
  int time_ = 0, made_ = 0;
  double x_ = 0;
  std::vector<Member> members_;
  std::string text_, expected_;
};

TEST(StructureRandom, ObjectsAndConnectionsFollowTheRules) {
  std::mt19937_64 random(1);
  int made = 0;
  for (int i = 0; i < 60; ++i) {
    Story story(random);
    story.write(80);
    ASSERT_EQ(printed(story.text(), 100), story.expected()) << "program " << i << story.text();
    made += story.made();
  }
  EXPECT_GT(made, 500);
}

TEST(StructureRandom, NothingIsLost) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 10; ++i) {
    Story story(random);
    story.write(80);
    const CheckedText text(story.text());
    ASSERT_TRUE(text.good()) << text.errors();
    diag::Sink sink;
    const auto world = text.build(text.request(1), sink);
    ASSERT_TRUE(world != nullptr);
    engine::RunOptions options;
    options.stop_time = 100;
    engine::run(*world, options, nullptr, sink);
    const References references(*world);
    EXPECT_EQ(world->heap.live(), references.boxes());
    EXPECT_EQ(references.miscounted(), 0U);
  }
}

/// Numbers and memory are used again: as many places as objects at one time.
TEST(StructureRandom, PlacesAreUsedAgain) {
  const CheckedText text(R"(
    message Go;
    model Node {
        port p receives Go;
        mailbox box: Go;
        tally t;
        object part: Part;
        after 2.5 { delete this; }
    }
    model Part {
        port p receives Go;
        population inner: Leaf;
        at 0 { let l = new Leaf in inner; }
    }
    model Leaf { }
    model Case {
        population nodes: Node;
        every 1 { let m = new Node in nodes; }
    })");
  ASSERT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  ASSERT_TRUE(world != nullptr);
  engine::RunOptions options;
  options.stop_time = 1000;
  const engine::RunOutcome outcome = engine::run(*world, options, nullptr, sink);
  EXPECT_EQ(outcome.ending, engine::Ending::StopTime) << diag::render(sink.sorted(), text.sources());
  EXPECT_LE(world->objects.size(), 1U + 3 * 4);
  EXPECT_LE(world->ports.size(), 2U * 4);
  EXPECT_LE(world->mailboxes.size(), 4U);
  EXPECT_LE(world->statistics.size(), 4U);
  EXPECT_LE(world->populations.size(), 1U + 4);
}

}  // namespace
}  // namespace hyla::service
