#include "solve/explicit_pair_impl.h"

namespace hyla::solve {

template class ExplicitPair<DormandPrince5>;

}  // namespace hyla::solve
