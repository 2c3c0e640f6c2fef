// Ctrl-C as a wish to end in order.
#pragma once

namespace hyla::app {

/// From now on the first Ctrl-C is only noted; a second one kills.
void end_on_interrupt();
bool is_interrupted();

}  // namespace hyla::app
