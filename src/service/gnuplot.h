// Lets gnuplot draw a picture.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/plot.h"

namespace hyla::service {

/// Whether a picture can be drawn where an option says: the reason if its name has no known end or the file cannot be
/// written.
std::optional<base::Failure> check_picture(std::string_view option, const std::string& path,
                                           record::PlotFormat& format);

/// Runs a script that writes the picture to standard output, into a file. The reason if there is no picture.
std::optional<base::Failure> run_gnuplot(const std::string& script, const std::string& path);

}  // namespace hyla::service
