#include "service/explain.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "diag/diagnostic.h"
#include "diag/display.h"
#include "service/embedded.h"
#include "service/page.h"

namespace hyla::service {

base::Result<std::string> explain(std::string_view kind_name, const ExplainOptions& options) {
  if (!diag::find_kind(kind_name)) {
    std::vector<std::string_view> names;
    for (const diag::KindInfo& kind : diag::all_kinds()) names.push_back(kind.name);
    std::string message = "there is no kind of message `" + std::string(kind_name) + "`";
    const auto near = base::nearest(kind_name, names);
    message += near ? "; did you mean `" + std::string(*near) + "`?" : "; `hyla explain` lists all kinds";
    return base::Failure{message};
  }
  const std::string path = "docs/diagnostics/" + std::string(kind_name) + ".md";
  for (const base::EmbeddedFile& page : diagnostic_pages()) {
    if (page.path == path) return show_page(page.text, options.width, options.colour);
  }
  return base::Failure{"there is no page about `" + std::string(kind_name) + "`"};
}

std::string list_kinds(const ExplainOptions& options) {
  std::size_t longest = 0;
  for (const diag::KindInfo& kind : diag::all_kinds()) longest = std::max(longest, kind.name.size());
  std::string out;
  for (const diag::KindInfo& kind : diag::all_kinds()) {
    out += diag::painted(kind.name, diag::Paint::Strong, options.colour);
    out += std::string(longest + 2 - kind.name.size(), ' ');
    out += std::string(kind.summary) + '\n';
  }
  return out;
}

}  // namespace hyla::service
