#include "record/read_result.h"

#include <array>
#include <string_view>

#include "record/csv_reader.h"
#include "record/hdf5_reader.h"
#include "record/mat_reader.h"

namespace hyla::record {
namespace {

constexpr std::size_t kBeginning = 128;

base::Failure refuse(const std::string& name, std::string_view reason) {
  return {"cannot read `" + name + "`: " + std::string(reason)};
}

bool is_text(std::string_view bytes) { return bytes.find('\0') == std::string_view::npos; }

}  // namespace

base::Result<RunResult> read_result(const std::string& name, Input& input, const ResultChoice& choice) {
  std::array<char, kBeginning> buffer{};
  const std::string_view beginning(buffer.data(), input.read(0, buffer));
  if (beginning.empty()) return refuse(name, "the file is empty");
  if (looks_like_events(beginning)) {
    return refuse(name, "it is an events file; a file that `hyla run --output-file` writes is expected");
  }
  if (looks_like_hdf5(beginning)) return read_hdf5(name, input, choice);
  if (looks_like_mat(beginning)) return read_mat(name, input, choice);
  if (beginning.starts_with("MATLAB")) {
    return refuse(name, "it is a MAT file of level 5 or later; trajectories are read from level 4 (`save -v4`)");
  }
  if (!is_text(beginning)) return refuse(name, "it is no result file: neither CSV, MAT nor HDF5");
  return read_csv(name, input, choice);
}

}  // namespace hyla::record
