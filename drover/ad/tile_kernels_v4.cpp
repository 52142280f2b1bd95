// The tape's kernels for x86-64-v4 (AVX-512), 8 or 4 lanes.
#include "drover/ad/tile_kernels_sums.hpp"

namespace drover::tape {

const TileKernels& tile_kernels_v4(int lanes) {
  static constexpr TileKernels eight = tile::table<8>("v4, 8 lanes");
  static constexpr TileKernels four = tile::table<4>("v4, 4 lanes");
  return lanes == 4 ? four : eight;
}

}  // namespace drover::tape
