// `hyla why MODEL --not PATH` in plain data: runs the model and tells what stood in the way of a transition or
// reaction.
//
// The model is run with variables added that show the parts of its condition (probe_model.h). While the state of the
// reaction is active, each part is looked at on a fine grid and before and after each event: for which part of the time
// it held, and how near it came. If the state was never active, the transitions that lead there are looked at too.
#pragma once

#include <string>
#include <vector>

#include "service/files.h"
#include "service/run_model.h"

namespace hyla::service {

struct WhyNotRequest {
  RunRequest run;
  std::string path;  ///< see path_fits
};

/// A part of a condition or guard, while its state was active. NaN: not known.
struct ConjunctReport {
  std::string text;
  double held;                   ///< for which part of the time, 0 to 1
  bool in_the_way;               ///< the reaction would have come if this had held too
  double time;                   ///< when it came nearest
  double left, right, distance;  ///< both sides of a relation then, and by how much it failed
};

struct ReactionReport {
  std::string path;
  std::string trigger;    ///< `when`, `on`, …
  std::string condition;  ///< or guard, as it is written
  std::string place;
  std::string state;  ///< in its object; empty in a model's body
  std::uint64_t fired = 0;
  std::uint64_t stays = 0;  ///< how often its state was active
  double time_active = 0;   ///< together
  std::vector<ConjunctReport> conjuncts;
  std::string verdict;
};

struct WhyNotReport : ModelReport {
  std::vector<ReactionReport> reactions;  ///< that the path stands for, then those that lead to their states
  std::size_t asked = 0;                  ///< so many of them the path stands for
  std::string time_unit;
  double start_time = 0, end_time = 0;

  /// One that was asked for has fired after all.
  bool has_fired() const;
};

WhyNotReport why_not(const WhyNotRequest& request, const FileSystem& files);

/// What `hyla why --not` prints.
std::string why_not_text(const WhyNotReport& report);
std::string why_not_json(const WhyNotReport& report);

}  // namespace hyla::service
