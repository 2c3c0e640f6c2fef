// Which slots of a class somebody may want to know about: the part of lay_out() that looks into the text.
#pragma once

#include "code/layout.h"

namespace hyla::code {

/// Fills ClassLayout::watched of a class whose slots, and those of all other classes, are placed.
void mark_watched(const model::Model& model, Layout& layout, model::ClassId id);

}  // namespace hyla::code
