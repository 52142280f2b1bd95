#include "drover/ad/tile_kernels.hpp"

#include "drover/core/cpu.hpp"

namespace drover::tape {

const TileKernels& tile_kernels() {
  const int count = lanes();
  return instruction_set() == InstructionSet::v4 ? tile_kernels_v4(count)
                                                 : tile_kernels_v3(count);
}

}  // namespace drover::tape
