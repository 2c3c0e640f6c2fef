// How HDF5 reaches bytes: through the roles Input and Store instead of files.
//
// When a file is written, what HDF5 calls metadata (where is what, how long is what) stays in memory until commit():
// the store holds a whole file at any time, as it was at the last commit, and whoever opens it then, or after the
// program was killed, can read it. Numbers of datasets go to the store before; they lie where no committed metadata
// leads, or behind what it knows of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hdf5.h>

#include "record/input.h"
#include "record/store.h"

namespace hyla::record {

/// An id of HDF5 that is given back when this goes.
class Hdf5Id {
 public:
  using Close = herr_t (*)(hid_t);
  Hdf5Id() = default;
  Hdf5Id(hid_t id, Close close) : id_(id), close_(close) {}
  Hdf5Id(Hdf5Id&& other) noexcept : id_(other.id_), close_(other.close_) { other.id_ = H5I_INVALID_HID; }
  Hdf5Id& operator=(Hdf5Id&& other) noexcept {
    reset();
    id_ = other.id_;
    close_ = other.close_;
    other.id_ = H5I_INVALID_HID;
    return *this;
  }
  ~Hdf5Id() { reset(); }

  /// False if closing failed.
  bool reset() {
    const bool done = id_ < 0 || close_(id_) >= 0;
    id_ = H5I_INVALID_HID;
    return done;
  }
  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

/// The bytes of a file, with changes that are not committed yet. It outlives the file that HDF5 has open.
class Hdf5Bytes {
 public:
  explicit Hdf5Bytes(Input& input) : input_(input) {}
  explicit Hdf5Bytes(Store& store) : input_(store), store_(&store) {}

  std::uint64_t size() const;
  void read(std::uint64_t place, std::span<char> piece);
  /// Numbers reach the store in large pieces, the rest with the next commit. HDF5 is never told of a failure: it could
  /// not close its file any more.
  void write(std::uint64_t place, std::string_view bytes, bool are_numbers);
  /// The file will be at least so long; what was not written in it does not matter.
  void extend(std::uint64_t end);
  /// Brings everything to the store: what is new first, then what leads to it, the beginning of the file last.
  void commit();
  /// A write has failed; nothing reaches the store any more.
  bool failed() const { return failed_; }

  /// Space of numbers that the next commit makes free.
  void give_back(std::uint64_t place, std::uint64_t size) { given_back_.emplace(size, place); }
  /// Free space of exactly this size.
  std::optional<std::uint64_t> take_free(std::uint64_t size);

 private:
  static constexpr std::uint64_t kPage = 4096;
  static constexpr std::size_t kMostHeld = std::size_t{1} << 20;

  void read_held(std::uint64_t place, std::span<char> piece) const;
  void hold(std::uint64_t place, std::string_view bytes);
  void store_held();
  std::string& load_page(std::uint64_t number);
  void store(std::uint64_t place, std::string_view bytes);

  Input& input_;
  Store* store_ = nullptr;  ///< null: it is only read
  std::map<std::uint64_t, std::string> pages_;
  std::string held_;                                               ///< numbers that wait for what comes behind them
  std::uint64_t held_place_ = 0;                                   ///< where they belong
  std::uint64_t end_ = 0;                                          ///< behind all bytes that were written
  std::uint64_t committed_ = 0;                                    ///< behind all bytes at the last commit
  std::multimap<std::uint64_t, std::uint64_t> given_back_, free_;  ///< sizes and places
  bool failed_ = false;
};

/// HDF5 does not print what goes wrong in this thread.
void silence_hdf5();

/// Opens or makes a file; no id if that is not possible.
Hdf5Id open_hdf5(Hdf5Bytes& bytes);
Hdf5Id create_hdf5(Hdf5Bytes& bytes);

}  // namespace hyla::record
