// Plugs of objects that come and go: what joins them goes with them, and the others do not notice.
#include <cmath>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

// A cell levels out: left.x - right.x = exp(-2 t). Two cells joined at their left tanks share what these hold.
constexpr std::string_view kCells = R"(
connector Pipe {
    potential p: Real;
    flow q: Real;
}
model Tank {
    parameter x0: Real;
    plug a: Pipe;
    output x := x0;
    a.p = x;
    der(x) = a.q;
}
model Hose {
    plug a: Pipe;
    plug b: Pipe;
    a.q = a.p - b.p;
    a.q + b.q = 0;
}
model Cell {
    parameter number: Integer = 0;
    object left: Tank(x0 = 1);
    object right: Tank(x0 = 0);
    object hose: Hose;
    connect left.a -- hose.a;
    connect hose.b -- right.a;
}
)";

TEST(PlugSets, CellsComeAndGoBesideOthers) {
  const std::string text = std::string(kCells) + R"(
model Case {
    object steady: Cell;
    population cells: Cell;
    discrete ended: Integer := 0;
    discrete made: Integer := 0;
    every 0.1 {
        if cells.size == 10 {
            for cell in cells {
                if cell.number == ended {
                    print(cell.left.x - cell.right.x);
                    delete cell;
                }
            }
            ended := ended + 1;
        }
        new Cell(number = made) in cells;
        made := made + 1;
    }
    at 19.95 { print(steady.left.x + steady.right.x); }
}
)";
  std::istringstream lines(printed(text, 20));
  double value = 0;
  int cells = 0, others = 0;
  while (lines >> value) {
    const bool is_steady = value > 0.5;
    EXPECT_NEAR(value, is_steady ? 1.0 : std::exp(-2.0), 1e-5) << cells;
    ++(is_steady ? others : cells);
  }
  EXPECT_GE(cells, 180) << printed(text, 20);
  EXPECT_EQ(others, 1);
}

}  // namespace
}  // namespace hyla::service
