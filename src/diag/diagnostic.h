// Diagnostics as data: what was found, where, and what to try.
//
// A stage reports into a Sink and goes on. The registry of kinds is kinds.def; each kind has a page in docs/diagnostics/ with an example whose
// output is compared by a test. Wording: lower case, no full stop, the user's words, code in back-quotes, the hint last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"

namespace hyla::diag {

enum class Severity : std::uint8_t { Error, Warning };

enum class Kind : std::uint16_t {
#define HYLA_KIND(kind, name, severity, summary) kind,
#include "diag/kinds.def"
#undef HYLA_KIND
};

struct KindInfo {
  Kind kind;
  std::string_view name;     ///< stable, kebab-case: `unit-mismatch`
  Severity severity;
  std::string_view summary;  ///< one sentence: when it is reported
};

const KindInfo& info(Kind kind);
std::span<const KindInfo> all_kinds();
std::optional<Kind> find_kind(std::string_view name);

/// A further place concerned, with its own half of the story.
struct Label {
  Span span;
  std::string text;
};

struct Diagnostic {
  Kind kind{};
  std::string message;
  Span span;           ///< the narrowest place to look at first
  std::string text;    ///< written under the span; may be empty
  std::vector<Label> labels;
  std::vector<std::string> hints;

  Severity severity() const { return info(kind).severity; }
};

/// Collects diagnostics. At most one is kept for one kind at one place, so that a mistake seen by several passes is told once.
class Sink {
 public:
  /// Adds a diagnostic and returns it for labels and hints. While muted the result is a scratch object.
  class Entry {
   public:
    Entry& text(std::string text);
    Entry& label(Span span, std::string text);
    Entry& hint(std::string text);

   private:
    friend class Sink;
    explicit Entry(Diagnostic* diagnostic) : diagnostic_(diagnostic) {}
    Diagnostic* diagnostic_;
  };
  /// The entry is valid until the next report.
  Entry report(Kind kind, Span span, std::string message);

  bool has_errors() const { return error_count_ > 0; }
  std::size_t error_count() const { return error_count_; }
  std::span<const Diagnostic> diagnostics() const { return diagnostics_; }
  /// All diagnostics by file and place, errors of one place before warnings.
  std::vector<Diagnostic> sorted() const;

  /// While a Mute lives, reports are dropped: for text that was already checked in another context.
  class Mute {
   public:
    explicit Mute(Sink& sink, bool active = true) : sink_(sink), active_(active) { sink_.muted_ += active_ ? 1 : 0; }
    ~Mute() { sink_.muted_ -= active_ ? 1 : 0; }
    Mute(const Mute&) = delete;
    Mute& operator=(const Mute&) = delete;

   private:
    Sink& sink_;
    bool active_;
  };

 private:
  std::vector<Diagnostic> diagnostics_;
  Diagnostic scratch_;
  std::size_t error_count_ = 0;
  int muted_ = 0;
};

}  // namespace hyla::diag
