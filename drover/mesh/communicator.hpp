// How the ranks of a run talk: a local communicator of one rank, MPI, and a dry run that
// pretends many ranks in one process.
//
// Every call is collective: all ranks make the same calls in the same order. A buffer may
// be overwritten as soon as a call returns. Sums are of 64-bit integers, so their order
// cannot matter. Device code cannot reach a communicator; one reduction sends one packed
// buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // words[i] becomes the sum over ranks, modulo 2^64; as many words on every rank.
  virtual void all_reduce_sum(std::span<std::int64_t> words) = 0;
  // Rank r gets in `own` the sums of its counts[r] words of the concatenation of all
  // ranks'.
  virtual void reduce_scatter_sum(std::span<const std::int64_t> words,
                                  std::span<const std::int64_t> counts,
                                  std::span<std::int64_t> own) = 0;
  // The bytes of rank `root` on every rank.
  virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
  // Every rank's bytes, which may differ in number, one after another in rank order.
  virtual std::vector<std::byte> all_gather(std::span<const std::byte> bytes) = 0;
  // The same on rank `root` alone; empty elsewhere.
  virtual std::vector<std::byte> gather(std::span<const std::byte> bytes, int root) = 0;
  virtual void barrier() = 0;
  // Ends every rank's process with this code; does not return.
  [[noreturn]] virtual void abort(int exit_code) = 0;
};

// Throws Error (input) on every rank, with the same text, when the ranks do not hold the
// same bytes of what `name` stands for: "[agree] the ranks differ in NAME: ...".
void agree(Communicator& ranks, std::string_view name, std::span<const std::byte> bytes);
void agree(Communicator& ranks, std::string_view name, std::int64_t value);
void agree(Communicator& ranks, std::string_view name, std::string_view value);

// One rank; its collectives do nothing.
class LocalCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_reduce_sum(std::span<std::int64_t>) override {}
  void reduce_scatter_sum(std::span<const std::int64_t> words,
                          std::span<const std::int64_t> counts,
                          std::span<std::int64_t> own) override;
  void broadcast(std::span<std::byte>, int) override {}
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override;
  std::vector<std::byte> gather(std::span<const std::byte> bytes, int root) override;
  void barrier() override {}
  [[noreturn]] void abort(int exit_code) override;
};

// What a dry run saw. The time follows from a cost per message and per byte that the
// caller measured elsewhere, for a reduction tree of ceil(log2 R) stages up and down.
struct DryRunReport {
  std::int64_t collectives = 0;
  std::int64_t bytes = 0;          // sent by this rank, as packed
  std::int64_t largest_bytes = 0;  // of one message: the buffer that must be held
  double modelled_seconds = 0.0;
};

// Plays rank `rank` of `ranks` whose others hold the same as this one: sums are
// multiplied, gathers repeat. Shapes, volumes and memory are those of the real run.
class DryRunCommunicator final : public Communicator {
 public:
  explicit DryRunCommunicator(int ranks, int rank = 0, double seconds_per_message = 0.0,
                              double seconds_per_byte = 0.0);
  int rank() const override { return rank_; }
  int size() const override { return ranks_; }
  void all_reduce_sum(std::span<std::int64_t> words) override;
  void reduce_scatter_sum(std::span<const std::int64_t> words,
                          std::span<const std::int64_t> counts,
                          std::span<std::int64_t> own) override;
  void broadcast(std::span<std::byte> bytes, int root) override;
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override;
  std::vector<std::byte> gather(std::span<const std::byte> bytes, int root) override;
  void barrier() override;
  [[noreturn]] void abort(int exit_code) override;
  const DryRunReport& report() const { return report_; }

 private:
  void count(std::size_t bytes);
  int ranks_;
  int rank_;
  double seconds_per_message_;
  double seconds_per_byte_;
  DryRunReport report_;
};

// Ranks that a launcher (mpirun, srun) announces in the environment; 0: there is no
// launcher; -1: there is one that does not say how many.
int announced_ranks();

// The communicator of this process: MPI under a launcher, one local rank otherwise; made
// on first use and kept. Errors: system, when a launcher announces more ranks than MPI
// sees or this build has no MPI.
std::shared_ptr<Communicator> world_communicator();

// Runs body() and returns its exit code. When it throws, report(exception) shows the
// error and gives the exit code; with several ranks all of them then end with that code,
// so that none waits for one that is gone. An error that all ranks share is shown once,
// by rank 0.
int run_on_all_ranks(const std::function<int()>& body,
                     const std::function<int(const std::exception&)>& report);

}  // namespace drover
