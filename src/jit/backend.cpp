// The backend by LLVM's ORC: one LLJIT, and for each kernel a JITDylib of its own, which goes with the kernel.
//
// LLVM's optimisers are not run: instructions come simplified, each value is computed once, and what the optimisers
// would add is not worth their time. The code generator's level Less gives code as fast as its higher levels.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/TargetSelect.h>

#include "code/evaluator.h"
#include "jit/kernels.h"

namespace hyla::jit {

namespace {

namespace orc = llvm::orc;

/// Instructions in a function: 16 to 64 equations of usual length. With half as many compilation takes 5 % less, with
/// five times as many more than twice as long.
constexpr std::size_t kLongestChunk = 300;

/// The functions of a module stand close together in memory, which the processor's caches like; between two modules a
/// compilation can be cancelled.
constexpr std::size_t kChunksInModule = 8;

std::string name_of_chunk(std::size_t chunk) { return "chunk" + std::to_string(chunk); }

class LlvmBackend : public code::NativeBackend {
 public:
  LlvmBackend(std::unique_ptr<orc::LLJIT> jit, const EmitSettings& settings)
      : jit_(std::move(jit)), settings_(settings) {}

  code::Kernel compile(const code::Code& code, const std::atomic<bool>& cancelled, std::string& why_not) override {
    return make(CodeKernel(code, settings_, kLongestChunk), cancelled, why_not);
  }
  code::Kernel compile(const code::Tape& tape, code::Steps steps, const std::atomic<bool>& cancelled,
                       std::string& why_not) override {
    return make(TapeKernel(tape, steps, settings_, kLongestChunk), cancelled, why_not);
  }
  void release(code::Kernel kernel) override;

 private:
  code::Kernel make(const KernelMaker& maker, const std::atomic<bool>& cancelled, std::string& why_not);
  llvm::Expected<std::uint64_t> make_functions(orc::JITDylib& dylib, const KernelMaker& maker,
                                               const std::atomic<bool>& cancelled);
  /// What `fill` puts into a module is compiled when the first address of it is asked for.
  llvm::Error add(orc::JITDylib& dylib, const std::function<void(llvm::Module&)>& fill);
  llvm::Expected<std::uint64_t> address_of(orc::JITDylib& dylib, const std::string& name);

  std::unique_ptr<orc::LLJIT> jit_;
  EmitSettings settings_;
  std::unordered_map<code::Kernel, orc::JITDylib*> dylibs_;
  std::size_t made_ = 0;
};

code::Kernel LlvmBackend::make(const KernelMaker& maker, const std::atomic<bool>& cancelled, std::string& why_not) {
  // Bare: without links to the process, because native code calls by address.
  orc::ExecutionSession& session = jit_->getExecutionSession();
  orc::JITDylib& dylib = session.createBareJITDylib("kernel" + std::to_string(made_++));
  llvm::Expected<std::uint64_t> address = make_functions(dylib, maker, cancelled);
  if (address) {
    const auto kernel = reinterpret_cast<code::Kernel>(*address);
    dylibs_[kernel] = &dylib;
    return kernel;
  }
  why_not = llvm::toString(address.takeError());
  llvm::consumeError(session.removeJITDylib(dylib));
  return nullptr;
}

llvm::Expected<std::uint64_t> LlvmBackend::make_functions(orc::JITDylib& dylib, const KernelMaker& maker,
                                                          const std::atomic<bool>& cancelled) {
  if (maker.chunks() == 1) {
    if (auto error = add(dylib, [&](llvm::Module& module) { maker.make_whole(module, "kernel"); })) return error;
    return address_of(dylib, "kernel");
  }
  std::vector<std::uint64_t> addresses;
  for (std::size_t begin = 0; begin < maker.chunks(); begin += kChunksInModule) {
    if (cancelled) return llvm::createStringError("the compilation was cancelled");
    const std::size_t end = std::min(maker.chunks(), begin + kChunksInModule);
    llvm::Error error = add(dylib, [&](llvm::Module& module) {
      for (std::size_t i = begin; i < end; ++i) maker.make_chunk(module, name_of_chunk(i), i);
    });
    if (error) return error;
    for (std::size_t i = begin; i < end; ++i) {
      llvm::Expected<std::uint64_t> address = address_of(dylib, name_of_chunk(i));
      if (!address) return address;
      addresses.push_back(*address);
    }
  }
  if (auto error = add(dylib, [&](auto& module) { maker.make_driver(module, "kernel", addresses); })) return error;
  return address_of(dylib, "kernel");
}

llvm::Error LlvmBackend::add(orc::JITDylib& dylib, const std::function<void(llvm::Module&)>& fill) {
  // A context keeps every constant it has seen, so each module gets a new one.
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("", *context);
  module->setDataLayout(jit_->getDataLayout());
  fill(*module);
  return jit_->addIRModule(dylib, {std::move(module), std::move(context)});
}

llvm::Expected<std::uint64_t> LlvmBackend::address_of(orc::JITDylib& dylib, const std::string& name) {
  llvm::Expected<orc::ExecutorAddr> address = jit_->lookup(dylib, name);
  if (!address) return address.takeError();
  return address->getValue();
}

void LlvmBackend::release(code::Kernel kernel) {
  const auto found = dylibs_.find(kernel);
  // Removing the dylib removes its resource trackers and thereby the memory.
  llvm::consumeError(jit_->getExecutionSession().removeJITDylib(*found->second));
  dylibs_.erase(found);
}

/// The compiler for this processor, told to keep the bits of every operation.
llvm::Expected<std::unique_ptr<orc::LLJIT>> make_jit(EmitSettings& settings) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = orc::JITTargetMachineBuilder::detectHost();
  if (!target) return target.takeError();
  target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  target->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  const std::string features = "," + target->getFeatures().getString() + ",";
  settings.rounds = features.find(",+sse4.1,") != std::string::npos;
  settings.lanes = features.find(",+avx2,") != std::string::npos ? 4 : 1;
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*target))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

}  // namespace

}  // namespace hyla::jit

extern "C" __attribute__((visibility("default"))) hyla::code::NativeBackend* hyla_native_backend(
    const hyla::code::NativeFunctions& functions, std::string& why_not) {
  if (functions.interface != hyla::code::kNativeInterface) {
    why_not = "libhyla_jit.so belongs to another version of Hyla";
    return nullptr;
  }
  hyla::jit::EmitSettings settings;
  settings.functions = &functions;
  auto jit = hyla::jit::make_jit(settings);
  if (!jit) {
    why_not = llvm::toString(jit.takeError());
    return nullptr;
  }
  return new hyla::jit::LlvmBackend(std::move(*jit), settings);
}
