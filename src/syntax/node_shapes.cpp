// A description such as "Modifier* Name (Path+ OrderBy? | Binding)" is a regular expression over kinds. It is turned
// into an automaton of at most 64 states, so that a set of states is one word and long lists of children are matched in
// one pass.
#include "syntax/node_shapes.h"

#include <array>
#include <bitset>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace hyla::syntax {
namespace {

constexpr auto kDescriptions = std::to_array<std::string_view>({
#define HYLA_NODE(kind, children) children,
#include "syntax/node_kinds.def"
#undef HYLA_NODE
});
constexpr std::size_t kKindCount = kDescriptions.size();

using KindSet = std::bitset<kKindCount>;
using StateSet = std::uint64_t;

KindSet range_of(NodeKind first, NodeKind last) {
  KindSet kinds;
  for (auto kind = static_cast<std::size_t>(first); kind <= static_cast<std::size_t>(last); ++kind) kinds.set(kind);
  return kinds;
}

/// The kinds that a word of a description stands for.
KindSet kinds_of(std::string_view word) {
  KindSet kinds;
  const auto add = [&](NodeKind kind) { kinds.set(static_cast<std::size_t>(kind)); };
  const KindSet expressions = range_of(NodeKind::NumberLiteral, NodeKind::PowerExpr);
  if (word == "expr" || word == "value") {
    kinds = expressions;
    for (const NodeKind part :
         {NodeKind::UnitText, NodeKind::Arguments, NodeKind::NamedArgument, NodeKind::InitialArgument,
          NodeKind::Comprehension, NodeKind::WhereArgument, NodeKind::Range, NodeKind::WholeRange,
          NodeKind::CompareOperator, NodeKind::AddOperator, NodeKind::MultiplyOperator}) {
      kinds.reset(static_cast<std::size_t>(part));
    }
    if (word == "value") {
      for (const NodeKind kind : {NodeKind::Send, NodeKind::Start, NodeKind::New, NodeKind::Connect}) add(kind);
    }
  } else if (word == "declarations" || word == "items") {
    for (const NodeKind kind :
         {NodeKind::ModelDecl, NodeKind::ConnectorDecl, NodeKind::MessageDecl, NodeKind::RecordDecl,
          NodeKind::ProtocolDecl, NodeKind::EnumDecl, NodeKind::TypeDecl, NodeKind::FunctionDecl,
          NodeKind::ExternalFunctionDecl, NodeKind::ExternalObjectDecl, NodeKind::VariableDecl}) {
      add(kind);
    }
    if (word == "declarations") {
      add(NodeKind::PackageDecl);
      add(NodeKind::ExperimentDecl);
    } else {
      kinds |= range_of(NodeKind::ObjectDecl, NodeKind::Reaction);
      for (const NodeKind part :
           {NodeKind::OrderBy, NodeKind::StatisticKind, NodeKind::ConnectKind, NodeKind::RequireWhen,
            NodeKind::RequireForm, NodeKind::ForDuration, NodeKind::RequireUntil, NodeKind::Within, NodeKind::DevsKind,
            NodeKind::ChoiceBranch}) {
        kinds.reset(static_cast<std::size_t>(part));
      }
    }
  } else if (word == "statements") {
    kinds = range_of(NodeKind::Let, NodeKind::FirstOf);
    for (const NodeKind kind :
         {NodeKind::VariableDecl, NodeKind::Equation, NodeKind::Assign, NodeKind::ExprStatement}) {
      add(kind);
    }
    for (const NodeKind part :
         {NodeKind::NameList, NodeKind::Send, NodeKind::PassOn, NodeKind::DelayAfter, NodeKind::DelayAt,
          NodeKind::Start, NodeKind::New, NodeKind::InPopulation, NodeKind::Where}) {
      kinds.reset(static_cast<std::size_t>(part));
    }
  } else if (word == "trigger") {
    kinds = range_of(NodeKind::OnTrigger, NodeKind::AutoTrigger);
  } else if (word == "target") {
    kinds = range_of(NodeKind::TargetPath, NodeKind::TargetFork);
  } else {
    for (std::size_t kind = 0; kind < kKindCount; ++kind) {
      if (name_of(static_cast<NodeKind>(kind)) == word) kinds.set(kind);
    }
  }
  HYLA_CHECK(kinds.any(), "a word in node_kinds.def stands for no kind");
  add(NodeKind::Invalid);
  return kinds;
}

/// One description as an automaton. State i reads one child; the state behind the last one accepts.
class Shape {
 public:
  explicit Shape(std::string description) : text_(std::move(description)) {
    const Part whole = alternatives();
    HYLA_CHECK(at_ == text_.size() && kinds_.size() < 64, "node_kinds.def has a description that cannot be read");
    start_ = whole.first | (whole.nullable ? accepting() : 0);
    link(whole.last, accepting());
  }

