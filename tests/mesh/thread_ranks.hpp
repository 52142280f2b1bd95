// Ranks played by threads of one process, so that what is said between ranks can be
// tested without a launcher, under sanitizers, and for any number of ranks.
#pragma once

#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "drover/mesh/communicator.hpp"

namespace drover {

// What the threads share: each puts down what it has, all wait, each reads what it needs.
struct ThreadRanks {
  explicit ThreadRanks(int ranks) : bytes(std::size_t(ranks)), meet(ranks) {}
  std::vector<std::vector<std::byte>> bytes;
  std::barrier<> meet;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(std::shared_ptr<ThreadRanks> ranks, int rank)
      : ranks_(std::move(ranks)), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return int(ranks_->bytes.size()); }

  void all_reduce_sum(std::span<std::int64_t> words) override {
    exchange(std::as_bytes(words), [&] {
      for (std::int64_t& word : words) word = 0;
      for (const auto& bytes : ranks_->bytes) {
        const auto* other = reinterpret_cast<const std::int64_t*>(bytes.data());
        for (std::size_t i = 0; i < words.size(); ++i) {
          words[i] = std::int64_t(std::uint64_t(words[i]) + std::uint64_t(other[i]));
        }
      }
    });
  }
  void reduce_scatter_sum(std::span<const std::int64_t> words,
                          std::span<const std::int64_t> counts,
                          std::span<std::int64_t> own) override {
    std::vector<std::int64_t> all(words.begin(), words.end());
    all_reduce_sum(all);
    std::int64_t first = 0;
    for (int r = 0; r < rank_; ++r) first += counts[std::size_t(r)];
    std::copy_n(all.begin() + first, own.size(), own.begin());
  }
  void broadcast(std::span<std::byte> bytes, int root) override {
    exchange(bytes, [&] {
      const auto& from = ranks_->bytes[std::size_t(root)];
      std::copy(from.begin(), from.end(), bytes.begin());
    });
  }
  std::vector<std::byte> all_gather(std::span<const std::byte> bytes) override {
    std::vector<std::byte> all;
    exchange(bytes, [&] {
      for (const auto& from : ranks_->bytes)
        all.insert(all.end(), from.begin(), from.end());
    });
    return all;
  }
  std::vector<std::byte> gather(std::span<const std::byte> bytes, int root) override {
    auto all = all_gather(bytes);
    if (rank_ != root) all.clear();
    return all;
  }
  void barrier() override { ranks_->meet.arrive_and_wait(); }
  [[noreturn]] void abort(int) override { std::terminate(); }

 private:
  template <class Read>
  void exchange(std::span<const std::byte> own, Read&& read) {
    ranks_->bytes[std::size_t(rank_)].assign(own.begin(), own.end());
    ranks_->meet.arrive_and_wait();
    read();
    ranks_->meet.arrive_and_wait();
  }
  std::shared_ptr<ThreadRanks> ranks_;
  int rank_;
};

// Runs body(communicator) as each of `ranks` ranks; rethrows the first exception. All
// ranks must throw, or none, as in a run: a lone one leaves the others waiting.
inline void on_thread_ranks(
    int ranks, const std::function<void(std::shared_ptr<Communicator>)>& body) {
  const auto shared = std::make_shared<ThreadRanks>(ranks);
  std::vector<std::exception_ptr> failures{std::size_t(ranks)};
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      try {
        body(std::make_shared<ThreadCommunicator>(shared, r));
      } catch (...) {
        failures[std::size_t(r)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace drover
