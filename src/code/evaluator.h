// The second tier of evaluation: native code for hot tapes and codes, and the roles through which it is had without
// knowing who makes it.
//
//   NativeCompiler  what the engine uses: ask for code, go on with `run` until it is ready, give it back
//   NativeBackend   what src/jit provides: makes one kernel at a time, on the thread that asks
//
// Native code gives the same bits as `run`, so it does not matter when the engine changes from one to the other.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "code/tape.h"

namespace hyla::code {

/// One piece of native code; its kernel is null until it is made, and stays so if it cannot be made.
struct NativeUnit {
  std::atomic<Kernel> kernel = nullptr;
};

struct NativeStatistics {
  std::size_t asked = 0;     ///< calls of `compile`
  std::size_t compiled = 0;  ///< kernels made; fewer, because equal requests share one
  std::size_t failed = 0;    ///< kernels that could not be made
  std::size_t held = 0;      ///< kernels in memory now
  double seconds = 0;        ///< spent compiling, loading of the compiler included
};

/// Can be used by several threads at once.
class NativeCompiler {
 public:
  using Ticket = const NativeUnit*;

  NativeCompiler() = default;
  NativeCompiler(const NativeCompiler&) = delete;
  NativeCompiler& operator=(const NativeCompiler&) = delete;
  virtual ~NativeCompiler() = default;

  /// Copies what is to be compiled and returns at once. A kernel for a code is called with (values, nullptr, 1), one
  /// for a tape with (values, index, count), where no instance reads what another one writes; with `steps` as `run`
  /// has them. Every ticket is given back once with `release`.
  virtual Ticket compile(const Code& code) = 0;
  virtual Ticket compile(const Tape& tape, Steps steps) = 0;
  /// Nobody may be inside the ticket's kernel any more, as far as this ticket goes.
  virtual void release(Ticket ticket) = 0;
  /// Returns when nothing is left to be compiled.
  virtual void wait() = 0;
  /// Why kernels could not be made; empty if all could.
  virtual std::string trouble() const = 0;
  virtual NativeStatistics statistics() const = 0;

  /// Null until the code is made. Costs one load.
  static Kernel ready(Ticket ticket) { return ticket->kernel.load(std::memory_order_acquire); }
};

/// A ticket that gives itself back. The compiler outlives it.
class NativeCode {
 public:
  NativeCode() = default;
  NativeCode(NativeCompiler& compiler, const Code& code) : compiler_(&compiler), ticket_(compiler.compile(code)) {}
  NativeCode(NativeCompiler& compiler, const Tape& tape, Steps steps = {})
      : compiler_(&compiler), ticket_(compiler.compile(tape, steps)) {}
  NativeCode(NativeCode&& other) noexcept
      : compiler_(std::exchange(other.compiler_, nullptr)), ticket_(std::exchange(other.ticket_, nullptr)) {}
  NativeCode& operator=(NativeCode&& other) noexcept {
    std::swap(compiler_, other.compiler_);
    std::swap(ticket_, other.ticket_);
    return *this;
  }
  ~NativeCode() {
    if (ticket_) compiler_->release(ticket_);
  }

  bool asked() const { return ticket_ != nullptr; }
  Kernel ready() const { return ticket_ ? NativeCompiler::ready(ticket_) : nullptr; }

 private:
  NativeCompiler* compiler_ = nullptr;
  NativeCompiler::Ticket ticket_ = nullptr;
};

/// Operations that native code knows: all but calls. What contains one is interpreted.
inline constexpr std::size_t kNodeOps = static_cast<std::size_t>(NodeOp::Select) + 1;
/// Programs and backends that were not built together must not meet: the number changes with every change of this file.
inline constexpr std::size_t kNativeInterface = 2000 + kNodeOps;

/// The functions behind operations that native code does not spell out, by operation: the very ones that the
/// interpreter calls, so that the bits are the same.
struct NativeFunctions {
  std::size_t interface = kNativeInterface;
  std::array<double (*)(double), kNodeOps> unary{};
  std::array<double (*)(double, double), kNodeOps> binary{};
};
const NativeFunctions& native_functions();

/// Makes kernels one after the other. Used by one thread at a time; nothing is thrown.
class NativeBackend {
 public:
  NativeBackend() = default;
  NativeBackend(const NativeBackend&) = delete;
  NativeBackend& operator=(const NativeBackend&) = delete;
  virtual ~NativeBackend() = default;

  /// Null with a reason if it cannot be done, or soon after another thread has set `cancelled`.
  virtual Kernel compile(const Code& code, const std::atomic<bool>& cancelled, std::string& why_not) = 0;
  virtual Kernel compile(const Tape& tape, Steps steps, const std::atomic<bool>& cancelled, std::string& why_not) = 0;
  /// Frees the kernel's memory.
  virtual void release(Kernel kernel) = 0;
};

/// The one symbol of libhyla_jit.so, of this type: a new backend, or null with a reason. `functions` outlives it.
inline constexpr const char* kNativeEntry = "hyla_native_backend";
using NativeEntry = NativeBackend* (*)(const NativeFunctions& functions, std::string& why_not);

}  // namespace hyla::code
