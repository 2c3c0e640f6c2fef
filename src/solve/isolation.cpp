#include "solve/isolation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr std::int8_t kNoSign = 2;
constexpr std::uint64_t kMostPieces = 1500;
/// A form is trusted if its error is at most this part of its largest coefficient.
constexpr double kTrusted = 0x1p-4;
/// An error of at most this part of the largest value can be rounding.
constexpr double kRounding = 0x1p-36;
/// The same for the largest value of the whole step.
constexpr double kNoise = 0x1p-46;
/// Samples of a piece of at most so many units of time resolution are all there is to know about it.
constexpr double kNarrow = 32;
/// Pieces with undefined samples are not split below this part of the step.
constexpr double kNarrowUndefined = 0x1p-12;

std::int8_t sign_of(double value) {
  if (value > 0) return 1;
  if (value < 0) return -1;
  return value == 0 ? std::int8_t{0} : kNoSign;
}

std::int8_t sign_beyond(double value, double margin) {
  if (value > margin) return 1;
  return value < -margin ? std::int8_t{-1} : kNoSign;
}

}  // namespace

Isolation::Isolation(Course& course, std::size_t relation, const Search& search, const FitTable& table,
                     std::vector<Piece>& pieces, std::vector<Crossing>& crossings)
    : course_(course),
      relation_(relation),
      search_(search),
      table_(table),
      pieces_(pieces),
      crossings_(crossings),
      band_(search.bands != nullptr ? search.bands[relation] : 0),
      width_(search.end - search.begin),
      band_touch_end_(search.begin) {}

double Isolation::operator()(double t) {
  ++evaluations_;
  return course_.value(relation_, t);
}

void Isolation::run(const double* samples) {
  pieces_.clear();
  Piece whole;
  whole.begin = search_.begin;
  whole.end = search_.end;
  whole.parent_error = std::numeric_limits<double>::infinity();
  for (int k = 0; k < table_.samples; ++k) {
    times_[k] = k == table_.degree ? search_.end : search_.begin + table_.nodes[k] * width_;
    samples_[k] = samples[k];
    if (std::isfinite(samples[k])) scale_ = std::max(scale_, std::fabs(samples[k]));
  }
  take_samples(whole);
  process(whole);
  while (!pieces_.empty()) {
    const Piece piece = pieces_.back();
    pieces_.pop_back();
    process(piece);
  }
  if (arrival_ == Arrival::Above) report_touch(search_.end, false);
}

// --- fitting and judging ---------------------------------------------------------------------------------------------

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
  take_samples(piece);
}

void Isolation::take_samples(Piece& piece) {
  fit(table_, samples_.data(), piece.form);
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
  const bool ends_count = form.error <= kFineFit * form.largest;
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

bool Isolation::is_monotone(const Piece& piece) const {
  const Form& form = piece.form;
  if (piece.sign_begin == 0 && piece.sign_end == 0) return false;
  if (!(form.error <= kFineFit * form.largest)) return false;
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
  if (!(form.error <= kRounding * form.largest)) return false;
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
  }
  return place;
}

// --- what follows from a verdict -------------------------------------------------------------------------------------

void Isolation::process(Piece piece) {
  ++pieces_done_;
  if (piece.after_crossing) arrival_ = Arrival::None;
  const bool whole = piece.begin == search_.begin && piece.end == search_.end;
  bool sampled = whole;
  if (!piece.formed && !whole) {
    sample(piece);
    sampled = true;
  }
  Verdict verdict = judge(piece);
  if (verdict == Verdict::Turn && process_turn(piece)) return;
  if (verdict == Verdict::Clear) return process_clear(piece);
  if (verdict == Verdict::OneZero) return process_zero(piece);
  if (sampled) return process_unclear(piece);
  sample(piece);
  verdict = judge(piece);
  if (verdict == Verdict::Turn && process_turn(piece)) return;
  if (verdict == Verdict::Clear) return process_clear(piece);
  if (verdict == Verdict::OneZero) return process_zero(piece);
  process_unclear(piece);
}

