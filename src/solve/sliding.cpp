#include "solve/sliding.h"

#include <algorithm>

namespace hyla::solve {

SurfaceMotion motion_on_surface(double rate_negative, double rate_positive) {
  if (rate_negative > 0) return rate_positive < 0 ? SurfaceMotion::Slides : SurfaceMotion::Up;
  if (rate_positive < 0) return SurfaceMotion::Down;
  if (rate_negative < 0) return rate_positive > 0 ? SurfaceMotion::Parts : SurfaceMotion::Down;
  return rate_positive > 0 ? SurfaceMotion::Up : SurfaceMotion::Slides;  // along the surface by both fields
}

double sliding_weight(double rate_negative, double rate_positive, double wanted) {
  const double difference = rate_negative - rate_positive;
  if (difference == 0) return 0.5;
  return std::clamp((rate_negative - wanted) / difference, 0.0, 1.0);
}

void mix_fields(const double* field_negative, const double* field_positive, double weight, std::size_t size,
                double* field) {
  for (std::size_t i = 0; i < size; ++i) field[i] = (1 - weight) * field_negative[i] + weight * field_positive[i];
}

SurfaceMotion motion_after_sliding(double rate_negative, double rate_positive) {
  // The rate closer to having the wrong sign is the one that passed zero.
  return rate_positive > -rate_negative ? SurfaceMotion::Up : SurfaceMotion::Down;
}

}  // namespace hyla::solve
