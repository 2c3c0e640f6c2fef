#include "record/hdf5_reader.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.h"
#include "record/hdf5_driver.h"

namespace hyla::record {
namespace {

/// A run may write while a file is read; then it is read again.
constexpr int kTries = 3;
constexpr std::uint64_t kFormatVersion = 1;
/// No compression makes more of less, so a dataset that promises more is damaged.
constexpr std::uint64_t kMostPerByte = 1100;

std::string text_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return {};
  const Hdf5Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Id type(H5Aget_type(attribute.get()), H5Tclose);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) return {};
  std::string text(H5Tget_size(type.get()), '\0');
  if (H5Aget_storage_size(attribute.get()) != text.size()) return {};
  if (H5Aread(attribute.get(), type.get(), text.data()) < 0) return {};
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

template <class T>
std::optional<T> number_attribute(hid_t object, const char* name, hid_t type) {
  if (H5Aexists(object, name) <= 0) return {};
  const Hdf5Id attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Id space(H5Aget_space(attribute.get()), H5Sclose);
  T number{};
  if (H5Sget_simple_extent_npoints(space.get()) != 1 || H5Aread(attribute.get(), type, &number) < 0) return {};
  return number;
}

herr_t add_name(hid_t /*group*/, const char* name, const H5L_info_t* /*info*/, void* names) {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

std::vector<std::string> names_in(hid_t group) {
  std::vector<std::string> names;
  if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add_name, &names) < 0) names.clear();
  return names;
}

/// `T[2]` before `T[10]`.
bool in_order(const std::string& a, const std::string& b) {
  const auto digits = [](const std::string& text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    return end - at;
  };
  std::size_t i = 0, k = 0;
  while (i < a.size() && k < b.size()) {
    const std::size_t of_a = digits(a, i), of_b = digits(b, k);
    if (of_a > 0 && of_b > 0) {
      if (of_a != of_b) return of_a < of_b;
      const int order = a.compare(i, of_a, b, k, of_b);
      if (order != 0) return order < 0;
      i += of_a;
      k += of_b;
    } else if (a[i] != b[k]) {
      return a[i] < b[k];
    } else {
      ++i;
      ++k;
    }
  }
  return a.size() - i < b.size() - k;
}

class Hdf5Reader {
 public:
  Hdf5Reader(std::string name, Input& input) : name_(std::move(name)), bytes_(input) {}

  base::Result<RunResult> read(const ResultChoice& choice) {
    result_.format = "HDF5";
    file_ = open_hdf5(bytes_);
    if (!file_) {
      refuse("it begins like an HDF5 file, but is damaged or cut off");
      return failure_;
    }
    if (!read_header() || !read_variables(choice)) return failure_;
    read_parameters();
    read_events();
    return std::move(result_);
  }

 private:
  struct Stored {
    Hdf5Id dataset;
    std::uint64_t first_row = 0;
  };

  bool refuse(const std::string& reason) {
    failure_.message = "cannot read `" + name_ + "`: " + reason;
    return false;
  }
  void note(const std::string& text) { result_.notes.push_back(name_ + ": " + text); }

  bool read_header() {
    const hid_t root = file_.get();
    if (text_attribute(root, "format") != "hyla-result") return refuse("it is an HDF5 file, but not one of `hyla run`");
    const auto version = number_attribute<std::uint64_t>(root, "format_version", H5T_NATIVE_UINT64);
    if (version != kFormatVersion) {
      return refuse("its format has version " + std::to_string(version.value_or(0)) +
                    ", and this program reads version " + std::to_string(kFormatVersion));
    }
    result_.model = text_attribute(root, "model");
    result_.version = text_attribute(root, "version");
    result_.time_unit = text_attribute(root, "time_unit");
    result_.seed = number_attribute<std::uint64_t>(root, "seed", H5T_NATIVE_UINT64);
    result_.start_time = number_attribute<double>(root, "start_time", H5T_NATIVE_DOUBLE);
    result_.stop_time = number_attribute<double>(root, "stop_time", H5T_NATIVE_DOUBLE);
    const Hdf5Id text(H5Dopen2(root, "model_text", H5P_DEFAULT), H5Dclose);
    if (text) read_text(text, result_.model_text);
    const Hdf5Id time(H5Dopen2(root, "time", H5P_DEFAULT), H5Dclose);
    if (!read_numbers(time, result_.time)) return refuse("its dataset `time` is missing or damaged");
    for (std::size_t i = 0; i < result_.time.size(); ++i) {
      const bool is_sound = std::isfinite(result_.time[i]) && (i == 0 || result_.time[i] >= result_.time[i - 1]);
      if (!is_sound) return refuse("the time of row " + std::to_string(i + 1) + " makes no sense");
    }
    if (result_.time.empty()) note("the file has no rows");
    return true;
  }

