// Finds every place in a step where a relation changes.
//
// A relation is a function g of time over one step of an integrator; it holds where g >= 0 (or g > 0). All zeros are
// isolated, not only those with a change of sign between the ends: g is sampled at the nodes of the interpolant, turned
// into Bernstein form and subdivided until every piece is free of zeros or holds exactly one. Exact for relations that
// are polynomials of the interpolant's degree; for others the form is compared with further samples and subdivided
// until it fits: kinks, jumps and oscillations are found unless all of a feature falls between two samples, a fifth of
// the step or less, and cancels at both. A zero is then refined to within a few units in the last place of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/bernstein.h"

namespace hyla::solve {

/// The functions g over one step: the role that the engine fills.
class Course {
 public:
  virtual ~Course() = default;
  virtual std::size_t count() const = 0;
  /// All functions at several times: values[r * times + k].
  virtual void sample(const double* times, std::size_t number_of_times, double* values) = 0;
  virtual double value(std::size_t relation, double t) = 0;
};

struct Crossing {
  std::uint32_t relation = 0;
  bool rising = false;  ///< g becomes positive (or zero, from below)
  bool touch = false;   ///< g reaches zero and turns back
  double before = 0;    ///< the last time found on the old side: before < at, by a few units in the last place
  double at = 0;        ///< the first time found on the new side; g has its new sign there (or is zero at a touch)
};

struct Search {
  double begin = 0, end = 0;
  int degree = 4;  ///< of the interpolant
  /// By relation: |g| up to this much counts as zero for touches (rounding error of g); may be null.
  const double* bands = nullptr;
  /// Search no further than the first crossing of any relation: it is the first, but those after it are not complete.
  bool only_first = false;
};

/// A piece of the step that is still to be searched for one relation.
struct Piece {
  double begin = 0, end = 0;
  bool formed = false;                       ///< the form came from a larger piece; otherwise the piece must be sampled
  bool after_crossing = false;               ///< a crossing just before `begin` has been reported
  std::int8_t sign_begin = 0, sign_end = 0;  ///< of a formed piece
  double parent_error = 0;                   ///< error of the last form that was fitted to more than this piece
  Form form;
};

class RootIsolator {
 public:
  /// Adds all crossings in (begin, end], sorted by `at`, then by relation.
  ///
  /// Zero at an end: a relation that is exactly zero at `begin` and leaves zero there has no crossing at `begin`; who
  /// asks knows on which side it was before. One that comes down to exactly zero at `end` gets a touch there, one that
  /// comes up to it a rising crossing. Zero on a stretch: a crossing where it is reached (a touch if from above, for
  /// the sign has not changed yet) and one where it is left, in the direction in which it is left; `before` is then
  /// the last time with zero. A piece without numbers is counted as uncleared.
  void find(Course& course, const Search& search, std::vector<Crossing>& crossings);

  /// Intervals so far that could be neither cleared nor shown to hold a zero.
  std::uint64_t uncleared() const { return uncleared_; }
  std::uint64_t samples() const { return samples_; }

 private:
  /// A relation that is to be searched.
  struct Candidate {
    std::size_t relation = 0;
    double from = 0;  ///< it has no zero before this time
    Form form;        ///< of the whole step
  };
  void find_candidates(const FitTable& table, const Search& search, std::size_t relations);

  std::uint64_t uncleared_ = 0, samples_ = 0;
  std::vector<double> times_, values_;
  std::vector<Candidate> candidates_;
  std::vector<Piece> pieces_;
};

}  // namespace hyla::solve
