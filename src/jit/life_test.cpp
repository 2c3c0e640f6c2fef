// The life of kernels: memory that comes back, threads, chunks, cancelling.
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "jit/chunks.h"
#include "jit/testing.h"

namespace hyla::jit {
namespace {

double resident_megabytes() {
  std::ifstream file("/proc/self/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE)) / 1e6;
}

TEST(Life, ThousandsOfKernelsLeaveNoMemoryBehind) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "the sanitizer holds freed memory back, and looks for leaks itself";
#endif
  std::string why_not;
  const std::atomic<bool> cancelled = false;
  const auto backend = make_backend(why_not);
  ASSERT_TRUE(backend) << why_not;
  RandomSource random(1);
  const auto make_and_release = [&](int count) {
    for (int i = 0; i < count; ++i) {
      const code::Kernel kernel = backend->compile(random.tape(10, 3, 2, 2), {}, cancelled, why_not);
      ASSERT_TRUE(kernel) << why_not;
      backend->release(kernel);
    }
  };
  make_and_release(200);
  const double before = resident_megabytes();
  make_and_release(1000);
  EXPECT_LT(resident_megabytes() - before, 2);  // 35 kB each would be 35
}

TEST(Life, ManyThreadsAskAndRunAtOnce) {
  code::BackgroundCompiler compiler(make_backend);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0, native_runs = 0;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned i = 0; i < 40; ++i) {
        RandomSource random(i % 25);  // the threads meet in the same tapes
        const code::Tape tape = random.tape(20, 4, 2, 1);
        const std::vector<std::uint32_t> index = {0, 1, 2, 3, 4};
        std::vector<double> values = random.numbers(5), expected = values;
        code::run(tape, expected.data(), index.data(), 1);
        const code::NativeCode native(compiler, tape);
        if ((i + t) % 3 == 0) continue;  // some give up at once
        while (!native.ready()) std::this_thread::yield();
        native.ready()(values.data(), index.data(), 1);
        ++native_runs;
        if (!same(values[4], expected[4])) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(native_runs, 80);
  EXPECT_EQ(compiler.trouble(), "");
}

TEST(Life, EndsSoonInTheMiddleOfALongCode) {
  RandomSource random(1);
  code::BackgroundCompiler compiler(make_backend);
  compiler.compile(random.code(300000, 1000));  // many seconds, if it were not cancelled
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

TEST(Life, ACancelledCompilationGivesNoKernel) {
  std::string why_not;
  const std::atomic<bool> cancelled = true;
  const auto backend = make_backend(why_not);
  ASSERT_TRUE(backend) << why_not;
  EXPECT_FALSE(backend->compile(RandomSource(1).code(3000, 100), cancelled, why_not));
  EXPECT_EQ(why_not, "the compilation was cancelled");
}

TEST(Life, AnotherVersionIsRefused) {
  code::NativeFunctions functions = code::native_functions();
  ++functions.interface;
  std::string why_not;
  EXPECT_FALSE(hyla_native_backend(functions, why_not));
  EXPECT_EQ(why_not, "libhyla_jit.so belongs to another version of Hyla");
}

// --- chunks
// -----------------------------------------------------------------------------------------------------------

TEST(Chunks, CoverAllInstructionsInNearlyEqualParts) {
  for (const std::size_t length : {0u, 1u, 399u, 400u, 401u, 12345u}) {
    const std::vector<Chunk> chunks = cut(length, 400);
    std::size_t at = 0;
    for (const Chunk& chunk : chunks) {
      EXPECT_EQ(chunk.begin, at);
      EXPECT_LE(chunk.end - chunk.begin, 400u);
      at = chunk.end;
    }
    EXPECT_EQ(at, length);
    EXPECT_EQ(chunks.size(), length <= 400 ? 1u : (length + 399) / 400);
  }
}

TEST(Chunks, OnlyWhatIsReadLaterIsKept) {
  using enum code::NodeOp;
  code::Tape tape;
  tape.inputs = 1;
  tape.registers = 4;
  tape.instructions = {{Sin, 1, 0, 0, 0},   // read in its own chunk alone
                       {Cos, 2, 1, 0, 0},   // read in the next
                       {Add, 1, 2, 0, 0},   // written again before it is read
                       {Add, 1, 2, 2, 0},   // read in the last
                       {Exp, 3, 1, 0, 0}};  // an output, of the last chunk itself
  tape.outputs = {3};
  const std::vector<Chunk> chunks = {{0, 2}, {2, 4}, {4, 5}};
  EXPECT_EQ(find_kept(tape, chunks), (std::vector<bool>{false, true, false, true, false}));
  const code::Code code{.instructions = tape.instructions, .words = {}, .calls = {}};
  EXPECT_EQ(find_kept(code, chunks), (std::vector<bool>{false, true, false, true, true}));
}

}  // namespace
}  // namespace hyla::jit
