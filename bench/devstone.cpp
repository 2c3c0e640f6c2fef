// DEVStone by hand: the graph of the flattened model, and the least kernel of parallel DEVS that runs it.
//
// Sources: G. Wainer, E. Glinsky, M. Gutierrez-Alcaraz, "Studying performance of DEVS modeling and simulation
// environments using the DEVStone benchmark", Simulation 87 (2011); J. L. Risco-Martín et al., "Reconsidering the
// performance of DEVS modeling and simulation environments using the DEVStone benchmark", Simulation 93 (2017).
#include <memory>

#include "hand_events.h"

namespace hyla::bench {
namespace {

using Id = std::uint32_t;

class GraphMaker {
 public:
  Id add() {
    graph.receivers.emplace_back();
    return static_cast<Id>(graph.receivers.size() - 1);
  }
  void join(Id from, Id to) { graph.receivers[from].push_back(to); }

  /// One level of LI, HI and HO: all are fed from outside; in HI and HO each also feeds the next.
  void add_level(StoneKind kind, std::size_t width) {
    for (std::size_t i = 0; i + 1 < width; ++i) {
      const Id stone = add();
      graph.fed.push_back(stone);
      if (kind != StoneKind::LI && i > 0) join(stone - 1, stone);
    }
  }

  /// One level of HOmod: a row that feeds the level inside, and a triangle of delays that feeds the row. `feeders` is
  /// the row of the level outside, which feeds this one; empty for the outermost.
  std::vector<Id> add_modified_level(const std::vector<Id>& feeders, std::size_t width) {
    const auto feed = [&](Id stone) {
      if (feeders.empty()) graph.fed.push_back(stone);
      for (const Id feeder : feeders) join(feeder, stone);
    };
    std::vector<Id> row(width - 1);
    for (Id& stone : row) feed(stone = add());
    std::vector<Id> below;
    for (std::size_t length = width - 1; length > 0; --length) {
      std::vector<Id> layer(length);
      for (Id& stone : layer) stone = add();
      feed(layer.front());
      for (std::size_t i = 0; i < length; ++i) {
        if (below.empty()) {
          for (const Id target : row) join(layer[i], target);
        } else {
          join(layer[i], below[i + 1]);
        }
      }
      below = std::move(layer);
    }
    return row;
  }

  StoneGraph graph;
};

/// The atomic models behind an interface, as a library of DEVS models would have them.
class Atomic {
 public:
  virtual ~Atomic() = default;
  virtual void internal() = 0;
  virtual void external() = 0;
  virtual bool is_imminent() const = 0;
};

class Stone final : public Atomic {
 public:
  void internal() override { active_ = false; }
  void external() override { active_ = true; }
  bool is_imminent() const override { return active_; }

 private:
  bool active_ = false;
};

/// All outputs of a cycle are collected, then all transitions are made.
class Kernel {
 public:
  explicit Kernel(const StoneGraph& graph) : graph_(graph), bags_(graph.receivers.size()) {
    for (std::size_t i = 0; i < graph.receivers.size(); ++i) stones_.push_back(std::make_unique<Stone>());
  }
  std::uint64_t run() {
    for (const Id stone : graph_.fed) external(stone);
    while (!next_.empty()) {
      imminent_.swap(next_);
      next_.clear();
      send();
      make_transitions();
    }
    return transitions_;
  }

 private:
  void send() {
    receiving_.clear();
    for (const Id stone : imminent_) {
      for (const Id receiver : graph_.receivers[stone]) {
        if (bags_[receiver]++ == 0) receiving_.push_back(receiver);
      }
    }
  }
  void make_transitions() {
    for (const Id stone : imminent_) {
      stones_[stone]->internal();
      ++transitions_;
      if (bags_[stone] > 0) external(stone);
    }
    for (const Id stone : receiving_) {
      if (bags_[stone] > 0) external(stone);
    }
  }
  void external(Id stone) {
    stones_[stone]->external();
    bags_[stone] = 0;
    ++transitions_;
    if (stones_[stone]->is_imminent()) next_.push_back(stone);
  }

  const StoneGraph& graph_;
  std::vector<std::unique_ptr<Atomic>> stones_;
  std::vector<std::uint32_t> bags_;  ///< messages that wait for each
  std::vector<Id> imminent_, next_, receiving_;
  std::uint64_t transitions_ = 0;
};

}  // namespace

StoneGraph flat_devstone(StoneKind kind, std::size_t width, std::size_t depth) {
  GraphMaker maker;
  std::vector<Id> row;
  for (std::size_t level = 1; level < depth; ++level) {
    if (kind == StoneKind::HOmod) {
      row = maker.add_modified_level(row, width);
    } else {
      maker.add_level(kind, width);
    }
  }
  maker.graph.fed.push_back(maker.add());
  return maker.graph;
}

std::uint64_t run_devstone(const StoneGraph& graph) { return Kernel(graph).run(); }

std::uint64_t devstone_transitions(StoneKind kind, std::uint64_t width, std::uint64_t depth) {
  std::uint64_t external = 1;
  for (std::uint64_t level = 1; level < depth; ++level) {
    const std::uint64_t triangle = width * (width - 1) / 2;
    switch (kind) {
      case StoneKind::LI:
        external += width - 1;
        break;
      case StoneKind::HI:
      case StoneKind::HO:
        external += triangle;
        break;
      case StoneKind::HOmod: {
        const std::uint64_t inputs = 1 + (level - 1) * (width - 1);
        external += inputs * triangle + (width - 1) * (inputs + width - 1);
        break;
      }
    }
  }
  return 2 * external;  // every external transition is followed by one internal
}

}  // namespace hyla::bench
