#include "service/experiment_source.h"

#include "base/text.h"

namespace hyla::service {
namespace {

/// `p in 1..5` and `p in 1..5;` mean the same.
void add_line(std::string& text, const std::string& word, std::string_view rest) {
  rest = base::trim(rest);
  while (rest.ends_with(';')) rest = base::trim(rest.substr(0, rest.size() - 1));
  text += "    " + word + ' ' + std::string(rest) + ";\n";
}

}  // namespace

std::string ad_hoc_text(const AdHocExperiment& experiment, const std::string& model) {
  std::string text =
      std::string("\n// The words of the command line:\nexperiment ") + kAdHocName + " of " + model + " {\n";
  for (const std::string& line : experiment.vary) add_line(text, "vary", line);
  for (const std::string& line : experiment.observe) add_line(text, "observe", line);
  for (const std::string& line : experiment.require) add_line(text, "require", line);
  if (!experiment.minimize.empty()) add_line(text, "minimize", experiment.minimize);
  if (!experiment.maximize.empty()) add_line(text, "maximize", experiment.maximize);
  return text + "}\n";
}

base::Result<std::string> ExtendedFiles::read(const std::string& path) const {
  base::Result<std::string> text = files_.read(path);
  if (!text.ok() || path != path_) return text;
  return text.value() + more_;
}

}  // namespace hyla::service