  bool matches(std::span<const NodeKind> children) const {
    StateSet states = start_;
    for (const NodeKind child : children) {
      StateSet next = 0;
      for (std::size_t state = 0; state < kinds_.size(); ++state) {
        const bool active = ((states >> state) & 1) != 0;
        if (active && kinds_[state].test(static_cast<std::size_t>(child))) next |= follow_[state];
      }
      states = next;
    }
    return (states & accepting()) != 0;
  }

 private:
  /// A piece of a description: which states begin it, which end it, whether it may be empty.
  struct Part {
    StateSet first = 0;
    StateSet last = 0;
    bool nullable = false;
  };

  StateSet accepting() const { return StateSet{1} << 63; }

  void link(StateSet from, StateSet to) {
    for (std::size_t state = 0; state < kinds_.size(); ++state) {
      if (((from >> state) & 1) != 0) follow_[state] |= to;
    }
  }
  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool accept(char c) {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  Part alternatives() {
    Part result = sequence();
    while (accept('|')) {
      const Part other = sequence();
      result = {result.first | other.first, result.last | other.last, result.nullable || other.nullable};
    }
    return result;
  }

  Part sequence() {
    Part result{0, 0, true};
    for (skip_blanks(); at_ < text_.size() && text_[at_] != '|' && text_[at_] != ')'; skip_blanks()) {
      const Part next = repeated();
      link(result.last, next.first);
      result.first |= result.nullable ? next.first : 0;
      result.last = next.last | (next.nullable ? result.last : 0);
      result.nullable = result.nullable && next.nullable;
    }
    return result;
  }

  Part repeated() {
    Part part;
    if (accept('(')) {
      part = alternatives();
      accept(')');
    } else {
      part = one_kind();
    }
    if (at_ < text_.size() && std::string_view("*+?").find(text_[at_]) != std::string_view::npos) {
      const char sign = text_[at_++];
      if (sign != '?') link(part.last, part.first);
      if (sign != '+') part.nullable = true;
    }
    return part;
  }

  Part one_kind() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    kinds_.push_back(kinds_of(std::string_view(text_).substr(begin, at_ - begin)));
    follow_.push_back(0);
    // The words of a Modifier tell which one; the parser's own tests look at them.
    if (at_ < text_.size() && text_[at_] == '(') at_ = text_.find(')', at_) + 1;
    const StateSet state = StateSet{1} << (kinds_.size() - 1);
    return {state, state, false};
  }

  std::string text_;
  std::size_t at_ = 0;
  std::vector<KindSet> kinds_;
  std::vector<StateSet> follow_;
  StateSet start_ = 0;
};

Shape shape_of(std::string_view description) {
  std::string text(description.substr(0, description.find(" : ")));
  // Declarations also stand in bodies, where annotations may precede them.
  if (text.starts_with("Modifier*")) text = "Annotation* " + text;
  return Shape(std::move(text));
}

std::vector<Shape> all_shapes() {
  std::vector<Shape> shapes;
  for (std::size_t kind = 0; kind < kKindCount; ++kind) {
    const bool is_leaf = leaf_tokens(static_cast<NodeKind>(kind)).has_value();
    shapes.push_back(is_leaf ? Shape("") : shape_of(kDescriptions[kind]));
  }
  return shapes;
}

}  // namespace

std::optional<LeafTokens> leaf_tokens(NodeKind kind) {
  const std::string_view description = kDescriptions[static_cast<std::size_t>(kind)];
  if (description.starts_with("one ")) return LeafTokens::One;
  if (description.starts_with("no children and no tokens")) return LeafTokens::None;
  if (description.starts_with("no children") || description.starts_with("the tokens") ||
      description.starts_with("tokens ")) {
    return LeafTokens::Any;
  }
  return std::nullopt;
}

bool children_fit(NodeKind kind, std::span<const NodeKind> children) {
  static const std::vector<Shape> kShapes = all_shapes();
  return kShapes[static_cast<std::size_t>(kind)].matches(children);
}

}  // namespace hyla::syntax
