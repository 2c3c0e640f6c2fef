// Models whose structure changes, and models of any number of equations, for the benchmark of structure.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hyla::bench {

/// A model of about ten equations in one island, with an event every millisecond.
struct KnownChange {
  std::string_view name;
  std::string_view changing;    ///< the event changes the structure, to and fro
  std::string_view restarting;  ///< the event assigns a state: the same island starts again, and nothing else happens
  std::string_view other = {};  ///< the same in the other structure, where its equations cost something else
};
std::span<const KnownChange> known_changes();

/// A model whose structure of about so many equations comes into being at t = 1, when a state is entered.
struct FreshStructure {
  std::string_view name;
  std::string (*text)(std::size_t equations);
};
std::span<const FreshStructure> fresh_structures();

/// Many objects that have nothing to do with each other, joined by plugs in pairs, and one pair that is joined and
/// parted every second.
std::string pairs_text(std::size_t pairs, bool changes);

}  // namespace hyla::bench
