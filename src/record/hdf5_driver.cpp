#include "record/hdf5_driver.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace hyla::record {

// --- bytes ----------------------------------------------------------------------------------------

std::uint64_t Hdf5Bytes::size() const { return std::max(input_.size(), end_); }

void Hdf5Bytes::read(std::uint64_t place, std::span<char> piece) {
  const auto read_input = [&](std::span<char> part) {
    const std::size_t count = input_.read(place, part);
    std::fill(part.begin() + static_cast<std::ptrdiff_t>(count), part.end(), '\0');
    read_held(place, part);
  };
  if (pages_.empty()) return read_input(piece);
  while (!piece.empty()) {
    const std::uint64_t offset = place % kPage;
    const std::size_t count = std::min<std::size_t>(piece.size(), kPage - offset);
    if (const auto page = pages_.find(place / kPage); page != pages_.end()) {
      page->second.copy(piece.data(), count, offset);
    } else {
      read_input(piece.first(count));
    }
    place += count;
    piece = piece.subspan(count);
  }
}

void Hdf5Bytes::read_held(std::uint64_t place, std::span<char> piece) const {
  const std::uint64_t begin = std::max(place, held_place_);
  const std::uint64_t end = std::min(place + piece.size(), held_place_ + held_.size());
  if (begin < end) held_.copy(piece.data() + (begin - place), end - begin, begin - held_place_);
}

std::string& Hdf5Bytes::load_page(std::uint64_t number) {
  const auto [page, is_new] = pages_.try_emplace(number);
  if (is_new) {
    page->second.resize(kPage);
    input_.read(number * kPage, page->second);
    read_held(number * kPage, page->second);
  }
  return page->second;
}

void Hdf5Bytes::store(std::uint64_t place, std::string_view bytes) {
  failed_ = failed_ || store_ == nullptr || !store_->write(place, bytes);
}

void Hdf5Bytes::hold(std::uint64_t place, std::string_view bytes) {
  if (place != held_place_ + held_.size()) {
    store_held();
    held_place_ = place;
  }
  held_ += bytes;
  if (held_.size() >= kMostHeld) store_held();
}

void Hdf5Bytes::store_held() {
  if (!held_.empty()) store(held_place_, held_);
  held_place_ += held_.size();
  held_.clear();
}

void Hdf5Bytes::write(std::uint64_t place, std::string_view bytes, bool are_numbers) {
  end_ = std::max(end_, place + bytes.size());
  if (are_numbers) hold(place, bytes);
  while (!bytes.empty()) {
    const std::uint64_t offset = place % kPage;
    const std::size_t count = std::min<std::size_t>(bytes.size(), kPage - offset);
    if (!are_numbers || pages_.contains(place / kPage)) {
      load_page(place / kPage).replace(offset, count, bytes.substr(0, count));
    }
    place += count;
    bytes.remove_prefix(count);
  }
}

void Hdf5Bytes::extend(std::uint64_t end) {
  if (end <= size()) return;
  end_ = end;
  load_page((end - 1) / kPage);
}

void Hdf5Bytes::commit() {
  store_held();
  const auto write_page = [this](std::uint64_t number, const std::string& page) {
    const std::uint64_t place = number * kPage;
    store(place, std::string_view(page).substr(0, std::min(kPage, end_ - std::min(end_, place))));
  };
  for (const auto& [number, page] : pages_) {
    if (number * kPage >= committed_) write_page(number, page);
  }
  for (auto page = pages_.rbegin(); page != pages_.rend(); ++page) {
    if (page->first * kPage < committed_) write_page(page->first, page->second);
  }
  pages_.clear();
  committed_ = end_;
  free_.merge(given_back_);
}

std::optional<std::uint64_t> Hdf5Bytes::take_free(std::uint64_t size) {
  const auto found = free_.find(size);
  if (found == free_.end()) return std::nullopt;
  const std::uint64_t place = found->second;
  free_.erase(found);
  return place;
}

// --- the driver -----------------------------------------------------------------------------------

