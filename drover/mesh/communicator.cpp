// The communicators of one process, and what all communicators share.
#include "drover/mesh/communicator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>

#include "drover/core/error.hpp"
#include "drover/mesh/device.hpp"
#include "drover/mesh/mpi_communicator.hpp"

namespace drover {
namespace {

// FNV-1a, 64 bits (Fowler, Noll, Vo), from a start of one's own; two starts make 128
// bits.
std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t start) {
  std::uint64_t hash = start;
  for (const std::byte byte : bytes) {
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3ULL;
  }
  return hash;
}

struct Fingerprint {
  std::uint64_t size, low, high;
  friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

Fingerprint fingerprint(std::span<const std::byte> bytes) {
  return {bytes.size(), fnv1a(bytes, 0xcbf29ce484222325ULL),
          fnv1a(bytes, 0x9ae16a3b2f90404fULL)};
}

std::vector<Fingerprint> fingerprints_of_all(Communicator& ranks,
                                             std::span<const std::byte> bytes) {
  const Fingerprint own = fingerprint(bytes);
  const auto all = ranks.all_gather(std::as_bytes(std::span(&own, 1)));
  std::vector<Fingerprint> prints(static_cast<std::size_t>(ranks.size()));
  std::memcpy(prints.data(), all.data(), prints.size() * sizeof(Fingerprint));
  return prints;
}

// The first rank that differs from rank 0, or -1.
int first_difference(const std::vector<Fingerprint>& prints) {
  for (std::size_t r = 1; r < prints.size(); ++r) {
    if (!(prints[r] == prints[0])) return static_cast<int>(r);
  }
  return -1;
}

[[noreturn]] void throw_disagreement(std::string_view name, int rank,
                                     const std::string& of_0,
                                     const std::string& of_rank) {
  throw Error(
      ErrorKind::input,
      fmt::format("[agree] the ranks differ in {}: rank 0 has {}, rank {} has {}; "
                  "start every rank with the same input and files",
                  name, of_0, rank, of_rank));
}

}  // namespace

void agree(Communicator& ranks, std::string_view name, std::span<const std::byte> bytes) {
  require_host_code("agree");
  if (ranks.size() == 1) return;
  const auto prints = fingerprints_of_all(ranks, bytes);
  const int other = first_difference(prints);
  if (other < 0) return;
  const auto show = [](const Fingerprint& p) {
    return fmt::format("{} bytes with hash {:016x}{:016x}", p.size, p.high, p.low);
  };
  throw_disagreement(name, other, show(prints[0]),
                     show(prints[static_cast<std::size_t>(other)]));
}

void agree(Communicator& ranks, std::string_view name, std::int64_t value) {
  require_host_code("agree");
  if (ranks.size() == 1) return;
  const auto all = ranks.all_gather(std::as_bytes(std::span(&value, 1)));
  std::vector<std::int64_t> values(static_cast<std::size_t>(ranks.size()));
  std::memcpy(values.data(), all.data(), values.size() * sizeof(std::int64_t));
  for (std::size_t r = 1; r < values.size(); ++r) {
    if (values[r] != values[0]) {
      throw_disagreement(name, static_cast<int>(r), fmt::format("{}", values[0]),
                         fmt::format("{}", values[r]));
    }
  }
}

void agree(Communicator& ranks, std::string_view name, std::string_view value) {
  require_host_code("agree");
  if (ranks.size() == 1) return;
  const auto prints =
      fingerprints_of_all(ranks, std::as_bytes(std::span(value.data(), value.size())));
  const int other = first_difference(prints);
  if (other < 0) return;
  // Only now, when something is wrong, do the texts themselves travel.
  const auto all = ranks.all_gather(std::as_bytes(std::span(value.data(), value.size())));
  std::size_t start = 0;
  for (int r = 0; r < other; ++r) start += prints[static_cast<std::size_t>(r)].size;
  const auto* text = reinterpret_cast<const char*>(all.data());
  const auto show = [&](std::size_t at, std::size_t size) {
    return '"' + std::string(text + at, std::min<std::size_t>(size, 200)) + '"';
  };
  throw_disagreement(name, other, show(0, prints[0].size),
                     show(start, prints[static_cast<std::size_t>(other)].size));
}

void LocalCommunicator::reduce_scatter_sum(std::span<const std::int64_t> words,
                                           std::span<const std::int64_t>,
                                           std::span<std::int64_t> own) {
  std::copy_n(words.begin(), own.size(), own.begin());
}
std::vector<std::byte> LocalCommunicator::all_gather(std::span<const std::byte> bytes) {
  return {bytes.begin(), bytes.end()};
}
std::vector<std::byte> LocalCommunicator::gather(std::span<const std::byte> bytes, int) {
  return {bytes.begin(), bytes.end()};
}
void LocalCommunicator::abort(int exit_code) {
  std::_Exit(exit_code);
}

DryRunCommunicator::DryRunCommunicator(int ranks, int rank, double seconds_per_message,
                                       double seconds_per_byte)
    : ranks_(ranks),
      rank_(rank),
      seconds_per_message_(seconds_per_message),
      seconds_per_byte_(seconds_per_byte) {
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[dry run] rank {} of {} was asked for: expected at least one "
                    "rank and 0 <= rank < ranks",
                    rank, ranks));
  }
}

