#include "record/hdf5_series.h"

#include <algorithm>

#include <zlib.h>

#include "record/absent.h"

namespace hyla::record {
namespace {

constexpr unsigned kLevel = 1;              // the higher ones take much longer and gain little
constexpr std::uint32_t kNoFilters = 0b11;  // neither shuffled nor compressed

/// First bytes of all elements, then second bytes: they are alike, which helps compression.
void shuffle(std::span<const char> elements, std::size_t size, std::vector<char>& shuffled) {
  shuffled.resize(elements.size());
  const std::size_t count = elements.size() / size;
  for (std::size_t byte = 0; byte < size; ++byte) {
    char* const target = shuffled.data() + byte * count;
    for (std::size_t i = 0; i < count; ++i) target[i] = elements[i * size + byte];
  }
}

/// Keeps its tables from chunk to chunk.
class Compressor {
 public:
  Compressor() { is_ready_ = deflateInit(&stream_, static_cast<int>(kLevel)) == Z_OK; }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
  ~Compressor() { deflateEnd(&stream_); }

  /// False if it does not become smaller.
  bool compress(std::vector<char>& bytes, std::vector<char>& compressed) {
    compressed.resize(bytes.size());
    stream_.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream_.avail_in = static_cast<uInt>(bytes.size());
    stream_.next_out = reinterpret_cast<Bytef*>(compressed.data());
    stream_.avail_out = static_cast<uInt>(compressed.size());
    const bool is_smaller = is_ready_ && deflate(&stream_, Z_FINISH) == Z_STREAM_END && stream_.avail_out > 0;
    compressed.resize(compressed.size() - stream_.avail_out);
    deflateReset(&stream_);
    return is_smaller;
  }

 private:
  z_stream stream_{};
  bool is_ready_ = false;
};

Hdf5Id create(hid_t group, const std::string& name, std::size_t element, std::size_t chunk) {
  constexpr hsize_t kEmpty = 0, kUnlimited = H5S_UNLIMITED;
  const Hdf5Id space(H5Screate_simple(1, &kEmpty, &kUnlimited), H5Sclose);
  const Hdf5Id creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
  const hsize_t size = chunk;
  H5Pset_chunk(creation.get(), 1, &size);
  H5Pset_shuffle(creation.get());
  H5Pset_deflate(creation.get(), kLevel);
  if (element == sizeof(double)) H5Pset_fill_value(creation.get(), H5T_NATIVE_DOUBLE, &kAbsent);
  const hid_t type = element == sizeof(double) ? H5T_IEEE_F64LE : H5T_STD_U8LE;
  return {H5Dcreate2(group, name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose};
}

}  // namespace

Hdf5Series::Hdf5Series(Hdf5Bytes& bytes, hid_t group, const std::string& name, std::size_t element, std::size_t chunk)
    : bytes_(bytes), dataset_(create(group, name, element, chunk)), element_(element), chunk_bytes_(chunk * element) {
  failed_ = !dataset_;
}

void Hdf5Series::add(std::span<const char> elements) {
  while (!elements.empty() && !failed_) {
    const std::size_t count = std::min(elements.size(), chunk_bytes_ - tail_.size());
    tail_.insert(tail_.end(), elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(count));
    elements = elements.subspan(count);
    if (tail_.size() == chunk_bytes_) compress_tail();
  }
}

void Hdf5Series::set_size() {
  if (size_ == size() || failed_) return;
  size_ = size();
  const hsize_t extent = size_;
  failed_ = H5Dset_extent(dataset_.get(), &extent) < 0;
}

void Hdf5Series::write_chunk(std::span<const char> chunk, std::uint32_t skipped_filters) {
  const hsize_t place = full_ * (chunk_bytes_ / element_);
  failed_ =
      failed_ || H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, skipped_filters, &place, chunk.size(), chunk.data()) < 0;
}

void Hdf5Series::compress_tail() {
  set_size();
  tail_.resize(chunk_bytes_);
  thread_local std::vector<char> shuffled, compressed;
  thread_local Compressor compressor;
  shuffle(tail_, element_, shuffled);
  const bool is_smaller = compressor.compress(shuffled, compressed);
  haddr_t draft = HADDR_UNDEF;
  if (has_draft_ && is_smaller) {
    const hsize_t place = full_ * (chunk_bytes_ / element_);
    unsigned filters = 0;
    hsize_t size = 0;
    H5Dget_chunk_info_by_coord(dataset_.get(), &place, &filters, &draft, &size);
  }
  if (is_smaller) {
    write_chunk(compressed, 0);
  } else {
    write_chunk(tail_, kNoFilters);
  }
  if (draft != HADDR_UNDEF) bytes_.give_back(draft, chunk_bytes_);
  ++full_;
  tail_.clear();
  has_draft_ = false;
  draft_ = 0;
}

void Hdf5Series::finish() {
  if (!tail_.empty()) compress_tail();
}

void Hdf5Series::refresh() {
  set_size();
  if (tail_.size() == draft_ || failed_) return;
  draft_ = tail_.size();
  has_draft_ = true;
  std::vector<char> chunk = tail_;
  chunk.resize(chunk_bytes_);
  write_chunk(chunk, kNoFilters);
}

}  // namespace hyla::record
