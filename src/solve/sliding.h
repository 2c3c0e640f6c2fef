// Sliding along a surface where the equations switch (Filippov 1988).
//
// The surface is g = 0, with one field where g is negative and one where it is positive; `rate_negative` and
// `rate_positive` are the derivatives of g along them, in a point of the surface:
//
//     rate_negative  rate_positive   motion
//     > 0            > 0             Up: crosses to the positive side
//     < 0            < 0             Down: crosses to the negative side
//     > 0            < 0             Slides: both fields point at the surface, the motion stays on it
//     < 0            > 0             Parts: both point away; the motion may leave to either side
//
// While sliding, the field is the mean with weights that make g' = 0. It ends where one of the rates passes zero: the
// engine watches `rate_negative` and `-rate_positive`, both positive while sliding, as relations on the interpolant;
// the motion then leaves to the side whose own field took over.
#pragma once

#include <cstddef>
#include <cstdint>

namespace hyla::solve {

enum class SurfaceMotion : std::uint8_t { Up, Down, Slides, Parts };

/// A rate of exactly zero counts as pointing along the surface to the side that the other field has: a motion that only
/// just does not slide.
SurfaceMotion motion_on_surface(double rate_negative, double rate_positive);

/// Weight of the positive side's field, from 0 to 1, so that g has the rate `wanted`: 0, or -g divided by a time in
/// which drift off the surface is to be taken back. Only where the motion slides.
double sliding_weight(double rate_negative, double rate_positive, double wanted = 0);

/// The mean of the fields of both sides.
void mix_fields(const double* field_negative, const double* field_positive, double weight, std::size_t size,
                double* field);

/// What is not a slide any longer: to which side the motion leaves.
SurfaceMotion motion_after_sliding(double rate_negative, double rate_positive);

}  // namespace hyla::solve
