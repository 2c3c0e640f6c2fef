#include "service/load_external.h"

#include <filesystem>
#include <mutex>
#include <unordered_map>

#include <dlfcn.h>
#include <ffi.h>
#include <fmt/format.h>

#include "service/files.h"

namespace hyla::service {
namespace {

namespace fs = std::filesystem;
using code::CType;
using code::CValue;

std::string last_error_of_loading() {
  const char* const message = dlerror();
  return message != nullptr ? message : "unknown reason";
}

ffi_type* ffi_type_of(CType type) {
  switch (type) {
    case CType::Real:
      return &ffi_type_double;
    case CType::Integer:
      return &ffi_type_sint64;
    case CType::Truth:
      return &ffi_type_sint;
    case CType::Pointer:
      return &ffi_type_pointer;
    case CType::None:
      break;
  }
  return &ffi_type_void;
}

class Symbol final : public code::ExternalSymbol {
 public:
  Symbol(void* address, const code::CSignature& signature) : address_(address), result_(signature.result) {
    for (const CType type : signature.arguments) types_.push_back(ffi_type_of(type));
  }

  /// The description keeps pointers into the symbol, which must stay where it is.
  bool prepare() {
    return ffi_prep_cif(&description_, FFI_DEFAULT_ABI, static_cast<unsigned>(types_.size()), ffi_type_of(result_),
                        types_.data()) == FFI_OK;
  }

  CValue call(std::span<const CValue> arguments) const override {
    std::vector<void*> places;
    for (const CValue& argument : arguments) places.push_back(const_cast<CValue*>(&argument));
    // Whole numbers that are smaller than a register come back as a whole register.
    union {
      CValue value;
      ffi_arg whole;
    } result{};
    ffi_call(&description_, reinterpret_cast<void (*)()>(address_), &result, places.data());
    if (result_ != CType::Truth) return result.value;
    return {.truth = static_cast<int>(result.whole)};
  }

 private:
  void* address_;
  CType result_;
  std::vector<ffi_type*> types_;
  mutable ffi_cif description_{};
};

class Libraries final : public code::ExternalLibraries {
 public:
  explicit Libraries(std::vector<std::string> folders) : folders_(std::move(folders)) {}
  ~Libraries() override {
    for (const auto& [name, library] : loaded_) {
      if (library.handle != nullptr) dlclose(library.handle);
    }
  }

  const code::ExternalSymbol* find(std::string_view name, const code::CSignature& signature,
                                   std::string& why_not) override {
    const std::lock_guard lock(finding_);  // replications build their worlds side by side
    const std::size_t colon = name.rfind(':');
    const std::string file(name.substr(0, colon)), symbol(name.substr(colon + 1));
    const Library& library = load(file);
    if (library.handle == nullptr) {
      why_not = library.why_not;
      return nullptr;
    }
    void* const address = dlsym(library.handle, symbol.c_str());
    if (address == nullptr) {
      why_not = fmt::format("the library `{}` has no function `{}`", library.path, symbol);
      return nullptr;
    }
    auto made = std::make_unique<Symbol>(address, signature);
    if (!made->prepare()) {
      why_not = fmt::format("`{}` cannot be called on this machine", symbol);
      return nullptr;
    }
    symbols_.push_back(std::move(made));
    return symbols_.back().get();
  }

 private:
  struct Library {
    void* handle = nullptr;
    std::string path, why_not;
  };

  const Library& load(const std::string& name) {
    const auto [entry, is_new] = loaded_.try_emplace(name);
    Library& library = entry->second;
    if (!is_new) return library;
    library.path = name;
    std::string searched;
    for (const std::string& folder : folders_) {
      const fs::path path = fs::path(folder) / name;
      std::error_code ignored;
      searched += fmt::format("{}`{}`", searched.empty() ? "" : ", ", folder);
      if (!fs::is_regular_file(path, ignored)) continue;
      library.path = fs::absolute(path, ignored).string();
      break;
    }
    library.handle = dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle != nullptr) return library;
    library.why_not = fmt::format("the library `{}` cannot be loaded: {}", name, last_error_of_loading());
    if (library.path == name && !searched.empty()) {
      library.why_not += fmt::format("; looked in {} and where the system looks", searched);
    }
    return library;
  }

  std::vector<std::string> folders_;
  std::mutex finding_;  ///< guards what follows
  std::unordered_map<std::string, Library> loaded_;
  std::vector<std::unique_ptr<Symbol>> symbols_;
};

}  // namespace

std::unique_ptr<code::ExternalLibraries> load_external_libraries(std::vector<std::string> folders) {
  return std::make_unique<Libraries>(std::move(folders));
}

std::unique_ptr<code::ExternalLibraries> load_external_libraries(const std::string& model_path,
                                                                 const std::vector<std::string>& folders) {
  const std::string beside = folder_of(model_path);
  std::vector<std::string> all = {beside.empty() ? "." : beside};
  all.insert(all.end(), folders.begin(), folders.end());
  return load_external_libraries(std::move(all));
}

}  // namespace hyla::service
