#include "service/dump.h"

#include <array>
#include <utility>
#include <vector>

#include "diag/display.h"

namespace hyla::service {
namespace {

constexpr auto kTokenNames = std::to_array<std::string_view>({
#define HYLA_TOKEN(kind, text) #kind,
#define HYLA_SIGN(kind, text) #kind,
#define HYLA_WORD(kind, text) #kind,
#define HYLA_PLACE_WORD(kind, text) #kind,
#include "syntax/token_kinds.def"
#undef HYLA_TOKEN
#undef HYLA_SIGN
#undef HYLA_WORD
#undef HYLA_PLACE_WORD
});

}  // namespace

std::string dump_tokens(const syntax::Tree& tree, const diag::Sources& sources) {
  std::string out;
  for (const syntax::Token& token : tree.tokens()) {
    const diag::Position position = sources.position(tree.file(), token.begin);
    out += std::to_string(position.line) + ':' + std::to_string(position.column) + ' ';
    out += kTokenNames[static_cast<std::size_t>(token.kind)];
    if (token.end > token.begin) out += ' ' + diag::printable(tree.text(token));
    out += '\n';
  }
  return out;
}

std::string dump_tree(const syntax::Tree& tree) {
  std::string out;
  // A stack of our own: trees may be deep.
  std::vector<std::pair<syntax::NodeId, std::size_t>> waiting = {{tree.root(), 0}};
  while (!waiting.empty()) {
    const auto [node, depth] = waiting.back();
    waiting.pop_back();
    out.append(2 * depth, ' ');
    out += syntax::name_of(tree.kind(node));
    const auto children = tree.children(node);
    if (children.empty() && !tree.text(node).empty()) out += ' ' + diag::printable(tree.text(node));
    out += '\n';
    for (auto child = children.rbegin(); child != children.rend(); ++child) waiting.emplace_back(*child, depth + 1);
  }
  return out;
}

}  // namespace hyla::service
