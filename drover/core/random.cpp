// The host-side check of what the Philox counter can hold (random.hpp).
#include "drover/core/random.hpp"

#include <string>

#include "drover/core/error.hpp"

namespace drover {

void check_draw_range(std::int64_t walkers, std::int64_t indices, int blocks_per_index) {
  if (walkers < 0 || walkers > max_walkers)
    throw Error(ErrorKind::input,
                "[random] the number of walkers does not fit the random number counter: "
                "expected 0 to 4294967296 (2^32), found " +
                    std::to_string(walkers) + "; use fewer walkers");
  if (blocks_per_index < 1 || indices < 0 ||
      indices > max_draw_blocks / std::int64_t{blocks_per_index})
    throw Error(ErrorKind::logic,
                "[random] too many draws for one step: expected at most " +
                    std::to_string(max_draw_blocks /
                                   (blocks_per_index < 1 ? 1 : blocks_per_index)) +
                    " indices of " + std::to_string(blocks_per_index) +
                    " block(s) each, found " + std::to_string(indices) +
                    "; spread the draws over more steps");
}

}  // namespace drover
