// Many small objects, each with its own events: every object has its own integrator, and a heap of the next event times
// puts the events of all of them in order.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "hand_continuous.h"

namespace hyla::bench {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

struct Room {
  static constexpr std::size_t kStates = 1;
  static constexpr double kLow = 19, kHigh = 21;
  double loss, outside, power;
  bool is_on;

  Room(std::size_t i, std::array<double, 1>& y)
      : loss(0.05 + 0.07 * spread(i, 0.6180339887498949)),
        outside(5 + 5 * spread(i, 0.7548776662466927)),
        power(2.5 + 2 * spread(i, 0.5698402909980532)),
        is_on(spread(i, 0.8191725133961645) < 0.5) {
    y[0] = 19.01 + 1.98 * spread(i, 0.6710436067037893);
  }
  void rates(const std::array<double, 1>& y, std::array<double, 1>& dy) const {
    dy[0] = -loss * (y[0] - outside) + (is_on ? power : 0);
  }
  /// An event is due when it falls below 0.
  double guard(double first) const { return is_on ? kHigh - first : first - kLow; }
  void jump(std::array<double, 1>& y) {
    y[0] = is_on ? kHigh : kLow;
    is_on = !is_on;
  }
  /// The next event of a room at the temperature y at the time t.
  double next_event(double t, double y) const {
    const double level = is_on ? kHigh : kLow;
    const double rest = outside + (is_on ? power / loss : 0);
    if (is_on ? rest <= level : rest >= level) return kNever;
    return t + std::log((y - rest) / (level - rest)) / loss;
  }
};

struct Ball {
  static constexpr std::size_t kStates = 2;
  double drag, restitution, kick;

  Ball(std::size_t i, std::array<double, 2>& y)
      : drag(0.3 * spread(i, 0.6180339887498949)),
        restitution(0.7 + 0.2 * spread(i, 0.7548776662466927)),
        kick(0.5 + spread(i, 0.5698402909980532)) {
    y = {0.01 + 0.99 * spread(i, 0.8191725133961645), -4 + 8 * spread(i, 0.6710436067037893)};
  }
  void rates(const std::array<double, 2>& y, std::array<double, 2>& dy) const { dy = {y[1], -9.81 - drag * y[1]}; }
  double guard(double first) const { return first; }
  void jump(std::array<double, 2>& y) { y = {0, -restitution * y[1] + kick}; }
};

/// What is kept of an object between its events.
template <class Object>
struct Place {
  Object object;
  std::array<double, Object::kStates> y;
  double t = 0;
  double next_step = 0.1;
};

/// The integrator is shared, so that ten thousand objects stay in the cache.
template <class Object>
class ObjectSolver {
 public:
  static constexpr std::size_t kStates = Object::kStates;

  ObjectSolver(double stop, double tolerance) : stop_(stop) {
    solver_.tolerance = {tolerance, tolerance};
    solver_.longest_step = 10;
  }

  /// Goes on to the next event of the object and returns its time; kNever if there is none before the stop time.
  double run(Place<Object>& place) {
    solver_.t = place.t;
    solver_.next_step = place.next_step;
    solver_.y = place.y;
    solver_.restart();
    const double time = next_event(place.object);
    place.t = solver_.t;
    place.next_step = solver_.next_step;
    place.y = solver_.y;
    return time;
  }
  std::uint64_t steps() const { return solver_.steps; }
  std::uint64_t evaluations() const { return solver_.evaluations; }

 private:
  double next_event(const Object& object) {
    const auto rates = [&](double, const std::array<double, kStates>& y, std::array<double, kStates>& dy) {
      object.rates(y, dy);
    };
    while (stop_ - solver_.t > 1e-12) {
      solver_.step(rates, stop_);
      const double after = object.guard(solver_.y_end[0]);
      if (after >= 0) {
        solver_.commit();
        continue;
      }
      solver_.prepare_dense();
      const auto guard = [&](double s) { return object.guard(solver_.dense(0, s)); };
      double begin = 0, before = object.guard(solver_.y[0]);
      if (before <= 0) {  // a ball that has just bounced starts on the floor
        begin = 1e-3;
        for (before = guard(begin); before <= 0 && begin < 1; before = guard(begin)) begin *= 1.5;
      }
      solver_.commit_at(find_zero(guard, begin, before, 1, after, 1e-13));
      return solver_.t;
    }
    return kNever;
  }

  double stop_;
  SmallDopri5<kStates> solver_;
};

using Entry = std::pair<double, std::uint32_t>;
using Heap = std::priority_queue<Entry, std::vector<Entry>, std::greater<>>;

template <class Object>
HandRun run_many(std::size_t count, double stop, double tolerance) {
  HandRun run;
  run.state.assign(count, 0);
  ObjectSolver<Object> solver(stop, tolerance);
  std::vector<Place<Object>> places;
  places.reserve(count);
  Heap heap;
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, Object::kStates> y;
    const Object object(i + 1, y);
    places.push_back({object, y});
    heap.emplace(solver.run(places[i]), static_cast<std::uint32_t>(i));
  }
  while (heap.top().first <= stop) {
    const auto [time, i] = heap.top();
    heap.pop();
    places[i].object.jump(places[i].y);
    ++run.events;
    run.state[i] = time;
    heap.emplace(solver.run(places[i]), i);
  }
  run.steps = solver.steps();
  run.evaluations = solver.evaluations();
  return run;
}

}  // namespace

double spread(std::size_t index, double factor) {
  const double multiple = static_cast<double>(index) * factor;
  return multiple - std::floor(multiple);
}

HandRun hand_thermostats(std::size_t count, double stop, double tolerance) {
  return run_many<Room>(count, stop, tolerance);
}

HandRun exact_thermostats(std::size_t count, double stop) {
  HandRun run;
  run.state.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    std::array<double, 1> y{};
    Room room(i + 1, y);
    for (double t = room.next_event(0, y[0]); t <= stop; t = room.next_event(t, y[0])) {
      room.jump(y);
      ++run.events;
      run.state[i] = t;
    }
  }
  return run;
}

HandRun hand_balls(std::size_t count, double stop, double tolerance) { return run_many<Ball>(count, stop, tolerance); }

}  // namespace hyla::bench
