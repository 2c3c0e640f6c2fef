// The objects and wires that a picture of a structure consists of, before anything is written.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diag/source.h"
#include "model/model.h"

namespace hyla::picture {

enum class MemberKind { Input, Output, Port, Plug, Mailbox, Variable };

/// What an object shows of itself: a small square on its border. A variable of the container is shown inside.
struct Member {
  model::Entity entity;
  model::SymbolId symbol;
  MemberKind kind = MemberKind::Variable;
  std::string name{};
  bool right = false;  ///< on which side of the object it is
  bool receives = false, sends = false;
  bool is_hidden = false;
};

/// One end of a wire.
struct End {
  static constexpr std::size_t kWhole = SIZE_MAX;
  std::size_t box = 0;
  std::size_t member = kWhole;  ///< kWhole: the object as such
  bool inside = false;          ///< seen from inside the object
};

enum class WireKind { Value, Formula, Messages, Plugs, Mailboxes };

struct Wire {
  WireKind kind = WireKind::Value;
  End from, to;
  bool forward = true, backward = false;  ///< arrow heads
  std::string label{};
  bool is_temporary = false;  ///< belongs to a state or is made by actions
};

/// Parts that exist together: those of a state, of an `if`, of a `for`.
struct Group {
  std::string caption;
  std::vector<std::size_t> boxes;
  std::vector<Group> groups;

  bool is_empty() const { return boxes.empty() && groups.empty(); }
};

struct Box {
  std::string path;                          ///< `plant.tank1`
  std::string name, class_name, stereotype;  ///< `tank1`, `Tank`, `population`
  std::vector<std::string> behaviour;        ///< `chart travel`, `process fill`
  bool is_array = false;
  std::vector<Member> members;
  Group content;            ///< without a caption; empty for what is not opened
  std::vector<Wire> wires;  ///< between its parts and itself
};

struct StructurePlan {
  std::vector<Box> boxes;  ///< the whole model is the first
  bool is_too_large = false;
};

inline constexpr std::size_t kMostBoxes = 2000;

StructurePlan plan_structure(const model::Model& model, const diag::Sources& sources, model::ClassId top,
                             std::size_t depth);

}  // namespace hyla::picture
