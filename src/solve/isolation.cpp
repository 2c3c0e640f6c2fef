#include "solve/isolation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hyla::solve {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr std::uint64_t kMostPieces = 600;
/// Pieces with undefined samples are not split below this part of the step.
constexpr double kNarrowUndefined = 0x1p-12;

}  // namespace

Isolation::Isolation(Course& course, std::size_t relation, const Search& search, const FitTable& table,
                     std::vector<Piece>& pieces, std::vector<Crossing>& crossings, double horizon)
    : course_(course),
      relation_(relation),
      search_(search),
      table_(table),
      pieces_(pieces),
      crossings_(crossings),
      band_(search.bands != nullptr ? search.bands[relation] : 0),
      width_(search.end - search.begin),
      horizon_(horizon),
      band_touch_end_(search.begin) {}

double Isolation::operator()(double t) {
  ++evaluations_;
  return course_.value(relation_, t);
}

void Isolation::run(const double* samples, const Form& form) {
  constexpr std::size_t kUsual = 64;  // hardly ever more
  pieces_.clear();
  pieces_.reserve(kUsual);
  Piece whole;
  whole.begin = search_.begin;
  whole.end = search_.end;
  whole.parent_error = std::numeric_limits<double>::infinity();
  for (int k = 0; k < table_.samples; ++k) {
    times_[k] = k == table_.degree ? search_.end : search_.begin + table_.nodes[k] * width_;
    samples_[k] = samples[k];
    if (std::isfinite(samples[k])) scale_ = std::max(scale_, std::fabs(samples[k]));
  }
  whole.form = form;
  take_signs(whole);
  process(whole);
  while (!pieces_.empty()) {
    const Piece piece = pieces_.back();
    pieces_.pop_back();
    if (piece.begin < horizon_) process(piece);
  }
  if (horizon_ < search_.end) return;
  if (arrival_ == Arrival::Above) report_touch(search_.end, false);
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
  add({static_cast<std::uint32_t>(relation_), rising, touch, bracket.before, bracket.at});
}

void Isolation::report_touch(double t, bool rising) {
  const double before = std::max(search_.begin, t - 2 * time_resolution(t, width_));
  add({static_cast<std::uint32_t>(relation_), rising, true, before, t});
}

void Isolation::add(const Crossing& crossing) {
  crossings_.push_back(crossing);
  if (search_.only_first) horizon_ = std::min(horizon_, crossing.at);
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
