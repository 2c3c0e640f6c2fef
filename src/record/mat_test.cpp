#include <cstdio>
#include <fstream>
#include <map>
#include <memory>

#include <gtest/gtest.h>
#include <matio.h>

#include "record/mat_reader.h"
#include "record/mat_writer.h"
#include "record/read_result.h"
#include "record/result_testing.h"

namespace hyla::record {
namespace {

std::string written(const ResultHeader& header, std::size_t rows) {
  MemoryStore store;
  MatWriter writer(store, header);
  for (std::size_t row = 0; row < rows; row += 100) EXPECT_TRUE(writer.add_rows(some_rows(row, 100)));
  EXPECT_TRUE(writer.finish());
  return store.bytes();
}

base::Result<RunResult> read(const std::string& bytes, const ResultChoice& choice = {}) {
  MemoryInput input(bytes);
  return read_result("f.mat", input, choice);
}

TEST(Mat, ReadsBackWhatWasWrittenBitForBit) {
  const auto read_back = read(written(some_header(), 1000));
  ASSERT_TRUE(read_back.ok()) << read_back.message();
  const RunResult& result = read_back.value();
  EXPECT_EQ(result.format, "MAT");
  EXPECT_EQ(result.model, "Plant");
  EXPECT_EQ(result.version, "1.2.3");
  EXPECT_EQ(result.seed, 42U);
  EXPECT_EQ(result.stop_time, 10.0);
  EXPECT_EQ(result.time_unit, "s");
  ASSERT_EQ(result.parameters.size(), 2U);
  EXPECT_EQ(result.parameters[0].name + result.parameters[0].unit, "aream2");
  EXPECT_EQ(result.parameters[0].value, 0.5);
  EXPECT_EQ(result.parameters[1].description, "how many");
  ASSERT_EQ(result.time.size(), 1000U);
  EXPECT_EQ(result.time[501], 250.0);
  ASSERT_EQ(result.columns.size(), 4U);
  EXPECT_EQ(result.series.size(), 2U);
  EXPECT_EQ(result.columns[1].name + result.columns[1].description, "m[1, 2]a matrix");
  EXPECT_EQ(result.columns[3].unit, "m3/s");
  EXPECT_TRUE(has_values(result, result.columns[0], 0, 1));
  EXPECT_TRUE(has_values(result, result.columns[1], 1, 1));
  EXPECT_TRUE(has_values(result, result.columns[2], 0, 1));
  EXPECT_TRUE(has_values(result, result.columns[3], 1, -1));
  EXPECT_TRUE(result.notes.empty());
}

TEST(Mat, ReadsChosenColumnsOnly) {
  const auto result = read(written(some_header(), 300), {{"out*"}});
  ASSERT_TRUE(result.ok()) << result.message();
  ASSERT_EQ(result.value().columns.size(), 1U);
  EXPECT_EQ(result.value().series.size(), 1U);
  EXPECT_TRUE(has_values(result.value(), result.value().columns[0], 1, -1));
  EXPECT_EQ(read(written(some_header(), 100), {{"levle"}}).message(),
            "f.mat: no variable `levle` was recorded; did you mean `level`?");
}

/// What others find in our files.
TEST(Mat, IsUnderstoodByMatio) {
  const std::string path = testing::TempDir() + "mat_test.mat";
  std::ofstream(path, std::ios::binary) << written(some_header(), 200);
  const std::unique_ptr<mat_t, decltype(&Mat_Close)> file(Mat_Open(path.c_str(), MAT_ACC_RDONLY), &Mat_Close);
  ASSERT_TRUE(file);
  EXPECT_EQ(Mat_GetVersion(file.get()), MAT_FT_MAT4);
  const auto find = [&](const char* name) {
    return std::unique_ptr<matvar_t, decltype(&Mat_VarFree)>(Mat_VarRead(file.get(), name), &Mat_VarFree);
  };
  const auto names = find("name");
  ASSERT_TRUE(names);
  EXPECT_EQ(names->dims[1], 7U);  // time, two parameters, four variables
  const auto* text = static_cast<const char*>(names->data);
  EXPECT_EQ(std::string(text, 4), "time");
  EXPECT_EQ(std::string(text + 3 * names->dims[0], 5), "level");
  const auto info = find("dataInfo");
  ASSERT_TRUE(info);
  EXPECT_EQ(info->dims[0], 4U);
  const auto* places = static_cast<const double*>(info->data);  // matio converts
  EXPECT_EQ(std::vector<double>(places, places + 4), (std::vector<double>{0, 1, 0, -1}));
  EXPECT_EQ(std::vector<double>(places + 24, places + 28), (std::vector<double>{2, -3, 0, -1}));
  const auto fixed = find("data_1");
  ASSERT_TRUE(fixed);
  EXPECT_EQ(static_cast<const double*>(fixed->data)[1], 0.5);
  const auto data = find("data_2");
  ASSERT_TRUE(data);
  ASSERT_EQ(data->dims[0], 3U);
  ASSERT_EQ(data->dims[1], 200U);
  for (std::size_t row = 0; row < 200; ++row) {
    EXPECT_EQ(static_cast<const double*>(data->data)[3 * row + 1], some_value(0, row));
  }
  const auto model = find("model");
  ASSERT_TRUE(model);
  EXPECT_EQ(std::string(static_cast<const char*>(model->data), 5), "Plant");
  std::remove(path.c_str());
}

TEST(Mat, IsReadableWhileItGrowsAndWhereverItIsCut) {
  MemoryStore store;
  MatWriter writer(store, some_header());
  for (std::size_t row = 0; row < 300; row += 100) {
    ASSERT_TRUE(writer.add_rows(some_rows(row, 100)));
    EXPECT_EQ(read(store.bytes()).value().time.size(), row + 100);
  }
  const std::string bytes = store.bytes();
  for (std::size_t missing = 1; missing < 300; missing += 7) {
    const auto result = read(bytes.substr(0, bytes.size() - missing));
    ASSERT_TRUE(result.ok()) << result.message();
    EXPECT_EQ(result.value().time.size(), 300 - (missing + 23) / 24);
    EXPECT_EQ(result.value().notes.size(), 1U);
  }
  for (std::size_t size = 1; size < 700; ++size) {  // in all that stands before the trajectories
    const auto result = read(bytes.substr(0, size));
    if (!result.ok()) {
      EXPECT_NE(result.message().find("f.mat"), std::string::npos);
    }
  }
}

TEST(Mat, SaysWhatMakesNoSense) {
  const std::string bytes = written(some_header(), 100);
  const auto changed = [&](std::size_t place, char value) {
    std::string copy = bytes;
    copy[place] = value;
    return read(copy).message();
  };
  EXPECT_EQ(changed(27, 'B'), "cannot read `f.mat`: its matrix `Aclass` does not say `Atrajectory`");
  const std::size_t info = bytes.find("dataInfo");
  EXPECT_EQ(changed(info + 9 + 4 * 12 + 4, 9),
            "cannot read `f.mat`: `dataInfo` sends `level` to a row that `data_2` does not have");
  const std::size_t data = bytes.find("data_2");
  EXPECT_EQ(changed(data + 1, 'x'), "cannot read `f.mat`: it has no matrix `data_2`, as files with trajectories have");
  EXPECT_EQ(read("MATLAB 5.0 MAT-file").message(),
            "cannot read `f.mat`: it is a MAT file of level 5 or later; trajectories are read from level 4 (`save "
            "-v4`)");
}

/// By rows, in single precision, most significant byte first: all that others may choose differently.
TEST(Mat, ReadsOtherKindsOfNumbers) {
  std::string bytes;
  const auto number = [&](auto value) {
    std::string text(reinterpret_cast<const char*>(&value), sizeof value);
    bytes += std::string(text.rbegin(), text.rend());
  };
  const auto header = [&](std::int32_t type, std::int32_t rows, std::int32_t columns, const std::string& name) {
    for (const std::int32_t part : {type, rows, columns, 0, static_cast<std::int32_t>(name.size() + 1)}) number(part);
    bytes += name + '\0';
  };
  header(1051, 4, 11, "Aclass");
  const std::vector<std::string> lines = {"Atrajectory", "1.1        ", "           ", "binNormal  "};
  for (std::size_t i = 0; i < 11; ++i) {
    for (const std::string& line : lines) bytes += line[i];
  }
  header(1051, 2, 4, "name");
  bytes += "txi m e ";
  header(1051, 2, 1, "description");
  bytes += "  ";
  header(1020, 2, 4, "dataInfo");
  for (const std::int32_t part : {0, 2, 1, -2, 0, 0, -1, -1}) number(part);
  header(1010, 3, 2, "data_2");
  for (const float part : {0.0F, 1.0F, 2.0F, 5.0F, 6.0F, 7.5F}) number(part);
  const auto result = read(bytes);
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.value().time, (std::vector<double>{0, 1, 2}));
  EXPECT_EQ(result.value().values(result.value().columns[0]), (std::vector<double>{-5, -6, -7.5}));
}

TEST(Mat, EndsWhenItsStoreIsFull) {
  MemoryStore store(2000);
  MatWriter writer(store, some_header());
  EXPECT_TRUE(writer.add_rows(some_rows(0, 10)));
  EXPECT_FALSE(writer.add_rows(some_rows(10, 1000)));
  EXPECT_EQ(read(store.bytes()).value().time.size(), 10U);
  EXPECT_EQ(writer.kept_until(), 4.0);
}

TEST(Mat, KeepsWhatHasRoomOfABlock) {
  MemoryStore store(1000000);
  MatWriter writer(store, some_header());
  EXPECT_FALSE(writer.add_rows(some_rows(0, 50000)));
  const RunResult kept = read(store.bytes()).value();
  EXPECT_GT(kept.time.size(), 30000U);
  EXPECT_EQ(writer.kept_until(), kept.time.back());
}

}  // namespace
}  // namespace hyla::record
