// Random networks of sources, queues and servers with fixed times, against a direct computation: station by station, a
// job starts when it is there and a server is free. Jobs are alike, so the order of simultaneous events does not matter
// and all figures agree to the last bit.
#include <algorithm>
#include <cstdint>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "service/run_testing.h"

namespace hyla::service {
namespace {

struct Source {
  double period = 1;
  std::size_t target = 0;
};

struct Station {
  bool chart = false;  ///< one server that is a chart; else processes
  int servers = 1;
  double duration = 1;
  std::vector<std::size_t> targets;  ///< later stations, served in turn
};

struct Network {
  std::vector<Source> sources;
  std::vector<Station> stations;
};

/// What a station has done by the stop time.
struct Figures {
  std::int64_t arrived = 0, served = 0, waiting = 0;
  double departures = 0;  ///< sum of their times
  bool operator==(const Figures&) const = default;
};

void PrintTo(const Figures& one, std::ostream* out) {
  *out << one.arrived << " arrived, " << one.served << " served, " << one.waiting << " waiting, " << one.departures;
}

// --- The direct computation
// -------------------------------------------------------------------------------------------------------------

std::vector<Figures> compute(const Network& network, double stop) {
  std::vector<std::vector<double>> arrivals(network.stations.size());
  for (const Source& source : network.sources) {
    for (int k = 1; source.period * k <= stop; ++k) arrivals[source.target].push_back(source.period * k);
  }
  std::vector<Figures> result;
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const Station& station = network.stations[i];
    std::sort(arrivals[i].begin(), arrivals[i].end());
    Figures figures;
    std::priority_queue<double, std::vector<double>, std::greater<>> free;
    for (int k = 0; k < station.servers; ++k) free.push(0);
    for (const double arrival : arrivals[i]) {
      const double begin = std::max(arrival, free.top());
      free.pop();
      free.push(begin + station.duration);
      ++figures.arrived;
      if (begin > stop) ++figures.waiting;
      if (begin + station.duration > stop) continue;
      ++figures.served;
      figures.departures += begin + station.duration;
      if (station.targets.empty()) continue;
      const std::size_t turn = static_cast<std::size_t>(figures.served - 1) % station.targets.size();
      arrivals[station.targets[turn]].push_back(begin + station.duration);
    }
    result.push_back(figures);
  }
  return result;
}

// --- The engine
// -------------------------------------------------------------------------------------------------------------

constexpr std::string_view kParts = R"(
message Job;
model Source {
    parameter period = 1;
    port out sends Job;
    every period { send out.Job; }
}
model Station {
    parameter servers: Integer = 1, fan: Integer = 1, duration = 1;
    port out[fan] sends Job;
    mailbox queue: Job;
    var arrived: Integer := 0, served: Integer := 0, waiting: Integer := 0;
    discrete departures := 0;
    on queue { arrived := arrived + 1; }
}
model Crew extends Station {
    process serve {
        loop {
            receive queue as job;
            wait duration;
            served := served + 1;
            departures := departures + time;
            send out[1 + mod(served - 1, fan)].Job;
        }
    }
    at 0 {
        for i in 1..servers { start serve; }
    }
}
model Desk extends Station {
    chart work {
        initial -> Idle;
        state Idle {
            when queue.size > 0 -> Busy { queue.take(); }
        }
        state Busy {
            after duration -> Idle {
                served := served + 1;
                departures := departures + time;
                send out[1 + mod(served - 1, fan)].Job;
            }
        }
    }
}
)";