  static void read_text(const Hdf5Id& dataset, std::string& text) {
    const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
    if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) return;
    const std::size_t size = H5Tget_size(type.get());
    if (H5Dget_storage_size(dataset.get()) != size) return;
    text.resize(size);
    if (H5Dread(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, text.data()) < 0) text.clear();
  }

  /// How many elements a dataset of one dimension has; none if that makes no sense.
  static std::optional<std::uint64_t> size_of(const Hdf5Id& dataset, H5T_class_t kind, std::size_t element) {
    if (!dataset) return {};
    const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
    const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
    hsize_t size = 0;
    if (H5Tget_class(type.get()) != kind || H5Tget_size(type.get()) != element ||
        H5Sget_simple_extent_ndims(space.get()) != 1 || H5Sget_simple_extent_dims(space.get(), &size, nullptr) != 1 ||
        size / kMostPerByte > H5Dget_storage_size(dataset.get())) {
      return {};
    }
    return size;
  }

  static bool read_numbers(const Hdf5Id& dataset, std::vector<double>& numbers) {
    const auto size = size_of(dataset, H5T_FLOAT, sizeof(double));
    if (!size) return false;
    numbers.resize(*size);
    return *size == 0 || H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()) >= 0;
  }

  /// Columns with one dataset share a series, by its place in the file.
  void find_columns_of(const char* path, bool is_negated, std::vector<ResultColumn>& all) {
    const Hdf5Id group(H5Gopen2(file_.get(), path, H5P_DEFAULT), H5Gclose);
    if (!group) return;
    std::vector<std::string> names = names_in(group.get());
    std::sort(names.begin(), names.end(), in_order);
    for (const std::string& name : names) {
      Hdf5Id dataset(H5Dopen2(group.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
      H5O_info_t info{};
      if (!dataset || H5Oget_info2(dataset.get(), &info, H5O_INFO_BASIC) < 0) continue;
      ResultColumn& column = all.emplace_back();
      column.name = name;
      column.unit = text_attribute(dataset.get(), "unit");
      column.description = text_attribute(dataset.get(), "description");
      column.is_negated = is_negated;
      const auto [known, is_new] = series_.try_emplace(info.addr, stored_.size());
      column.series = known->second;
      if (!is_new) continue;
      const auto first = number_attribute<std::uint64_t>(dataset.get(), "first_row", H5T_NATIVE_UINT64);
      stored_.push_back({std::move(dataset), first.value_or(0)});
    }
  }

  bool read_variables(const ResultChoice& choice) {
    std::vector<ResultColumn> all;
    find_columns_of("variables", false, all);
    find_columns_of("negated", true, all);
    base::Result<ChosenColumns> chosen = choose_columns(all, choice);
    if (!chosen.ok()) {
      failure_.message = name_ + ": " + chosen.message();
      return false;
    }
    result_.columns = chosen.value().columns;
    for (const std::size_t series : chosen.value().series) {
      if (!read_series(stored_[series])) {
        const auto column =
            std::find_if(all.begin(), all.end(), [&](const ResultColumn& one) { return one.series == series; });
        return refuse("the values of `" + column->name + "` are damaged");
      }
    }
    return true;
  }

  bool read_series(const Stored& stored) {
    std::vector<double> numbers;
    if (!read_numbers(stored.dataset, numbers) || stored.first_row > result_.time.size()) return false;
    std::vector<double>& values = result_.series.emplace_back(result_.time.size(), kAbsent);
    const std::size_t room = values.size() - stored.first_row;
    std::copy_n(numbers.begin(), std::min(room, numbers.size()),
                values.begin() + static_cast<std::ptrdiff_t>(stored.first_row));
    return true;
  }

  void read_parameters() {
    const Hdf5Id group(H5Gopen2(file_.get(), "parameters", H5P_DEFAULT), H5Gclose);
    if (!group) return;
    for (const std::string& name : names_in(group.get())) {
      const Hdf5Id dataset(H5Dopen2(group.get(), name.c_str(), H5P_DEFAULT), H5Dclose);
      const Hdf5Id space(H5Dget_space(dataset.get()), H5Sclose);
      double value = 0;
      if (H5Sget_simple_extent_npoints(space.get()) != 1 ||
          H5Dread(dataset.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value) < 0) {
        note("the parameter `" + name + "` is damaged and is left out");
        continue;
      }
      result_.parameters.push_back(
          {name, text_attribute(dataset.get(), "unit"), text_attribute(dataset.get(), "description"), value});
    }
  }

  void read_events() {
    const Hdf5Id dataset(H5Dopen2(file_.get(), "events", H5P_DEFAULT), H5Dclose);
    const auto size = size_of(dataset, H5T_INTEGER, 1);
    if (!size || *size == 0) return;
    std::string lines(*size, '\0');
    if (H5Dread(dataset.get(), H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, lines.data()) < 0) {
      return note("its events are damaged and are left out");
    }
    base::Result<Events> events = record::read_events(name_ + "/events", lines);
    if (!events.ok()) return note("its events are left out: " + events.message());
    result_.events = std::move(events).value();
    for (const std::string& text : result_.events->notes) result_.notes.push_back(text);
  }

  std::string name_;
  Hdf5Bytes bytes_;
  Hdf5Id file_;
  RunResult result_;
  std::vector<Stored> stored_;
  std::map<haddr_t, std::size_t> series_;  ///< by the place of the dataset: into stored_
  base::Failure failure_;
};

}  // namespace

bool looks_like_hdf5(std::string_view beginning) { return beginning.starts_with("\x89HDF\r\n\x1a\n"); }

base::Result<RunResult> read_hdf5(const std::string& name, Input& input, const ResultChoice& choice) {
  for (int attempt = 1;; ++attempt) {
    base::Result<RunResult> result = Hdf5Reader(name, input).read(choice);
    if (result.ok() || attempt == kTries) return result;
  }
}

}  // namespace hyla::record
