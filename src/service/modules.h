// Where `import flow;` finds flow.hyla: the standard library, the folder of the importing file, then the folders given
// by -I.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "check/forest.h"
#include "diag/source.h"
#include "service/files.h"

namespace hyla::service {

/// Reads the files of one compilation into its Sources, each once.
class ModulePath : public check::ModuleFinder {
 public:
  /// `files` and `sources` outlive the path.
  ModulePath(const FileSystem& files, std::vector<std::string> folders, diag::Sources& sources);

  /// The file at a path, or why it cannot be read.
  base::Result<diag::FileId> load(const std::string& path);
  /// A module of the standard library; none if there is no such module.
  diag::FileId load_standard(std::string_view name);

  /// Several places with the same text are one module, seen twice.
  Found find(std::string_view name, diag::FileId importer) override;

 private:
  /// The folders to search for an importing file, each with its `/`.
  std::vector<std::string> folders_for(diag::FileId importer) const;
  std::vector<std::string> names_for(diag::FileId importer) const;

  const FileSystem& files_;
  std::vector<std::string> folders_;
  diag::Sources& sources_;
  std::map<std::string, diag::FileId, std::less<>> loaded_;           ///< by path
  std::map<std::string, diag::FileId, std::less<>> loaded_standard_;  ///< by name
};

}  // namespace hyla::service
