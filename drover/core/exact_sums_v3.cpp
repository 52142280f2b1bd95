// The deposit of exact_sums.hpp for x86-64-v3.
#include "drover/core/exact_sums_kernel.hpp"

namespace drover {

DepositTally deposit_all_v3(const double* values, std::int64_t count, std::int64_t* a,
                            std::int64_t* b, std::int64_t* c) {
  return deposit_all<Pack<DROVER_ISA_LANES>>(values, count, a, b, c);
}

}  // namespace drover
