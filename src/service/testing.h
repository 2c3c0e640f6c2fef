// What the golden tests share. HYLA_UPDATE=1 in the environment rewrites the expected texts instead of comparing them.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "service/check_files.h"

namespace hyla::service {

bool is_updating();

/// A path for a file that a test writes. The folder belongs to this process alone and goes with it: tests that run side
/// by side do not meet.
std::string scratch_path(const std::string& name);

/// The text of a file that must be there.
std::string text_of(const std::string& path);

/// Checks one file and returns what `hyla check` would say about it, without the summary.
std::string messages_of(const FileSystem& files, const std::string& path);

}  // namespace hyla::service
