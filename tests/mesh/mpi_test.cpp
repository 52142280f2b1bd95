// Ranks over MPI: the test program starts itself under mpirun and looks at how that ends.
//
// The suites OnRanks and OnFailingRanks are the bodies that run there; alone they are
// skipped.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "mpi_launch.hpp"

namespace drover {
namespace {

TEST(Mpi, two_and_three_ranks_give_the_bits_of_one) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  for (const int ranks : {2, 3}) {
    const Ending ending = run_on_ranks(ranks, "OnRanks.*");
    EXPECT_EQ(ending.exit_code, 0) << ending.output;
    EXPECT_NE(ending.output.find("[  PASSED  ]"), std::string::npos) << ending.output;
  }
}

TEST(Mpi, an_exception_on_one_rank_ends_all_with_its_message_and_code) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  const auto start = std::chrono::steady_clock::now();
  const Ending ending = run_on_ranks(3, "OnFailingRanks.lone_failure");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ending.exit_code, 7) << ending.output;
  EXPECT_NE(ending.output.find("the disk of rank 1 is full"), std::string::npos)
      << ending.output;
  EXPECT_LT(elapsed.count(), 30.0) << "the other ranks hung";
}

TEST(Mpi, an_error_that_all_ranks_share_is_said_once) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  const Ending ending = run_on_ranks(3, "OnFailingRanks.shared_failure");
  EXPECT_EQ(ending.exit_code, 2) << ending.output;
  const auto first = ending.output.find("unknown key");
  ASSERT_NE(first, std::string::npos) << ending.output;
  EXPECT_EQ(ending.output.find("unknown key", first + 1), std::string::npos)
      << ending.output;
}

TEST(Mpi, fewer_ranks_than_the_launcher_announces_are_a_clear_error) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  // A launcher of another MPI: it announces eight ranks, but each process sees itself
  // alone.
  const Ending ending = run_shell(
      "env -u OMPI_COMM_WORLD_SIZE PMI_SIZE=8 \"$DROVER_SELF\" "
      "--gtest_filter=OnFailingRanks.lonely_rank");
  EXPECT_NE(ending.output.find("the launcher announces 8 ranks but MPI sees 1"),
            std::string::npos)
      << ending.output;
}

// What the others see when one of `ranks` ends as the named suite's body says: an end
// within seconds, by itself, with this code.
void expect_all_end(int ranks, const char* suite, int code, const char* text) {
  const auto start = std::chrono::steady_clock::now();
  const Ending ending = run_on_ranks(ranks, suite);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ending.exit_code, code) << ending.output;
  EXPECT_NE(ending.output.find(text), std::string::npos) << ending.output;
  EXPECT_EQ(ending.output.find("[       OK ]"), std::string::npos) << ending.output;
  // Starting and ending takes a second or two; the launcher's own limit is 120.
  EXPECT_LT(elapsed.count(), 40.0) << "the other ranks hung";
}

TEST(Mpi, a_rank_killed_in_a_collective_or_between_ends_all_within_seconds) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  constexpr int killed = 128 + SIGKILL;
  for (const int ranks : {2, 4}) {
    expect_all_end(ranks, "OnFailingRanks.killed_in_a_collective", killed, "signal 9");
  }
  expect_all_end(3, "OnFailingRanks.killed_between_collectives", killed, "signal 9");
}

TEST(Mpi, a_device_that_throws_inside_a_map_on_one_rank_ends_all) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  expect_all_end(3, "OnFailingRanks.device_throws_inside_a_map", 7,
                 "row 5 of rank 1 is broken");
}

TEST(Mpi, large_sums_are_exact_a_thousand_times) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  const Ending ending = run_on_ranks(2, "OnTwoRanks.*");
  EXPECT_EQ(ending.exit_code, 0) << ending.output;
  EXPECT_NE(ending.output.find("[  PASSED  ] 1 test"), std::string::npos)
      << ending.output;
}

TEST(Mpi, ranks_divide_the_cores_that_they_share_and_say_when_there_is_only_one) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  const Ending apart = run_on_ranks(2, "OnBoundRanks.together", "--bind-to none");
  EXPECT_EQ(apart.exit_code, 0) << apart.output;
  const Ending one = run_shell(
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 120 mpirun "
      "--oversubscribe --bind-to none -n 2 taskset -c " +
      std::to_string(available_cores().front()) +
      " \"$DROVER_SELF\" --gtest_filter=OnBoundRanks.on_one_core");
  EXPECT_EQ(one.exit_code, 0) << one.output;
}

TEST(OnRanks, sums_agree_with_one_rank_and_counts_are_exact) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  const auto scope = use_mesh(Mesh::cpu(2));
  const Mesh mesh = current_mesh();
  ASSERT_EQ(mesh.ranks(), announced_ranks());
  ASSERT_EQ(mesh.device_count(), 2 * mesh.ranks());
  std::vector<double> host;
  for (int i = 0; i < 1000; ++i) host.push_back(1.0 / (i + 1));
  const auto sum = [&] {
    return *reduce(map_sum(
        {.microbatch = 64}, [] { return 0.0; },
        [](const Batch&, std::span<const double> rows, Accumulator<double>& to) {
          for (const double v : rows) to.add(v);
        },
        shard(host, 64)));
  };
  const double over_ranks = sum();
  EXPECT_EQ(mesh.ledger().count(), 1);
  const auto alone = use_mesh(Mesh::cpu(1, std::make_shared<LocalCommunicator>()));
  EXPECT_EQ(over_ranks, sum());
}

