#include "record/hdf5_series.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

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

/// In how many places of a double all bytes come about equally often. Stretches from all over the numbers are looked
/// at, so that values which stay the same for a while are seen.
std::size_t noisy_bytes(std::span<const char> numbers) {
  constexpr std::size_t kStretches = 4, kStretch = 64;
  constexpr std::size_t kNoisy = 140;  // different bytes; 162 of 256 that are drawn at random
  const std::size_t count = numbers.size() / sizeof(double);
  if (count < kStretches * kStretch) return 0;
  std::size_t noisy = 0;
  for (std::size_t byte = 0; byte < sizeof(double); ++byte) {
    std::array<bool, 256> seen{};
    for (std::size_t stretch = 0; stretch < kStretches; ++stretch) {
      const std::size_t first = stretch * (count - kStretch) / (kStretches - 1);
      for (std::size_t i = first; i < first + kStretch; ++i) {
        seen[static_cast<unsigned char>(numbers[i * sizeof(double) + byte])] = true;
      }
    }
    if (std::accumulate(seen.begin(), seen.end(), std::size_t{0}) >= kNoisy) ++noisy;
  }
  return noisy;
}

/// Whether noise takes so much of a chunk that compressing it would gain little.
bool is_mostly_noise(std::span<const char> numbers, std::size_t chunk_bytes) {
  constexpr double kMost = 0.7;
  const double noise = static_cast<double>(noisy_bytes(numbers)) / sizeof(double);
  return noise * static_cast<double>(numbers.size()) > kMost * static_cast<double>(chunk_bytes);
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
  const Hdf5Id access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  H5Pset_chunk_cache(access.get(), 0, 0, 1);  // chunks come here whole
  return {H5Dcreate2(group, name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), access.get()), H5Dclose};
}

}  // namespace

Hdf5Series::Hdf5Series(Hdf5Bytes& bytes, hid_t group, const std::string& name, std::size_t element, std::size_t chunk)
    : bytes_(bytes), dataset_(create(group, name, element, chunk)), element_(element), chunk_bytes_(chunk * element) {
  failed_ = !dataset_;
}

void Hdf5Series::add(std::span<const char> elements) {
  while (!elements.empty() && !failed_) {
    if (tail_.empty()) tail_.reserve(chunk_bytes_);
    const std::size_t count = std::min(elements.size(), chunk_bytes_ - tail_.size());
    tail_.insert(tail_.end(), elements.begin(), elements.begin() + static_cast<std::ptrdiff_t>(count));
    elements = elements.subspan(count);
    if (tail_.size() == chunk_bytes_) end_chunk();
  }
}

void Hdf5Series::set_size() {
  if (size_ == size() || failed_) return;
  size_ = size();
  const hsize_t extent = size_;
  failed_ = H5Dset_extent(dataset_.get(), &extent) < 0;
}

void Hdf5Series::write_chunk(std::span<const char> chunk, std::uint32_t skipped_filters) {
  const hsize_t place = place_of_tail();
  failed_ =
      failed_ || H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, skipped_filters, &place, chunk.size(), chunk.data()) < 0;
}

/// False if that is not worth it.
bool Hdf5Series::compress_tail() {
  if (element_ == sizeof(double) && is_mostly_noise(tail_, chunk_bytes_)) return false;
  tail_.resize(chunk_bytes_);
  thread_local std::vector<char> shuffled, compressed;
  thread_local Compressor compressor;
  shuffle(tail_, element_, shuffled);
  if (!compressor.compress(shuffled, compressed)) return false;
  write_chunk(compressed, 0);
  if (draft_place_ != HADDR_UNDEF) bytes_.give_back(draft_place_, chunk_bytes_);
  return true;
}

/// HDF5 knows where a draft lies and that it is not compressed: what has come since then is put behind it.
void Hdf5Series::write_draft() {
  if (draft_place_ == HADDR_UNDEF) {
    const std::size_t size = tail_.size();
    tail_.resize(chunk_bytes_);
    write_chunk(tail_, kNoFilters);
    tail_.resize(size);
    const hsize_t place = place_of_tail();
    unsigned filters = 0;
    hsize_t stored = 0;
    failed_ = failed_ || H5Dget_chunk_info_by_coord(dataset_.get(), &place, &filters, &draft_place_, &stored) < 0;
  } else {
    bytes_.write(draft_place_ + draft_, std::string_view(tail_.data(), tail_.size()).substr(draft_), true);
  }
  draft_ = tail_.size();
}

void Hdf5Series::end_chunk() {
  set_size();
  if (!compress_tail()) write_draft();
  ++full_;
  tail_.clear();
  draft_place_ = HADDR_UNDEF;
  draft_ = 0;
}

void Hdf5Series::finish() {
  if (!tail_.empty()) end_chunk();
}

void Hdf5Series::refresh() {
  set_size();
  if (tail_.size() != draft_ && !failed_) write_draft();
}

}  // namespace hyla::record