void Isolation::process_clear(const Piece& piece) {
  enter(piece.begin, piece.end, last_sign_);
  leave(piece.end, piece.begin, last_sign_, piece.sign_end);
}

void Isolation::process_zero(const Piece& piece) {
  const int last = last_sign_;
  enter(piece.begin, piece.end, first_sign_);
  const Edge edge = last > 0 ? Edge::Rising : Edge::Falling;
  const double width = piece.end - piece.begin;
  const double theta = find_zero(piece.form);
  const double slope = evaluate_derivative(piece.form, theta) / width;
  Bracket bracket{piece.begin, piece.end, kNotKnown, kNotKnown};
  narrow_from(*this, edge, width_, piece.begin + theta * width, slope, bracket);
  report(edge, bracket, last > 0, false);
  leave(piece.end, bracket.at, last, piece.sign_end);
}

/// False: the extremum is closer to zero than the form can tell, and zooming in is no use.
bool Isolation::process_turn(const Piece& piece) {
  const int side = piece.sign_begin;
  const double theta = find_extremum(piece.form);
  const double turn = piece.begin + theta * (piece.end - piece.begin);
  if (!(turn > piece.begin && turn < piece.end)) return false;
  const double value = (*this)(turn);
  const double margin = 4 * piece.form.error;
  first_sign_ = last_sign_ = side;
  if (std::fabs(value) <= band_) {
    enter(piece.begin, piece.end, side);
    report_touch(turn, side < 0);
    leave(piece.end, turn, side, piece.sign_end);
    return true;
  }
  if (sign_of(value) == -side) {
    if (std::fabs(value) > margin) {
      push_split(piece, theta, turn, -side);
    } else {
      push(turn, piece.end, piece.form.error);
      push(piece.begin, turn, piece.form.error);
    }
    return true;
  }
  if (std::fabs(value) > margin) {
    process_clear(piece);
    return true;
  }
  if (!std::isfinite(value) || is_noise(piece) || is_narrow(piece) || pieces_done_ > kMostPieces) return false;
  push_around(piece, turn);
  return true;
}

void Isolation::process_unclear(const Piece& piece) {
  if (!has_only_numbers()) return process_without_numbers(piece);
  const double largest = std::fabs(*std::max_element(samples_.begin(), samples_.begin() + table_.samples,
                                                     [](double a, double b) { return std::fabs(a) < std::fabs(b); }));
  if (largest == 0) {
    if (arrival_ == Arrival::Above) report_touch(piece.begin, false);
    arrival_ = Arrival::Stretch;
    return;
  }
  if (largest <= band_) return process_in_band(piece);
  if (is_narrow(piece) || is_noise(piece)) return decide_by_samples(piece);
  if (pieces_done_ > kMostPieces) {
    ++uncleared_;
    return decide_by_samples(piece);
  }
  const int change = is_trusted(piece) ? -1 : only_change();
  if (change >= 0) return process_change(piece, change);
  push_halves(piece);
}

void Isolation::process_without_numbers(const Piece& piece) {
  const bool none =
      std::none_of(samples_.begin(), samples_.begin() + table_.samples, [](double v) { return std::isfinite(v); });
  if (!none && piece.end - piece.begin > kNarrowUndefined * width_ && pieces_done_ <= kMostPieces) {
    return push_halves(piece);
  }
  ++uncleared_;
  decide_by_samples(piece);
}

/// A jump, or a function too rough for the fit, with one change of side: the parts on both sides are fitted apart.
void Isolation::process_change(const Piece& piece, int place) {
  const int from = in_order(place), to = in_order(place + 1);
  const int old_sign = sign_of(samples_[from]), new_sign = sign_of(samples_[to]);
  Edge edge = new_sign > 0 ? Edge::Rising : Edge::Falling;
  if (old_sign == 0) edge = Edge::FromZero;
  if (new_sign == 0) edge = old_sign > 0 ? Edge::ToZero : Edge::Rising;
  Bracket bracket{times_[from], times_[to], samples_[from], samples_[to]};
  narrow(*this, edge, width_, bracket);
  report(edge, bracket, old_sign < 0 || new_sign > 0, old_sign > 0 && new_sign == 0);
  if (bracket.at < piece.end) push(bracket.at, piece.end, piece.form.error, true);
  if (piece.begin < bracket.before) push(piece.begin, bracket.before, piece.form.error);
}

