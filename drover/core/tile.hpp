// The tile: 64 walkers, aligned to the global walker index; the unit of placement, of work
// and of rounding. Per-walker numbers are stored walker-innermost: [component][64].
#pragma once

#include <cstdint>

namespace drover {

inline constexpr int tile_walkers = 64;

constexpr std::int64_t tile_count(std::int64_t walkers) {
  return (walkers + tile_walkers - 1) / tile_walkers;
}

}  // namespace drover
