// The search of one relation over one step: the slow path of RootIsolator, taken when the quick test did not clear it.
//
// The step is a stack of pieces, worked off from left to right. A piece is fitted by a Bernstein form with an error
// bound and judged by the signs of its coefficients; a coefficient closer to zero than the bound has no sign.
//
//     Clear      no change of sign: no zero
//     OneZero    exactly one change of sign (Descartes), or monotone between ends of different sign: refine it
//     Turn       one extremum that points to zero: look at the function there. Beyond zero: two pieces with one zero
//                each. Zero, or within the band: a touch. Else clear if the error bound allows, or zoom in
//     Unclear    sample this piece itself, if its form came from a larger one; then split it
//
// A function that is not smooth defeats the fit however short the piece is. A jump through zero is found by bisection
// as soon as the samples of an ill-fitted piece change their sign once; what is left and right of it is then fitted
// apart. A kink only makes the one piece that holds it hard, at every level of the subdivision. Rounding noise shows as
// an error bound that no longer shrinks with the piece: then the samples decide. At last a limit on the number of
// pieces ends the search, and what was not decided is counted.
//
// Exact zeros at the ends of pieces belong to neither side; `arrival_` remembers from where zero was reached until it
// is known to where it is left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "solve/bernstein.h"
#include "solve/bracket.h"
#include "solve/roots.h"

namespace hyla::solve {

/// Of values too close to zero for a sign, or that are no numbers.
inline constexpr std::int8_t kNoSign = 2;

inline std::int8_t sign_of(double value) {
  if (value > 0) return 1;
  if (value < 0) return -1;
  return value == 0 ? std::int8_t{0} : kNoSign;
}

inline std::int8_t sign_beyond(double value, double margin) {
  if (value > margin) return 1;
  return value < -margin ? std::int8_t{-1} : kNoSign;
}

class Isolation final : public TimeFunction {
 public:
  Isolation(Course& course, std::size_t relation, const Search& search, const FitTable& table,
            std::vector<Piece>& pieces, std::vector<Crossing>& crossings, double horizon);

  /// `samples` are those of the whole step at the nodes of the table, and `form` is fitted to them. Pieces that begin
  /// at the horizon or later are left out; it moves to the first crossing if only that is wanted.
  void run(const double* samples, const Form& form);
  double operator()(double t) override;

  double horizon() const { return horizon_; }
  std::uint64_t uncleared() const { return uncleared_; }
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  enum class Verdict : std::uint8_t { Clear, OneZero, Turn, Unclear };
  enum class Arrival : std::uint8_t { None, Above, Below, Stretch };

  // Fitting and judging.
  void sample(Piece& piece);
  void take_signs(Piece& piece) const;
  Verdict judge(const Piece& piece);
  Verdict judge_changes(const Piece& piece);
  bool is_fine(const Piece& piece) const;
  bool is_monotone(const Piece& piece) const;
  bool is_flat_at_end(const Piece& piece) const;
  bool turns_to_zero(const Piece& piece) const;
  bool is_trusted(const Piece& piece) const;
  bool is_noise(const Piece& piece) const;
  bool is_narrow(const Piece& piece) const;
  bool has_only_numbers() const;
  /// The samples in order of time: k is a place in that order, the result a place in the table.
  int in_order(int k) const;
  /// Place before the only change of side in the samples; -1 if there is none or several. If only the first crossing is
  /// wanted, the first change does.
  int only_change() const;

  // What follows.
  void process(Piece piece);
  void process_clear(const Piece& piece);
  void process_zero(const Piece& piece);
  bool process_turn(const Piece& piece);
  void process_unclear(const Piece& piece);
  void process_without_numbers(const Piece& piece);
  void process_change(const Piece& piece, int place);
  void process_in_band(const Piece& piece);
  void decide_by_samples(const Piece& piece);
  void push(double begin, double end, double parent_error, bool after_crossing = false);
  void push_halves(const Piece& piece);
  void push_split(const Piece& piece, double theta, double middle, int sign_middle);
  void push_around(const Piece& piece, double turn);

  // Reporting.
  void enter(double t, double limit, int sign);
  void leave(double t, double limit, int sign, int sign_at);
  void report(Edge edge, Bracket bracket, bool rising, bool touch);
  void report_touch(double t, bool rising);
  void add(const Crossing& crossing);
  bool find_after(Edge edge, double t, double limit, Bracket& bracket);
  bool find_before(Edge edge, double t, double limit, Bracket& bracket);

  Course& course_;
  const std::size_t relation_;
  const Search& search_;
  const FitTable& table_;
  std::vector<Piece>& pieces_;
  std::vector<Crossing>& crossings_;
  const double band_;
  const double width_;  ///< of the step

  double horizon_;
  double scale_ = 0;                                      ///< largest sample of the step
  std::array<double, kMostSamples> times_{}, samples_{};  ///< of the piece that was sampled last
  int first_sign_ = 0, last_sign_ = 0;                    ///< of the piece judged last, inside
  Arrival arrival_ = Arrival::None;
  std::size_t arrival_crossing_ = 0;  ///< the crossing reported on arrival from below
  double band_touch_end_;             ///< end of the piece within the band whose touch was reported last
  std::uint64_t pieces_done_ = 0;
  std::uint64_t uncleared_ = 0, evaluations_ = 0;
};

}  // namespace hyla::solve
