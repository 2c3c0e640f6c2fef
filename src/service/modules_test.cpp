#include "service/modules.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace hyla::service {
namespace {

std::vector<std::string> paths(const diag::Sources& sources, const check::ModuleFinder::Found& found) {
  std::vector<std::string> result;
  for (const diag::FileId file : found.files) result.push_back(sources.path(file));
  return result;
}

using Paths = std::vector<std::string>;

TEST(Modules, AreFoundInTheFolderOfTheImporterAndThenInTheGivenOnes) {
  const MemoryFiles files(
      {{"plant/main.hyla", ""}, {"plant/own.hyla", "1"}, {"extra/own.hyla", "2"}, {"extra/far.hyla", "3"}});
  diag::Sources sources;
  ModulePath modules(files, {"extra"}, sources);
  const diag::FileId main = modules.load("plant/main.hyla").value();
  EXPECT_EQ(paths(sources, modules.find("own", main)), (Paths{"plant/own.hyla", "extra/own.hyla"}));
  EXPECT_EQ(paths(sources, modules.find("far", main)), Paths{"extra/far.hyla"});
  EXPECT_EQ(modules.find("far", main).files, modules.find("far", main).files) << "a file is read once";
  EXPECT_EQ(sources.size(), 4U);
}

TEST(Modules, OfTheSameTextAreNotAmbiguous) {
  const MemoryFiles files({{"plant/main.hyla", ""}, {"plant/own.hyla", "1"}, {"copy/own.hyla", "1"}});
  diag::Sources sources;
  ModulePath modules(files, {"copy/", "plant"}, sources);
  const diag::FileId main = modules.load("plant/main.hyla").value();
  EXPECT_EQ(paths(sources, modules.find("own", main)), Paths{"plant/own.hyla"});
}

TEST(Modules, NotFoundComeWithNamesAndPlaces) {
  const MemoryFiles files({{"plant/main.hyla", ""}, {"plant/notes.txt", ""}, {"extra/far.hyla", ""}});
  diag::Sources sources;
  ModulePath modules(files, {"extra"}, sources);
  const diag::FileId main = modules.load("plant/main.hyla").value();
  const auto found = modules.find("fra", main);
  EXPECT_TRUE(found.files.empty());
  EXPECT_EQ(found.searched, (Paths{"the standard library", "the folder of this file", "`extra/`"}));
  EXPECT_EQ(std::count(found.similar_names.begin(), found.similar_names.end(), "far"), 1);
  EXPECT_EQ(std::count(found.similar_names.begin(), found.similar_names.end(), "notes"), 0);
  for (const std::string_view odd :
       {std::string_view(""), std::string_view("../extra/far"), std::string_view("far\0", 4)}) {
    EXPECT_TRUE(modules.find(odd, main).files.empty());
  }
}

TEST(Modules, ThatCannotBeReadAreMissing) {
  const MemoryFiles files({{"tank.hyla", ""}, {"valve.hyla", ""}});
  diag::Sources sources;
  EXPECT_EQ(ModulePath(files, {}, sources).load("tnak.hyla").message(),
            "cannot read `tnak.hyla`: no such file; did you mean `tank.hyla`?");
}

}  // namespace
}  // namespace hyla::service
