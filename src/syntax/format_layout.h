// How each token is set off from the token before it, as the tree would have it if there were no comments.
#pragma once

#include <cstdint>
#include <vector>

#include "syntax/tree.h"

namespace hyla::syntax {

enum class Separator : std::uint8_t {
  None,
  Space,
  Line,  ///< Document::Line::Space
  Soft,  ///< Document::Line::Soft
  Fill,  ///< Document::Line::Fill
  Item,  ///< the end of a line; an empty line of the author stays
};

/// What happens between a token and the one before it, in the order of the members.
struct Gap {
  // Directly behind the token before:
  std::uint16_t groups_closed = 0;
  std::uint16_t dedents = 0;
  std::uint16_t indents = 0;
  /// Groups that hold the separator.
  std::uint16_t groups_around = 0;

  /// Behind comments, before the last line break: the closing bracket or brace belongs to the outer level.
  std::uint16_t dedents_before = 0;
  Separator separator = Separator::Space;

  /// Groups and indents that begin with the token itself.
  std::uint16_t groups = 0;
  std::uint16_t indents_within = 0;
  /// The first of these groups is an item that stays on one line only if it is short.
  bool short_group = false;
};

/// One gap per token, the end of the file included.
std::vector<Gap> lay_out(const Tree& tree);

}  // namespace hyla::syntax
