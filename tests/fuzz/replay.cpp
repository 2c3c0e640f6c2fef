// Runs a fuzzer's function on every file of its corpus, so that inputs that once failed stay tested in every build.
// Usage: x_fuzzer [FOLDER]. The empty input is always tried; a folder that does not exist has no files.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  if (!std::filesystem::is_directory(folder)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

void replay(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

}  // namespace

int main(int argc, char** argv) {
  replay("");
  std::size_t count = 1;
  for (const auto& path : files_below(argc > 1 ? argv[1] : "")) {
    // Named before it runs: a crash leaves the culprit as the last line.
    std::printf("%s\n", path.c_str());
    std::fflush(stdout);
    std::ifstream file(path, std::ios::binary);
    replay(std::string(std::istreambuf_iterator<char>(file), {}));
    ++count;
  }
  std::printf("%zu inputs replayed\n", count);
  return 0;
}
