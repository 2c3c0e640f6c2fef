// Fitting pieces and judging what their forms tell.
#include <algorithm>
#include <cmath>

#include "solve/isolation.h"

namespace hyla::solve {

namespace {

/// A form is trusted if its error is at most this part of its largest coefficient.
constexpr double kTrusted = 0x1p-4;
/// An error of at most this part of the largest value can be rounding.
constexpr double kRounding = 0x1p-36;
/// The same for the largest value of the whole step.
constexpr double kNoise = 0x1p-46;
/// Samples of a piece of at most so many units of time resolution are all there is to know about it.
constexpr double kNarrow = 32;

}  // namespace

void Isolation::sample(Piece& piece) {
  const double width = piece.end - piece.begin;
  for (int k = 0; k < table_.samples; ++k) {
    times_[k] = k == table_.degree ? piece.end : piece.begin + table_.nodes[k] * width;
  }
  if (course_.count() == 1) {
    course_.sample(times_.data(), static_cast<std::size_t>(table_.samples), samples_.data());
    evaluations_ += static_cast<std::uint64_t>(table_.samples);
  } else {
    for (int k = 0; k < table_.samples; ++k) samples_[k] = (*this)(times_[k]);
  }
  fit(table_, samples_.data(), piece.form);
  take_signs(piece);
}

void Isolation::take_signs(Piece& piece) const {
  piece.sign_begin = sign_of(samples_[0]);
  piece.sign_end = sign_of(samples_[table_.degree]);
  piece.formed = false;
}

Isolation::Verdict Isolation::judge(const Piece& piece) {
  const Verdict verdict = judge_changes(piece);
  if (verdict != Verdict::Unclear) return verdict;
  if (piece.sign_begin == kNoSign || piece.sign_end == kNoSign) return Verdict::Unclear;
  if (is_monotone(piece)) {
    first_sign_ = piece.sign_begin != 0 ? piece.sign_begin : piece.sign_end;
    last_sign_ = piece.sign_end != 0 ? piece.sign_end : piece.sign_begin;
    return first_sign_ == last_sign_ ? Verdict::Clear : Verdict::OneZero;
  }
  if (is_flat_at_end(piece)) return Verdict::Clear;
  return is_trusted(piece) && turns_to_zero(piece) ? Verdict::Turn : Verdict::Unclear;
}

/// Descartes' rule. A coefficient without sign does no harm between two of different sign.
Isolation::Verdict Isolation::judge_changes(const Piece& piece) {
  const Form& form = piece.form;
  // Values at the ends are known without error. But a kink close to an end could hide zeros there if they are small.
  const bool ends_count = is_fine(piece);
  int last = 0, unknown = 0, changes = 0;
  first_sign_ = 0;
  for (int i = 0; i <= form.degree; ++i) {
    std::int8_t sign = sign_beyond(form.coefficients[i], form.error);
    if (i == 0 && ends_count) sign = piece.sign_begin;
    if (i == form.degree && ends_count) sign = piece.sign_end;
    if (sign == 0) continue;
    if (sign == kNoSign) {
      ++unknown;
      continue;
    }
    if (unknown > 0 && (last == 0 || last == sign || unknown > 1)) return Verdict::Unclear;
    if (last != 0 && last != sign) ++changes;
    if (first_sign_ == 0) first_sign_ = sign;
    last = sign;
    unknown = 0;
  }
  if (unknown > 0 || last == 0 || changes > 1) return Verdict::Unclear;
  if (changes == 1 && !is_trusted(piece)) return Verdict::Unclear;
  last_sign_ = last;
  return changes == 0 ? Verdict::Clear : Verdict::OneZero;
}

bool Isolation::is_fine(const Piece& piece) const {
  const double width = piece.end - piece.begin;
  return solve::is_fine(piece.form.error, piece.form.largest, {band_, time_resolution(piece.end, width_) / width});
}

bool Isolation::is_monotone(const Piece& piece) const {
  const Form& form = piece.form;
  if (piece.sign_begin == 0 && piece.sign_end == 0) return false;
  if (!is_fine(piece)) return false;
  const double direction = form.coefficients[form.degree] > form.coefficients[0] ? 1 : -1;
  for (int i = 0; i < form.degree; ++i) {
    if (!(direction * (form.coefficients[i + 1] - form.coefficients[i]) > 2 * form.error)) return false;
  }
  return true;
}

/// A zero of the function and of its first derivatives at an end of the piece: coefficients there are rounding errors
/// however short the piece is. They are taken for zero if everything else is clear.
bool Isolation::is_flat_at_end(const Piece& piece) const {
  const Form& form = piece.form;
  if (!(form.error <= kRounding * form.largest) || !is_fine(piece)) return false;
  int first = 0, last = form.degree;
  while (first < last && std::fabs(form.coefficients[first]) <= form.error) ++first;
  while (last > first && std::fabs(form.coefficients[last]) <= form.error) --last;
  const std::int8_t sign = sign_of(form.coefficients[first]);
  for (int i = first; i <= last; ++i) {
    if (sign_beyond(form.coefficients[i], form.error) != sign) return false;
  }
  const bool fits_begin = piece.sign_begin == 0 || piece.sign_begin == sign;
  const bool fits_end = piece.sign_end == 0 || piece.sign_end == sign;
  if (!fits_begin || !fits_end || piece.formed) return false;
  for (int k = 1; k < table_.samples - 1; ++k) {
    if (sign_of(samples_[in_order(k)]) != sign) return false;
  }
  return true;
}

/// One extremum inside, a minimum above zero or a maximum below it.
bool Isolation::turns_to_zero(const Piece& piece) const {
  const Form& form = piece.form;
  if (piece.sign_begin == 0 || piece.sign_begin != piece.sign_end) return false;
  int last = 0, unknown = 0, changes = 0;
  for (int i = 0; i < form.degree; ++i) {
    const int sign = sign_beyond(form.coefficients[i + 1] - form.coefficients[i], 2 * form.error);
    if (sign == kNoSign) {
      ++unknown;
      continue;
    }
    if (last == 0 && (unknown > 0 || sign == piece.sign_begin)) return false;
    if (unknown > 0 && (last == sign || unknown > 1)) return false;
    if (last != 0 && last != sign) ++changes;
    last = sign;
    unknown = 0;
  }
  return unknown == 0 && changes == 1;
}

bool Isolation::is_trusted(const Piece& piece) const { return piece.form.error <= kTrusted * piece.form.largest; }

/// The error no longer shrinks with the piece and is small enough to be rounding of the function, but larger than what
/// rounding of the values and of the times does to the fit.
bool Isolation::is_noise(const Piece& piece) const {
  const double error = piece.form.error;
  if (!(error > piece.parent_error / 4) || error > std::max(kNoise * scale_, 16 * band_)) return false;
  const double blur = 64 * time_resolution(piece.end, width_) / (piece.end - piece.begin);
  return error > std::max(kRounding, blur) * piece.form.largest;
}

bool Isolation::is_narrow(const Piece& piece) const {
  const double resolution = time_resolution(std::max(std::fabs(piece.begin), std::fabs(piece.end)), width_);
  return piece.end - piece.begin <= kNarrow * resolution;
}

bool Isolation::has_only_numbers() const {
  return std::all_of(samples_.begin(), samples_.begin() + table_.samples, [](double v) { return std::isfinite(v); });
}

int Isolation::in_order(int k) const { return table_.order[k]; }

int Isolation::only_change() const {
  int place = -1;
  // A single zero at an end is no side of its own.
  const int first = samples_[0] == 0 && samples_[in_order(1)] != 0 ? 1 : 0;
  const bool zero_at_end = samples_[table_.degree] == 0 && samples_[in_order(table_.samples - 2)] != 0;
  const int last = table_.samples - (zero_at_end ? 2 : 1);
  for (int k = first; k < last; ++k) {
    if (sign_of(samples_[in_order(k)]) == sign_of(samples_[in_order(k + 1)])) continue;
    if (place >= 0) return -1;
    place = k;
    if (search_.only_first) return place;
  }
  return place;
}

}  // namespace hyla::solve
