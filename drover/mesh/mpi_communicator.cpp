// Ranks over MPI. Every call blocks until its buffers are free again; counts beyond 2^31
// go in pieces.
#include "drover/mesh/mpi_communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "drover/core/error.hpp"

#if defined(DROVER_HAVE_MPI)
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#endif

namespace drover {

#if defined(DROVER_HAVE_MPI)
namespace {

// Elements in one MPI call; its counts are of type int.
constexpr std::size_t piece = std::size_t{1} << 28;

void require_success(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(status, text, &length);
  throw Error(ErrorKind::system,
              fmt::format("[ranks] {} failed: {}; a rank may have died or the network "
                          "failed: start again from the checkpoint",
                          call, text));
}

// Ends MPI when the process exits in good order; an exit with an error ends all ranks, or
// those that are still at work would wait for this one.
void end_mpi(int exit_code, void*) {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (finalized != 0) return;
  if (exit_code == 0) {
    MPI_Finalize();
  } else {
    MPI_Abort(MPI_COMM_WORLD, exit_code);
  }
}

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(MPI_Comm all) : all_(all) {
    MPI_Comm_rank(all_, &rank_);
    MPI_Comm_size(all_, &size_);
    MPI_Comm_set_errhandler(all_, MPI_ERRORS_RETURN);
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void all_reduce_sum(std::span<std::int64_t> words) override {
    for (std::size_t first = 0; first < words.size(); first += piece) {
      const auto part = words.subspan(first, std::min(piece, words.size() - first));
      require_success(
          MPI_Allreduce(MPI_IN_PLACE, part.data(), static_cast<int>(part.size()),
                        MPI_INT64_T, MPI_SUM, all_),
          "MPI_Allreduce");
    }
  }

  void reduce_scatter_sum(std::span<const std::int64_t> words,
                          std::span<const std::int64_t> counts,
                          std::span<std::int64_t> own) override {
    if (words.size() < piece) {
      const std::vector<int> sizes(counts.begin(), counts.end());
      require_success(MPI_Reduce_scatter(words.data(), own.data(), sizes.data(),
                                         MPI_INT64_T, MPI_SUM, all_),
                      "MPI_Reduce_scatter");
      return;
    }
    // Rank by rank, where one call could not count the words.
    std::size_t first = 0;
    for (int to = 0; to < size_; ++to) {
      const auto count = static_cast<std::size_t>(counts[static_cast<std::size_t>(to)]);
      for (std::size_t done = 0; done < count; done += piece) {
        const int part = static_cast<int>(std::min(piece, count - done));
        require_success(MPI_Reduce(words.data() + first + done,
                                   to == rank_ ? own.data() + done : nullptr, part,
                                   MPI_INT64_T, MPI_SUM, to, all_),
                        "MPI_Reduce");
      }
      first += count;
    }
  }

  void broadcast(std::span<std::byte> bytes, int root) override {
    for (std::size_t first = 0; first < bytes.size(); first += piece) {
      const auto part = bytes.subspan(first, std::min(piece, bytes.size() - first));
      require_success(
          MPI_Bcast(part.data(), static_cast<int>(part.size()), MPI_BYTE, root, all_),
          "MPI_Bcast");
    }
  }

  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override {
    const std::vector<std::int64_t> sizes = sizes_of_all(bytes.size());
    std::vector<std::byte> all(total(sizes));
    if (all.size() < piece) {
      const auto [counts, offsets] = counts_and_offsets(sizes);
      require_success(
          MPI_Allgatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                         all.data(), counts.data(), offsets.data(), MPI_BYTE, all_),
          "MPI_Allgatherv");
      return all;
    }
    std::size_t first = 0;
    for (int from = 0; from < size_; ++from) {
      const auto size = static_cast<std::size_t>(sizes[static_cast<std::size_t>(from)]);
      const auto part = std::span(all).subspan(first, size);
      if (from == rank_) std::copy(bytes.begin(), bytes.end(), part.begin());
      broadcast(part, from);
      first += size;
    }
    return all;
  }

