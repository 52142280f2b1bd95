// The tape's kernels for x86-64-v3 (AVX2 and fma), 4 or 2 lanes.
#include "drover/ad/tile_kernels_sums.hpp"

namespace drover::tape {

const TileKernels& tile_kernels_v3(int lanes) {
  static constexpr TileKernels four = tile::table<4>("v3, 4 lanes");
  static constexpr TileKernels two = tile::table<2>("v3, 2 lanes");
  return lanes == 2 ? two : four;
}

}  // namespace drover::tape