namespace {

/// What HDF5 holds of an open file; the first member is its own.
struct Driver {
  H5FD_t base;
  Hdf5Bytes* bytes;
  haddr_t end;       ///< of what HDF5 has been given
  haddr_t metadata;  ///< place in the block for metadata
  hsize_t room;      ///< behind it
};

Driver& driver_of(H5FD_t* file) { return *reinterpret_cast<Driver*>(file); }
const Driver& driver_of(const H5FD_t* file) { return *reinterpret_cast<const Driver*>(file); }

H5FD_t* open_file(const char* /*name*/, unsigned /*flags*/, hid_t access, haddr_t /*most*/) {
  auto* const* bytes = static_cast<Hdf5Bytes* const*>(H5Pget_driver_info(access));
  if (bytes == nullptr) return nullptr;
  auto driver = std::make_unique<Driver>();
  driver->bytes = *bytes;
  driver->end = driver->metadata = driver->room = 0;
  return &driver.release()->base;
}

herr_t close_file(H5FD_t* file) {
  const std::unique_ptr<Driver> driver(&driver_of(file));
  return 0;
}

int compare_files(const H5FD_t* a, const H5FD_t* b) {
  const auto *first = driver_of(a).bytes, *second = driver_of(b).bytes;
  return first == second ? 0 : first < second ? -1 : 1;
}

herr_t query_file(const H5FD_t* /*file*/, unsigned long* flags) {
  if (flags != nullptr) *flags = 0;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t /*type*/) { return driver_of(file).end; }

herr_t set_end(H5FD_t* file, H5FD_mem_t /*type*/, haddr_t end) {
  driver_of(file).end = end;
  return 0;
}

haddr_t get_size(const H5FD_t* file, H5FD_mem_t /*type*/) { return driver_of(file).bytes->size(); }

/// Metadata lies together, or it would tear numbers apart.
haddr_t take_space(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, hsize_t size) {
  constexpr hsize_t kLeast = hsize_t{1} << 12, kMost = hsize_t{1} << 16;
  Driver& driver = driver_of(file);
  if (type == H5FD_MEM_DRAW) {
    if (const auto place = driver.bytes->take_free(size)) return *place;
    return std::exchange(driver.end, driver.end + size);
  }
  if (size > driver.room) {
    driver.room = std::max(std::clamp<hsize_t>(driver.end / 8, kLeast, kMost), size);
    driver.metadata = std::exchange(driver.end, driver.end + driver.room);
  }
  driver.room -= size;
  return std::exchange(driver.metadata, driver.metadata + size);
}

/// HDF5 may not take the end of the file back: committed metadata may lead there.
herr_t leave_space(H5FD_t* /*file*/, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t /*place*/, hsize_t /*size*/) {
  return 0;
}

herr_t read_file(H5FD_t* file, H5FD_mem_t /*type*/, hid_t /*transfer*/, haddr_t place, std::size_t size, void* buffer) {
  driver_of(file).bytes->read(place, {static_cast<char*>(buffer), size});
  return 0;
}

herr_t write_file(H5FD_t* file, H5FD_mem_t type, hid_t /*transfer*/, haddr_t place, std::size_t size,
                  const void* buffer) {
  const std::string_view bytes(static_cast<const char*>(buffer), size);
  driver_of(file).bytes->write(place, bytes, type == H5FD_MEM_DRAW);
  return 0;
}

/// A file that is shorter than HDF5 remembers counts as damaged.
herr_t fill_file(H5FD_t* file, hid_t /*transfer*/, hbool_t /*closing*/) {
  driver_of(file).bytes->extend(driver_of(file).end);
  return 0;
}

H5FD_class_t driver_class() {
  H5FD_class_t driver{};
  driver.name = "hyla";
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(Hdf5Bytes*);
  driver.open = open_file;
  driver.close = close_file;
  driver.cmp = compare_files;
  driver.query = query_file;
  driver.alloc = take_space;
  driver.free = leave_space;
  driver.get_eoa = get_end;
  driver.set_eoa = set_end;
  driver.get_eof = get_size;
  driver.read = read_file;
  driver.write = write_file;
  driver.truncate = fill_file;
  constexpr H5FD_mem_t kMap[] = H5FD_FLMAP_DICHOTOMY;  // numbers apart from the rest
  std::copy(std::begin(kMap), std::end(kMap), driver.fl_map);
  return driver;
}

Hdf5Id access_to(Hdf5Bytes& bytes) {
  static const H5FD_class_t driver = driver_class();
  static const hid_t id = H5FDregister(&driver);
  Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  const Hdf5Bytes* info = &bytes;
  if (!access || H5Pset_driver(access.get(), id, static_cast<const void*>(&info)) < 0) return {};
  H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG);
  return access;
}

}  // namespace

void silence_hdf5() { H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr); }

Hdf5Id open_hdf5(Hdf5Bytes& bytes) {
  silence_hdf5();
  const Hdf5Id access = access_to(bytes);
  return {H5Fopen("input", H5F_ACC_RDONLY, access.get()), H5Fclose};
}

namespace {

/// A dataset needs a node for its first chunks; the default of 64 takes most of the metadata.
constexpr unsigned kChunksInNode = 16;

/// Metadata of thousands of datasets that is thrown out is soon wanted again.
void enlarge_cache(hid_t access) {
  H5AC_cache_config_t config{};
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  if (H5Pget_mdc_config(access, &config) < 0) return;
  config.set_initial_size = true;
  config.initial_size = config.max_size = std::size_t{1} << 25;
  config.decr_mode = H5C_decr__off;
  H5Pset_mdc_config(access, &config);
}

}  // namespace

Hdf5Id create_hdf5(Hdf5Bytes& bytes) {
  silence_hdf5();
  const Hdf5Id access = access_to(bytes);
  // With checksums in the metadata, but without the mark of an open file that a killed run would leave behind.
  H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_LATEST);
  const Hdf5Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
  // Space that becomes free is not used again: committed metadata may still lead there.
  H5Pset_file_space_strategy(creation.get(), H5F_FSPACE_STRATEGY_NONE, false, 1);
  H5Pset_istore_k(creation.get(), kChunksInNode / 2);
  enlarge_cache(access.get());
  return {H5Fcreate("output", H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose};
}

}  // namespace hyla::record
