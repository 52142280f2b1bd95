// Reading, sharing out and describing cores.
#include "drover/mesh/places.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "drover/mesh/device.hpp"

namespace drover {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "?";
  return name.data();
}

// Containers on one machine have names of their own but share what it drew at its start.
std::string machine_identity() {
  std::string identity;
  if (std::ifstream("/proc/sys/kernel/random/boot_id") >> identity) return identity;
  return host_name();
}

// A place as a line of words; an empty list is "-".
std::string list_word(const std::vector<int>& numbers) {
  return numbers.empty() ? "-" : fmt::format("{}", fmt::join(numbers, ","));
}
std::vector<int> list_of(const std::string& word) {
  std::vector<int> numbers;
  std::istringstream text(word == "-" ? "" : word);
  for (std::string number; std::getline(text, number, ',');)
    numbers.push_back(std::stoi(number));
  return numbers;
}

std::vector<int> sorted(std::vector<int> numbers) {
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

bool same_cores(const RankPlace& a, const RankPlace& b) {
  return a.machine == b.machine && a.allowed == b.allowed;
}

std::string plural(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string core_list(std::vector<int> cores) {
  cores = sorted(std::move(cores));
  std::string text;
  for (std::size_t i = 0; i < cores.size();) {
    std::size_t last = i;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += std::to_string(cores[i]);
    if (last > i) text += "-" + std::to_string(cores[last]);
    i = last + 1;
  }
  return text;
}

int numa_node(int core) {
  const std::filesystem::path folder =
      "/sys/devices/system/cpu/cpu" + std::to_string(core);
  std::error_code failure;
  std::filesystem::directory_iterator entries(folder, failure);
  if (failure) return -1;
  for (const auto& entry : entries) {
    const std::string name = entry.path().filename();
    if (name.rfind("node", 0) == 0 && name.size() > 4) return std::stoi(name.substr(4));
  }
  return -1;
}

std::vector<RankPlace> all_places(Communicator& ranks, const std::vector<int>& cores) {
  const RankPlace own{machine_identity(), host_name(), available_cores(), cores};
  if (ranks.size() == 1) return {own};
  const std::string line = fmt::format("{} {} {} {}\n", own.machine, own.host,
                                       list_word(own.allowed), list_word(own.cores));
  const auto bytes = ranks.all_gather(std::as_bytes(std::span(line.data(), line.size())));
  std::istringstream text(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  std::vector<RankPlace> places;
  for (std::string machine, host, allowed, used;
       text >> machine >> host >> allowed >> used;)
    places.push_back({machine, host, list_of(allowed), list_of(used)});
  return places;
}

std::vector<int> choose_cores(const std::vector<RankPlace>& places, int rank,
                              int devices) {
  const RankPlace& own = places[static_cast<std::size_t>(rank)];
  std::size_t sharers = 0, before = 0;
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (!same_cores(places[r], own)) continue;
    if (r < static_cast<std::size_t>(rank)) ++before;
    ++sharers;
  }
  const std::size_t cores = own.allowed.size();
  const std::size_t first = before * cores / sharers;
  const std::size_t part = (before + 1) * cores / sharers - first;
  const auto wanted =
      devices > 0 ? static_cast<std::size_t>(devices) : std::max<std::size_t>(part, 1);
  // More devices than its part holds: every rank goes on around, from where the devices
  // of the ranks before it end.
  const std::size_t start = wanted <= part ? first : before * wanted;
  std::vector<int> chosen;
  for (std::size_t d = 0; d < wanted; ++d)
    chosen.push_back(own.allowed[(start + d) % cores]);
  return chosen;
}

std::vector<std::string> describe_places(const std::vector<RankPlace>& places) {
  std::vector<std::string> lines;
  std::size_t first = 0;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const RankPlace& place = places[rank];
    const std::size_t count = place.cores.size();
    std::string line;
    if (places.size() > 1) line = fmt::format("rank {}: ", rank);
    line += count == 1 ? fmt::format("device {}", first)
                       : fmt::format("devices {}-{}", first, first + count - 1);
    first += count;
    std::vector<int> pinned;
    std::set<int> nodes;
    for (const int core : place.cores) {
      if (core < 0) continue;
      pinned.push_back(core);
      nodes.insert(numa_node(core));
    }
    nodes.erase(-1);
    if (pinned.empty()) {
      line += ", not pinned to a core";
    } else {
      pinned = sorted(std::move(pinned));
      line +=
          fmt::format(" on core{} {}", pinned.size() == 1 ? "" : "s", core_list(pinned));
      if (pinned != place.allowed)
        line += fmt::format(" of {}", core_list(place.allowed));
    }
    // Nodes are those that this machine knows; another machine's are its own affair.
    if (!nodes.empty() && place.machine == machine_identity())
      line += fmt::format(", NUMA node{} {}", nodes.size() == 1 ? "" : "s",
                          core_list({nodes.begin(), nodes.end()}));
    if (places.size() > 1) line += ", host " + place.host;
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> crowding(const std::vector<RankPlace>& places) {
  struct Machine {
    std::string host;
    std::size_t devices = 0, ranks = 0, unpinned = 0;
    std::set<int> used, allowed;
    bool all_on_one = true;
  };
  std::map<std::string, Machine> machines;
  for (const RankPlace& place : places) {
    Machine& machine = machines[place.machine];
    machine.host = place.host;
    ++machine.ranks;
    machine.devices += place.cores.size();
    machine.allowed.insert(place.allowed.begin(), place.allowed.end());
    machine.all_on_one = machine.all_on_one && place.allowed.size() == 1;
    for (const int core : place.cores) {
      if (core < 0) {
        ++machine.unpinned;
      } else {
        machine.used.insert(core);
      }
    }
  }
  std::vector<std::string> texts;
  for (const auto& [identity, machine] : machines) {
    const std::string where = machines.size() > 1 ? machine.host + ": " : "";
    if (machine.ranks > 1 && machine.all_on_one && machine.allowed.size() == 1) {
      texts.push_back(fmt::format(
          "{}all {} ranks may use core {} alone, where they take turns: start with "
          "mpirun --bind-to none, or --bind-to core on as many cores as ranks",
          where, machine.ranks, *machine.allowed.begin()));
    } else if (machine.devices - machine.unpinned > machine.used.size()) {
      texts.push_back(fmt::format(
          "{}{} share {}: no faster than as many devices as cores", where,
          plural(machine.devices, "device"), plural(machine.used.size(), "core")));
    }
    if (machine.unpinned > 0)
      texts.push_back(fmt::format(
          "{}the system refused to pin {} to a core: others may take its cores from it",
          where, plural(machine.unpinned, "device thread")));
  }
  return texts;
}

}  // namespace drover
