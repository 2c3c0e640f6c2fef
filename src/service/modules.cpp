#include "service/modules.h"

#include <algorithm>
#include <optional>

#include "service/embedded.h"

namespace hyla::service {
namespace {

constexpr std::string_view kExtension = ".hyla";

/// The module's name if the path is one of a module: `lib/flow.hyla` is `flow`.
std::optional<std::string> name_of_module(std::string_view path) {
  if (!path.ends_with(kExtension)) return std::nullopt;
  return check::module_name(path);
}

}  // namespace

ModulePath::ModulePath(const FileSystem& files, std::vector<std::string> folders, diag::Sources& sources)
    : files_(files), folders_(std::move(folders)), sources_(sources) {
  for (std::string& folder : folders_) {
    if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  }
}

base::Result<diag::FileId> ModulePath::load(const std::string& path) {
  if (const auto known = loaded_.find(path); known != loaded_.end()) return known->second;
  base::Result<std::string> text = files_.read(path);
  if (!text.ok()) return base::Failure{text.message()};
  return loaded_[path] = sources_.add(path, std::move(text).value());
}

diag::FileId ModulePath::load_standard(std::string_view name) {
  if (const auto known = loaded_standard_.find(name); known != loaded_standard_.end()) return known->second;
  for (const base::EmbeddedFile& file : standard_library()) {
    if (name_of_module(file.path) != name) continue;
    return loaded_standard_[std::string(name)] = sources_.add(std::string(file.path), std::string(file.text));
  }
  return {};
}

check::ModuleFinder::Found ModulePath::find(std::string_view name, diag::FileId importer) {
  Found found;
  // A name in back-quotes may hold anything; only a plain name is that of a file.
  if (name.empty() || name.find_first_of(std::string_view("/\\\0", 3)) != std::string_view::npos) return found;
  if (const diag::FileId standard = load_standard(name)) found.files.push_back(standard);
  found.searched.emplace_back("the standard library");
  const std::string own_folder = folder_of(sources_.path(importer));
  for (const std::string& folder : folders_for(importer)) {
    found.searched.push_back(folder == own_folder ? "the folder of this file" : '`' + folder + '`');
    const std::string path = folder + std::string(name) + std::string(kExtension);
    if (!files_.is_file(path)) continue;
    const base::Result<diag::FileId> file = load(path);
    const auto is_same = [&](diag::FileId other) { return sources_.text(other) == sources_.text(file.value()); };
    if (file.ok() && std::none_of(found.files.begin(), found.files.end(), is_same)) found.files.push_back(file.value());
  }
  if (found.files.empty()) found.similar_names = names_for(importer);
  return found;
}

std::vector<std::string> ModulePath::folders_for(diag::FileId importer) const {
  std::vector<std::string> folders;
  // The standard library does not depend on where its text was embedded from.
  for (const auto& [name, file] : loaded_standard_) {
    if (file == importer) return folders;
  }
  folders.push_back(folder_of(sources_.path(importer)));
  for (const std::string& folder : folders_) {
    if (std::find(folders.begin(), folders.end(), folder) == folders.end()) folders.push_back(folder);
  }
  return folders;
}

std::vector<std::string> ModulePath::names_for(diag::FileId importer) const {
  std::vector<std::string> names;
  for (const base::EmbeddedFile& file : standard_library()) {
    if (auto name = name_of_module(file.path)) names.push_back(*std::move(name));
  }
  for (const std::string& folder : folders_for(importer)) {
    for (const std::string& file : files_.names_in(folder)) {
      if (auto name = name_of_module(file)) names.push_back(*std::move(name));
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

}  // namespace hyla::service
