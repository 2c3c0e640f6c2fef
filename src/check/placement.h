// What may be written where.
#pragma once

#include <span>
#include <string_view>

#include "check/context.h"

namespace hyla::check {

/// What may hold an item; section 23 of docs/language.md shows the table.
struct PlacementRule {
  NodeKind kind;
  unsigned where;  ///< one bit for each Container
  std::string_view phrase;
  std::string_view hint;

  bool allows(Container container) const { return (where >> static_cast<unsigned>(container) & 1U) != 0; }
};
std::span<const PlacementRule> placement_rules();

/// "a chart", "the body of a model": for messages.
std::string_view phrase_for(Container container);
/// "an equation", "a transition": what an item is called in messages.
std::string phrase_for_item(const syntax::Tree& tree, NodeId item);

/// Reports an item that its container cannot hold, and annotations that do not fit. False if the item makes no sense
/// there at all; a misplaced declaration is entered all the same, so that the uses of its name give no further
/// messages.
bool check_placement(Context& context, const Piece& piece, NodeId item, Container container);

}  // namespace hyla::check
