// The modules of one program: the main file and everything it imports, parsed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/tree.h"

namespace hyla::check {

struct ImportLink {
  syntax::NodeId node;
  std::uint32_t module = UINT32_MAX;  ///< none if the module was not found
};

struct Module {
  std::string name;
  syntax::Tree tree;
  std::vector<ImportLink> imports;
  bool is_prelude = false;
};

/// In order of loading: the prelude first, then the main module, then imported ones.
struct Forest {
  std::vector<Module> modules;
  std::uint32_t main = 0;
};

/// Finds imported modules; the only way by which the checker reaches the outside.
class ModuleFinder {
 public:
  virtual ~ModuleFinder() = default;

  struct Found {
    std::vector<diag::FileId> files;         ///< none: not found; several: ambiguous
    std::vector<std::string> similar_names;  ///< modules that could have been meant
    std::vector<std::string> searched;       ///< where was looked, for the message
  };
  virtual Found find(std::string_view name, diag::FileId importer) = 0;
};

/// Parses the main file and all it imports. Reports unknown and ambiguous modules and import cycles.
/// `prelude` holds the environment packages that every module knows; it may be none.
Forest load_modules(const diag::Sources& sources, diag::FileId prelude, diag::FileId main, ModuleFinder& finder,
                    diag::Sink& sink);

/// The module's name: the file's name without folder and ending.
std::string module_name(std::string_view path);

}  // namespace hyla::check
