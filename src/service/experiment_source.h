// An experiment from the command line becomes text behind the file of the model.
#pragma once

#include <memory>
#include <string>

#include "service/experiment_model.h"
#include "service/files.h"

namespace hyla::service {

inline constexpr const char* kAdHocName = "command_line";

std::string ad_hoc_text(const AdHocExperiment& experiment, const std::string& model);

/// Files in which one is longer than on the disk.
class ExtendedFiles final : public FileSystem {
 public:
  ExtendedFiles(FileSystem& files, std::string path, std::string more)
      : files_(files), path_(std::move(path)), more_(std::move(more)) {}

  base::Result<std::string> read(const std::string& path) const override;
  base::Result<std::unique_ptr<record::Input>> open(const std::string& path) const override {
    return files_.open(path);
  }
  std::optional<base::Failure> write(const std::string& path, const std::string& text) override {
    return files_.write(path, text);
  }
  bool is_file(const std::string& path) const override { return files_.is_file(path); }
  std::vector<std::string> names_in(const std::string& folder) const override { return files_.names_in(folder); }

 private:
  FileSystem& files_;
  std::string path_, more_;
};

}  // namespace hyla::service
