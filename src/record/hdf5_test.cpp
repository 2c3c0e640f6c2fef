#include <functional>
#include <random>

#include <gtest/gtest.h>

#include "record/background_writer.h"
#include "record/hdf5_reader.h"
#include "record/hdf5_writer.h"
#include "record/read_result.h"
#include "record/result_testing.h"

namespace hyla::record {
namespace {

base::Result<RunResult> read(const std::string& bytes, const ResultChoice& choice = {}) {
  MemoryInput input(bytes);
  return read_result("f.h5", input, choice);
}

const ResultColumn& column(const RunResult& result, std::string_view name) {
  return result.columns[find_column(result.columns, name).value()];
}

constexpr std::string_view kEvents = R"({"hyla":"events","version":1,"model":"Plant","seed":42})"
                                     "\n"
                                     R"({"seq":1,"t":0,"step":0,"kind":"stop","object":"Plant"})"
                                     "\n";

TEST(Hdf5, ReadsBackWhatWasWrittenBitForBit) {
  MemoryStore store;
  const auto writer = make_hdf5_writer(store, some_header());
  for (std::size_t row = 0; row < 20000; row += 500) {  // several chunks
    EXPECT_TRUE(writer->add_rows(some_rows(row, 500)));
    if (row % 3000 == 0) {
      EXPECT_TRUE(writer->refresh());
    }
  }
  EXPECT_TRUE(writer->add_events(kEvents));
  EXPECT_TRUE(writer->finish());
  const auto read_back = read(store.bytes());
  ASSERT_TRUE(read_back.ok()) << read_back.message();
  const RunResult& result = read_back.value();
  EXPECT_EQ(result.format, "HDF5");
  EXPECT_EQ(result.model, "Plant");
  EXPECT_EQ(result.model_text, "model Plant {}\n");
  EXPECT_EQ(result.version, "1.2.3");
  EXPECT_EQ(result.seed, 42U);
  EXPECT_EQ(result.start_time, 0.0);
  EXPECT_EQ(result.stop_time, 10.0);
  EXPECT_EQ(result.time_unit, "s");
  ASSERT_EQ(result.parameters.size(), 2U);
  EXPECT_EQ(result.parameters[1].name, "tank[2].count");
  EXPECT_EQ(result.parameters[1].description, "how many");
  EXPECT_EQ(result.parameters[0].value, 0.5);
  ASSERT_EQ(result.time.size(), 20000U);
  EXPECT_EQ(result.series.size(), 2U);
  EXPECT_TRUE(has_values(result, column(result, "level"), 0, 1));
  EXPECT_TRUE(has_values(result, column(result, "copy"), 0, 1));
  EXPECT_TRUE(has_values(result, column(result, "m[1, 2]"), 1, 1));
  EXPECT_TRUE(has_values(result, column(result, "outflow"), 1, -1));
  EXPECT_EQ(column(result, "level").unit, "m");
  EXPECT_EQ(column(result, "m[1, 2]").description, "a matrix");
  ASSERT_TRUE(result.events);
  EXPECT_TRUE(result.events->is_complete);
  EXPECT_EQ(result.events->entries.size(), 1U);
  EXPECT_TRUE(result.notes.empty());
  EXPECT_LT(store.bytes().size(), 20000U * 3 * 8 * 8 / 10);  // compressed
}

TEST(Hdf5, IsReadableWheneverItIsRefreshed) {
  MemoryStore store;
  ResultHeader header = some_header();
  header.expected_rows = 300;
  const auto writer = make_hdf5_writer(store, header);
  for (std::size_t row = 0; row < 2000; row += 50) {
    ASSERT_TRUE(writer->add_rows(some_rows(row, 50)));
    const std::string before = store.bytes();  // as a run leaves it that is killed here
    const auto kept = read(before);
    ASSERT_TRUE(kept.ok()) << kept.message();
    for (const ResultColumn& one : kept.value().columns) {
      if (one.name == "level") {
        EXPECT_TRUE(has_values(kept.value(), one, 0, 1)) << row;
      }
      if (one.name == "outflow") {
        EXPECT_TRUE(has_values(kept.value(), one, 1, -1)) << row;
      }
    }
    ASSERT_TRUE(writer->refresh());
  }
}

TEST(Hdf5, IsWholeWhateverComesBetweenRefreshes) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 draw(seed);
    MemoryStore store;
    ResultHeader header = some_header();
    if (seed % 2 == 0) header.expected_rows = 1 + draw() % 3000;
    const auto writer = make_hdf5_writer(store, header);
    for (std::size_t row = 0; row < 20000;) {
      const std::size_t count = 1 + draw() % 3000;
      ASSERT_TRUE(writer->add_rows(some_rows(row, count)));
      row += count;
      if (draw() % 4 == 0) {
        ASSERT_TRUE(writer->add_events(std::string(draw() % 20000, 'x') + "\n"));
      }
      if (draw() % 3 == 0) {
        ASSERT_TRUE(writer->refresh());
      }
      const auto kept = read(store.bytes());
      ASSERT_TRUE(kept.ok()) << kept.message() << " with seed " << seed << " at row " << row;
      ASSERT_TRUE(has_values(kept.value(), column(kept.value(), "level"), 0, 1)) << seed;
      ASSERT_TRUE(has_values(kept.value(), column(kept.value(), "outflow"), 1, -1)) << seed;
    }
  }
}

