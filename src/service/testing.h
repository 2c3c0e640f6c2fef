// What the golden tests share. HYLA_UPDATE=1 in the environment rewrites the expected texts instead of comparing them.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "diag/render.h"
#include "service/check_files.h"

namespace hyla::service {

inline bool is_updating() {
  const char* value = std::getenv("HYLA_UPDATE");
  return value != nullptr && std::string_view(value) == "1";
}

/// A path for a file that a test writes. The folder belongs to this process alone and goes with it: tests that run side
/// by side do not meet.
inline std::string scratch_path(const std::string& name) {
  struct Folder {
    Folder() : path(testing::TempDir() + "hyla_test_XXXXXX") { made = ::mkdtemp(path.data()) != nullptr; }
    ~Folder() {
      std::error_code ignored;
      if (made) std::filesystem::remove_all(path, ignored);
    }
    std::string path;
    bool made = false;
  };
  static const Folder folder;
  EXPECT_TRUE(folder.made) << folder.path;
  return folder.path + "/" + name;
}

/// The text of a file that must be there.
inline std::string text_of(const std::string& path) {
  auto text = Disk().read(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? std::move(text).value() : "";
}

/// Checks one file and returns what `hyla check` would say about it, without the summary.
inline std::string messages_of(const FileSystem& files, const std::string& path) {
  const CheckOutcome outcome = check_files({{path}, {}, Dump::None}, files);
  EXPECT_TRUE(outcome.failures.empty());
  return diag::render(outcome.diagnostics, outcome.sources);
}

}  // namespace hyla::service
