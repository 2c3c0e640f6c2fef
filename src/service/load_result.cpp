#include "service/load_result.h"

#include <memory>

namespace hyla::service {

base::Result<record::RunResult> load_result(const std::string& path, const FileSystem& files,
                                            const record::ResultChoice& choice) {
  const base::Result<std::unique_ptr<record::Input>> input = files.open(path);
  if (!input.ok()) return base::Failure{input.message()};
  return record::read_result(path, *input.value(), choice);
}

base::Result<record::Events> load_events(const std::string& path, const FileSystem& files) {
  const base::Result<std::string> text = files.read(path);
  if (!text.ok()) return base::Failure{text.message()};
  return record::read_events(path, text.value());
}

}  // namespace hyla::service
