#include "compare.h"

#include <cstdlib>

#include <fmt/format.h>

#include "measure.h"

namespace hyla::bench {
namespace {

/// With three digits or more, in the unit that makes it easy to read.
std::string duration(double time_s) {
  if (time_s < 1e-5) return fmt::format("{:8.1f} ns", time_s * 1e9);
  if (time_s < 1e-2) return fmt::format("{:8.1f} µs", time_s * 1e6);
  return fmt::format("{:8.1f} ms", time_s * 1e3);
}

}  // namespace

std::string Report::verdict(bool met) {
  if (!met) ++missed_;
  return met ? "met" : "MISSED";
}

void Report::expect(bool holds, std::string_view what) {
  if (holds) return;
  ++wrong_;
  fmt::print("  WRONG: {}\n", what);
}

int Report::finish() const {
  if (!smoke_) fmt::print("{}\n", missed_ == 0 ? "all targets are met" : "some targets are missed");
  return wrong_ == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

double timed(const std::function<void()>& work) {
  const double begin = processor_time_s();
  work();
  return processor_time_s() - begin;
}

std::vector<Ratios> compare(Report& report, std::string_view title, std::string_view unit,
                            const std::vector<Contender>& contenders) {
  std::vector<std::function<double()>> works;
  for (const Contender& contender : contenders) works.push_back(contender.run);
  const std::vector<Spread> spreads = interleaved_times(report.repetitions(), works);
  fmt::print("{}\n", title);
  std::vector<Ratios> ratios;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    ratios.push_back({spreads[i].minimum_s / spreads[0].minimum_s, spreads[i].median_s / spreads[0].median_s});
    fmt::print("  {:34} {} per {} ({} median)   ratio {:5.2f} ({:.2f})", contenders[i].name,
               duration(spreads[i].minimum_s), unit, duration(spreads[i].median_s), ratios[i].minimum,
               ratios[i].median);
    const double target = contenders[i].target;
    if (target > 0) fmt::print("   target {:g}: {}", target, report.verdict(ratios[i].minimum <= target));
    fmt::print("{}{}\n", contenders[i].note.empty() ? "" : "   ", contenders[i].note);
  }
  return ratios;
}

}  // namespace hyla::bench
