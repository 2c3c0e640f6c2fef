// From the messages of the compiler and the engine to those of the library.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "api/hyla.h"
#include "diag/diagnostic.h"

namespace hyla::api {

std::vector<Message> messages_of(std::span<const diag::Diagnostic> diagnostics, const diag::Sources& sources);

/// All failures and messages in one text.
[[noreturn]] void raise(const std::vector<std::string>& failures, std::span<const diag::Diagnostic> diagnostics,
                        const diag::Sources& sources);
[[noreturn]] void raise(const std::string& text);

}  // namespace hyla::api
