#include "experiment/crew.h"

#include <cstddef>
#include <vector>

#include <mpi.h>

namespace hyla::cluster {
namespace {

class MpiCrew final : public experiment::Crew {
 public:
  MpiCrew() {
    int number = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &number);
    rank_ = static_cast<unsigned>(number);
    MPI_Comm_size(MPI_COMM_WORLD, &number);
    size_ = static_cast<unsigned>(number);
  }
  ~MpiCrew() override { MPI_Finalize(); }

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return size_; }

  /// In pieces, because MPI counts bytes in an int.
  std::vector<std::string> exchange(const std::string& mine) override {
    std::vector<unsigned long long> sizes(size_);
    const unsigned long long own = mine.size();
    MPI_Allgather(&own, 1, MPI_UNSIGNED_LONG_LONG, sizes.data(), 1, MPI_UNSIGNED_LONG_LONG, MPI_COMM_WORLD);
    std::vector<std::string> all(size_);
    constexpr std::size_t kPiece = std::size_t{1} << 28;
    for (unsigned rank = 0; rank < size_; ++rank) {
      all[rank] = rank == rank_ ? mine : std::string(sizes[rank], '\0');
      for (std::size_t begin = 0; begin < all[rank].size(); begin += kPiece) {
        const std::size_t length = std::min(kPiece, all[rank].size() - begin);
        MPI_Bcast(all[rank].data() + begin, static_cast<int>(length), MPI_CHAR, static_cast<int>(rank), MPI_COMM_WORLD);
      }
    }
    return all;
  }

 private:
  unsigned rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace hyla::cluster

extern "C" hyla::experiment::Crew* hyla_crew(std::string& why_not) {
  int granted = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &granted) != MPI_SUCCESS) {
    why_not = "MPI cannot be started";
    return nullptr;
  }
  if (granted < MPI_THREAD_FUNNELED) {
    why_not = "this MPI cannot be used by a program with threads";
    MPI_Finalize();
    return nullptr;
  }
  return new hyla::cluster::MpiCrew();
}
