// Functions of the program in the place of those of shared libraries.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/hyla.h"
#include "api/thrown.h"
#include "code/external.h"

namespace hyla::api {

/// What is not among the functions is looked for in `others`, which may be null. A function that throws gives NaN, and
/// the exception is kept.
std::unique_ptr<code::ExternalLibraries> make_libraries(std::map<std::string, Function> functions,
                                                        std::unique_ptr<code::ExternalLibraries> others,
                                                        Thrown& thrown);

}  // namespace hyla::api
