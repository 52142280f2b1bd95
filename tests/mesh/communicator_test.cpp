// Communicators: one rank, a dry run of a thousand, ranks played by threads, ranks over
// MPI.
#include "drover/mesh/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <cstdlib>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "thread_ranks.hpp"

namespace drover {
namespace {

TEST(DryRun, of_a_thousand_ranks_has_the_shapes_and_volumes_of_the_real_run) {
  const auto dry = std::make_shared<DryRunCommunicator>(1000, 0, 1e-6, 1e-9);
  const auto scope = use_mesh(Mesh::cpu(2, dry));
  const Mesh mesh = current_mesh();
  EXPECT_EQ(mesh.device_count(), 2000);
  EXPECT_EQ(mesh.ranks(), 1000);
  const auto walkers = make_sharded<RowRange>(64 * 2000 * 3, 64,
                                              [](const auto&, RowRange r) { return r; });
  EXPECT_EQ(walkers.shard(1).first, 64 * 3);
  EXPECT_EQ(walkers.shard(1).size(), 64 * 3);
  const auto before = dry->report();
  const auto sums = reduce(map_sum(
      {.microbatch = 64}, [] { return ExactSums(10, 1); },
      [](const Batch& batch, const RowRange&, ExactSums& sum) {
        sum.add_count(0, batch.size());
      },
      walkers));
  EXPECT_EQ(sums->count(0), 64 * 2000 * 3) << "every rank is like this one";
  const std::int64_t bytes = 8 * ExactSums::word_count(10, 1);
  EXPECT_EQ(dry->report().collectives - before.collectives, 1);
  EXPECT_EQ(dry->report().bytes - before.bytes, bytes);
  EXPECT_EQ(mesh.ledger().recent().back().participants, 2000);
  // Ten stages up and ten down, 2^10 being the first power of two that holds 1000 ranks.
  EXPECT_DOUBLE_EQ(dry->report().modelled_seconds - before.modelled_seconds,
                   20 * (1e-6 + 1e-9 * double(bytes)));
}

TEST(DryRun, plays_any_rank_and_refuses_one_that_is_not_there) {
  const auto scope = use_mesh(Mesh::cpu(1, std::make_shared<DryRunCommunicator>(10, 9)));
  const auto x =
      make_sharded<RowRange>(25, 1, [](const auto&, RowRange range) { return range; });
  EXPECT_EQ(x.shard(0), (RowRange{23, 25}));
  EXPECT_THROW(DryRunCommunicator(10, 10), Error);
}

TEST(Agree, names_what_differs_and_who_has_what_with_one_text_on_all_ranks) {
  on_thread_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    agree(*ranks, "seed", 7);
    agree(*ranks, "mesh", "cpu");
    const auto text_of = [&](auto value) -> std::string {
      try {
        agree(*ranks, "number of walkers", value);
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::input);
        return error.what();
      }
      return "";
    };
    const bool last = ranks->rank() == 2;
    EXPECT_EQ(
        text_of(std::int64_t{last ? 128 : 64}),
        "[agree] the ranks differ in number of walkers: rank 0 has 64, rank 2 has 128; "
        "start every rank with the same input and files");
    EXPECT_NE(text_of(std::string_view(last ? "be" : "water"))
                  .find("rank 0 has \"water\", rank 2 has \"be\""),
              std::string::npos);
    const std::array<double, 2> parameters{1.0, last ? 2.0 : 3.0};
    EXPECT_NE(text_of(std::as_bytes(std::span(parameters))).find("16 bytes with hash"),
              std::string::npos);
  });
}

TEST(Agree, and_broadcast_over_a_mesh_are_in_its_ledger) {
  on_thread_ranks(2, [](const std::shared_ptr<Communicator>& ranks) {
    const Mesh mesh = Mesh::cpu(1, ranks);
    agree(mesh, "seed", 7);
    agree(mesh, "objective", "energy");
    std::array<std::int64_t, 1> word{ranks->rank()};
    broadcast(mesh, std::as_writable_bytes(std::span(word)), 1, "time limit");
    EXPECT_EQ(word[0], 1);
    EXPECT_EQ(mesh.ledger().count(CollectiveKind::agree), 2);
    EXPECT_EQ(mesh.ledger().count("time limit"), 1);
  });
  const Mesh alone = Mesh::cpu(2);
  agree(alone, "seed", 7);
  EXPECT_EQ(alone.ledger().count(), 0) << "one rank has nobody to agree with";
}

struct ManyWords {
  std::vector<std::int64_t> values;
  std::span<std::int64_t> words() { return values; }
  void merge(const ManyWords&) {}
};

// Large buffers whose source is overwritten as soon as the call returns.
TEST(Collectives, of_4_MiB_are_exact_when_their_source_is_overwritten_at_once) {
  const auto scope = use_mesh(Mesh::cpu(2));
  constexpr std::size_t words = (std::size_t{4} << 20) / sizeof(std::int64_t);
  const auto one_each = shard(std::vector<int>(2));
  // A thousand repeats take two seconds; sanitizers are slower by far.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr std::int64_t repeats = 10;
#else
  constexpr std::int64_t repeats = 1000;
#endif
  auto source = make_unreduced(
      current_mesh(), [] { return ManyWords{std::vector<std::int64_t>(words)}; });
  for (std::int64_t r = 0; r < repeats; ++r) {
    const auto fill = [&](auto value_at) {
      map_sum_into(
          source, {},
          [&](const Batch& batch, std::span<const int>, ManyWords& own) {
            for (std::size_t i = 0; i < words; i += 97) {
              own.values[i] = value_at(std::int64_t(i), batch.device.index);
            }
          },
          one_each);
    };
    fill([&](std::int64_t i, int device) { return r + i * (device + 1); });
    const auto sum = reduce(source, "large");
    fill([](std::int64_t, int) { return std::int64_t{-1}; });
    for (std::size_t i = 0; i < words; i += 97) {
      ASSERT_EQ(sum->values[i], 2 * r + std::int64_t(3 * i)) << "repeat " << r;
    }
  }
}

TEST(RunOnAllRanks, of_one_rank_reports_an_error_and_returns_its_code) {
  const auto no_report = [](const std::exception&) { return 99; };
  EXPECT_EQ(run_on_all_ranks([] { return 3; }, no_report), 3);
  std::string text;
  const int code =
      run_on_all_ranks([]() -> int { throw Error(ErrorKind::input, "wrong input"); },
                       [&](const std::exception& error) {
                         text = error.what();
                         return 2;
                       });
  EXPECT_EQ(code, 2);
  EXPECT_EQ(text, "wrong input");
}

}  // namespace
}  // namespace drover
