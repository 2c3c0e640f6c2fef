#include "jit/kernels.h"

#include <algorithm>
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

/// Rows of an index table: the first, and how many there are.
struct Rows {
  llvm::Value* first = nullptr;
  llvm::Value* count = nullptr;
};

/// Calls `body` with the first of each `lanes` rows, as long as there are so many. Gives the rows that are left.
Rows for_rows(Builder& builder, llvm::Function& kernel, Rows rows, std::size_t width, std::uint32_t lanes,
              const std::function<void(llvm::Value* row)>& body) {
  llvm::LLVMContext& context = builder.getContext();
  llvm::BasicBlock* const before = builder.GetInsertBlock();
  llvm::BasicBlock* const loop = llvm::BasicBlock::Create(context, "", &kernel);
  llvm::BasicBlock* const after = llvm::BasicBlock::Create(context, "", &kernel);
  llvm::Value* const step = builder.getInt64(lanes);
  builder.CreateCondBr(builder.CreateICmpUGE(rows.count, step), loop, after);

  builder.SetInsertPoint(loop);
  llvm::PHINode* const row = builder.CreatePHI(builder.getPtrTy(), 2);
  llvm::PHINode* const count = builder.CreatePHI(builder.getInt64Ty(), 2);
  body(row);
  llvm::Value* const next = builder.CreateConstInBoundsGEP1_64(builder.getInt32Ty(), row, width * lanes);
  llvm::Value* const rest = builder.CreateSub(count, step);
  builder.CreateCondBr(builder.CreateICmpUGE(rest, step), loop, after);

  builder.SetInsertPoint(after);
  const Rows left{builder.CreatePHI(builder.getPtrTy(), 2), builder.CreatePHI(builder.getInt64Ty(), 2)};
  for (llvm::Value* const at_row : {static_cast<llvm::Value*>(row), left.first}) {
    llvm::cast<llvm::PHINode>(at_row)->addIncoming(rows.first, before);
    llvm::cast<llvm::PHINode>(at_row)->addIncoming(next, loop);
  }
  for (llvm::Value* const at_count : {static_cast<llvm::Value*>(count), left.count}) {
    llvm::cast<llvm::PHINode>(at_count)->addIncoming(rows.count, before);
    llvm::cast<llvm::PHINode>(at_count)->addIncoming(rest, loop);
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

/// The instances whose rows begin at `row`, one for each lane.
struct Instances {
  llvm::Value* values = nullptr;
  llvm::Value* row = nullptr;
  std::uint32_t lanes = 1;
};

/// Inputs and outputs by the rows of the instances, constants by value, all else in an array that chunks share. Inputs
/// are never written by a tape.
class TapePlaces : public Places {
 public:
  TapePlaces(const code::Tape& tape, Instances instances, llvm::Value* registers)
      : tape_(tape), instances_(instances), registers_(registers) {}

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
    for (std::uint32_t lane = 0; lane < instances_.lanes; ++lane) {
      llvm::Value* const number =
          instances_.lanes == 1 ? value : builder.CreateExtractElement(value, std::uint64_t{lane});
      builder.CreateStore(number, by_row(builder, lane, column));
    }
  }

 private:
  llvm::Value* load_input(Builder& builder, std::uint32_t column) {
    llvm::Type* const real = builder.getDoubleTy();
    if (instances_.lanes == 1) return builder.CreateLoad(real, by_row(builder, 0, column));
    llvm::Value* numbers = llvm::PoisonValue::get(type_of_values(builder, instances_.lanes));
    for (std::uint32_t lane = 0; lane < instances_.lanes; ++lane) {
      llvm::Value* const number = builder.CreateLoad(real, by_row(builder, lane, column));
      numbers = builder.CreateInsertElement(numbers, number, std::uint64_t{lane});
    }
    return numbers;
  }
  llvm::Value* by_row(Builder& builder, std::size_t lane, std::size_t column) {
    llvm::Type* const word = builder.getInt32Ty();
    const std::size_t at = lane * (tape_.inputs + tape_.outputs.size()) + column;
    llvm::Value* const place = builder.CreateLoad(word, builder.CreateConstInBoundsGEP1_64(word, instances_.row, at));
    return builder.CreateInBoundsGEP(builder.getDoubleTy(), instances_.values,
                                     builder.CreateZExt(place, builder.getInt64Ty()));
  }

  const code::Tape& tape_;
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

TapeKernel::TapeKernel(const code::Tape& tape, const EmitSettings& settings, std::size_t longest_chunk)
    : tape_(tape),
      settings_(settings),
      chunks_(cut(tape.instructions.size(), longest_chunk)),
      kept_(find_kept(tape, chunks_)) {}

std::uint32_t TapeKernel::worthwhile_lanes() const {
  const auto calls = std::count_if(tape_.instructions.begin(), tape_.instructions.end(),
                                   [](const code::TapeInstruction& instruction) { return is_call(instruction.op); });
  constexpr std::size_t kInstructionsForCall = 8;
  const bool is_arithmetic = static_cast<std::size_t>(calls) * kInstructionsForCall < tape_.instructions.size();
  return is_arithmetic ? settings_.lanes : 1;
}

void TapeKernel::make_whole(llvm::Module& module, llvm::StringRef name) const {
  Builder builder(module.getContext());
  llvm::Function* const kernel = begin_kernel(module, name, builder);
  const auto make_body = [&](llvm::Value* row, std::uint32_t lanes) {
    TapePlaces places(tape_, {kernel->getArg(0), row, lanes}, nullptr);
    BodyEmitter body(builder, places, settings_, lanes);
    body.emit(tape_.instructions, kept_, chunks_.front());
    store_outputs(tape_, builder, body, places);
  };
  Rows rows{kernel->getArg(1), kernel->getArg(2)};
  const std::size_t width = tape_.inputs + tape_.outputs.size();
  const std::uint32_t lanes = worthwhile_lanes();
  if (lanes > 1) {
    rows = for_rows(builder, *kernel, rows, width, lanes, [&](llvm::Value* row) { make_body(row, lanes); });
  }
  for_rows(builder, *kernel, rows, width, 1, [&](llvm::Value* row) { make_body(row, 1); });
  builder.CreateRetVoid();
}

void TapeKernel::make_chunk(llvm::Module& module, llvm::StringRef name, std::size_t chunk) const {
  Builder builder(module.getContext());
  llvm::Type* const pointer = builder.getPtrTy();
  llvm::Function* const function = begin_function(module, name, builder, {pointer, pointer, pointer});
  TapePlaces places(tape_, {function->getArg(0), function->getArg(1), 1}, function->getArg(2));
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
  const Rows rows{kernel->getArg(1), kernel->getArg(2)};
  for_rows(builder, *kernel, rows, tape_.inputs + tape_.outputs.size(), 1, [&](llvm::Value* row) {
    for (const std::uint64_t address : addresses) {
      call_address(builder, address, {kernel->getArg(0), row, registers});
    }
  });
  builder.CreateRetVoid();
}

}  // namespace hyla::jit
