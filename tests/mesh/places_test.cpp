// Which cores the devices of each rank get, how that is said, and what is wrong with it.
#include "drover/mesh/places.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "thread_ranks.hpp"

namespace drover {
namespace {

using Cores = std::vector<int>;

std::vector<RankPlace> ranks_with(const Cores& allowed, int ranks) {
  return {std::size_t(ranks), RankPlace{"m", "node3", allowed, {}}};
}

TEST(Cores, of_one_rank_are_taken_round_robin_or_all) {
  const auto alone = ranks_with({2, 3, 5}, 1);
  EXPECT_EQ(choose_cores(alone, 0, 2), (Cores{2, 3}));
  EXPECT_EQ(choose_cores(alone, 0, 0), (Cores{2, 3, 5}));
  EXPECT_EQ(choose_cores(alone, 0, 7), (Cores{2, 3, 5, 2, 3, 5, 2}));
}

TEST(Cores, that_several_ranks_may_use_are_divided_among_them) {
  const auto eight = ranks_with({0, 1, 2, 3, 4, 5, 6, 7}, 3);
  EXPECT_EQ(choose_cores(eight, 0, 0), (Cores{0, 1}));
  EXPECT_EQ(choose_cores(eight, 1, 0), (Cores{2, 3, 4}));
  EXPECT_EQ(choose_cores(eight, 2, 0), (Cores{5, 6, 7}));
  EXPECT_EQ(choose_cores(eight, 1, 1), (Cores{2}));
  EXPECT_EQ(choose_cores(eight, 1, 4), (Cores{4, 5, 6, 7}));  // wants more than its part
  const auto two = ranks_with({0, 1}, 3);
  EXPECT_EQ(choose_cores(two, 0, 0), (Cores{0}));
  EXPECT_EQ(choose_cores(two, 1, 0), (Cores{0}));
  EXPECT_EQ(choose_cores(two, 2, 0), (Cores{1}));
}

TEST(Cores, of_ranks_that_their_launcher_bound_are_theirs_alone) {
  std::vector<RankPlace> bound = {{"m", "node3", {0, 1}, {}}, {"m", "node3", {2, 3}, {}}};
  EXPECT_EQ(choose_cores(bound, 1, 0), (Cores{2, 3}));
  EXPECT_EQ(choose_cores(bound, 1, 1), (Cores{2}));
  bound[1] = {"another", "node4", {0, 1}, {}};
  EXPECT_EQ(choose_cores(bound, 1, 0), (Cores{0, 1}));
}

TEST(Places, are_said_with_devices_cores_and_hosts) {
  EXPECT_EQ(core_list({8, 1, 0, 2, 3, 8}), "0-3, 8");
  EXPECT_EQ(core_list({}), "");
  std::vector<RankPlace> places = {{"m", "node3", {0, 1, 2}, {0, 1}},
                                   {"m", "node3", {4}, {4}},
                                   {"m", "node3", {5}, {-1}}};
  EXPECT_EQ(
      describe_places(places),
      (std::vector<std::string>{"rank 0: devices 0-1 on cores 0-1 of 0-2, host node3",
                                "rank 1: device 2 on core 4, host node3",
                                "rank 2: device 3, not pinned to a core, host node3"}));
}

TEST(Places, that_are_crowded_are_told) {
  const auto two = ranks_with({0, 1}, 2);
  auto places = two;
  for (int rank = 0; rank < 2; ++rank)
    places[std::size_t(rank)].cores = choose_cores(two, rank, 1);
  EXPECT_EQ(crowding(places), std::vector<std::string>{});
  for (int rank = 0; rank < 2; ++rank)
    places[std::size_t(rank)].cores = choose_cores(two, rank, 3);
  EXPECT_EQ(crowding(places),
            std::vector<std::string>{
                "6 devices share 2 cores: no faster than as many devices as cores"});
  for (RankPlace& place : places) place = {"m", "node3", {1}, {1}};
  EXPECT_EQ(crowding(places),
            std::vector<std::string>{
                "all 2 ranks may use core 1 alone, where they take turns: start with "
                "mpirun --bind-to none, or --bind-to core on as many cores as ranks"});
  places[1] = {"another", "node4", {1}, {1}};
  EXPECT_EQ(crowding(places), std::vector<std::string>{});
  places[1].cores = {-1};
  EXPECT_EQ(crowding(places),
            std::vector<std::string>{"node4: the system refused to pin 1 device thread "
                                     "to a core: others may take its cores from it"});
}

TEST(Places, of_a_mesh_are_where_its_threads_may_run) {
  on_thread_ranks(2, [](const std::shared_ptr<Communicator>& ranks) {
    const Mesh mesh = Mesh::cpu(2, ranks);
    ASSERT_EQ(mesh.places().size(), 2u);
    const RankPlace& own = mesh.places()[std::size_t(ranks->rank())];
    EXPECT_EQ(own.allowed, available_cores());
    ASSERT_EQ(own.cores.size(), 2u);
    mesh.for_each_device([&](const DeviceContext& device) {
      const int core = own.cores[std::size_t(device.local_index)];
      EXPECT_EQ(device.core, core);
      if (core >= 0) {
        EXPECT_EQ(available_cores(), Cores{core});
      }
    });
    EXPECT_EQ(mesh.places()[0].machine, mesh.places()[1].machine);
    // The node is told where the system names it.
    const std::string told = describe_places(mesh.places())[std::size_t(ranks->rank())];
    const int node = numa_node(own.cores[0]);
    EXPECT_EQ(told.find("NUMA node") != std::string::npos, node >= 0) << told;
    if (node >= 0) {
      EXPECT_NE(told.find(std::to_string(node)), std::string::npos) << told;
    }
    EXPECT_EQ(numa_node(1 << 20), -1);
  });
}

}  // namespace
}  // namespace drover
