#include "jit/emit.h"

#include <utility>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Intrinsics.h>

namespace hyla::jit {

using code::NodeOp;
using llvm::CmpInst;
using llvm::Intrinsic::ID;

void BodyEmitter::emit(std::span<const code::TapeInstruction> instructions, const std::vector<bool>& kept,
                       Chunk chunk) {
  for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
    llvm::Value* const result = compute(instructions[i]);
    current_[instructions[i].out] = result;
    if (kept[i]) places_.store(builder_, instructions[i].out, result);
  }
}

llvm::Value* BodyEmitter::value(std::uint32_t place) {
  llvm::Value*& known = current_[place];
  if (!known) known = places_.load(builder_, place);
  return known;
}

llvm::Value* BodyEmitter::compute(const code::TapeInstruction& instruction) {
  const NodeOp op = instruction.op;
  const int operands = operands_read(op);
  llvm::Value* const a = value(instruction.a);
  llvm::Value* const b = operands > 1 ? value(instruction.b) : nullptr;
  switch (op) {
    case NodeOp::Operand:
      return a;
    case NodeOp::Sign:
      return sign(a);
    case NodeOp::Power:
      return power(a, b);
    case NodeOp::Floor:
    case NodeOp::Ceil:
    case NodeOp::Truncate:
      return whole(op, a);
    case NodeOp::Min:
      return builder_.CreateSelect(builder_.CreateFCmpOLT(b, a), b, a);
    case NodeOp::Max:
      return builder_.CreateSelect(builder_.CreateFCmpOGT(b, a), b, a);
    case NodeOp::Less:
      return relation(CmpInst::FCMP_OLT, a, b);
    case NodeOp::LessEqual:
      return relation(CmpInst::FCMP_OLE, a, b);
    case NodeOp::Equal:
      return relation(CmpInst::FCMP_OEQ, a, b);
    case NodeOp::NotEqual:
      return relation(CmpInst::FCMP_UNE, a, b);
    case NodeOp::And:
      return number(builder_.CreateAnd(holds(a), holds(b)));
    case NodeOp::Or:
      return number(builder_.CreateOr(holds(a), holds(b)));
    case NodeOp::Not:
      return number(builder_.CreateNot(holds(a)));
    case NodeOp::Select:
      return builder_.CreateSelect(holds(a), b, value(instruction.c));
    default:
      return arithmetic(op, a, b);
  }
}

llvm::Value* BodyEmitter::arithmetic(NodeOp op, llvm::Value* a, llvm::Value* b) {
  switch (op) {
    case NodeOp::Negate:
      return builder_.CreateFNeg(a);
    case NodeOp::Add:
      return builder_.CreateFAdd(a, b);
    case NodeOp::Subtract:
      return builder_.CreateFSub(a, b);
    case NodeOp::Multiply:
      return builder_.CreateFMul(a, b);
    case NodeOp::Divide:
      return builder_.CreateFDiv(a, b);
    case NodeOp::Square:
      return builder_.CreateFMul(a, a);
    case NodeOp::Abs:
      return builder_.CreateUnaryIntrinsic(ID(llvm::Intrinsic::fabs), a);
    case NodeOp::Sqrt:
      return builder_.CreateUnaryIntrinsic(ID(llvm::Intrinsic::sqrt), a);
    default:
      return call(op, a, b);
  }
}

llvm::Value* BodyEmitter::relation(CmpInst::Predicate predicate, llvm::Value* a, llvm::Value* b) {
  return number(builder_.CreateFCmp(predicate, a, b));
}

llvm::Value* BodyEmitter::sign(llvm::Value* a) {
  llvm::Constant* const zero = constant(0);
  llvm::Value* const rest = builder_.CreateSelect(builder_.CreateFCmpOLT(a, zero), constant(-1), zero);
  return builder_.CreateSelect(builder_.CreateFCmpOGT(a, zero), constant(1), rest);
}

