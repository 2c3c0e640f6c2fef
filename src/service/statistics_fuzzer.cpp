// Any bytes may come as statistics: they are read or refused with a place, and can be drawn.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "service/plot_view.h"
#include "service/stored_statistics.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla;  // NOLINT(google-build-using-namespace)
  const auto stored = service::read_statistics("file", std::string_view(reinterpret_cast<const char*>(data), size));
  if (!stored.ok()) {
    HYLA_CHECK(stored.message().starts_with("file:"), "a refusal begins with its place");
    return 0;
  }
  record::Plot plot;
  plot.histograms = service::histograms_of(stored.value().statistics, {{"", {"*"}}});
  HYLA_CHECK(!record::gnuplot_script(plot, record::PlotFormat::Svg).empty(), "drawn");
  return 0;
}