  std::vector<std::byte> gather(std::span<const std::byte> bytes, int root) override {
    const std::vector<std::int64_t> sizes = sizes_of_all(bytes.size());
    std::vector<std::byte> all(rank_ == root ? total(sizes) : 0);
    if (total(sizes) < piece) {
      const auto [counts, offsets] = counts_and_offsets(sizes);
      require_success(
          MPI_Gatherv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, all.data(),
                      counts.data(), offsets.data(), MPI_BYTE, root, all_),
          "MPI_Gatherv");
      return all;
    }
    gather_in_pieces(bytes, root, sizes, all);
    return all;
  }

  void barrier() override { require_success(MPI_Barrier(all_), "MPI_Barrier"); }

  [[noreturn]] void abort(int exit_code) override {
    MPI_Abort(all_, exit_code);
    std::_Exit(exit_code);
  }

 private:
  std::vector<std::int64_t> sizes_of_all(std::size_t own_size) const {
    const auto own = static_cast<std::int64_t>(own_size);
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(size_));
    require_success(
        MPI_Allgather(&own, 1, MPI_INT64_T, sizes.data(), 1, MPI_INT64_T, all_),
        "MPI_Allgather");
    return sizes;
  }

  static std::size_t total(const std::vector<std::int64_t>& sizes) {
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes) sum += size;
    return static_cast<std::size_t>(sum);
  }

  static std::pair<std::vector<int>, std::vector<int>> counts_and_offsets(
      const std::vector<std::int64_t>& sizes) {
    std::vector<int> counts;
    std::vector<int> offsets;
    int offset = 0;
    for (const std::int64_t size : sizes) {
      counts.push_back(static_cast<int>(size));
      offsets.push_back(offset);
      offset += static_cast<int>(size);
    }
    return {counts, offsets};
  }

  void gather_in_pieces(std::span<const std::byte> bytes, int root,
                        const std::vector<std::int64_t>& sizes,
                        std::span<std::byte> all) {
    constexpr int tag = 1;
    if (rank_ != root) {
      for (std::size_t first = 0; first < bytes.size(); first += piece) {
        const auto part = bytes.subspan(first, std::min(piece, bytes.size() - first));
        require_success(MPI_Send(part.data(), static_cast<int>(part.size()), MPI_BYTE,
                                 root, tag, all_),
                        "MPI_Send");
      }
      return;
    }
    std::size_t offset = 0;
    for (int from = 0; from < size_; ++from) {
      const auto size = static_cast<std::size_t>(sizes[static_cast<std::size_t>(from)]);
      const auto to = all.subspan(offset, size);
      if (from == root) std::copy(bytes.begin(), bytes.end(), to.begin());
      for (std::size_t first = 0; from != root && first < size; first += piece) {
        const auto part = to.subspan(first, std::min(piece, size - first));
        require_success(MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_BYTE,
                                 from, tag, all_, MPI_STATUS_IGNORE),
                        "MPI_Recv");
      }
      offset += size;
    }
  }

  MPI_Comm all_;
  int rank_ = 0;
  int size_ = 1;
};

}  // namespace

bool mpi_is_built_in() {
  return true;
}

std::shared_ptr<Communicator> make_mpi_communicator(int announced) {
  int started = 0;
  MPI_Initialized(&started);
  if (started == 0) {
    int provided = MPI_THREAD_SINGLE;
    require_success(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
                    "MPI_Init_thread");
    on_exit(end_mpi, nullptr);
    if (provided < MPI_THREAD_SERIALIZED) {
      throw Error(ErrorKind::system,
                  "[ranks] this MPI cannot be called from more than one thread in turn: "
                  "expected MPI_THREAD_SERIALIZED; install an MPI built with threads");
    }
  }
  int seen = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &seen);
  if (announced > 0 && seen != announced) {
    throw Error(
        ErrorKind::system,
        fmt::format("[ranks] the launcher announces {} ranks but MPI sees {}: the "
                    "launcher belongs to another MPI than the one Drover was built "
                    "with; use that one's mpirun",
                    announced, seen));
  }
  MPI_Comm own = MPI_COMM_NULL;
  require_success(MPI_Comm_dup(MPI_COMM_WORLD, &own), "MPI_Comm_dup");
  return std::make_shared<MpiCommunicator>(own);
}

#else

bool mpi_is_built_in() {
  return false;
}

std::shared_ptr<Communicator> make_mpi_communicator(int) {
  throw Error(ErrorKind::logic,
              "[ranks] this build has no MPI: build with -DDROVER_MPI=ON");
}

#endif

}  // namespace drover