/// Everything is rounding error here: a change of sign between the ends counts, or else one touch for all such pieces
/// in a row. A step that stays in the band has none.
void Isolation::process_in_band(const Piece& piece) {
  const bool whole = piece.begin == search_.begin && piece.end == search_.end;
  const int first = sign_of(samples_[0]), last = sign_of(samples_[table_.degree]);
  if ((first < 0) != (last < 0)) {
    Bracket bracket{piece.begin, piece.end, samples_[0], samples_[table_.degree]};
    const Edge edge = first < 0 ? Edge::Rising : Edge::Falling;
    narrow(*this, edge, width_, bracket);
    report(edge, bracket, first < 0, false);
  } else if (!whole && piece.begin != band_touch_end_) {
    report_touch(piece.begin + (piece.end - piece.begin) / 2, first < 0);
  }
  arrival_ = Arrival::None;
  band_touch_end_ = piece.end;
}

void Isolation::decide_by_samples(const Piece& piece) {
  const std::size_t reported = crossings_.size();
  int last_sign = kNoSign, closest = -1;
  double last_time = piece.begin, last_value = 0;
  for (int k = 0; k < table_.samples; ++k) {
    const double t = times_[in_order(k)], value = samples_[in_order(k)];
    if (k > 0 && t <= last_time) continue;
    const int sign = sign_of(value);
    if (sign == kNoSign) {
      arrival_ = Arrival::None;
    } else if (last_sign == kNoSign || last_sign == 0) {
      if (sign != 0) enter(last_sign == 0 ? last_time : t, t, sign);
    } else if (sign == 0) {
      leave(t, last_time, last_sign, 0);
    } else if (sign != last_sign) {
      const Edge edge = sign > 0 ? Edge::Rising : Edge::Falling;
      Bracket bracket{last_time, t, last_value, value};
      narrow(*this, edge, width_, bracket);
      report(edge, bracket, sign > 0, false);
    }
    if (closest < 0 || std::fabs(value) < std::fabs(samples_[closest])) closest = in_order(k);
    last_sign = sign;
    last_time = t;
    last_value = value;
  }
  const bool inside = times_[closest] > search_.begin && times_[closest] < search_.end;
  if (reported == crossings_.size() && inside && samples_[closest] != 0 && std::fabs(samples_[closest]) <= band_) {
    if (piece.begin != band_touch_end_) report_touch(times_[closest], samples_[closest] < 0);
    band_touch_end_ = piece.end;
  }
}

void Isolation::push(double begin, double end, double parent_error, bool after_crossing) {
  Piece piece;
  piece.begin = begin;
  piece.end = end;
  piece.parent_error = parent_error;
  piece.after_crossing = after_crossing;
  pieces_.push_back(piece);
}

void Isolation::push_halves(const Piece& piece) {
  const double middle = piece.begin + (piece.end - piece.begin) / 2;
  if (is_trusted(piece)) {
    return push_split(piece, 0.5, middle, sign_beyond(evaluate(piece.form, 0.5), piece.form.error));
  }
  push(middle, piece.end, piece.form.error);
  push(piece.begin, middle, piece.form.error);
}

void Isolation::push_split(const Piece& piece, double theta, double middle, int sign_middle) {
  Piece left, right;
  split(piece.form, theta, left.form, right.form);
  left.formed = right.formed = true;
  left.parent_error = right.parent_error = piece.form.error;
  left.begin = piece.begin;
  left.end = right.begin = middle;
  right.end = piece.end;
  left.sign_begin = piece.sign_begin;
  left.sign_end = right.sign_begin = static_cast<std::int8_t>(sign_middle);
  right.sign_end = piece.sign_end;
  pieces_.push_back(right);
  pieces_.push_back(left);
}

