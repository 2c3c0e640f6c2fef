#include "service/testing.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <utility>

namespace hyla::service {

bool is_updating() {
  const char* value = std::getenv("HYLA_UPDATE");
  return value != nullptr && std::string_view(value) == "1";
}

std::string scratch_path(const std::string& name) {
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

std::string text_of(const std::string& path) {
  auto text = Disk().read(path);
  EXPECT_TRUE(text.ok()) << path;
  return text.ok() ? std::move(text).value() : "";
}

std::string messages_of(const FileSystem& files, const std::string& path) {
  const CheckOutcome outcome = check_files({{path}, {}, Dump::None}, files);
  EXPECT_TRUE(outcome.failures.empty());
  return diag::render(outcome.diagnostics, outcome.sources);
}

}  // namespace hyla::service
