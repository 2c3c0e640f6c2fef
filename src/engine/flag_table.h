// Things that belong to sets of flags, such as configurations to sets of active equations. Looking up allocates
// nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hyla::engine {

template <class Thing>
class FlagTable {
 public:
  bool empty() const { return things_.empty(); }
  /// Null: there is none yet.
  Thing* find(const std::vector<std::uint8_t>& flags) const {
    const auto found = things_.find(view_of(flags));
    return found == things_.end() ? nullptr : found->second.get();
  }
  Thing* add(const std::vector<std::uint8_t>& flags, std::unique_ptr<Thing> thing) {
    return (things_[std::string(view_of(flags))] = std::move(thing)).get();
  }
  template <class Visit>
  void each(Visit&& visit) const {
    for (const auto& [flags, thing] : things_) visit(std::vector<std::uint8_t>(flags.begin(), flags.end()), *thing);
  }
  /// The flags of the first thing for which something holds; empty if there is none.
  template <class Predicate>
  std::vector<std::uint8_t> flags_of(Predicate&& holds) const {
    for (const auto& [flags, thing] : things_) {
      if (holds(*thing)) return {flags.begin(), flags.end()};
    }
    return {};
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view flags) const { return std::hash<std::string_view>()(flags); }
  };
  static std::string_view view_of(const std::vector<std::uint8_t>& flags) {
    return {reinterpret_cast<const char*>(flags.data()), flags.size()};
  }

  std::unordered_map<std::string, std::unique_ptr<Thing>, Hash, std::equal_to<>> things_;
};

}  // namespace hyla::engine
