#include "experiment/sample.h"

#include <algorithm>
#include <numeric>

#include <boost/random/sobol.hpp>

#include "random/stream.h"

namespace hyla::experiment {
namespace {

random::Stream stream_for(const std::string& name, std::uint64_t seed) {
  return random::make_stream(seed, "", "vary " + name, 0);
}

/// A random place in each part, and the parts in a random order.
std::vector<double> latin_axis(std::uint64_t count, random::Stream stream) {
  std::vector<std::uint64_t> order(count);
  std::iota(order.begin(), order.end(), std::uint64_t{0});
  for (std::uint64_t i = count; i > 1; --i) {
    const auto other = static_cast<std::uint64_t>(stream.next_53() * static_cast<double>(i));
    std::swap(order[i - 1], order[std::min(other, i - 1)]);
  }
  std::vector<double> axis(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    axis[i] = (static_cast<double>(order[i]) + stream.next_53()) / static_cast<double>(count);
  }
  return axis;
}

constexpr double kUnit = 0x1p-32;

void fill_sobol(std::vector<std::vector<double>>& points, const std::vector<std::string>& names, std::uint64_t seed) {
  using Engine = boost::random::sobol_engine<std::uint32_t, 32>;
  std::vector<std::uint32_t> shifts;
  for (const std::string& name : names) {
    shifts.push_back(static_cast<std::uint32_t>(stream_for(name, seed).next_53() / kUnit));
  }
  Engine engine(names.size());
  for (std::size_t point = 0; point < points.size(); ++point) {
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      const std::uint32_t raw = point == 0 ? 0 : engine();  // the engine leaves the origin out
      points[point][axis] = (static_cast<double>(raw ^ shifts[axis]) + 0.5) * kUnit;
    }
  }
}

}  // namespace

std::size_t most_sobol_axes() { return boost::random::default_sobol_table::max_dimension; }

std::vector<std::vector<double>> sample_cube(Sampling sampling, std::uint64_t count,
                                             const std::vector<std::string>& names, std::uint64_t seed) {
  std::vector<std::vector<double>> points(count, std::vector<double>(names.size()));
  if (sampling == Sampling::Sobol && !names.empty()) {
    fill_sobol(points, names, seed);
    return points;
  }
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    random::Stream stream = stream_for(names[axis], seed);
    if (sampling == Sampling::LatinHypercube) {
      const std::vector<double> values = latin_axis(count, stream);
      for (std::size_t i = 0; i < count; ++i) points[i][axis] = values[i];
    } else {
      for (std::vector<double>& point : points) point[axis] = stream.next_53();
    }
  }
  return points;
}

}  // namespace hyla::experiment
