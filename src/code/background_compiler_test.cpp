// The queue, with a backend that makes no code: kernels are known functions, one for each request.
#include "code/background_compiler.h"

#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hyla::code {
namespace {

void kernel_of_codes(double* values, const std::uint32_t*, std::size_t) { values[0] = 1; }
void kernel_of_tapes(double* values, const std::uint32_t*, std::size_t) { values[0] = 2; }

/// What happened, and a gate that compilation waits at. Outlives the backend.
struct Log {
  std::mutex mutex;
  std::condition_variable changed;
  bool open = true;
  std::size_t compiled = 0, released = 0;

  void set_open(bool now) {
    const std::lock_guard lock(mutex);
    open = now;
    changed.notify_all();
  }
};

class FakeBackend : public NativeBackend {
 public:
  explicit FakeBackend(Log& log) : log_(log) {}
  Kernel compile(const Code&, const std::atomic<bool>&, std::string&) override { return pass(kernel_of_codes); }
  Kernel compile(const Tape& tape, Steps, const std::atomic<bool>&, std::string& why_not) override {
    if (tape.inputs == 13) why_not = "thirteen inputs";
    return tape.inputs == 13 ? nullptr : pass(kernel_of_tapes);
  }
  void release(Kernel) override {
    const std::lock_guard lock(log_.mutex);
    ++log_.released;
  }

 private:
  Kernel pass(Kernel kernel) {
    std::unique_lock lock(log_.mutex);
    log_.changed.wait(lock, [this] { return log_.open; });
    ++log_.compiled;
    return kernel;
  }
  Log& log_;
};

BackgroundCompiler::Load load_fake(Log& log) {
  return [&log](std::string&) { return std::make_unique<FakeBackend>(log); };
}

Code copy_from(std::uint32_t place) {
  return {.instructions = {{NodeOp::Operand, 0, place, 0, 0}}, .words = {}, .calls = {}};
}

TEST(BackgroundCompiler, MakesKernelsForCodesAndTapes) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  const NativeCode of_code(compiler, Code{}), of_tape(compiler, Tape{});
  compiler.wait();
  EXPECT_EQ(of_code.ready(), kernel_of_codes);
  EXPECT_EQ(of_tape.ready(), kernel_of_tapes);
}

TEST(BackgroundCompiler, DoesNotHoldUpWhoAsks) {
  Log log;
  log.open = false;
  BackgroundCompiler compiler(load_fake(log));
  const NativeCode native(compiler, copy_from(1));
  EXPECT_FALSE(native.ready());
  log.set_open(true);
  compiler.wait();
  EXPECT_TRUE(native.ready());
}

TEST(BackgroundCompiler, EqualRequestsShareOneKernel) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  std::vector<NativeCode> natives;
  for (int i = 0; i < 10; ++i) natives.emplace_back(compiler, copy_from(i < 5 ? 1 : 2));
  compiler.wait();
  EXPECT_EQ(compiler.statistics().asked, 10u);
  EXPECT_EQ(compiler.statistics().compiled, 2u);
}

TEST(BackgroundCompiler, ConstantsDifferByTheirBits) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  Tape plus, minus;
  plus.constants = {0.0};
  minus.constants = {-0.0};
  const NativeCode first(compiler, plus), second(compiler, minus), third(compiler, plus);
  compiler.wait();
  EXPECT_EQ(compiler.statistics().compiled, 2u);
}

TEST(BackgroundCompiler, KeepsSomeKernelsThatNobodyHolds) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  const std::uint32_t more = BackgroundCompiler::kMostIdle + 10;
  for (std::uint32_t i = 0; i < more; ++i) {
    const NativeCode native(compiler, copy_from(i));
    compiler.wait();
  }
  compiler.wait();
  EXPECT_EQ(compiler.statistics().held, BackgroundCompiler::kMostIdle);
  EXPECT_EQ(log.released, 10u);
  const NativeCode latest(compiler, copy_from(more - 1)), first(compiler, copy_from(0));
  EXPECT_TRUE(latest.ready());
  compiler.wait();
  EXPECT_EQ(log.compiled, more + 1);
}

TEST(BackgroundCompiler, WhatIsGivenBackBeforeItsTurnIsNotCompiled) {
  Log log;
  log.open = false;
  BackgroundCompiler compiler(load_fake(log));
  const NativeCode first(compiler, copy_from(1));
  { const NativeCode second(compiler, copy_from(2)); }
  log.set_open(true);
  compiler.wait();
  EXPECT_EQ(log.compiled, 1u);
  EXPECT_TRUE(first.ready());
}

TEST(BackgroundCompiler, TellsWhyAKernelWasNotMade) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  Tape tape;
  tape.inputs = 13;
  const NativeCode native(compiler, tape);
  compiler.wait();
  EXPECT_FALSE(native.ready());
  EXPECT_EQ(compiler.trouble(), "thirteen inputs");
  EXPECT_EQ(compiler.statistics().failed, 1u);
}

TEST(BackgroundCompiler, WithoutABackendNothingIsEverReady) {
  BackgroundCompiler compiler([](std::string& why_not) {
    why_not = "no backend today";
    return nullptr;
  });
  const NativeCode native(compiler, Code{});
  compiler.wait();
  EXPECT_FALSE(native.ready());
  EXPECT_EQ(compiler.trouble(), "no backend today");
}

TEST(BackgroundCompiler, ServesManyThreads) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  std::vector<std::thread> threads;
  for (std::uint32_t t = 0; t < 4; ++t) {
    threads.emplace_back([&compiler, t] {
      for (std::uint32_t i = 0; i < 500; ++i) const NativeCode native(compiler, copy_from((i + t) % 100));
    });
  }
  for (std::thread& thread : threads) thread.join();
  compiler.wait();
  EXPECT_EQ(compiler.statistics().asked, 2000u);
  EXPECT_LE(compiler.statistics().held, BackgroundCompiler::kMostIdle);
}

TEST(BackgroundCompiler, EndsWithWorkLeft) {
  Log log;
  BackgroundCompiler compiler(load_fake(log));
  for (std::uint32_t i = 0; i < 100; ++i) compiler.compile(copy_from(i));
}

}  // namespace
}  // namespace hyla::code
