// Finds the library that makes native code and gives the compiler that will load it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "code/evaluator.h"

namespace hyla::service {

/// Null with a reason if there is no libhyla_jit.so beside the running program or in ../lib/hyla. The library is loaded
/// on the compiler's own thread when the first code is asked for; whether that worked is in the compiler's `trouble`.
std::unique_ptr<code::NativeCompiler> load_native_compiler(std::string& why_not);

/// The same with the library at a given path.
std::unique_ptr<code::NativeCompiler> load_native_compiler(const std::filesystem::path& library, std::string& why_not);

}  // namespace hyla::service
