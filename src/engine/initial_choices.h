// Which values are given when an object begins, and which are computed.
//
// Without further words differential variables and parameters are given, everything else is computed from the
// equations. The attribute `fixed`, and choices from outside, say otherwise for single variables.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/terms.h"

namespace hyla::engine {

/// Whether a value, or a derivative, is given at the start.
enum class StartRole : std::uint8_t {
  Default,  ///< given: a differential variable, a parameter; computed: everything else
  Fixed,
  Free,
};

/// Who has said so.
enum class StartOrigin : std::uint8_t { Declared, Argument, Loaded, Chosen };

/// A choice from outside, by name: `tank.level`, `T[3]`, `der(tank.level)`.
struct StartWish {
  enum class Kind : std::uint8_t { Fix, Free, Guess };
  Kind kind = Kind::Fix;
  std::string name;
  std::optional<double> number;  ///< of Fix: none to keep the value that it has; of Free: a guess
  StartOrigin origin = StartOrigin::Chosen;
};

struct PlaceHash {
  std::size_t operator()(const Place& place) const {
    std::uint64_t key = std::uint64_t{place.object.index} << 32 | place.slot;
    key ^= std::uint64_t{place.element + 1} * 0x9E3779B97F4A7C15U;
    key *= 0xBF58476D1CE4E5B9U;
    return static_cast<std::size_t>(key ^ key >> 31);
  }
};

/// Of one quantity: the value of a place, or its derivative.
struct StartChoice {
  StartRole role = StartRole::Default;
  std::optional<double> value;  ///< if it is given
  std::optional<double> guess;  ///< where the search begins, if it is computed
  StartOrigin origin = StartOrigin::Declared;
};

/// A quantity that can be chosen at the start, by its name without that of the top object.
struct StartName {
  std::string name;
  Place place;
  model::VariableId variable;
};

struct StartChoices {
  std::unordered_map<Place, StartChoice, PlaceHash> values, derivatives;
  std::set<model::VariableId> freed;  ///< parameters that are free in some object by a choice from outside
  std::set<std::pair<std::uint32_t, std::uint32_t>> arguments;  ///< object and slot: set by an argument or from outside
  /// By object: slots and elements of continuous variables to which an argument or a setting gives a value, whatever
  /// the value; kNone for all elements.
  std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint32_t, std::uint32_t>>> written;

  std::vector<StartName> probes;  ///< given quantities with respect to which derivatives are wanted

  bool notes_arguments = false;

  bool empty() const { return values.empty() && derivatives.empty(); }
  bool is_probed(const Place& place) const {
    return std::any_of(probes.begin(), probes.end(), [&](const StartName& one) { return one.place == place; });
  }
  bool is_written(const Place& place) const {
    const auto found = written.find(place.object.index);
    return found != written.end() && std::any_of(found->second.begin(), found->second.end(), [&](const auto& one) {
             return one.first == place.slot && (one.second == kNone || one.second == place.element);
           });
  }
  const StartChoice* value(const Place& place) const { return find(values, place); }
  const StartChoice* derivative(const Place& place) const { return find(derivatives, place); }

 private:
  static const StartChoice* find(const std::unordered_map<Place, StartChoice, PlaceHash>& choices, const Place& place) {
    const auto found = choices.find(place);
    return found == choices.end() ? nullptr : &found->second;
  }
};

/// All Real variables and parameters of the world's objects, in the order of the objects and of their declarations.
std::vector<StartName> start_names(const World& world);

/// Enters wishes into the world, and guesses that its variables declare. False: the message tells which wish cannot be
/// granted, and why.
bool choose_starts(World& world, const std::vector<StartWish>& wishes, std::string& message);

/// Notes given quantities by their names: inputs that nothing is joined to, parameters and discrete variables. Without
/// names all such inputs of the top object. False: the message tells which cannot be, and why.
bool choose_probes(World& world, const std::vector<std::string>& names, std::string& message);
/// The names of start_names(), and what is said of one that is not among them.
std::string no_such_name(std::string_view name, const std::vector<StartName>& names);

/// The choice for the value of a variable: from outside, else by its attributes.
StartRole start_role(const World& world, const Place& place, model::VariableId variable);

/// Whether the start may compute a parameter. Not if the structure of the model, another parameter or a value that is
/// given at the start depends on it: `why` is where.
bool can_be_freed(const model::Model& model, model::VariableId parameter, diag::Span& why);
/// Tells of declared parameters of a class that cannot be computed.
void check_freed_parameters(const model::Model& model, model::ClassId object_class, diag::Sink& sink);

}  // namespace hyla::engine
