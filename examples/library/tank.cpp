// Hyla in a program: a controller in C++ holds the level of a tank that is modelled in Hyla.
//
// Every half second of model time the program reads the level, and sets the inflow. Between these times the model runs
// by itself: its chart tells when the tank is nearly full.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>

#include <hyla/hyla.h>

namespace {

const char* const kTank = R"(
model Tank {
    parameter area: Real(unit = "m^2") = 1.5;
    discrete inflow: Real(unit = "m^3/s") := 0;
    output level: Real(unit = "m") := 0.2;
    var outflow: Real(unit = "m^3/s");
    outflow = area * 0.02 [m/s] * sqrt(level / 1 [m]);
    der(level) * area = inflow - outflow;

    chart alarm {
        initial -> Calm;
        state Calm { when level > 0.9 [m] -> High { print("nearly full"); } }
        state High { when level < 0.85 [m] -> Calm; }
    }
    section Simulation { stop_time = 60; }
}
)";

/// Proportional and integral.
class Controller {
 public:
  double inflow(double wanted, double level, double interval) {
    const double error = wanted - level;
    sum_ += error * interval;
    return std::clamp(0.6 * error + 0.03 * sum_, 0.0, 0.3);
  }

 private:
  double sum_ = 0;
};

void hold_level(double wanted) {
  const hyla::Model model = hyla::Model::from_text(kTank, "tank.hyla");
  hyla::Simulation tank(model, {.parameters = {{"area", "1.2"}}});
  const hyla::Variable level = tank.find("level"), inflow = tank.find("inflow");
  tank.on_print(
      [](double time, std::string_view text) { std::printf("%6.2f s  %s\n", time, std::string(text).c_str()); });
  tank.on_event([](const hyla::Event& event) {
    if (event.kind == "transition") std::printf("%6.2f s  %s\n", event.time, std::string(event.to).c_str());
  });
  constexpr double kInterval = 0.5;
  Controller controller;
  do {
    tank.set(inflow, controller.inflow(wanted, tank.get(level), kInterval));
  } while (tank.run_to(tank.time() + kInterval));
  std::printf("%6.2f s  level %.3f m, %llu steps\n", tank.time(), tank.get(level),
              static_cast<unsigned long long>(tank.summary().steps));
}

}  // namespace

int main(int argc, char** argv) {
  try {
    hold_level(argc > 1 ? std::stod(argv[1]) : 0.92);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
