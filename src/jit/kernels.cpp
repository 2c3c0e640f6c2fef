#include "jit/kernels.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>

namespace hyla::jit {

namespace {

using Builder = llvm::IRBuilder<>;

/// A function without a result whose block is open in the builder.
llvm::Function* begin_function(llvm::Module& module, llvm::StringRef name, Builder& builder,
                               llvm::ArrayRef<llvm::Type*> parameters) {
  auto* const type = llvm::FunctionType::get(builder.getVoidTy(), parameters, false);
  llvm::Function* const function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  function->setDoesNotThrow();
  builder.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", function));
  return function;
}

/// A function with the parameters of code::Kernel: values, index, count.
llvm::Function* begin_kernel(llvm::Module& module, llvm::StringRef name, Builder& builder) {
  return begin_function(module, name, builder, {builder.getPtrTy(), builder.getPtrTy(), builder.getInt64Ty()});
}

void call_address(Builder& builder, std::uint64_t address, llvm::ArrayRef<llvm::Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (llvm::Value* const argument : arguments) types.push_back(argument->getType());
  llvm::Value* const pointer = builder.CreateIntToPtr(builder.getInt64(address), builder.getPtrTy());
  builder.CreateCall(llvm::FunctionType::get(builder.getVoidTy(), types, false), pointer, arguments)->setDoesNotThrow();
}

llvm::Value* element(Builder& builder, llvm::Value* array, std::uint32_t at) {
  return builder.CreateConstInBoundsGEP1_64(builder.getDoubleTy(), array, at);
}

/// Calls `body` with the first of each `lanes` instances from `begin` on, as long as there are so many before `end`.
/// Gives the first one that is left.
llvm::Value* for_instances(Builder& builder, llvm::Function& kernel, llvm::Value* begin, llvm::Value* end,
                           std::uint32_t lanes, const std::function<void(llvm::Value* first)>& body) {
  llvm::LLVMContext& context = builder.getContext();
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop = llvm::BasicBlock::Create(context, "", &kernel);
  llvm::BasicBlock* const after = llvm::BasicBlock::Create(context, "", &kernel);
  llvm::Value* const step = builder.getInt64(lanes);
  const auto are_left = [&](llvm::Value* from) { return builder.CreateICmpUGE(builder.CreateSub(end, from), step); };
  builder.CreateCondBr(are_left(begin), loop, after);

  builder.SetInsertPoint(loop);
  llvm::PHINode* const first = builder.CreatePHI(builder.getInt64Ty(), 2);
  body(first);
  llvm::Value* const next = builder.CreateAdd(first, step);
  builder.CreateCondBr(are_left(next), loop, after);

  builder.SetInsertPoint(after);
  llvm::PHINode* const left = builder.CreatePHI(builder.getInt64Ty(), 2);
  for (llvm::PHINode* const at : {first, left}) {
    at->addIncoming(begin, before);
    at->addIncoming(next, loop);
  }
  return left;
}

/// Every place is an element of one array.
class ArrayPlaces : public Places {
 public:
  explicit ArrayPlaces(llvm::Value* values) : values_(values) {}
  llvm::Value* load(Builder& builder, std::uint32_t place) override {
    return builder.CreateLoad(builder.getDoubleTy(), element(builder, values_, place));
  }
  void store(Builder& builder, std::uint32_t place, llvm::Value* value) override {
    builder.CreateStore(value, element(builder, values_, place));
  }

 private:
  llvm::Value* values_;
};

/// Where operands are: by the rows of the index table, or, with steps, by the places of the first instance.
class Operands {
 public:
  /// Loads what all instances share where the builder is.
  Operands(Builder& builder, const code::Tape& tape, code::Steps steps, llvm::Value* values, llvm::Value* index)
      : width_(tape.inputs + tape.outputs.size()), steps_(steps), values_(values), index_(index) {
    for (std::size_t column = 0; column < steps.size(); ++column) {
      begins_.push_back(place(builder, index, column));
      if (column >= tape.inputs || steps[column] != 0) continue;
      shared_[column] = builder.CreateLoad(builder.getDoubleTy(), begins_.back());
    }
  }

  /// The same number for all instances, or null.
  llvm::Value* shared(std::size_t column) const {
    const auto found = shared_.find(column);
    return found == shared_.end() ? nullptr : found->second;
  }
  /// The places of instances that follow each other are next to each other.
  bool are_in_a_row(std::size_t column) const { return !steps_.empty() && steps_[column] == 1; }
  llvm::Value* place_of(Builder& builder, llvm::Value* instance, std::size_t column) const {
    if (steps_.empty()) {
      llvm::Value* const at = builder.CreateMul(instance, builder.getInt64(width_));
      return place(builder, builder.CreateInBoundsGEP(builder.getInt32Ty(), index_, at), column);
    }
    llvm::Value* const offset = builder.CreateMul(instance, builder.getInt64(steps_[column]));
    return builder.CreateInBoundsGEP(builder.getDoubleTy(), begins_[column], offset);
  }

