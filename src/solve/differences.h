// Derivatives of a system by differences: where there are no formulas for them, or where those give no number.
#pragma once

#include "solve/system.h"

namespace hyla::solve {

/// All entries of the pattern, and df/dt.
Evaluation difference_jacobian(System& system, double t, const double* y, double* entries, double* df_dt);

/// A function that is defined at y can have an infinite derivative there, as sqrt(y) at 0. Columns that are not finite
/// get the slope of a chord instead: to the side to which the variable goes, or to the other if there is nothing.
Evaluation replace_infinite(System& system, double t, const double* y, double* entries, double* df_dt);

}  // namespace hyla::solve