std::string text_of(const Network& network) {
  std::string text = std::string(kParts) + "model Case {\n";
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    const Station& one = network.stations[i];
    text +=
        fmt::format("object station{}: {}(servers = {}, duration = {}, fan = {});\n", i, one.chart ? "Desk" : "Crew",
                    one.servers, one.duration, std::max<std::size_t>(1, one.targets.size()));
    for (std::size_t k = 0; k < one.targets.size(); ++k) {
      text += fmt::format("connect station{}.out[{}] -- station{}.queue;\n", i, k + 1, one.targets[k]);
    }
  }
  for (std::size_t i = 0; i < network.sources.size(); ++i) {
    const Source& one = network.sources[i];
    text += fmt::format("object source{0}: Source(period = {1}); connect source{0}.out -- station{2}.queue;\n", i,
                        one.period, one.target);
  }
  return text + "}\n";
}

/// Reads the figures of a station out of its slots.
Figures figures_of(const engine::World& world, const engine::Object& object) {
  Figures result;
  const auto name_of = [&](model::VariableId id) { return world.model.name(world.model.variables[id].name); };
  for (model::ClassId id = object.object_class; id; id = world.model.classes[id].base) {
    for (const model::VariableId variable : world.model.bodies[world.model.classes[id].body].variables) {
      const engine::Slot slot = object.slots[world.layout.variables[variable.index]];
      if (name_of(variable) == "arrived") result.arrived = slot.integer;
      if (name_of(variable) == "served") result.served = slot.integer;
      if (name_of(variable) == "departures") result.departures = slot.real;
    }
  }
  for (const engine::MailboxInstance& mailbox : world.mailboxes) {
    if (mailbox.owner == object.self) result.waiting = static_cast<std::int64_t>(mailbox.messages.size());
  }
  return result;
}

std::vector<Figures> simulate(const Network& network, double stop, bool random_order) {
  const CheckedText text(text_of(network));
  EXPECT_TRUE(text.good()) << text.errors();
  diag::Sink sink;
  const auto world = text.build(text.request(1), sink);
  EXPECT_TRUE(world);
  if (!world) return {};
  engine::RunOptions options;
  options.stop_time = stop;
  options.random_order = random_order;
  EXPECT_EQ(engine::run(*world, options, nullptr, sink).ending, engine::Ending::StopTime);
  std::vector<Figures> result;
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    for (const engine::Object& object : world->objects) {
      if (world->path(object.self) == fmt::format("Case.station{}", i)) result.push_back(figures_of(*world, object));
    }
  }
  return result;
}

/// `grain` is what all times are multiples of: 1 makes most events coincide.
Network random_network(std::mt19937_64& random, double grain) {
  const auto duration = [&](std::uint64_t most) { return grain * static_cast<double>(1 + random() % most); };
  const auto scale = static_cast<std::uint64_t>(8 / grain);
  Network network;
  network.stations.resize(1 + random() % 6);
  for (std::size_t i = 0; i < network.stations.size(); ++i) {
    Station& one = network.stations[i];
    one.chart = random() % 2 == 0;
    one.servers = one.chart ? 1 : 1 + static_cast<int>(random() % 3);
    one.duration = duration(scale);
    for (std::size_t k = i + 1; k < network.stations.size(); ++k) {
      if (random() % 2 == 0) one.targets.push_back(k);
    }
  }
  network.sources.resize(1 + random() % 3);
  for (Source& one : network.sources) {
    one.period = duration(scale);
    one.target = random() % network.stations.size();
  }
  return network;
}

TEST(QueueNetworks, DoWhatTheDirectComputationSays) {
  std::mt19937_64 random(1);
  std::int64_t served = 0;
  for (int i = 0; i < 200; ++i) {
    const Network network = random_network(random, i % 2 == 0 ? 1 : 0.0009765625);
    const std::vector<Figures> expected = compute(network, 300);
    ASSERT_EQ(simulate(network, 300, false), expected) << "network " << i << text_of(network);
    ASSERT_EQ(simulate(network, 300, true), expected) << "network " << i << " in drawn order" << text_of(network);
    for (const Figures& one : expected) served += one.served;
  }
  EXPECT_GT(served, 10'000);
}

}  // namespace
}  // namespace hyla::service
