/* A solver with a state of its own: water in a storage tank as a row of zones, the first one at the top.
 *
 * A heater warms the top zone, heat is conducted between neighbours, and every zone loses some to the surroundings:
 *
 *     C dT[i]/dt = heat (i = 0) + K (T[i-1] - T[i]) + K (T[i+1] - T[i]) - L (T[i] - ambient)
 *
 * zones_advance integrates by the classical Runge-Kutta method with steps that are short against C / K. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct zones {
  int64_t count;
  double capacity, conductance, loss, ambient; /* of one zone: J/K, W/K, W/K, degC */
  double* temperature;
  double* work; /* four slopes and a point */
};

void* zones_new(int64_t count, double start, double capacity, double conductance, double loss, double ambient) {
  struct zones* self;
  if (count < 1 || !(capacity > 0)) return NULL;
  self = malloc(sizeof *self);
  self->count = count;
  self->capacity = capacity;
  self->conductance = conductance;
  self->loss = loss;
  self->ambient = ambient;
  self->temperature = malloc(6 * (size_t)count * sizeof(double));
  self->work = self->temperature + count;
  for (int64_t i = 0; i < count; ++i) self->temperature[i] = start;
  return self;
}

void zones_free(void* object) {
  struct zones* self = object;
  free(self->temperature);
  free(self);
}

static void slopes(const struct zones* self, const double* t, double heat, double* result) {
  const int64_t n = self->count;
  for (int64_t i = 0; i < n; ++i) {
    double power = i == 0 ? heat : self->conductance * (t[i - 1] - t[i]);
    if (i + 1 < n) power += self->conductance * (t[i + 1] - t[i]);
    power -= self->loss * (t[i] - self->ambient);
    result[i] = power / self->capacity;
  }
}

static void step(struct zones* self, double heat, double h) {
  static const double reach[3] = {0.5, 0.5, 1};
  const int64_t n = self->count;
  double* const t = self->temperature;
  double* const point = self->work + 4 * n;
  slopes(self, t, heat, self->work);
  for (int k = 0; k < 3; ++k) {
    const double* const slope = self->work + k * n;
    for (int64_t i = 0; i < n; ++i) point[i] = t[i] + h * reach[k] * slope[i];
    slopes(self, point, heat, self->work + (k + 1) * n);
  }
  for (int64_t i = 0; i < n; ++i) {
    const double* const slope = self->work + i;
    t[i] += h / 6 * (slope[0] + 2 * slope[n] + 2 * slope[2 * n] + slope[3 * n]);
  }
}

/* Goes on by a duration in s with a constant heat in W; returns the temperature at the top. */
double zones_advance(void* object, double heat, double duration) {
  struct zones* self = object;
  const double longest = 0.05 * self->capacity / (self->conductance + self->loss);
  const int64_t steps = (int64_t)ceil(duration / longest);
  for (int64_t k = 0; k < steps; ++k) step(self, heat, duration / (double)steps);
  return self->temperature[0];
}

/* The temperatures of the zones, as many as are asked for. */
void zones_profile(void* object, double* result, int64_t count) {
  const struct zones* self = object;
  for (int64_t i = 0; i < count && i < self->count; ++i) result[i] = self->temperature[i];
}

/* Latent heat makes the capacity of water with ice vary: J/(kg K) at a temperature in degC. A function without state. */
double zones_capacity(double temperature) {
  const double melting = exp(-temperature * temperature / 2);
  return 4180 + 334000 / sqrt(2 * 3.14159265358979323846) * melting;
}