TEST(Hdf5, CompressesWhatBecomesSmaller) {
  constexpr std::size_t kRows = 20000;
  const auto size_with = [](const std::function<double(std::size_t row)>& value) {
    MemoryStore store;
    ResultHeader header = some_header();
    header.columns = {{"x", "", "", 0, false}};
    header.expected_rows = kRows;
    const auto writer = make_hdf5_writer(store, header);
    RowBlock block;
    block.width = 2;
    for (std::size_t row = 0; row < kRows; ++row) {
      block.numbers.insert(block.numbers.end(), {static_cast<double>(row), value(row)});
    }
    EXPECT_TRUE(writer->add_rows(block));
    EXPECT_TRUE(writer->finish());
    const auto result = read(store.bytes());
    EXPECT_TRUE(result.ok()) << result.message();
    for (std::size_t row = 0; row < kRows; ++row) EXPECT_EQ(result.value().series[0][row], value(row));
    return store.bytes().size();
  };
  const std::size_t constant = size_with([](std::size_t) { return 0.1; });
  const std::size_t raw = kRows * sizeof(double);
  const auto above = [&](const auto& value) { return static_cast<double>(size_with(value) - constant) / raw; };
  // What a compressor gains with a smooth curve is not worth its time: it lies there as it is.
  EXPECT_NEAR(above([](std::size_t row) { return std::sin(0.001 * static_cast<double>(row)); }), 1, 0.01);
  // Values that are held, short numbers, and curves that rest half of the time.
  EXPECT_LT(above([](std::size_t row) { return std::sin(static_cast<double>(row / 100)); }), 0.1);
  EXPECT_LT(above([](std::size_t row) { return static_cast<double>(row * row % 1000); }), 0.4);
  EXPECT_LT(above([](std::size_t row) { return row % 4000 < 2000 ? 1 : std::sin(static_cast<double>(row)); }), 0.6);
}

TEST(Hdf5, TakesVariablesThatComeAndGo) {
  MemoryStore store;
  const auto writer = make_hdf5_writer(store, some_header());
  EXPECT_TRUE(writer->add_rows(some_rows(0, 100)));
  const std::vector<ResultColumn> late = {{"late.x", "kg", "", 2, false}};
  EXPECT_TRUE(writer->add_columns(late));
  RowBlock block = some_rows(100, 100, 3);
  for (std::size_t i = 0; i < 100; ++i) block.numbers[4 * i + 3] = i >= 10 && i < 50 && i != 30 ? 7.5 : kAbsent;
  EXPECT_TRUE(writer->add_rows(block));
  EXPECT_TRUE(writer->finish());
  const auto read_back = read(store.bytes());
  ASSERT_TRUE(read_back.ok()) << read_back.message();
  const ResultColumn& one = column(read_back.value(), "late.x");
  EXPECT_EQ(one.unit, "kg");
  for (std::size_t row = 0; row < 200; ++row) {
    const bool is_there = row >= 110 && row < 150 && row != 130;
    EXPECT_TRUE(same_bits(read_back.value().value(one, row), is_there ? 7.5 : kAbsent)) << row;
  }
}

