// Reads JSON from front to back, value by value, without a tree: whoever calls says what it expects next.
//
//     JsonReader reader(line);
//     const bool good = reader.read_object([&](std::string_view key) {
//       return key == "t" ? reader.read_number(time) : reader.skip();
//     }) && reader.at_end();
//
// After the first mistake all calls return false; problem() and place() tell what was expected and where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hyla::base {

class JsonReader {
 public:
  /// Objects and arrays inside each other; more are refused.
  static constexpr int kMostDeep = 64;

  /// The text outlives the reader.
  explicit JsonReader(std::string_view text) : text_(text) {}

  /// Calls `member` with each key; it reads the value that follows, or returns false.
  template <class Member>
  bool read_object(Member member) {
    if (!take('{', "`{`")) return false;
    if (next_is('}')) return take('}', "`}`");
    std::string key;
    do {
      if (!read_text(key) || !take(':', "`:`") || !member(std::string_view(key)) || failed()) return fail("a value");
    } while (take_comma());
    return take('}', "`,` or `}`");
  }
  /// Calls `element` before each element; it reads it, or returns false.
  template <class Element>
  bool read_array(Element element) {
    if (!take('[', "`[`")) return false;
    if (next_is(']')) return take(']', "`]`");
    do {
      if (!element() || failed()) return fail("a value");
    } while (take_comma());
    return take(']', "`,` or `]`");
  }
  bool read_text(std::string& text);
  /// Also the texts that append_json_number writes for what is not finite.
  bool read_number(double& number);
  /// A whole number from 0.
  bool read_count(std::uint64_t& count);
  bool read_flag(bool& flag);
  /// Any value.
  bool skip() { return skip_value(0); }
  /// Any value, as it stands there.
  bool read_raw(std::string_view& raw);
  /// Whether only blanks follow.
  bool at_end();

  /// The sign that the next value begins with: `{`, `[`, `"`, a digit, `t`, `f`, `n`; 0 at the end.
  char next();
  bool failed() const { return !problem_.empty(); }
  /// "expected `:`"; empty: none.
  const std::string& problem() const { return problem_; }
  /// How many bytes stand before the mistake, or have been read.
  std::size_t place() const { return place_; }
  /// Notes a mistake at the present place, if there is none yet. Returns false.
  bool fail(std::string_view expected);

 private:
  bool skip_value(int depth);
  bool take(char sign, std::string_view expected);
  bool take_comma();
  bool next_is(char sign) { return next() == sign; }
  bool take_word(std::string_view word);
  std::string_view number_text();
  bool read_escape(std::string& text);
  bool read_hex(std::uint32_t& unit);

  std::string_view text_;
  std::size_t place_ = 0;
  std::string problem_;
};

}  // namespace hyla::base
