#include "diag/diagnostic.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/check.h"

namespace hyla::diag {
namespace {

constexpr auto kKinds = std::to_array<KindInfo>({
#define HYLA_KIND(kind, name, severity, summary) {Kind::kind, name, Severity::severity, summary},
#include "diag/kinds.def"
#undef HYLA_KIND
});

}  // namespace

const KindInfo& info(Kind kind) { return kKinds[static_cast<std::size_t>(kind)]; }

std::span<const KindInfo> all_kinds() { return kKinds; }

std::optional<Kind> find_kind(std::string_view name) {
  for (const KindInfo& kind : kKinds) {
    if (kind.name == name) return kind.kind;
  }
  return std::nullopt;
}

Sink::Entry& Sink::Entry::text(std::string text) {
  diagnostic_->text = std::move(text);
  return *this;
}

Sink::Entry& Sink::Entry::label(Span span, std::string text) {
  diagnostic_->labels.push_back({span, std::move(text)});
  return *this;
}

Sink::Entry& Sink::Entry::part(std::string name, std::string text, Span span) {
  diagnostic_->parts.push_back({std::move(name), std::move(text), span});
  return *this;
}

Sink::Entry& Sink::Entry::hint(std::string text) {
  diagnostic_->hints.push_back(std::move(text));
  return *this;
}

Sink::Entry Sink::report(Kind kind, Span span, std::string message) {
  HYLA_CHECK(span.file, "a message needs a place");
  scratch_ = {};
  if (muted_ > 0 || places_.contains({kind, span})) return Entry(&scratch_);
  HYLA_CHECK(span.file, "a message without a place");
  const Severity severity = info(kind).severity;
  if (severity == Severity::Error) ++error_count_;
  if (!has_room(span.file, severity)) {
    ++omitted_;
    return Entry(&scratch_);
  }
  places_.insert({kind, span});
  diagnostics_.push_back({kind, std::move(message), span, {}, {}, {}, {}});
  return Entry(&diagnostics_.back());
}

bool Sink::has_room(FileId file, Severity severity) {
  const std::size_t slot = 2 * static_cast<std::size_t>(file.index) + static_cast<std::size_t>(severity);
  if (slot >= kept_per_file_.size()) kept_per_file_.resize(slot + 1);
  if (kept_per_file_[slot] == kMostPerFile) return false;
  ++kept_per_file_[slot];
  return true;
}

std::size_t Sink::PlaceHash::operator()(const Place& place) const noexcept {
  const std::uint64_t bounds = (std::uint64_t{place.span.begin} << 32) | place.span.end;
  const std::uint64_t who = (std::uint64_t{place.span.file.index} << 16) | static_cast<std::uint64_t>(place.kind);
  return static_cast<std::size_t>((bounds * 0x9E3779B97F4A7C15) ^ ((bounds >> 29) + who * 0xC2B2AE3D27D4EB4F));
}

Counts Sink::counts() const {
  Counts counts;
  counts.omitted = omitted_;
  for (const Diagnostic& diagnostic : diagnostics_) {
    ++(diagnostic.severity() == Severity::Error ? counts.errors : counts.warnings);
  }
  return counts;
}

std::vector<Diagnostic> Sink::sorted() const {
  std::vector<Diagnostic> result = diagnostics_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(a.span.file.index, a.span.begin, a.severity()) <
           std::tuple(b.span.file.index, b.span.begin, b.severity());
  });
  return result;
}

}  // namespace hyla::diag
