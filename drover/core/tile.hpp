// The tile: 64 walkers, aligned to the global walker index; the unit of placement, of
// work and of rounding. Per-walker numbers are stored walker-innermost: [component][64].
#pragma once

#include <cstdint>

#include "drover/core/isa.hpp"

namespace drover {

inline constexpr int tile_walkers = 64;

DROVER_INLINE constexpr std::int64_t tile_count(std::int64_t walkers) {
  return (walkers + tile_walkers - 1) / tile_walkers;
}

}  // namespace drover
