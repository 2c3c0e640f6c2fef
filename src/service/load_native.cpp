#include "service/load_native.h"

#include <system_error>
#include <utility>
#include <vector>

#include <dlfcn.h>

#include "code/background_compiler.h"
#include "service/find_module.h"

namespace hyla::service {

namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libhyla_jit.so";

std::string last_error_of_loading() {
  const char* const message = dlerror();
  return message ? message : "unknown reason";
}

std::unique_ptr<code::NativeBackend> load_backend(const fs::path& library, std::string& why_not) {
  // Stays loaded: LLVM registers itself in the process in ways that it does not undo.
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    why_not = "cannot load the compiler of native code: " + last_error_of_loading();
    return nullptr;
  }
  const auto entry = reinterpret_cast<code::NativeEntry>(dlsym(handle, code::kNativeEntry));
  if (!entry) {
    why_not = library.string() + " is no compiler of native code";
    return nullptr;
  }
  return std::unique_ptr<code::NativeBackend>(entry(code::native_functions(), why_not));
}

}  // namespace

std::unique_ptr<code::NativeCompiler> load_native_compiler(const fs::path& library, std::string& why_not) {
  std::error_code ignored;
  if (!fs::exists(library, ignored)) {
    why_not = "there is no " + library.string();
    return nullptr;
  }
  return std::make_unique<code::BackgroundCompiler>(
      [library](std::string& reason) { return load_backend(library, reason); });
}

std::unique_ptr<code::NativeCompiler> load_native_compiler(std::string& why_not) {
  const std::vector<fs::path> places = module_places(kLibrary);
  for (const fs::path& library : places) {
    if (auto compiler = load_native_compiler(library, why_not)) return compiler;
  }
  why_not = std::string("no native code: ") + kLibrary + " is neither in " + places.front().parent_path().string() +
            " nor in ../lib/hyla; it is built where LLVM 19 is (Debian package llvm-19-dev)";
  return nullptr;
}

}  // namespace hyla::service
