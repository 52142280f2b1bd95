#include "drover/app/cautions.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

#include "drover/app/numbers.hpp"
#include "drover/core/error.hpp"
#include "drover/core/tile.hpp"
#include "drover/wave/term_registry.hpp"

namespace drover::app {

std::int64_t usable_memory() {
  std::int64_t memory = std::numeric_limits<std::int64_t>::max();
  const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page > 0) memory = std::int64_t{pages} * page;
  // Version 2 of control groups, then version 1; "max" is no number and no limit.
  for (const char* path :
       {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
    std::int64_t limit = 0;
    if (std::ifstream(path) >> limit && limit > 0) memory = std::min(memory, limit);
  }
  return memory;
}

std::vector<std::string> cautions(const RunHeader& header, const Settings& settings,
                                  const Molecule& molecule) {
  // What is printed with ten digits is orthonormal to 1e-9; one changed digit shows here.
  constexpr double hardly_orthonormal = 1e-6;
  std::vector<std::string> texts = header.crowding;
  if (header.devices > header.tiles)
    texts.push_back(fmt::format(
        "{} of {} devices have no walkers: {} make {}, and a device holds "
        "whole tiles of {}",
        header.devices - header.tiles, header.devices, counted(header.walkers, "walker"),
        counted(header.tiles, "tile"), tile_walkers));
  if (header.walkers < tile_walkers)
    texts.push_back(
        fmt::format("{} in a tile of {}: the rest of the tile is worked on "
                    "for nothing",
                    counted(header.walkers, "walker"), tile_walkers));
  if (!has_nuclear_cusp(settings.jastrow))
    texts.emplace_back(
        "Gaussian orbitals have no cusp at the nuclei and no Jastrow term gives them "
        "one: "
        "the variance is large");
  if (header.electrons > 1 && electron_cusp_carrier(settings.jastrow).empty())
    texts.emplace_back(
        "no Jastrow term carries the cusp where two electrons meet: the variance is "
        "large");
  const double deviation = molecule.proof.worst_overlap_deviation;
  if (deviation > hardly_orthonormal)
    texts.push_back(
        fmt::format("the orbitals are orthonormal only to {:.1e}: the wave function was "
                    "written with few digits, or was changed since",
                    deviation));
  return texts;
}

double peak_memory(const RunHeader& header, bool first_rank) {
  constexpr double copies = 3.0;
  const auto bytes = static_cast<double>(header.memory_bytes);
  const auto devices = static_cast<double>(header.devices);
  const double own =
      bytes * devices / static_cast<double>(std::max<std::int64_t>(header.ranks, 1));
  return own + (first_rank ? copies * bytes * devices : 0.0);
}

void refuse_too_large(const RunHeader& header, bool first_rank, std::int64_t memory) {
  const double needed = peak_memory(header, first_rank);
  if (needed <= static_cast<double>(memory)) return;
  throw Error(
      ErrorKind::input,
      fmt::format("sampling.walkers: {} walkers of {} electrons need {} of memory "
                  "while a checkpoint is written, this machine has {}; take "
                  "fewer walkers and measure longer",
                  header.walkers, header.electrons, bytes_text(needed),
                  bytes_text(static_cast<double>(memory))),
      {"", -1, "sampling.walkers", -1, ""});
}

}  // namespace drover::app