// The products of code::power, for exponents known here.
llvm::Value* BodyEmitter::power(llvm::Value* a, llvm::Value* b) {
  const llvm::Constant* known = llvm::dyn_cast<llvm::Constant>(b);
  if (known && lanes_ > 1) known = known->getSplatValue();
  const auto* const exponent = llvm::dyn_cast_or_null<llvm::ConstantFP>(known);
  if (!exponent) return call(NodeOp::Power, a, b);
  if (exponent->isExactlyValue(-1.0)) return builder_.CreateFDiv(constant(1), a);
  const bool is_product =
      exponent->isExactlyValue(2.0) || exponent->isExactlyValue(3.0) || exponent->isExactlyValue(4.0);
  if (!is_product) return call(NodeOp::Power, a, b);
  llvm::Value* const square = builder_.CreateFMul(a, a);
  if (exponent->isExactlyValue(2.0)) return square;
  return builder_.CreateFMul(square, exponent->isExactlyValue(3.0) ? a : square);
}

// Adding 0 turns -0 into 0, as code::apply does.
llvm::Value* BodyEmitter::whole(NodeOp op, llvm::Value* a) {
  if (!settings_.rounds) return call(op, a, nullptr);
  const ID function = op == NodeOp::Floor  ? llvm::Intrinsic::floor
                      : op == NodeOp::Ceil ? llvm::Intrinsic::ceil
                                           : llvm::Intrinsic::trunc;
  return builder_.CreateFAdd(builder_.CreateUnaryIntrinsic(function, a), constant(0));
}

llvm::Value* BodyEmitter::call(NodeOp op, llvm::Value* a, llvm::Value* b) {
  if (lanes_ == 1) return call_once(op, a, b);
  llvm::Value* results = llvm::PoisonValue::get(type_of_values(builder_, lanes_));
  for (std::uint64_t lane = 0; lane < lanes_; ++lane) {
    llvm::Value* const of_b = b ? builder_.CreateExtractElement(b, lane) : nullptr;
    results = builder_.CreateInsertElement(results, call_once(op, builder_.CreateExtractElement(a, lane), of_b), lane);
  }
  return results;
}

// Through its address: native code is never stored, so the address stays right.
llvm::Value* BodyEmitter::call_once(NodeOp op, llvm::Value* a, llvm::Value* b) {
  const auto at = static_cast<std::size_t>(op);
  const std::uint64_t address = b ? reinterpret_cast<std::uint64_t>(settings_.functions->binary[at])
                                  : reinterpret_cast<std::uint64_t>(settings_.functions->unary[at]);
  llvm::Type* const real = builder_.getDoubleTy();
  llvm::Value* const pointer = builder_.CreateIntToPtr(builder_.getInt64(address), builder_.getPtrTy());
  llvm::CallInst* const result =
      b ? builder_.CreateCall(llvm::FunctionType::get(real, {real, real}, false), pointer, {a, b})
        : builder_.CreateCall(llvm::FunctionType::get(real, {real}, false), pointer, {a});
  result->setDoesNotThrow();
  result->setDoesNotAccessMemory();
  return result;
}

llvm::Value* BodyEmitter::holds(llvm::Value* number) {
  const auto known = truth_of_.find(number);
  return known != truth_of_.end() ? known->second : builder_.CreateFCmpUNE(number, constant(0));
}

llvm::Value* BodyEmitter::number(llvm::Value* truth) {
  llvm::Value* const result = builder_.CreateSelect(truth, constant(1), constant(0));
  if (!llvm::isa<llvm::Constant>(result)) truth_of_[result] = truth;
  return result;
}

llvm::Constant* BodyEmitter::constant(double value) {
  return llvm::ConstantFP::get(type_of_values(builder_, lanes_), value);
}

llvm::Type* type_of_values(llvm::IRBuilder<>& builder, std::uint32_t lanes) {
  llvm::Type* const number = builder.getDoubleTy();
  return lanes == 1 ? number : llvm::FixedVectorType::get(number, lanes);
}

bool is_call(NodeOp op) {
  const bool is_function = op >= NodeOp::Cbrt && op <= NodeOp::Polygamma;
  return is_function || op == NodeOp::Power || op == NodeOp::Round || op == NodeOp::Mod;
}

}  // namespace hyla::jit
