#include "syntax/words.h"

#include <array>
#include <cstdint>

namespace hyla::syntax {
namespace {

struct Word {
  std::string_view text;
  TokenKind kind = TokenKind::Identifier;
};

constexpr auto kWords = std::to_array<Word>({
#define HYLA_TOKEN(kind, text)
#define HYLA_SIGN(kind, text)
#define HYLA_WORD(kind, text) {text, TokenKind::kind},
#define HYLA_PLACE_WORD(kind, text) {text, TokenKind::kind},
#include "syntax/token_kinds.def"
#undef HYLA_TOKEN
#undef HYLA_SIGN
#undef HYLA_WORD
#undef HYLA_PLACE_WORD
});

constexpr std::size_t kSlots = 1024;  // sparse, so that most identifiers meet an empty slot

constexpr std::size_t slot_of(std::string_view text) {
  const auto letter = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  return (letter(0) * 73 + letter(1) * 11 + letter(text.size() - 1) * 139 + text.size() * 31) % kSlots;
}

constexpr auto kTable = [] {
  std::array<Word, kSlots> table{};
  for (const Word& word : kWords) {
    std::size_t slot = slot_of(word.text);
    while (!table[slot].text.empty()) slot = (slot + 1) % kSlots;
    table[slot] = word;
  }
  return table;
}();

}  // namespace

TokenKind word_kind(std::string_view text) {
  if (text.size() < 2) return TokenKind::Identifier;
  for (std::size_t slot = slot_of(text); !kTable[slot].text.empty(); slot = (slot + 1) % kSlots) {
    if (kTable[slot].text == text) return kTable[slot].kind;
  }
  return TokenKind::Identifier;
}

}  // namespace hyla::syntax
