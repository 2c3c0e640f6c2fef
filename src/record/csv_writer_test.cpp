#include "record/csv_writer.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "record/testing.h"

namespace hyla::record {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(CsvWriter, WritesHeaderRowsAndEmptyCells) {
  Memory memory;
  {
    CsvWriter writer(memory, std::vector<std::string>{"x", "a[1, 2]", "say \"b\""});
    writer.row(0, std::vector<double>{0.1, kAbsent, -3});
    writer.row(1.0 / 3, std::vector<double>{kInfinity, -0.0, kAbsent});
    writer.row(1e20, std::vector<double>{-kInfinity, -std::nan(""), 123456789012});
  }
  EXPECT_EQ(memory.text(),
            "time,x,\"a[1, 2]\",\"say \"\"b\"\"\"\n"
            "0,0.1,,-3\n"
            "0.3333333333333333,inf,-0,\n"
            "1e+20,-inf,nan,123456789012\n");
}

TEST(CsvWriter, ColumnsMayBeMissing) {
  Memory memory;
  CsvWriter writer(memory, {});
  writer.row(2, {});
  writer.flush();
  EXPECT_EQ(memory.text(), "time\n2\n");
}

TEST(CsvWriter, NumbersReadBackBitForBit) {
  std::mt19937_64 dice(11);
  std::vector<double> numbers = {5e-324, 1.7976931348623157e308, 1e15, 1e15 - 1, 9007199254740994.0, 0.1, 1e22, -1e-5};
  while (numbers.size() < 20000) {
    const double any = std::bit_cast<double>(dice());
    if (std::isfinite(any)) numbers.push_back(any);
    numbers.push_back(std::ldexp(static_cast<double>(dice() >> 11U), -53));
    numbers.push_back(static_cast<double>(dice() % 1000) / 8);
  }
  Memory memory;
  CsvWriter writer(memory, std::vector<std::string>{"x"});
  for (const double number : numbers) writer.row(0, std::vector<double>{number});
  writer.flush();
  const std::string text = memory.text();
  const char* at = text.data() + text.find('\n') + 1;
  for (const double number : numbers) {
    double read = 0;
    at = std::from_chars(at + 2, text.data() + text.size(), read).ptr;
    ASSERT_EQ(*at++, '\n');
    ASSERT_EQ(std::bit_cast<std::uint64_t>(read), std::bit_cast<std::uint64_t>(number)) << number;
  }
}

TEST(CsvWriter, HandsOnWholeLinesInLargePieces) {
  Memory memory;
  CsvWriter writer(memory, std::vector<std::string>{"x"});
  std::size_t bytes = 0;
  for (int i = 0; i < 200000; ++i) writer.row(i, std::vector<double>{1.0 / (i + 1)});
  writer.flush();
  for (const std::string& piece : memory.pieces) {
    EXPECT_EQ(piece.back(), '\n');
    bytes += piece.size();
  }
  EXPECT_EQ(memory.pieces.size(), bytes / CsvWriter::kPiece + 1);
}

TEST(CsvWriter, WritesNothingAfterAFailure) {
  Memory memory;
  memory.room = 1;
  CsvWriter writer(memory, std::vector<std::string>{"x"});
  EXPECT_TRUE(writer.flush());
  writer.row(1, std::vector<double>{1});
  EXPECT_FALSE(writer.flush());
  memory.room = 9;
  writer.row(2, std::vector<double>{2});
  EXPECT_FALSE(writer.flush());
  EXPECT_EQ(memory.text(), "time,x\n");
}

}  // namespace
}  // namespace hyla::record
