#include "service/gnuplot.h"

#include "service/drawing_program.h"

namespace hyla::service {

std::optional<base::Failure> check_picture(std::string_view option, const std::string& path,
                                           record::PlotFormat& format) {
  if (!record::find_plot_format(path, format)) {
    return base::Failure{std::string(option) + " takes a name that ends with `.svg`, `.png` or `.pdf`, not `" + path +
                         "`"};
  }
  return check_writable(path);
}

std::optional<base::Failure> run_gnuplot(const std::string& script, const std::string& path) {
  const std::string plain = "-d";            // no settings of the user
  const std::string as_file = "/dev/stdin";  // what it takes for a dialogue it reads byte by byte
  return run_drawing_program({"gnuplot", "gnuplot-nox", {plain, as_file}}, script, path);
}

}  // namespace hyla::service
