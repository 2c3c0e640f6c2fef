// Loads the shared libraries of external functions and objects.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "code/external.h"

namespace hyla::service {

/// Libraries are looked for in these folders, in their order, then where the system looks. They stay loaded until the
/// result goes. A name with a folder in it is tried in each folder and then as it is.
std::unique_ptr<code::ExternalLibraries> load_external_libraries(std::vector<std::string> folders);

/// The same for a model: libraries are looked for beside its file first.
std::unique_ptr<code::ExternalLibraries> load_external_libraries(const std::string& model_path,
                                                                 const std::vector<std::string>& folders);

}  // namespace hyla::service
