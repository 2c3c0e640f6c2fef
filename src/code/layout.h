// Where the members of objects are: one slot in the object's row of slots for each variable, part, port, mailbox,
// statistic and chart.
//
// A class that extends another starts with the slots of its base, member by member, so code compiled for the base fits
// the derived object: a reference needs no look-up by name. Members of states and of conditional bodies have slots of
// their own, whether active or not.
//
// What a slot holds: a variable its value (arrays, records, messages and texts a box); a part the ObjectRef, or for an
// array of parts a box with one; a port, mailbox or statistic the number that the host gave out, arrays of them a box
// of numbers; a population the host's number; a chart the number of its active direct substate, kInactive or kFinal.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/model.h"

namespace hyla::code {

inline constexpr std::int64_t kInactive = -1;  ///< of a chart: its body is not active
inline constexpr std::int64_t kFinal = -2;     ///< of a chart: it has ended

enum class SlotUse : std::uint8_t { Plain, Box };

struct ClassLayout {
  std::vector<SlotUse> slots;  ///< what must be released with the object
  /// Slots whose changes somebody may want to know: read by a condition, formula, rate, requirement, statistic,
  /// connection or argument of an input in the class, or visible to other objects (outputs, inputs, charts, mailboxes).
  std::vector<bool> watched;
  std::uint32_t states = 0, processes = 0, signals = 0, ports = 0;
};

struct Layout {
  std::vector<ClassLayout> classes;  ///< by ClassId

  // Slots, by id; kNoSlot for constants of modules, fields and the like.
  static constexpr std::uint32_t kNoSlot = UINT32_MAX;
  std::vector<std::uint32_t> variables, parts, ports, mailboxes, statistics, charts;
  // Numbers in the class, from 0, by id; a derived class starts with those of its base.
  std::vector<std::uint32_t> state_numbers, process_numbers, signal_numbers, port_numbers;
};

Layout lay_out(const model::Model& model);

/// The slot of what an Entity expression names; kNoSlot if it has none.
std::uint32_t slot_of(const Layout& layout, const model::Expr& entity);
/// The slot of an array whose first dimensions are those of an array variable or an array of plugs; kNoSlot if what is
/// named is neither, or the plugs have no potentials and flows.
std::uint32_t array_slot(const model::Model& model, const Layout& layout, const model::Expr& entity);

/// What an expression reads, as far as the text tells.
struct Reads {
  std::vector<std::uint32_t> slots;  ///< of the own object, sorted, each once
  bool foreign = false;              ///< members of other objects: found by tracing (Host::observed)
  bool time = false;
  bool random = false;
  bool derivative = false;  ///< der(x), delay, crosses and the like: needs the continuous engine
};
Reads reads_of(const model::Model& model, const Layout& layout, model::ExprId expr);

/// Locals that an expression reads and does not bind itself, each once: what it needs to be evaluated elsewhere.
std::vector<model::LocalId> captured_locals(const model::Model& model, model::ExprId expr);

/// `time` occurs only in sums, differences and products or quotients with factors free of `time`.
bool is_affine_in_time(const model::Model& model, model::ExprId expr);

/// Adds the order relations between Reals under `and`, `or`, `not` and `if` of a condition, each as its two sides.
void real_relations(const model::Model& model, model::ExprId condition,
                    std::vector<std::pair<model::ExprId, model::ExprId>>& relations);

/// Adds the relations of a condition that read `time`, each as its left and right side. False: one of them is not
/// affine in time, or `time` is read outside relations, so that it cannot be computed when the condition changes.
bool time_relations(const model::Model& model, const Layout& layout, model::ExprId condition,
                    std::vector<std::pair<model::ExprId, model::ExprId>>& relations);

}  // namespace hyla::code
