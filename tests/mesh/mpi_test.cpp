// Ranks over MPI: the test program starts itself under mpirun and looks at how that ends.
//
// The suites OnRanks and OnFailingRanks are the bodies that run there; alone they are
// skipped.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "drover/mesh/mpi_communicator.hpp"

namespace drover {
namespace {

bool launched() {
  return announced_ranks() > 1;
}

struct Ending {
  int exit_code = -1;
  std::string output;
};

// Runs one suite of this program on `ranks` ranks of this machine.
Ending run_on_ranks(int ranks, const std::string& filter,
                    const std::string& environment) {
  const std::string command =
      environment +
      " OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 "
      "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl_base_warn_component_unused=0 "
      "timeout 60 mpirun --oversubscribe -n " +
      std::to_string(ranks) + " \"$DROVER_SELF\" --gtest_filter=" + filter + " 2>&1";
  char self[4096] = {};
  const auto length = readlink("/proc/self/exe", self, sizeof self - 1);
  setenv("DROVER_SELF", std::string(self, std::size_t(length)).c_str(), 1);
  Ending ending;
  std::FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    ending.output.append(buffer, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  return ending;
}

bool mpi_is_usable() {
#if defined(__SANITIZE_THREAD__)
  return false;  // MPI's own threads are not built for it
#endif
  return mpi_is_built_in() && std::system("mpirun --version > /dev/null 2>&1") == 0;
}

TEST(Mpi, two_and_three_ranks_give_the_bits_of_one) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  for (const int ranks : {2, 3}) {
    const Ending ending = run_on_ranks(ranks, "OnRanks.*", "");
    EXPECT_EQ(ending.exit_code, 0) << ending.output;
    EXPECT_NE(ending.output.find("[  PASSED  ]"), std::string::npos) << ending.output;
  }
}

TEST(Mpi, an_exception_on_one_rank_ends_all_with_its_message_and_code) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  const auto start = std::chrono::steady_clock::now();
  const Ending ending = run_on_ranks(3, "OnFailingRanks.lone_failure", "");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ending.exit_code, 7) << ending.output;
  EXPECT_NE(ending.output.find("the disk of rank 1 is full"), std::string::npos)
      << ending.output;
  EXPECT_LT(elapsed.count(), 30.0) << "the other ranks hung";
}

TEST(Mpi, an_error_that_all_ranks_share_is_said_once) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  const Ending ending = run_on_ranks(3, "OnFailingRanks.shared_failure", "");
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
  char self[4096] = {};
  const auto length = readlink("/proc/self/exe", self, sizeof self - 1);
  const std::string command = "env -u OMPI_COMM_WORLD_SIZE PMI_SIZE=8 " +
                              std::string(self, std::size_t(length)) +
                              " --gtest_filter=OnFailingRanks.lonely_rank 2>&1";
  std::string output;
  std::FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    output.append(buffer, n);
  }
  pclose(pipe);
  EXPECT_NE(output.find("the launcher announces 8 ranks but MPI sees 1"),
            std::string::npos)
      << output;
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

TEST(OnRanks, large_sums_are_exact_when_their_source_is_overwritten_at_once) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  Communicator& ranks = *world_communicator();
  std::vector<std::int64_t> words((std::size_t{4} << 20) / sizeof(std::int64_t));
  for (std::int64_t repeat = 0; repeat < 50; ++repeat) {
    for (std::size_t i = 0; i < words.size(); i += 997) {
      words[i] = repeat * (ranks.rank() + 1) + std::int64_t(i);
    }
    ranks.all_reduce_sum(words);
    const std::int64_t n = ranks.size();
    for (std::size_t i = 0; i < words.size(); i += 997) {
      ASSERT_EQ(words[i], repeat * n * (n + 1) / 2 + n * std::int64_t(i));
    }
    words.assign(words.size(), -1);
  }
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

TEST(OnFailingRanks, lonely_rank) {
  if (!launched()) GTEST_SKIP() << "runs under a launcher that is none";
  run_on_all_ranks([] { return 0; },
                   [](const std::exception& error) { return print_and_give(error, 1); });
}

}  // namespace
}  // namespace drover
