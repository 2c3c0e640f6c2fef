// The functions that a kernel is made of.
//
// A short code or tape is one function, the kernel itself. A long one is a function for each chunk and a kernel that
// calls them in order; the chunks of a tape hand over their values in an array of registers on the kernel's stack.
//
// A short tape of plain arithmetic goes over several instances at a time, in vectors, and over the rest one by one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <llvm/IR/Module.h>

#include "code/evaluator.h"
#include "jit/chunks.h"
#include "jit/emit.h"

namespace hyla::jit {

/// Makes the functions of one kernel, each in a module that the caller provides. All are called `name`.
class KernelMaker {
 public:
  virtual ~KernelMaker() = default;
  virtual std::size_t chunks() const = 0;
  /// The kernel, where there is one chunk.
  virtual void make_whole(llvm::Module& module, llvm::StringRef name) const = 0;
  virtual void make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const = 0;
  /// The kernel, given the addresses of its chunks.
  virtual void make_driver(llvm::Module& module, llvm::StringRef name,
                           std::span<const std::uint64_t> addresses) const = 0;
};

class CodeKernel : public KernelMaker {
 public:
  /// `code` and `settings` outlive this.
  CodeKernel(const code::Code& code, const EmitSettings& settings, std::size_t longest_chunk);

  std::size_t chunks() const override { return chunks_.size(); }
  void make_whole(llvm::Module& module, llvm::StringRef name) const override { make_chunk(module, name, 0); }
  void make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const override;
  void make_driver(llvm::Module& module, llvm::StringRef name, std::span<const std::uint64_t> addresses) const override;

 private:
  const code::Code& code_;
  const EmitSettings& settings_;
  std::vector<Chunk> chunks_;
  std::vector<bool> kept_;
};

class TapeKernel : public KernelMaker {
 public:
  /// `tape`, `steps` and `settings` outlive this.
  TapeKernel(const code::Tape& tape, code::Steps steps, const EmitSettings& settings, std::size_t longest_chunk);

  std::size_t chunks() const override { return chunks_.size(); }
  void make_whole(llvm::Module& module, llvm::StringRef name) const override;
  void make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const override;
  void make_driver(llvm::Module& module, llvm::StringRef name, std::span<const std::uint64_t> addresses) const override;

 private:
  /// How many instances are worth taking at a time. Calls are made one by one, and the way from vectors to single
  /// numbers and back costs more than some instructions save.
  std::uint32_t worthwhile_lanes() const;

  const code::Tape& tape_;
  code::Steps steps_;
  const EmitSettings& settings_;
  std::vector<Chunk> chunks_;
  std::vector<bool> kept_;
};

}  // namespace hyla::jit
