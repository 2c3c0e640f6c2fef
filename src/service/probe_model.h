// Makes what conditions consist of visible: variables are added to the text of a model, beside the reaction, that have
// the values of both sides of each relation, or the truth of another part. The run itself does not feel them, and they
// exist while the condition is watched.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "diag/source.h"
#include "model/model.h"
#include "service/files.h"

namespace hyla::service {

/// A part of a condition that must hold together with the others.
struct Conjunct {
  std::string text;         ///< as it is written
  model::Op op{};           ///< of a relation between numbers; Error: of something else
  std::string left, right;  ///< names of the variables with both sides of a relation
  std::string truth;        ///< or of the variable that says whether it holds
  bool is_relation() const { return op != model::Op::Error; }
};

/// What is to be seen of a reaction.
struct ReactionProbe {
  model::ReactionId reaction;
  std::string condition;            ///< of `when`, or the guard, as it is written; empty: none
  std::vector<Conjunct> conjuncts;  ///< of it
  std::string duration;             ///< name of the variable with the time of `after`; empty: none
};

enum class ProbePlace : std::uint8_t { BesideReaction, AtLineStart };

/// The files of a model with the variables added.
class ProbedFiles : public FileSystem {
 public:
  /// `files` outlives this.
  explicit ProbedFiles(const FileSystem& files) : files_(files) {}

  void replace(const std::string& path, std::string text) { texts_[path] = std::move(text); }

  base::Result<std::string> read(const std::string& path) const override;
  base::Result<std::unique_ptr<record::Input>> open(const std::string& path) const override {
    return files_.open(path);
  }
  std::optional<base::Failure> write(const std::string& path, const std::string& text) override;
  bool is_file(const std::string& path) const override { return files_.is_file(path); }
  std::vector<std::string> names_in(const std::string& folder) const override { return files_.names_in(folder); }

 private:
  const FileSystem& files_;
  std::map<std::string, std::string> texts_;
};

/// Adds variables for the reactions to the texts in `probed` and says which.
std::vector<ReactionProbe> add_probes(const model::Model& model, const diag::Sources& sources,
                                      const std::vector<model::ReactionId>& reactions, ProbePlace place,
                                      ProbedFiles& probed);

}  // namespace hyla::service
