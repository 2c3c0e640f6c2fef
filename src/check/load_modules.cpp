#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "check/forest.h"
#include "syntax/parser.h"

namespace hyla::check {
namespace {

using diag::Kind;
using syntax::NodeId;
using syntax::NodeKind;

class Loader {
 public:
  Loader(const diag::Sources& sources, ModuleFinder& finder, diag::Sink& sink)
      : sources_(sources), finder_(finder), sink_(sink) {}

  std::uint32_t add(diag::FileId file, bool is_prelude) {
    forest_.modules.push_back({module_name(sources_.path(file)), syntax::parse(sources_, file, sink_), {}, is_prelude});
    states_.push_back(State::Waiting);
    return static_cast<std::uint32_t>(forest_.modules.size() - 1);
  }

  /// Follows the imports of a module, depth first: a module met again while it is still open closes a circle.
  void follow(std::uint32_t index) {
    states_[index] = State::Open;
    path_.push_back(index);
    const std::vector<NodeId> imports = import_nodes(index);
    for (NodeId node : imports) {
      const std::uint32_t target = resolve(index, node);
      forest_.modules[index].imports.push_back({node, target});
      if (target == UINT32_MAX) continue;
      if (states_[target] == State::Open) {
        report_cycle(index, node, target);
      } else if (states_[target] == State::Waiting) {
        follow(target);
      }
    }
    path_.pop_back();
    states_[index] = State::Closed;
  }

  Forest take() { return std::move(forest_); }

 private:
  enum class State : std::uint8_t { Waiting, Open, Closed };

  std::vector<NodeId> import_nodes(std::uint32_t index) const {
    const syntax::Tree& tree = forest_.modules[index].tree;
    std::vector<NodeId> nodes;
    for (NodeId child : tree.children(tree.root())) {
      if (tree.kind(child) == NodeKind::Import && tree.find(child, NodeKind::Name)) nodes.push_back(child);
    }
    return nodes;
  }

  std::uint32_t resolve(std::uint32_t importer, NodeId node) {
    // The tree must not be held by reference across add(): the vector of modules may move.
    const syntax::Tree& tree = forest_.modules[importer].tree;
    const NodeId name_node = tree.find(node, NodeKind::Name);
    const std::string name(tree.name(name_node));
    const diag::Span span = tree.span(name_node);
    const ModuleFinder::Found found = finder_.find(name, tree.file());
    if (found.files.empty()) {
      auto entry = sink_.report(Kind::UnknownModule, span, fmt::format("there is no module `{}`", name));
      const std::vector<std::string_view> similar(found.similar_names.begin(), found.similar_names.end());
      if (const auto near = base::nearest(name, similar)) entry.hint(fmt::format("did you mean `{}`?", *near));
      std::string places;
      for (const std::string& place : found.searched) places += (places.empty() ? "" : ", ") + place;
      if (!places.empty()) entry.hint(fmt::format("looked for `{}.hyla` in {}", name, places));
      return UINT32_MAX;
    }
    if (found.files.size() > 1) {
      auto entry = sink_.report(Kind::AmbiguousModule, span, fmt::format("module `{}` is found in two places", name));
      for (const diag::FileId file : found.files) entry.hint(fmt::format("one is {}", sources_.path(file)));
      return UINT32_MAX;
    }
    for (std::uint32_t i = 0; i < forest_.modules.size(); ++i) {
      if (forest_.modules[i].tree.file() == found.files.front()) return i;
    }
    return add(found.files.front(), false);
  }

  void report_cycle(std::uint32_t importer, NodeId node, std::uint32_t target) {
    const syntax::Tree& tree = forest_.modules[importer].tree;
    std::string circle;
    const auto start = std::find(path_.begin(), path_.end(), target);
    for (auto i = start; i != path_.end(); ++i) circle += fmt::format("`{}` imports ", forest_.modules[*i].name);
    circle += fmt::format("`{}`", forest_.modules[target].name);
    sink_.report(Kind::ImportCycle, tree.span(node), "modules import each other in a circle")
        .text(circle)
        .hint("move what both need into a third module");
  }

  const diag::Sources& sources_;
  ModuleFinder& finder_;
  diag::Sink& sink_;
  Forest forest_;
  std::vector<State> states_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::string module_name(std::string_view path) {
  if (const std::size_t slash = path.find_last_of("/\\"); slash != std::string_view::npos)
    path.remove_prefix(slash + 1);
  return std::string(path.substr(0, path.find('.')));
}

Forest load_modules(const diag::Sources& sources, diag::FileId prelude, diag::FileId main, ModuleFinder& finder,
                    diag::Sink& sink) {
  Loader loader(sources, finder, sink);
  if (prelude) loader.follow(loader.add(prelude, true));
  const std::uint32_t main_index = loader.add(main, false);
  loader.follow(main_index);
  Forest forest = loader.take();
  forest.main = main_index;
  return forest;
}

}  // namespace hyla::check
