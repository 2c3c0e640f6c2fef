#include "solve/explicit_pair_impl.h"

namespace hyla::solve {

template class ExplicitPair<DormandPrince8>;

}  // namespace hyla::solve
