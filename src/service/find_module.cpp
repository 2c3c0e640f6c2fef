#include "service/find_module.h"

#include <system_error>

#include <dlfcn.h>

namespace hyla::service {

namespace fs = std::filesystem;

namespace {

/// Of the program, or of the shared library that this code is in.
fs::path own_folder() {
  Dl_info info{};
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  if (dladdr(reinterpret_cast<const void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) {
    return program.parent_path();
  }
  const fs::path own = fs::canonical(info.dli_fname, error);
  return error || own.extension().empty() ? program.parent_path() : own.parent_path();
}

}  // namespace

std::vector<fs::path> module_places(const std::string& library) {
  const fs::path folder = own_folder();
  return {folder / library, folder / "hyla" / library, folder.parent_path() / "hyla" / library,
          folder.parent_path() / "lib" / "hyla" / library};
}

void* load_module(const std::string& library, const char* entry, std::string& why_not) {
  for (const fs::path& place : module_places(library)) {
    std::error_code ignored;
    if (!fs::exists(place, ignored)) continue;
    // For all to see: MPI loads parts of its own that need it.
    void* const handle = dlopen(place.c_str(), RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    void* const found = handle != nullptr ? dlsym(handle, entry) : nullptr;
    if (found != nullptr) return found;
    const char* const reason = dlerror();
    why_not = "cannot load " + place.string() + ": " + (reason != nullptr ? reason : "unknown reason");
    return nullptr;
  }
  why_not = library + " is neither beside the command nor in ../lib/hyla";
  return nullptr;
}

}  // namespace hyla::service
