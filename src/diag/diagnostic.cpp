#include "diag/diagnostic.h"

#include <algorithm>
#include <array>
#include <tuple>

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

Sink::Entry& Sink::Entry::hint(std::string text) {
  diagnostic_->hints.push_back(std::move(text));
  return *this;
}

Sink::Entry Sink::report(Kind kind, Span span, std::string message) {
  const auto same = [&](const Diagnostic& d) { return d.kind == kind && d.span == span; };
  if (muted_ > 0 || std::any_of(diagnostics_.begin(), diagnostics_.end(), same)) {
    scratch_ = {};
    return Entry(&scratch_);
  }
  diagnostics_.push_back({kind, std::move(message), span, {}, {}, {}});
  if (diagnostics_.back().severity() == Severity::Error) ++error_count_;
  return Entry(&diagnostics_.back());
}

std::vector<Diagnostic> Sink::sorted() const {
  std::vector<Diagnostic> result = diagnostics_;
  std::stable_sort(result.begin(), result.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tuple(a.span.file.index, a.span.begin, a.severity()) < std::tuple(b.span.file.index, b.span.begin, b.severity());
  });
  return result;
}

}  // namespace hyla::diag
