#include "jit/kernels.h"

#include <functional>

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

/// Calls `body` with the beginning of each instance's row of the index table, and ends the function.
void for_each_row(Builder& builder, llvm::Function& kernel, std::size_t width,
                  const std::function<void(llvm::Value* row)>& body) {
  llvm::LLVMContext& context = builder.getContext();
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop = llvm::BasicBlock::Create(context, "", &kernel);
  llvm::BasicBlock* const after = llvm::BasicBlock::Create(context, "", &kernel);
  llvm::Value* const count = kernel.getArg(2);
  builder.CreateCondBr(builder.CreateICmpEQ(count, builder.getInt64(0)), after, loop);

  builder.SetInsertPoint(loop);
  llvm::PHINode* const row = builder.CreatePHI(builder.getPtrTy(), 2);
  llvm::PHINode* const left = builder.CreatePHI(builder.getInt64Ty(), 2);
  body(row);
  llvm::BasicBlock* const end = builder.GetInsertBlock();
  row->addIncoming(kernel.getArg(1), before);
  row->addIncoming(builder.CreateConstInBoundsGEP1_64(builder.getInt32Ty(), row, width), end);
  left->addIncoming(count, before);
  llvm::Value* const rest = builder.CreateSub(left, builder.getInt64(1));
  left->addIncoming(rest, end);
  builder.CreateCondBr(builder.CreateICmpEQ(rest, builder.getInt64(0)), after, loop);

  builder.SetInsertPoint(after);
  builder.CreateRetVoid();
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

/// Inputs and outputs by the row of the instance, constants by value, all else in an array that chunks share. Inputs
/// are never written by a tape.
class TapePlaces : public Places {
 public:
  TapePlaces(const code::Tape& tape, llvm::Value* values, llvm::Value* row, llvm::Value* registers)
      : tape_(tape), values_(values), row_(row), registers_(registers) {}

  llvm::Value* load(Builder& builder, std::uint32_t place) override {
    if (place < tape_.inputs) return builder.CreateLoad(builder.getDoubleTy(), by_row(builder, place));
    if (place - tape_.inputs < tape_.constants.size()) {
      return llvm::ConstantFP::get(builder.getDoubleTy(), tape_.constants[place - tape_.inputs]);
    }
    return ArrayPlaces(registers_).load(builder, place);
  }
  void store(Builder& builder, std::uint32_t place, llvm::Value* value) override {
    ArrayPlaces(registers_).store(builder, place, value);
  }
  void store_output(Builder& builder, std::size_t output, llvm::Value* value) {
    builder.CreateStore(value, by_row(builder, tape_.inputs + output));
  }

 private:
  llvm::Value* by_row(Builder& builder, std::size_t column) {
    llvm::Type* const word = builder.getInt32Ty();
    llvm::Value* const place = builder.CreateLoad(word, builder.CreateConstInBoundsGEP1_64(word, row_, column));
    return builder.CreateInBoundsGEP(builder.getDoubleTy(), values_, builder.CreateZExt(place, builder.getInt64Ty()));
  }

  const code::Tape& tape_;
  llvm::Value* values_;
  llvm::Value* row_;
  llvm::Value* registers_;
};

/// The outputs of one instance go to their places.
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

TapeKernel::TapeKernel(const code::Tape& tape, const EmitSettings& settings, std::size_t longest_chunk)
    : tape_(tape),
      settings_(settings),
      chunks_(cut(tape.instructions.size(), longest_chunk)),
      kept_(find_kept(tape, chunks_)) {}

void TapeKernel::make_whole(llvm::Module& module, llvm::StringRef name) const {
  Builder builder(module.getContext());
  llvm::Function* const kernel = begin_kernel(module, name, builder);
  for_each_row(builder, *kernel, tape_.inputs + tape_.outputs.size(), [&](llvm::Value* row) {
    TapePlaces places(tape_, kernel->getArg(0), row, nullptr);
    BodyEmitter body(builder, places, settings_);
    body.emit(tape_.instructions, kept_, chunks_.front());
    store_outputs(tape_, builder, body, places);
  });
}

void TapeKernel::make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const {
  Builder builder(module.getContext());
  llvm::Type* const pointer = builder.getPtrTy();
  llvm::Function* const function = begin_function(module, name, builder, {pointer, pointer, pointer});
  TapePlaces places(tape_, function->getArg(0), function->getArg(1), function->getArg(2));
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
  for_each_row(builder, *kernel, tape_.inputs + tape_.outputs.size(), [&](llvm::Value* row) {
    for (const std::uint64_t address : addresses) {
      call_address(builder, address, {kernel->getArg(0), row, registers});
    }
  });
}

}  // namespace hyla::jit
