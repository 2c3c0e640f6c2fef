// The runs of a plot: what was read of their results, and what names stand for in all of them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "record/plot.h"
#include "record/run_result.h"
#include "service/files.h"
#include "service/plot_results.h"

namespace hyla::service {

inline constexpr std::string_view kNextPanel = "/";

struct PlotRun {
  std::string path;
  std::string label;  ///< behind the names of its curves; empty if there is one run only
  record::RunResult result;
  std::vector<record::PlotStrip> strips;  ///< its charts, as far as events are known
};

/// `runs/a.csv` as `a`.
std::string stem_of(const std::string& path);

class PlotRuns {
 public:
  /// Reads what the request needs. The reason if that is not possible.
  std::optional<base::Failure> load(const PlotRequest& request, const FileSystem& files,
                                    std::vector<std::string>& notes);

  const std::vector<PlotRun>& all() const { return runs_; }
  const PlotRun& first() const { return runs_.front(); }
  std::size_t size() const { return runs_.size(); }

  /// The variables that a pattern stands for: those that all runs have. A failure if there is none.
  base::Result<std::vector<std::string>> variables(const std::string& pattern) const;
  /// All that all runs have.
  std::vector<std::string> variables() const;
  /// A variable of the run with this number, with the unit that one of the runs knows.
  record::PlotCurve curve(std::size_t run, const std::string& name) const;

 private:
  std::string unit_of(const std::string& name) const;
  bool is_everywhere(const std::string& name) const;

  std::vector<PlotRun> runs_;
};

}  // namespace hyla::service
