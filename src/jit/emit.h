// Writes LLVM's intermediate language for one chunk of instructions.
//
// A function body is made of values; where these come from and go to is the business of `Places`. A value is a number,
// or a vector with one number for each of several instances, which one instruction then serves. The result of every
// instruction has the bits that code::apply gives: plain IEEE operations without flags that would let LLVM change them,
// and calls of the interpreter's own functions for everything else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>

#include "code/evaluator.h"
#include "jit/chunks.h"

namespace hyla::jit {

/// Where registers are while no function body holds them.
class Places {
 public:
  virtual ~Places() = default;
  virtual llvm::Value* load(llvm::IRBuilder<>& builder, std::uint32_t place) = 0;
  virtual void store(llvm::IRBuilder<>& builder, std::uint32_t place, llvm::Value* value) = 0;
};

struct EmitSettings {
  const code::NativeFunctions* functions = nullptr;
  bool rounds = false;      ///< the processor has instructions for floor and the like
  std::uint32_t lanes = 1;  ///< numbers in a vector of the processor
};

/// A number, or a vector of them.
llvm::Type* type_of_values(llvm::IRBuilder<>& builder, std::uint32_t lanes);

/// Is the operation a call of a function?
bool is_call(code::NodeOp op);

class BodyEmitter {
 public:
  /// Values have so many lanes.
  BodyEmitter(llvm::IRBuilder<>& builder, Places& places, const EmitSettings& settings, std::uint32_t lanes = 1)
      : builder_(builder), places_(places), settings_(settings), lanes_(lanes) {}

  /// `kept[i]`: the result of instruction i is stored.
  void emit(std::span<const code::TapeInstruction> instructions, const std::vector<bool>& kept, Chunk chunk);
  /// What a place holds now.
  llvm::Value* value(std::uint32_t place);

 private:
  llvm::Value* compute(const code::TapeInstruction& instruction);
  llvm::Value* arithmetic(code::NodeOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* relation(llvm::CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b);
  llvm::Value* sign(llvm::Value* a);
  llvm::Value* power(llvm::Value* a, llvm::Value* b);
  llvm::Value* whole(code::NodeOp op, llvm::Value* a);
  llvm::Value* call(code::NodeOp op, llvm::Value* a, llvm::Value* b);
  llvm::Value* call_once(code::NodeOp op, llvm::Value* a, llvm::Value* b);
  /// A number as a truth value: is it other than 0?
  llvm::Value* holds(llvm::Value* number);
  /// A truth value as a number: 1 or 0.
  llvm::Value* number(llvm::Value* truth);
  llvm::Constant* constant(double value);

  llvm::IRBuilder<>& builder_;
  Places& places_;
  const EmitSettings& settings_;
  std::uint32_t lanes_;
  llvm::DenseMap<std::uint32_t, llvm::Value*> current_;  ///< by place
  llvm::DenseMap<llvm::Value*, llvm::Value*> truth_of_;  ///< numbers made from truth values
};

}  // namespace hyla::jit
