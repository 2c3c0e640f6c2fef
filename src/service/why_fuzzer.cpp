// Any bytes may come as an events file: causes are followed and end, and how the run was made is read or refused.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "service/run_source.h"
#include "service/why_event.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla::service;  // NOLINT(google-build-using-namespace)
  const MemoryFiles files({{"run.jsonl", std::string(reinterpret_cast<const char*>(data), size)}});
  WhyRequest request;
  request.path = "run.jsonl";
  request.transition = "a.A->B";
  why_text(why_event(request, files));
  request.transition.clear();
  for (const std::uint64_t event : {1, 2, 9}) {
    request.event = event;
    const WhyReport report = why_event(request, files);
    HYLA_CHECK(report.chain.empty() != report.failures.empty(), "there is a chain, or a reason why not");
    why_text(report);
    why_json(report);
  }
  RunRequest made;
  read_run_source("run.jsonl", "", files, made);
  return 0;
}
