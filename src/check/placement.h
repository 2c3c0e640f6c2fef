// What may be written where.
#pragma once

#include <string_view>

#include "check/context.h"

namespace hyla::check {

/// "a chart", "the body of a model": for messages.
std::string_view phrase_for(Container container);
/// "an equation", "a transition": what an item is called in messages.
std::string phrase_for_item(const syntax::Tree& tree, NodeId item);

/// Reports an item that its container cannot hold, and annotations that do not fit. False if the item makes no sense
/// there at all; a misplaced declaration is entered all the same, so that the uses of its name give no further
/// messages.
bool check_placement(Context& context, const Piece& piece, NodeId item, Container container);

}  // namespace hyla::check
