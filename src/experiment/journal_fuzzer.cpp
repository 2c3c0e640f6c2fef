// Any bytes as a journal: what is read is written back and read again the same.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "experiment/journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hyla::experiment;  // NOLINT(google-build-using-namespace)
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto journal = read_journal(text);
  Results results;
  read_results(text, results);
  if (journal.ok()) results.insert(journal.value().results.begin(), journal.value().results.end());
  std::string lines;
  for (const auto& [key, result] : results) lines += journal_line(key, result);
  Results again;
  HYLA_CHECK(read_results(lines, again) == 0 && again.size() == results.size(), "journal that does not read back");
  return 0;
}
