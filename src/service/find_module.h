// Shared libraries of the project that are loaded while the command runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hyla::service {

/// Where a library of the project may stand: beside the program or the library that this code is in, or where
/// installing puts it.
std::vector<std::filesystem::path> module_places(const std::string& library);

/// The entry of a library, which stays loaded; null with the reason.
void* load_module(const std::string& library, const char* entry, std::string& why_not);

}  // namespace hyla::service
