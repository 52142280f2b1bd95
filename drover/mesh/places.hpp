// Where the devices of all ranks run: machine, cores, NUMA nodes; and how ranks that
// share a machine share its cores.
//
// A launcher may bind a rank to cores of its own. Ranks of one machine that may use the
// same cores divide them, so that `mpirun -n 2` on eight cores is two ranks of four
// devices and no core works for two. Results never depend on any of it.
#pragma once

#include <string>
#include <vector>

#include "drover/mesh/communicator.hpp"

namespace drover {

// Of one rank, in the order of its devices.
struct RankPlace {
  std::string machine;       // the same for ranks that share cores
  std::string host;          // its name, for people
  std::vector<int> allowed;  // cores that the launcher and the system leave to the rank
  std::vector<int> cores;    // of each device; -1: the system refused to pin
  friend bool operator==(const RankPlace&, const RankPlace&) = default;
};

// "0-3, 8"; ascending and without repetitions, whatever the order given.
std::string core_list(std::vector<int> cores);

// The NUMA node of a core, or -1 where the system does not say.
int numa_node(int core);

// Every rank's place; collective between several ranks. `cores` are those of this rank's
// devices, empty before they are chosen.
std::vector<RankPlace> all_places(Communicator& ranks, const std::vector<int>& cores);

// Cores for `devices` devices of a rank, round robin; 0: one device for each core that is
// the rank's own. Where several ranks of a machine have the same cores, each begins with
// its part of them.
std::vector<int> choose_cores(const std::vector<RankPlace>& places, int rank,
                              int devices);

// One line a rank: "rank 1: devices 4-7 on cores 4-7 of 0-7, NUMA node 0, host node3".
std::vector<std::string> describe_places(const std::vector<RankPlace>& places);

// What makes a run slower than it could be, in words: devices that share a core, ranks
// that are all bound to one core, threads that could not be pinned. Empty: nothing.
std::vector<std::string> crowding(const std::vector<RankPlace>& places);

}  // namespace drover