void DryRunCommunicator::count(std::size_t bytes) {
  const auto size = static_cast<std::int64_t>(bytes);
  const int stages = 2 * std::bit_width(static_cast<unsigned>(ranks_ - 1));
  report_.collectives += 1;
  report_.bytes += size;
  report_.largest_bytes = std::max(report_.largest_bytes, size);
  report_.modelled_seconds +=
      stages * (seconds_per_message_ + seconds_per_byte_ * static_cast<double>(size));
}

void DryRunCommunicator::all_reduce_sum(std::span<std::int64_t> words) {
  count(words.size_bytes());
  for (std::int64_t& word : words) {
    word = static_cast<std::int64_t>(static_cast<std::uint64_t>(word) *
                                     static_cast<std::uint64_t>(ranks_));
  }
}

void DryRunCommunicator::reduce_scatter_sum(std::span<const std::int64_t> words,
                                            std::span<const std::int64_t> counts,
                                            std::span<std::int64_t> own) {
  count(words.size_bytes());
  std::size_t first = 0;
  for (std::size_t r = 0; r < static_cast<std::size_t>(rank_); ++r) {
    first += static_cast<std::size_t>(counts[r]);
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(words[first + i]) *
                                       static_cast<std::uint64_t>(ranks_));
  }
}

void DryRunCommunicator::broadcast(std::span<std::byte> bytes, int) {
  count(bytes.size());
}

std::vector<std::byte> DryRunCommunicator::all_gather(std::span<const std::byte> bytes) {
  count(bytes.size());
  std::vector<std::byte> all;
  all.reserve(bytes.size() * static_cast<std::size_t>(ranks_));
  for (int r = 0; r < ranks_; ++r) all.insert(all.end(), bytes.begin(), bytes.end());
  return all;
}

std::vector<std::byte> DryRunCommunicator::gather(std::span<const std::byte> bytes,
                                                  int root) {
  if (root == rank_) return all_gather(bytes);
  count(bytes.size());
  return {};
}

void DryRunCommunicator::barrier() {
  count(0);
}
void DryRunCommunicator::abort(int exit_code) {
  std::_Exit(exit_code);
}

int announced_ranks() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}) {
    if (const char* text = std::getenv(name)) {
      const int ranks = std::atoi(text);
      if (ranks > 0) return ranks;
    }
  }
  // PMIx names only the rank; srun names the number of tasks beside it.
  if (std::getenv("PMIX_RANK") != nullptr) {
    if (const char* text = std::getenv("SLURM_NTASKS")) {
      return std::max(1, std::atoi(text));
    }
    return -1;
  }
  return 0;
}

std::shared_ptr<Communicator> world_communicator() {
  require_host_code("world_communicator");
  static std::mutex mutex;
  static auto* const world = new std::shared_ptr<Communicator>;  // outlives every mesh
  const std::lock_guard<std::mutex> lock(mutex);
  if (!*world) {
    const int announced = announced_ranks();
    if (announced > 0 && mpi_is_built_in()) {
      *world = make_mpi_communicator(announced);
    } else if (announced > 1) {
      throw Error(
          ErrorKind::system,
          fmt::format("[ranks] a launcher announces {} ranks, but this build has no "
                      "MPI, so each would run the whole job alone: build with "
                      "-DDROVER_MPI=ON or start without a launcher",
                      announced));
    } else {
      *world = std::make_shared<LocalCommunicator>();
    }
  }
  return *world;
}

int run_on_all_ranks(const std::function<int()>& body,
                     const std::function<int(const std::exception&)>& report) {
  const auto fail = [&](const std::exception& error, Communicator* ranks) -> int {
    if (ranks == nullptr || ranks->size() == 1) return report(error);
    // Most errors strike all ranks at once: rank 0 speaks first and its abort ends the
    // others while they wait here. An error of another rank alone comes through a moment
    // later.
    if (ranks->rank() != 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    int code = report(error);
    if (code == 0) code = 1;
    ranks->abort(code);
    return code;
  };
  std::shared_ptr<Communicator> ranks;
  try {
    ranks = world_communicator();
    return body();
  } catch (const std::exception& error) {
    return fail(error, ranks.get());
  } catch (...) {
    return fail(Error(ErrorKind::logic,
                      "[run] something that is not a std::exception was "
                      "thrown: throw drover::Error instead"),
                ranks.get());
  }
}

}  // namespace drover
