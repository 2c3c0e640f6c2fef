// Models of any length for the benchmarks. The same shape, length and seed give the same text everywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hyla::bench {

/// Plants of tanks, drives, circuits and packing lines, each with its own messages, models, connections, sections and
/// experiments: what a large project looks like. At least `lines` long, ends with a whole plant, and passes
/// `hyla check` without a message.
std::string realistic_model(std::size_t lines, std::uint32_t seed = 1);

/// A text that stresses one thing, of about so many lines.
struct Shape {
  std::string_view name;
  std::string_view what;
  std::string (*generate)(std::size_t lines);
};

/// Extreme texts: what takes time out of proportion to its length shows here.
std::span<const Shape> all_shapes();

}  // namespace hyla::bench