void Isolation::push_around(const Piece& piece, double turn) {
  const double reach = (piece.end - piece.begin) / 16;
  const double low = std::max(piece.begin, turn - reach), high = std::min(piece.end, turn + reach);
  if (high < piece.end) push(high, piece.end, piece.form.error);
  push(low, high, piece.form.error);
  if (piece.begin < low) push(piece.begin, low, piece.form.error);
}

// --- reporting -------------------------------------------------------------------------------------------------------

/// The function has this sign after t; it may have been zero at t.
void Isolation::enter(double t, double limit, int sign) {
  const Arrival arrival = arrival_;
  arrival_ = Arrival::None;
  Bracket bracket;
  switch (arrival) {
    case Arrival::None:
      return;
    case Arrival::Below:
      if (sign < 0) crossings_[arrival_crossing_].touch = true;
      return;
    case Arrival::Above:
      if (sign > 0) return report_touch(t, false);
      if (find_after(Edge::Falling, t, limit, bracket)) report(Edge::Falling, bracket, false, false);
      return;
    case Arrival::Stretch:
      if (find_after(Edge::FromZero, t, limit, bracket)) report(Edge::FromZero, bracket, sign > 0, false);
      return;
  }
}

/// The function has this sign before t, and `sign_at` at t.
void Isolation::leave(double t, double limit, int sign, int sign_at) {
  if (sign_at != 0) return;
  if (sign > 0) {
    arrival_ = Arrival::Above;
    return;
  }
  Bracket bracket;
  if (!find_before(Edge::Rising, t, limit, bracket)) return;
  arrival_crossing_ = crossings_.size();
  report(Edge::Rising, bracket, true, false);
  if (crossings_.size() > arrival_crossing_) arrival_ = Arrival::Below;
}

void Isolation::report(Edge edge, Bracket bracket, bool rising, bool touch) {
  if (std::isnan(bracket.value_at)) bracket.value_at = (*this)(bracket.at);
  if (std::isnan(bracket.value_at) || is_old(edge, bracket.value_at)) {
    ++uncleared_;
    return;
  }
  crossings_.push_back({static_cast<std::uint32_t>(relation_), rising, touch, bracket.before, bracket.at});
}

void Isolation::report_touch(double t, bool rising) {
  const double before = std::max(search_.begin, t - 2 * time_resolution(t, width_));
  crossings_.push_back({static_cast<std::uint32_t>(relation_), rising, true, before, t});
}

/// The change closest after t, where the function is on the old side.
bool Isolation::find_after(Edge edge, double t, double limit, Bracket& bracket) {
  bracket = {t, t, kNotKnown, kNotKnown};
  for (double reach = time_resolution(t, width_); bracket.at < limit; reach *= 4) {
    bracket.at = std::min(limit, t + reach);
    bracket.value_at = (*this)(bracket.at);
    if (!is_old(edge, bracket.value_at)) {
      narrow(*this, edge, width_, bracket);
      return true;
    }
    bracket.before = bracket.at;
    bracket.value_before = bracket.value_at;
  }
  return false;
}

/// The change closest before t, where the function is no longer on the old side.
bool Isolation::find_before(Edge edge, double t, double limit, Bracket& bracket) {
  bracket = {t, t, kNotKnown, kNotKnown};
  for (double reach = time_resolution(t, width_); bracket.before > limit; reach *= 4) {
    bracket.before = std::max(limit, t - reach);
    bracket.value_before = (*this)(bracket.before);
    if (is_old(edge, bracket.value_before)) {
      narrow(*this, edge, width_, bracket);
      return true;
    }
    bracket.at = bracket.before;
    bracket.value_at = bracket.value_before;
  }
  return false;
}

}  // namespace hyla::solve
