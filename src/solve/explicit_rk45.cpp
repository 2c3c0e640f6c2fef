#include "solve/explicit_pair_impl.h"

namespace hyla::solve {

template class ExplicitPair<Tsitouras5>;

}  // namespace hyla::solve
