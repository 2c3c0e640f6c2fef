// Numbers or bytes that become more and more, as a chunked and compressed dataset of one dimension.
//
// Chunks are shuffled and compressed here and handed to HDF5 as they are to lie in the file: a whole one when it is
// full. Most numbers of a smooth curve are noise to a compressor, which would take longer than the run to gain a few
// percent: a sample tells, and such chunks lie in the file as they are. For refresh() the last chunk is written as it
// is so far, uncompressed, so that it can be continued in place while it grows; whoever reads the file meanwhile finds
// the numbers that it knows of unchanged.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "record/hdf5_driver.h"

namespace hyla::record {

class Hdf5Series {
 public:
  /// `element` is the size of one: 8 for a double, 1 for a byte. `bytes` outlives this.
  Hdf5Series(Hdf5Bytes& bytes, hid_t group, const std::string& name, std::size_t element, std::size_t chunk);

  void add(std::span<const char> elements);
  void add(std::span<const double> numbers) {
    add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()});
  }
  /// What has been added is in the file; with the next commit readers will find it.
  void refresh();
  /// Nothing more will be added: the last chunk is compressed too.
  void finish();
  hid_t dataset() const { return dataset_.get(); }
  /// So many elements have been added.
  std::uint64_t size() const { return (full_ * chunk_bytes_ + tail_.size()) / element_; }
  bool failed() const { return failed_; }

 private:
  void end_chunk();
  bool compress_tail();
  void write_draft();
  void write_chunk(std::span<const char> chunk, std::uint32_t skipped_filters);
  hsize_t place_of_tail() const { return full_ * (chunk_bytes_ / element_); }
  void set_size();

  Hdf5Bytes& bytes_;
  Hdf5Id dataset_;
  std::size_t element_, chunk_bytes_;
  std::vector<char> tail_;  ///< of the chunk that is not full yet
  std::uint64_t full_ = 0;  ///< chunks
  std::uint64_t size_ = 0;  ///< of the dataset
  /// Where the last chunk lies in the file as it was, and how much of it.
  haddr_t draft_place_ = HADDR_UNDEF;
  std::size_t draft_ = 0;
  bool failed_ = false;
};

}  // namespace hyla::record
