#include "analysis_options.h"

namespace hyla::app {

void add_analysis_options(Options& options, service::AnalysisRequest& request, AnalysisWords& words) {
  options.argument("FILE", request.path);
  options.argument("MODEL", request.model);
  options.word("--at", words.at, "TIME", "run up to this time first; the start without it");
  options.words("--set", words.settings, "PATH=VALUE", "set a parameter; may be repeated");
  options.word("--start-values", request.start_values_file, "FILE", "start with what `hyla init --save` has written");
  options.word("--tolerance", words.tolerance, "NUMBER", "relative error of a step on the way");
  options.flag("--allow-external", request.allow_external, "call functions of shared libraries");
  options.words("--library-path", request.external_folders, "DIR", "look for shared libraries here too");
  options.words("-I", request.library_paths, "DIR", "look for modules here too");
  options.word("--color", words.colour, "WHEN", "auto, always or never");
}

std::optional<base::Failure> read_analysis_words(const AnalysisWords& words, service::AnalysisRequest& request,
                                                 Colour& colour) {
  if (auto wrong = read_time("--at", words.at, request.at)) return wrong;
  if (auto wrong = read_number("--tolerance", words.tolerance, request.tolerance)) return wrong;
  if (auto wrong = read_settings(words.settings, request.settings)) return wrong;
  return choose("--color", words.colour, kColours, colour);
}

}  // namespace hyla::app