TEST(Hdf5, ReadsChosenColumnsOnly) {
  MemoryStore store;
  const auto writer = make_hdf5_writer(store, some_header());
  EXPECT_TRUE(writer->add_rows(some_rows(0, 100)));
  EXPECT_TRUE(writer->finish());
  const auto result = read(store.bytes(), {{"outflow"}});
  ASSERT_TRUE(result.ok()) << result.message();
  EXPECT_EQ(result.value().columns.size(), 1U);
  EXPECT_EQ(result.value().series.size(), 1U);
  EXPECT_EQ(read(store.bytes(), {{"levle"}}).message(),
            "f.h5: no variable `levle` was recorded; did you mean `level`?");
}

TEST(Hdf5, EndsWhenItsStoreIsFullAndStaysReadable) {
  for (const std::uint64_t room : {0, 500, 20000}) {
    MemoryStore store(room);
    ResultHeader header = some_header();
    header.expected_rows = 300;
    const auto writer = make_hdf5_writer(store, header);
    bool done = true;
    for (std::size_t row = 0; row < 100000 && done; row += 100) {
      done = writer->add_rows(some_rows(row, 100)) && writer->refresh();
    }
    EXPECT_FALSE(done);
    const auto kept = read(store.bytes());
    ASSERT_EQ(kept.ok(), room == 20000);
    if (!kept.ok()) continue;
    EXPECT_TRUE(has_values(kept.value(), column(kept.value(), "level"), 0, 1));
    EXPECT_EQ(writer->kept_until(), kept.value().time.back());
  }
}

TEST(Hdf5, RefusesWhatIsDamagedOrForeign) {
  MemoryStore store;
  const auto writer = make_hdf5_writer(store, some_header());
  EXPECT_TRUE(writer->add_rows(some_rows(0, 1000)));
  EXPECT_TRUE(writer->finish());
  const std::string bytes = store.bytes();
  for (std::size_t size = 8; size + 1 < bytes.size(); size += 97) {
    const auto result = read(bytes.substr(0, size));
    ASSERT_FALSE(result.ok()) << size;
    EXPECT_NE(result.message().find("f.h5"), std::string::npos);
  }
  EXPECT_EQ(read(bytes.substr(0, 100)).message(),
            "cannot read `f.h5`: it begins like an HDF5 file, but is damaged or cut off");
  MemoryStore foreign;
  {
    ResultHeader header = some_header();
    const auto other = make_hdf5_writer(foreign, header);
    EXPECT_TRUE(other->finish());
  }
  std::string text = foreign.bytes();
  text.replace(text.find("hyla-result"), 4, "abcd");
  EXPECT_EQ(read(text).message(), "cannot read `f.h5`: it is an HDF5 file, but not one of `hyla run`");
}

TEST(BackgroundWriter, WritesTheSameAsItsTarget) {
  MemoryStore store;
  const auto writer = make_hdf5_writer(store, some_header());
  {
    BackgroundWriter background(*writer, 2);
    const RowBlock rows = some_rows(0, 100000);
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      background.row(rows.row(i)[0], rows.row(i).subspan(1));
      if (i % 1000 == 0) background.refresh();
    }
    background.add_columns({{"late", "", "", 2, false}});
    background.row(1e6, std::vector<double>{1, 2, 3});
    EXPECT_TRUE(background.write(kEvents));
    EXPECT_TRUE(background.finish());
  }
  const auto result = read(store.bytes());
  ASSERT_TRUE(result.ok()) << result.message();
  ASSERT_EQ(result.value().time.size(), 100001U);
  const ResultColumn& level = column(result.value(), "level");
  for (std::size_t row = 0; row < 100000; ++row) ASSERT_EQ(result.value().value(level, row), some_value(0, row));
  EXPECT_EQ(result.value().value(column(result.value(), "late"), 100000), 3);
  EXPECT_TRUE(is_absent(result.value().value(column(result.value(), "late"), 99999)));
}

TEST(BackgroundWriter, StopsWhenItsTargetFails) {
  MemoryStore store(50000);
  const auto writer = make_hdf5_writer(store, some_header());
  BackgroundWriter background(*writer, 2);
  const RowBlock rows = some_rows(0, 1000000);
  for (std::size_t i = 0; i < rows.rows() && !background.failed(); ++i) {
    background.row(rows.row(i)[0], rows.row(i).subspan(1));
  }
  EXPECT_FALSE(background.finish());
}

}  // namespace
}  // namespace hyla::record
