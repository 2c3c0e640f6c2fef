#include "service/load_native.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "code/graph.h"
#include "code/tape.h"

namespace hyla::service {
namespace {

code::Tape sine_of_sum() {
  code::Graph graph;
  const code::NodeId sum = graph.make(code::NodeOp::Add, graph.operand(0), graph.operand(1));
  const code::NodeId outputs[] = {graph.make(code::NodeOp::Sin, sum)};
  return code::record_tape(graph, outputs, 2);
}

// A build without LLVM has no library, and says so.
TEST(LoadNative, CompilesBesideTheProgramOrSaysWhyNot) {
  std::string why_not;
  const auto compiler = load_native_compiler(why_not);
  if (!compiler) {
    EXPECT_NE(why_not.find("llvm-19-dev"), std::string::npos) << why_not;
    return;
  }
  const code::Tape tape = sine_of_sum();
  const code::NativeCode native(*compiler, tape);
  compiler->wait();
  ASSERT_EQ(compiler->trouble(), "");
  ASSERT_TRUE(native.ready());
  double expected[] = {0.25, 0.5, 0}, values[] = {0.25, 0.5, 0};
  const std::uint32_t index[] = {0, 1, 2};
  code::run(tape, expected, index, 1);
  native.ready()(values, index, 1);
  EXPECT_EQ(values[2], expected[2]);
}

TEST(LoadNative, NamesTheMissingFile) {
  std::string why_not;
  EXPECT_FALSE(load_native_compiler(std::filesystem::path("/nowhere/libhyla_jit.so"), why_not));
  EXPECT_EQ(why_not, "there is no /nowhere/libhyla_jit.so");
}

TEST(LoadNative, TellsOfAFileThatIsNoLibrary) {
  std::string why_not;
  const auto compiler = load_native_compiler(std::filesystem::path("/proc/self/cmdline"), why_not);
  ASSERT_TRUE(compiler);
  const code::NativeCode native(*compiler, sine_of_sum());
  compiler->wait();
  EXPECT_FALSE(native.ready());
  EXPECT_NE(compiler->trouble().find("cannot load the compiler of native code"), std::string::npos);
  EXPECT_EQ(compiler->statistics().failed, 1u);
}

}  // namespace
}  // namespace hyla::service
