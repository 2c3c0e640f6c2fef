#include "record/hdf5_writer.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "record/hdf5_series.h"

namespace hyla::record {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kFormatVersion = 1;
constexpr std::size_t kEventBytes = std::size_t{1} << 15;   // in a chunk
constexpr std::size_t kMostRows = 4096, kFewestRows = 256;  // in a chunk
/// Chunks of all variables together hold about so many numbers, which lie in memory.
constexpr std::size_t kMostNumbers = std::size_t{1} << 23;
/// A tenth of the time may be spent on refreshing.
constexpr int kPause = 9;

Hdf5Id text_type(std::size_t size) {
  Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), std::max<std::size_t>(1, size));
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
  return type;
}

bool set_attribute(hid_t object, const char* name, hid_t type, const void* value) {
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id attribute(H5Acreate2(object, name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute && H5Awrite(attribute.get(), type, value) >= 0;
}

bool set_text(hid_t object, const char* name, const std::string& text) {
  return text.empty() || set_attribute(object, name, text_type(text.size()).get(), text.data());
}

/// A dataset without dimensions.
Hdf5Id make_scalar(hid_t group, const std::string& name, hid_t type, const void* value, H5D_layout_t layout) {
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  H5Pset_layout(creation.get(), layout);
  Hdf5Id dataset(H5Dcreate2(group, name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                 H5Dclose);
  if (!dataset || H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) < 0) return {};
  return dataset;
}

Hdf5Id make_group(hid_t file, const char* name) {
  return {H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose};
}

class Hdf5Writer : public ResultWriter {
 public:
  Hdf5Writer(Store& store, ResultHeader header) : header_(std::move(header)), bytes_(store) {}
  ~Hdf5Writer() override { silence_hdf5(); }

  bool add_rows(const RowBlock& block) override {
    if (!begin()) return false;
    for (std::size_t i = 0; i < block.rows(); ++i) time_->add(block.numbers[i * block.width]);
    for (std::size_t k = 0; k + 1 < block.width; ++k) add_values(*variables_[k], block, k + 1);
    rows_ += block.rows();
    return is_well();
  }

  bool add_columns(std::span<const ResultColumn> columns) override { return begin() && make_variables(columns); }

  bool add_events(std::string_view lines) override {
    if (!begin()) return false;
    events_->add(std::span(lines));
    return is_well();
  }

  bool refresh() override {
    if (Clock::now() < next_refresh_) return true;
    const auto start = Clock::now();
    if (!begin() || !flush()) return false;
    next_refresh_ = Clock::now() + kPause * (Clock::now() - start);
    return true;
  }

  bool finish() override {
    if (!begin()) return false;
    time_->finish();
    events_->finish();
    for (const std::unique_ptr<Variable>& variable : variables_) variable->series.finish();
    if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0 || !is_well()) return fail();
    bytes_.commit();
    variables_.clear();
    time_.reset();
    events_.reset();
    group_.reset();
    negated_.reset();
    const bool is_closed = file_.reset();
    bytes_.commit();
    return is_closed && !bytes_.failed();
  }

 private:
  struct Variable {
    explicit Variable(Hdf5Series values_of) : series(std::move(values_of)) {}
    Hdf5Series series;
    std::uint64_t absent = 0;  ///< rows since the last value, if it has begun
    bool has_begun = false;
  };

  bool begin() {
    if (file_) return is_well();
    file_ = create_hdf5(bytes_);
    if (!file_ || !write_header()) return fail();
    group_ = make_group(file_.get(), "variables");
    const std::size_t series = std::max<std::size_t>(1, count_series(header_.columns));
    const std::size_t most = std::clamp(kMostNumbers / series, kFewestRows, kMostRows);
    chunk_ = header_.expected_rows > 0 ? std::clamp<std::size_t>(header_.expected_rows, kFewestRows, most) : most;
    time_ = std::make_unique<Hdf5Series>(bytes_, file_.get(), "time", sizeof(double), chunk_);
    events_ = std::make_unique<Hdf5Series>(bytes_, file_.get(), "events", 1, kEventBytes);
    if (!group_ || !set_text(time_->dataset(), "unit", header_.time_unit)) return fail();
    return make_variables(header_.columns) && flush();
  }

  bool write_header() {
    const hid_t root = file_.get();
    const bool done = set_text(root, "format", "hyla-result") &&
                      set_attribute(root, "format_version", H5T_NATIVE_UINT64, &kFormatVersion) &&
                      set_text(root, "model", header_.model) && set_text(root, "version", header_.version) &&
                      set_attribute(root, "seed", H5T_NATIVE_UINT64, &header_.seed) &&
                      set_attribute(root, "start_time", H5T_NATIVE_DOUBLE, &header_.start_time) &&
                      set_attribute(root, "stop_time", H5T_NATIVE_DOUBLE, &header_.stop_time) &&
                      set_text(root, "time_unit", header_.time_unit);
    if (!done) return false;
    if (!header_.model_text.empty() && !make_scalar(root, "model_text", text_type(header_.model_text.size()).get(),
                                                    header_.model_text.data(), H5D_CONTIGUOUS)) {
      return false;
    }
    const Hdf5Id parameters = make_group(root, "parameters");
    for (const ResultParameter& parameter : header_.parameters) {
      const Hdf5Id dataset =
          make_scalar(parameters.get(), parameter.name, H5T_NATIVE_DOUBLE, &parameter.value, H5D_COMPACT);
      if (!dataset || !set_text(dataset.get(), "unit", parameter.unit) ||
          !set_text(dataset.get(), "description", parameter.description)) {
        return false;
      }
    }
    return true;
  }

  /// The first column of a series has the dataset; the others are links to it.
  bool make_variables(std::span<const ResultColumn> columns) {
    for (const ResultColumn& column : columns) {
      if (column.series < variables_.size()) {
        if (!link(column)) return fail();
        continue;
      }
      variables_.push_back(
          std::make_unique<Variable>(Hdf5Series(bytes_, group_.get(), column.name, sizeof(double), chunk_)));
      const hid_t dataset = variables_.back()->series.dataset();
      if (dataset < 0 || !set_text(dataset, "unit", column.unit) ||
          !set_text(dataset, "description", column.description)) {
        return fail();
      }
    }
    return true;
  }

  bool link(const ResultColumn& column) {
    if (column.is_negated && !negated_) negated_ = make_group(file_.get(), "negated");
    const hid_t group = column.is_negated ? negated_.get() : group_.get();
    return H5Olink(variables_[column.series]->series.dataset(), group, column.name.c_str(), H5P_DEFAULT, H5P_DEFAULT) >=
           0;
  }

  /// Of one variable, from one place of all rows.
  void add_values(Variable& variable, const RowBlock& block, std::size_t place) {
    for (std::size_t i = 0; i < block.rows(); ++i) {
      const double value = block.numbers[i * block.width + place];
      if (is_absent(value)) {
        if (variable.has_begun) ++variable.absent;
        continue;
      }
      if (!variable.has_begun) {
        variable.has_begun = true;
        const std::uint64_t first = rows_ + i;
        if (first > 0) set_attribute(variable.series.dataset(), "first_row", H5T_NATIVE_UINT64, &first);
      }
      for (; variable.absent > 0; --variable.absent) variable.series.add(kAbsent);
      variable.series.add(value);
    }
  }

  bool flush() {
    time_->refresh();
    events_->refresh();
    for (const std::unique_ptr<Variable>& variable : variables_) variable->series.refresh();
    if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) return fail();
    bytes_.commit();
    return is_well();
  }

  bool fail() {
    is_broken_ = true;
    return false;
  }
  bool is_well() const { return !is_broken_ && !bytes_.failed() && !time_->failed() && !events_->failed(); }

  ResultHeader header_;
  Hdf5Bytes bytes_;
  Hdf5Id file_, group_, negated_;
  std::unique_ptr<Hdf5Series> time_, events_;
  std::vector<std::unique_ptr<Variable>> variables_;  ///< by series
  std::size_t chunk_ = kMostRows;
  std::uint64_t rows_ = 0;
  Clock::time_point next_refresh_ = Clock::now();
  bool is_broken_ = false;
};

}  // namespace

std::unique_ptr<ResultWriter> make_hdf5_writer(Store& store, ResultHeader header) {
  return std::make_unique<Hdf5Writer>(store, std::move(header));
}

}  // namespace hyla::record