TEST(OnRanks, rows_are_gathered_and_scattered_in_global_order) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  const auto scope = use_mesh(Mesh::cpu(1));
  const std::vector<double> host{1, 2, 3, 4, 5, 6, 7};
  const auto x = shard(host);
  EXPECT_EQ(*all_gather(x), host);
  EXPECT_EQ(gather(x), current_mesh().rank() == 0 ? host : std::vector<double>{});
  EXPECT_EQ(*all_gather(reduce_scatter(to_unreduced(x))), host);
  agree(current_mesh().communicator(), "seed", 7);
  EXPECT_THROW(agree(current_mesh().communicator(), "seed", current_mesh().rank()),
               Error);
  std::array<std::int64_t, 2> words{current_mesh().rank() == 1 ? 5 : 0, 0};
  current_mesh().communicator().broadcast(std::as_writable_bytes(std::span(words)), 1);
  EXPECT_EQ(words[0], 5);
  current_mesh().communicator().barrier();
}

TEST(OnTwoRanks, sums_of_4_MiB_whose_source_is_overwritten_at_once) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
#if defined(__SANITIZE_ADDRESS__)
  constexpr std::int64_t repeats = 50;
#else
  constexpr std::int64_t repeats = 1000;
#endif
  Communicator& ranks = *world_communicator();
  std::vector<std::int64_t> words((std::size_t{4} << 20) / sizeof(std::int64_t));
  for (std::int64_t repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t i = 0; i < words.size(); i += 97) {
      words[i] = repeat * (ranks.rank() + 1) + std::int64_t(i);
    }
    ranks.all_reduce_sum(words);
    const std::int64_t n = ranks.size();
    for (std::size_t i = 0; i < words.size(); i += 97) {
      ASSERT_EQ(words[i], repeat * n * (n + 1) / 2 + n * std::int64_t(i));
    }
    words.assign(words.size(), -1);
  }
}

TEST(OnBoundRanks, together) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  const Mesh mesh = Mesh::all();
  const auto cores = std::int64_t(available_cores().size());
  EXPECT_EQ(mesh.device_count(), std::max<std::int64_t>(cores, mesh.ranks()));
  EXPECT_EQ(crowding(mesh.places()).empty(), cores >= mesh.ranks());
  EXPECT_FALSE(crowding(Mesh::cpu(int(cores)).places()).empty());
}

TEST(OnBoundRanks, on_one_core) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  const auto texts = crowding(Mesh::all().places());
  ASSERT_EQ(texts.size(), 1u);
  EXPECT_NE(texts[0].find("all 2 ranks may use core"), std::string::npos) << texts[0];
}

int print_and_give(const std::exception& error, int code) {
  std::fprintf(stderr, "%s\n", error.what());
  std::fflush(stderr);
  return code;
}

TEST(OnFailingRanks, lone_failure) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  run_on_all_ranks(
      [] {
        if (world_communicator()->rank() == 1) {
          throw Error(ErrorKind::system, "the disk of rank 1 is full");
        }
        world_communicator()->barrier();  // never ends without the failed rank
        return 0;
      },
      [](const std::exception& error) { return print_and_give(error, 7); });
}

TEST(OnFailingRanks, shared_failure) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  run_on_all_ranks([]() -> int { throw Error(ErrorKind::input, "unknown key"); },
                   [](const std::exception& error) { return print_and_give(error, 2); });
}

TEST(OnFailingRanks, killed_in_a_collective) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  Communicator& ranks = *world_communicator();
  std::vector<std::int64_t> words(1 << 16);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    if (ranks.rank() == 1) std::raise(SIGKILL);
  });
  while (true) ranks.all_reduce_sum(words);
}

TEST(OnFailingRanks, killed_between_collectives) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  world_communicator()->barrier();
  if (world_communicator()->rank() == 1) std::raise(SIGKILL);
  world_communicator()->barrier();
}

TEST(OnFailingRanks, device_throws_inside_a_map) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  run_on_all_ranks(
      [] {
        const auto scope = use_mesh(Mesh::cpu(2));
        const int rank = current_mesh().rank();
        const auto x = shard(std::vector<double>(60, 1.0));
        reduce(map_sum(
            {.microbatch = 2}, [] { return 0.0; },
            [&](const Batch& batch, std::span<const double> rows,
                Accumulator<double>& to) {
              if (rank == 1 && batch.device.local_index == 1 && batch.rows.first >= 4) {
                throw Error(ErrorKind::numerical, "row 5 of rank 1 is broken");
              }
              to.add(rows[0]);
            },
            x));
        return 0;
      },
      [](const std::exception& error) { return print_and_give(error, 7); });
}

TEST(OnFailingRanks, lonely_rank) {
  if (!launched()) GTEST_SKIP() << "runs under a launcher that is none";
  run_on_all_ranks([] { return 0; },
                   [](const std::exception& error) { return print_and_give(error, 1); });
}

}  // namespace
}  // namespace drover
