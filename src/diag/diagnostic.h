// Diagnostics as data: what was found, where, and what to try.
//
// A stage reports into a Sink and goes on. The registry of kinds is kinds.def; each kind has a page in
// docs/diagnostics/ with an example whose output is compared by a test. Wording: lower case, no full stop, the user's
// words, code in back-quotes, the hint last.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
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
  std::string_view name;  ///< stable, kebab-case: `unit-mismatch`
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

/// A named circumstance of a failed run: `where`, `blame`, `since`, `solver`.
struct Part {
  std::string name;
  std::string text;
  Span span;  ///< the place in the source that it speaks of; without a file: none
};

struct Diagnostic {
  Kind kind{};
  std::string message;
  Span span;         ///< the narrowest place to look at first
  std::string text;  ///< written under the span; may be empty
  std::vector<Label> labels;
  std::vector<std::string> hints;
  std::vector<Part> parts = {};

  Severity severity() const { return info(kind).severity; }
};

/// How many diagnostics there are. Those that were reported but not kept count as omitted only.
struct Counts {
  std::size_t errors = 0;
  std::size_t warnings = 0;
  std::size_t omitted = 0;
};

/// Collects diagnostics. At most one is kept for one kind at one place, so that a mistake seen by several passes is
/// told once. A file keeps at most kMostPerFile of each severity; the rest is counted, so that a file of rubbish takes
/// neither hours nor gigabytes.
class Sink {
 public:
  static constexpr std::size_t kMostPerFile = 1000;

  /// Adds a diagnostic and returns it for labels and hints. What is not kept goes into a scratch object.
  class Entry {
   public:
    Entry& text(std::string text);
    Entry& label(Span span, std::string text);
    Entry& part(std::string name, std::string text, Span span = {});
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
  Counts counts() const;
  std::span<const Diagnostic> diagnostics() const { return diagnostics_; }
  /// All diagnostics by file and place, errors of one place before warnings.
  std::vector<Diagnostic> sorted() const;

  /// Whether reports are being dropped: what is found out now must be found again to be told.
  bool is_muted() const { return muted_ > 0; }

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

  /// While a Voice lives, reports are kept or dropped as it says, whatever Mutes are around it: for declarations that
  /// are checked when they are first needed, wherever that is.
  class Voice {
   public:
    explicit Voice(Sink& sink, bool kept = true) : sink_(sink), muted_before_(sink.muted_) {
      sink_.muted_ = kept ? 0 : 1;
    }
    ~Voice() { sink_.muted_ = muted_before_; }
    Voice(const Voice&) = delete;
    Voice& operator=(const Voice&) = delete;

   private:
    Sink& sink_;
    int muted_before_;
  };

 private:
  struct Place {
    Kind kind{};
    Span span;
    friend bool operator==(const Place&, const Place&) = default;
  };
  struct PlaceHash {
    std::size_t operator()(const Place& place) const noexcept;
  };
  /// Whether the file has room for one more of that severity; counts it.
  bool has_room(FileId file, Severity severity);

  std::vector<Diagnostic> diagnostics_;
  std::unordered_set<Place, PlaceHash> places_;
  std::vector<std::size_t> kept_per_file_;  ///< two entries per file: errors, warnings
  std::size_t omitted_ = 0;
  Diagnostic scratch_;
  std::size_t error_count_ = 0;  ///< omitted ones included
  int muted_ = 0;
};

}  // namespace hyla::diag
