// The backend by LLVM's ORC: one LLJIT, and for each kernel a JITDylib of its own, which goes with the kernel.
//
// LLVM's optimisers are not run: instructions come simplified, each value is computed once, and what the optimisers
// would add is not worth their time. The code generator's level Less gives code as fast as its higher levels.
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

/// Instructions in a function: 16 to 64 equations of usual length.
constexpr std::size_t kLongestChunk = 400;

class LlvmBackend : public code::NativeBackend {
 public:
  LlvmBackend(std::unique_ptr<orc::LLJIT> jit, const EmitSettings& settings)
      : jit_(std::move(jit)), settings_(settings) {}

  code::Kernel compile(const code::Code& code, const std::atomic<bool>& cancelled, std::string& why_not) override {
    return make(CodeKernel(code, settings_, kLongestChunk), cancelled, why_not);
  }
  code::Kernel compile(const code::Tape& tape, const std::atomic<bool>& cancelled, std::string& why_not) override {
    return make(TapeKernel(tape, settings_, kLongestChunk), cancelled, why_not);
  }
  void release(code::Kernel kernel) override;

 private:
  code::Kernel make(const KernelMaker& maker, const std::atomic<bool>& cancelled, std::string& why_not);
  llvm::Expected<std::uint64_t> make_function(orc::JITDylib& dylib, const std::string& name,
                                              const std::function<void(llvm::Module&, llvm::StringRef)>& fill);
  llvm::Expected<std::uint64_t> make_functions(orc::JITDylib& dylib, const KernelMaker& maker,
                                               const std::atomic<bool>& cancelled);

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
    return make_function(dylib, "kernel", [&](auto& module, auto name) { maker.make_whole(module, name); });
  }
  std::vector<std::uint64_t> addresses;
  for (std::size_t i = 0; i < maker.chunks(); ++i) {
    if (cancelled) return llvm::createStringError("the compilation was cancelled");
    llvm::Expected<std::uint64_t> address = make_function(
        dylib, "chunk" + std::to_string(i), [&](auto& module, auto name) { maker.make_chunk(module, name, i); });
    if (!address) return address;
    addresses.push_back(*address);
  }
  return make_function(dylib, "kernel", [&](auto& module, auto name) { maker.make_driver(module, name, addresses); });
}

llvm::Expected<std::uint64_t> LlvmBackend::make_function(
    orc::JITDylib& dylib, const std::string& name, const std::function<void(llvm::Module&, llvm::StringRef)>& fill) {
  // A context keeps every constant it has seen, so each function gets a new one.
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>(name, *context);
  module->setDataLayout(jit_->getDataLayout());
  fill(*module, name);
  if (llvm::Error error = jit_->addIRModule(dylib, {std::move(module), std::move(context)})) return error;
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
  settings.rounds = target->getFeatures().getString().find("+sse4.1") != std::string::npos;
  return orc::LLJITBuilder()
      .setJITTargetMachineBuilder(std::move(*target))
      .setLinkProcessSymbolsByDefault(false)
      .setPlatformSetUp(orc::setUpInactivePlatform)
      .create();
}

}  // namespace

}  // namespace hyla::jit

extern "C" hyla::code::NativeBackend* hyla_native_backend(const hyla::code::NativeFunctions& functions,
                                                          std::string& why_not) {
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
