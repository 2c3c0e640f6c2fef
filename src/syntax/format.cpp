#include "syntax/format.h"

#include "syntax/format_document.h"
#include "syntax/format_layout.h"
#include "syntax/format_weave.h"

namespace hyla::syntax {

std::string format(const Tree& tree) { return weave(tree, lay_out(tree)).print(); }

}  // namespace hyla::syntax
