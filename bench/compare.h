// What the benchmarks of the engine share: contenders that run in turn, a line for each, and the targets they are held
// to.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hyla::bench {

class Report {
 public:
  explicit Report(bool smoke) : smoke_(smoke) {}

  /// A size in full, or the tiny one.
  template <class T>
  T size(T full, T tiny) const {
    return smoke_ ? tiny : full;
  }
  int repetitions() const { return smoke_ ? 1 : 7; }

  std::string verdict(bool met);
  /// Results must be right whatever the speed.
  void expect(bool holds, std::string_view what);
  /// The exit status.
  int finish() const;

 private:
  bool smoke_;
  int missed_ = 0;
  int wrong_ = 0;
};

struct Contender {
  std::string name;
  std::function<double()> run;  ///< returns the time of one unit of work, in seconds
  double target = 0;            ///< times the first contender; 0: information
  std::string note = {};        ///< behind the line
};

double timed(const std::function<void()>& work);

struct Ratios {
  double minimum = 0;
  double median = 0;
};
/// One line a contender; the first is what the others are compared with. Returns the times of the contenders in units
/// of the first one.
std::vector<Ratios> compare(Report& report, std::string_view title, std::string_view unit,
                            const std::vector<Contender>& contenders);

}  // namespace hyla::bench