 private:
  llvm::Value* place(Builder& builder, llvm::Value* row, std::size_t column) const {
    llvm::Type* const word = builder.getInt32Ty();
    llvm::Value* const number = builder.CreateLoad(word, builder.CreateConstInBoundsGEP1_64(word, row, column));
    return builder.CreateInBoundsGEP(builder.getDoubleTy(), values_, builder.CreateZExt(number, builder.getInt64Ty()));
  }

  std::size_t width_;
  code::Steps steps_;
  llvm::Value* values_;
  llvm::Value* index_;
  std::vector<llvm::Value*> begins_;  ///< places of the first instance, if there are steps
  std::unordered_map<std::size_t, llvm::Value*> shared_;
};

/// As many instances as there are lanes.
struct Instances {
  llvm::Value* first = nullptr;
  std::uint32_t lanes = 1;
};

/// Inputs and outputs by the operands of the instances, constants by value, all else in an array that chunks share.
/// Inputs are never written by a tape.
class TapePlaces : public Places {
 public:
  TapePlaces(const code::Tape& tape, const Operands& operands, Instances instances, llvm::Value* registers)
      : tape_(tape), operands_(operands), instances_(instances), registers_(registers) {}

  llvm::Value* load(Builder& builder, std::uint32_t place) override {
    if (place < tape_.inputs) return load_input(builder, place);
    if (place - tape_.inputs >= tape_.constants.size()) return registers_.load(builder, place);
    return llvm::ConstantFP::get(type_of_values(builder, instances_.lanes), tape_.constants[place - tape_.inputs]);
  }
  void store(Builder& builder, std::uint32_t place, llvm::Value* value) override {
    registers_.store(builder, place, value);
  }
  void store_output(Builder& builder, std::size_t output, llvm::Value* value) {
    const std::size_t column = tape_.inputs + output;
    if (instances_.lanes == 1 || operands_.are_in_a_row(column)) {
      builder.CreateAlignedStore(value, place_of(builder, 0, column), kAlignment);
      return;
    }
    for (std::uint32_t lane = 0; lane < instances_.lanes; ++lane) {
      llvm::Value* const number = builder.CreateExtractElement(value, std::uint64_t{lane});
      builder.CreateStore(number, place_of(builder, lane, column));
    }
  }

 private:
  static constexpr llvm::Align kAlignment = llvm::Align::Constant<sizeof(double)>();

  llvm::Value* load_input(Builder& builder, std::uint32_t column) {
    llvm::Type* const real = builder.getDoubleTy();
    llvm::Value* const shared = operands_.shared(column);
    if (shared) return instances_.lanes == 1 ? shared : builder.CreateVectorSplat(instances_.lanes, shared);
    if (instances_.lanes == 1 || operands_.are_in_a_row(column)) {
      return builder.CreateAlignedLoad(type_of_values(builder, instances_.lanes), place_of(builder, 0, column),
                                       kAlignment);
    }
    llvm::Value* numbers = llvm::PoisonValue::get(type_of_values(builder, instances_.lanes));
    for (std::uint32_t lane = 0; lane < instances_.lanes; ++lane) {
      llvm::Value* const number = builder.CreateLoad(real, place_of(builder, lane, column));
      numbers = builder.CreateInsertElement(numbers, number, std::uint64_t{lane});
    }
    return numbers;
  }
  llvm::Value* place_of(Builder& builder, std::uint32_t lane, std::size_t column) {
    llvm::Value* const instance = builder.CreateAdd(instances_.first, builder.getInt64(lane));
    return operands_.place_of(builder, instance, column);
  }

