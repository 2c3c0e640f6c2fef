// How every verb ends: its status, and its messages for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "console.h"
#include "diag/render.h"

namespace hyla::app {

inline constexpr int kFine = 0;
inline constexpr int kModelFailed = 1;
inline constexpr int kCouldNotRun = 2;
inline constexpr std::size_t kWidthOfFiles = 120;  ///< where there is no terminal

inline void complain(std::string_view message) { write(Stream::Error, "hyla: " + std::string(message) + '\n'); }

/// Messages, failures and their number.
template <class Outcome>
void report(const Outcome& outcome, Colour colour, std::string_view remark = "") {
  const diag::RenderOptions options = {wants_colour(Stream::Error, colour), width(Stream::Error, kWidthOfFiles)};
  std::string text = diag::render(outcome.diagnostics, outcome.sources, options);
  if (!text.empty()) text += '\n';
  for (const std::string& failure : outcome.failures) text += "hyla: " + failure + '\n';
  if (const std::string summary = diag::summary(outcome.counts); !summary.empty()) {
    text += summary + std::string(remark) + '\n';
  }
  write(Stream::Error, text);
}

template <class Outcome>
int status_of(const Outcome& outcome) {
  if (!outcome.failures.empty()) return kCouldNotRun;
  return outcome.counts.errors > 0 ? kModelFailed : kFine;
}

}  // namespace hyla::app
