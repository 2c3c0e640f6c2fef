/* Functions and an object with every kind of parameter and result, for the tests of external code. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

double add(double x, double y) { return x + y; }

double cube(double x) { return x * x * x; }

/* Twice the true derivative, so that a test sees who was asked. */
double cube_wrong_d(double x, double dx) { return 6 * x * x * dx; }

double polynomial(const double* c, int64_t count, double x) {
  double y = 0;
  for (int64_t i = 0; i < count; ++i) y = y * x + c[i];
  return y;
}

/* Its derivative along a direction in all arguments. */
double polynomial_d(const double* c, int64_t count, double x, const double* dc, int64_t dcount, double dx) {
  double y = 0, dy = 0;
  (void)dcount;
  for (int64_t i = 0; i < count; ++i) {
    dy = dy * x + y * dx + dc[i];
    y = y * x + c[i];
  }
  return dy;
}

double trace(const double* a, int64_t rows, int64_t columns) {
  double sum = 0;
  for (int64_t i = 0; i < rows && i < columns; ++i) sum += a[i * columns + i];
  return sum;
}

int64_t count_if(int wanted, const int* flags, int64_t count) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; ++i) found += flags[i] == wanted;
  return found;
}

int is_long(const char* text, int64_t limit) { return (int64_t)strlen(text) > limit; }

const char* greeting(void) { return "hello"; }

double split(double x, double at, double* above, int64_t* sign, int* is_above) {
  *above = fmax(x, at);
  *sign = x > at ? 1 : x < at ? -1 : 0;
  *is_above = x > at;
  return fmin(x, at);
}

void powers(double x, double* result, int64_t count) {
  double power = 1;
  for (int64_t i = 0; i < count; ++i) {
    result[i] = power;
    power *= x;
  }
}

void signs(const double* x, int64_t count, int* result, int64_t results) {
  for (int64_t i = 0; i < results; ++i) result[i] = i < count && x[i] > 0;
}

double no_number(double x) { return x > 0.5 ? NAN : x; }

void half_filled(double* result, int64_t count) { result[0] = (double)count; }

/* An object that counts, and how many of them there are. */
static int64_t living = 0;

struct counter {
  int64_t value, step;
};

struct counter* counter_new(int64_t start, double step) {
  struct counter* made;
  if (start < 0) return NULL;
  made = malloc(sizeof *made);
  made->value = start;
  made->step = (int64_t)step;
  ++living;
  return made;
}

void counter_free(struct counter* self) {
  --living;
  free(self);
}

int64_t counter_next(struct counter* self) { return self->value += self->step; }

void counter_reset(struct counter* self) { self->value = 0; }

int64_t counters_living(void) { return living; }

/* An object that cannot be freed. */
void* endless_new(void) { return &living; }
