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
constexpr std::size_t kMostNumbers = std::size_t{1} << 21;
/// Columns that are taken from a block at a time.
constexpr std::size_t kTogether = 8;
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

/// How many rows a chunk has; with the expected rows the last one is full or nearly so.
std::size_t chunk_for(std::size_t series, std::uint64_t expected_rows) {
  const std::size_t most = std::clamp(kMostNumbers / std::max<std::size_t>(1, series), kFewestRows, kMostRows);
  if (expected_rows == 0) return most;
  const std::uint64_t chunks = (expected_rows + most - 1) / most;
  return std::max<std::size_t>(kFewestRows, (expected_rows + chunks - 1) / chunks);
}

class Hdf5Writer : public ResultWriter {
 public:
  Hdf5Writer(Store& store, ResultHeader header) : header_(std::move(header)), bytes_(store) {}
  ~Hdf5Writer() override { silence_hdf5(); }

  bool add_rows(const RowBlock& block) override {
    if (!begin()) return false;
    for (std::size_t first = 0; first < block.rows();) {
      const std::size_t count = std::min<std::size_t>(block.rows() - first, chunk_ - rows_ % chunk_);
      for (std::size_t k = 0; k < block.width; k += kTogether) add_part(block, first, count, k);
      rows_ += count;
      first += count;
      last_time_ = block.numbers[(first - 1) * block.width];
      if (rows_ % chunk_ == 0 && !refresh()) return false;  // all chunks are full: nothing needs to be written twice
    }
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

  std::optional<double> kept_until() const override { return kept_until_; }

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
    chunk_ = chunk_for(count_series(header_.columns), header_.expected_rows);
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

  /// From the place `from` on so many columns as lie in one line of the processor's memory: rows lie far from each
  /// other.
  void add_part(const RowBlock& block, std::size_t first, std::size_t rows, std::size_t from) {
    const std::size_t count = std::min(kTogether, block.width - from);
    gathered_.resize(count * rows);
    for (std::size_t i = 0; i < rows; ++i) {
      const double* const row = &block.numbers[(first + i) * block.width + from];
      for (std::size_t k = 0; k < count; ++k) gathered_[k * rows + i] = row[k];
    }
    for (std::size_t k = 0; k < count; ++k) {
      const auto values = std::span(gathered_).subspan(k * rows, rows);
      if (from + k == 0) {
        time_->add(values);
      } else {
        add_values(*variables_[from + k - 1], values);
      }
    }
  }

  /// Stretches of values, and of rows without.
  void add_values(Variable& variable, std::span<const double> values) {
    for (auto at = values.begin(); at != values.end();) {
      const auto value = std::find_if_not(at, values.end(), is_absent);
      if (variable.has_begun) variable.absent += static_cast<std::uint64_t>(value - at);
      at = std::find_if(value, values.end(), is_absent);
      if (value == at) continue;
      if (!variable.has_begun) {
        variable.has_begun = true;
        const std::uint64_t first = rows_ + static_cast<std::uint64_t>(value - values.begin());
        if (first > 0) set_attribute(variable.series.dataset(), "first_row", H5T_NATIVE_UINT64, &first);
      }
      for (; variable.absent > 0; --variable.absent) variable.series.add(std::span(&kAbsent, 1));
      variable.series.add(std::span(value, at));
    }
  }

  bool flush() {
    time_->refresh();
    events_->refresh();
    for (const std::unique_ptr<Variable>& variable : variables_) variable->series.refresh();
    if (H5Fflush(file_.get(), H5F_SCOPE_LOCAL) < 0) return fail();
    bytes_.commit();
    if (is_well()) kept_until_ = last_time_;
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
  std::vector<double> gathered_;                      ///< kept for its memory
  std::size_t chunk_ = kMostRows;
  std::uint64_t rows_ = 0;
  std::optional<double> last_time_, kept_until_;
  Clock::time_point next_refresh_ = Clock::now();
  bool is_broken_ = false;
};

}  // namespace

std::unique_ptr<ResultWriter> make_hdf5_writer(Store& store, ResultHeader header) {
  return std::make_unique<Hdf5Writer>(store, std::move(header));
}

}  // namespace hyla::record