  const code::Tape& tape_;
  const Operands& operands_;
  Instances instances_;
  ArrayPlaces registers_;
};

/// The outputs go to their places.
void store_outputs(const code::Tape& tape, Builder& builder, BodyEmitter& body, TapePlaces& places) {
  // All inputs that are outputs too are read before the first output is written.
  for (const std::uint32_t output : tape.outputs) body.value(output);
  for (std::size_t i = 0; i < tape.outputs.size(); ++i) {
    places.store_output(builder, i, body.value(tape.outputs[i]));
  }
}

}  // namespace

// --- a code
// -----------------------------------------------------------------------------------------------------------

CodeKernel::CodeKernel(const code::Code& code, const EmitSettings& settings, std::size_t longest_chunk)
    : code_(code),
      settings_(settings),
      chunks_(cut(code.instructions.size(), longest_chunk)),
      kept_(find_kept(code, chunks_)) {}

void CodeKernel::make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const {
  Builder builder(module.getContext());
  llvm::Function* const function = begin_kernel(module, name, builder);
  ArrayPlaces places(function->getArg(0));
  BodyEmitter body(builder, places, settings_);
  body.emit(code_.instructions, kept_, chunks_[chunk]);
  builder.CreateRetVoid();
}

void CodeKernel::make_driver(llvm::Module& module, llvm::StringRef name,
                             std::span<const std::uint64_t> addresses) const {
  Builder builder(module.getContext());
  llvm::Function* const kernel = begin_kernel(module, name, builder);
  for (const std::uint64_t address : addresses) {
    call_address(builder, address, {kernel->getArg(0), kernel->getArg(1), kernel->getArg(2)});
  }
  builder.CreateRetVoid();
}

// --- a tape
// -----------------------------------------------------------------------------------------------------------

TapeKernel::TapeKernel(const code::Tape& tape, code::Steps steps, const EmitSettings& settings,
                       std::size_t longest_chunk)
    : tape_(tape),
      steps_(steps),
      settings_(settings),
      chunks_(cut(tape.instructions.size(), longest_chunk)),
      kept_(find_kept(tape, chunks_)) {}

std::uint32_t TapeKernel::worthwhile_lanes() const {
  const auto calls = std::count_if(tape_.instructions.begin(), tape_.instructions.end(),
                                   [](const code::TapeInstruction& instruction) { return is_call(instruction.op); });
  constexpr std::size_t kInstructionsForCall = 8;
  const bool is_arithmetic = static_cast<std::size_t>(calls) * kInstructionsForCall < tape_.instructions.size();
  const bool is_copy = tape_.instructions.empty() && !steps_.empty();
  return is_arithmetic || is_copy ? settings_.lanes : 1;
}

void TapeKernel::make_whole(llvm::Module& module, llvm::StringRef name) const {
  Builder builder(module.getContext());
  llvm::Function* const kernel = begin_kernel(module, name, builder);
  const Operands operands(builder, tape_, steps_, kernel->getArg(0), kernel->getArg(1));
  const auto make_body = [&](llvm::Value* first, std::uint32_t lanes) {
    TapePlaces places(tape_, operands, {first, lanes}, nullptr);
    BodyEmitter body(builder, places, settings_, lanes);
    body.emit(tape_.instructions, kept_, chunks_.front());
    store_outputs(tape_, builder, body, places);
  };
  llvm::Value *begin = builder.getInt64(0), *end = kernel->getArg(2);
  const std::uint32_t lanes = worthwhile_lanes();
  if (lanes > 1) {
    begin = for_instances(builder, *kernel, begin, end, lanes, [&](llvm::Value* first) { make_body(first, lanes); });
  }
  for_instances(builder, *kernel, begin, end, 1, [&](llvm::Value* first) { make_body(first, 1); });
  builder.CreateRetVoid();
}

void TapeKernel::make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const {
  Builder builder(module.getContext());
  llvm::Type* const pointer = builder.getPtrTy();
  llvm::Function* const function =
      begin_function(module, name, builder, {pointer, pointer, builder.getInt64Ty(), pointer});
  const Operands operands(builder, tape_, steps_, function->getArg(0), function->getArg(1));
  TapePlaces places(tape_, operands, {function->getArg(2), 1}, function->getArg(3));
  BodyEmitter body(builder, places, settings_);
  body.emit(tape_.instructions, kept_, chunks_[chunk]);
  if (chunk + 1 == chunks_.size()) store_outputs(tape_, builder, body, places);
  builder.CreateRetVoid();
}

void TapeKernel::make_driver(llvm::Module& module, llvm::StringRef name,
                             std::span<const std::uint64_t> addresses) const {
  Builder builder(module.getContext());
  llvm::Function* const kernel = begin_kernel(module, name, builder);
  llvm::Value* const registers = builder.CreateAlloca(builder.getDoubleTy(), builder.getInt64(tape_.registers));
  for_instances(builder, *kernel, builder.getInt64(0), kernel->getArg(2), 1, [&](llvm::Value* instance) {
    for (const std::uint64_t address : addresses) {
      call_address(builder, address, {kernel->getArg(0), kernel->getArg(1), instance, registers});
    }
  });
  builder.CreateRetVoid();
}

}  // namespace hyla::jit
