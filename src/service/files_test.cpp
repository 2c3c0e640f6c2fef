#include "service/files.h"

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace hyla::service {
namespace {

class DiskFiles : public testing::Test {
 protected:
  DiskFiles() {
    std::string name = testing::TempDir() + "hyla_files_XXXXXX";
    folder_ = std::string(::mkdtemp(name.data())) + "/";
  }
  ~DiskFiles() override { std::filesystem::remove_all(folder_); }

  Disk disk_;
  std::string folder_;
};

TEST_F(DiskFiles, ReadsWhatWasWritten) {
  const std::string path = folder_ + "a.hyla";
  const std::string text("zero \0 inside\n", 14);
  EXPECT_FALSE(disk_.is_file(path));
  EXPECT_FALSE(disk_.write(path, text));
  EXPECT_TRUE(disk_.is_file(path));
  ASSERT_TRUE(disk_.read(path).ok());
  EXPECT_EQ(disk_.read(path).value(), text);
  EXPECT_FALSE(disk_.write(path, ""));
  EXPECT_EQ(disk_.read(path).value(), "");
  EXPECT_EQ(disk_.names_in(folder_), std::vector<std::string>{"a.hyla"});
}

TEST_F(DiskFiles, KeepsModeAndLinks) {
  ASSERT_FALSE(disk_.write(folder_ + "a.hyla", "old"));
  ASSERT_EQ(::chmod((folder_ + "a.hyla").c_str(), 0640), 0);
  ASSERT_EQ(::symlink("a.hyla", (folder_ + "link.hyla").c_str()), 0);
  ASSERT_FALSE(disk_.write(folder_ + "link.hyla", "new"));
  EXPECT_EQ(disk_.read(folder_ + "a.hyla").value(), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ + "link.hyla"));
  struct stat status = {};
  ASSERT_EQ(::stat((folder_ + "a.hyla").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640U);
}

TEST_F(DiskFiles, SaysWhyAFileCannotBeRead) {
  ASSERT_FALSE(disk_.write(folder_ + "tank.hyla", ""));
  EXPECT_EQ(disk_.read(folder_ + "tnak.hyla").message(),
            "cannot read `" + folder_ + "tnak.hyla`: no such file; did you mean `" + folder_ + "tank.hyla`?");
  EXPECT_EQ(disk_.read(folder_ + "tank").message(),
            "cannot read `" + folder_ + "tank`: no such file; did you mean `" + folder_ + "tank.hyla`?");
  EXPECT_EQ(disk_.read(folder_ + "lamp.hyla").message(), "cannot read `" + folder_ + "lamp.hyla`: no such file");
  EXPECT_EQ(disk_.read(folder_ + "q").message(), "cannot read `" + folder_ + "q`: no such file");
  EXPECT_EQ(disk_.read(folder_ + "tank.hyla/x").message(), "cannot read `" + folder_ + "tank.hyla/x`: no such file");
  EXPECT_EQ(disk_.read(folder_).message(), "cannot read `" + folder_ + "`: it is a folder");
  EXPECT_EQ(disk_.write(folder_ + "none/a.hyla", "")->message,
            "cannot write `" + folder_ + "none/a.hyla`: no such file or folder");
}

TEST_F(DiskFiles, RefusesHugeFiles) {
  const std::string path = folder_ + "huge.hyla";
  ASSERT_FALSE(disk_.write(path, ""));
  std::filesystem::resize_file(path, kLargestFile + 1);
  EXPECT_EQ(disk_.read(path).message(), "cannot read `" + path + "`: it is larger than 1 GiB");
}

}  // namespace
}  // namespace hyla::service
