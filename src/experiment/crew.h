// Several processes that do one experiment together: the role that MPI fills.
#pragma once

#include <string>
#include <vector>

namespace hyla::experiment {

class Crew {
 public:
  virtual ~Crew() = default;
  virtual unsigned rank() const = 0;  ///< from 0
  virtual unsigned size() const = 0;
  /// Every process gives its text and gets those of all, by rank. All must call it.
  virtual std::vector<std::string> exchange(const std::string& mine) = 0;
};

/// How a shared library hands a crew out: `extern "C" Crew* hyla_crew(std::string& why_not)`; null with the reason.
using CrewEntry = Crew* (*)(std::string& why_not);
inline constexpr const char* kCrewEntry = "hyla_crew";

}  // namespace hyla::experiment
