// The multiply-add peak with AVX-512; see bench_peak.hpp.
#include "drover/app/bench_peak_body.hpp"

namespace drover::app {

PeakLoop peak_loop_v4(int lanes) {
  if (lanes == 4) return peak_rounds<4>;
  if (lanes == 8) return peak_rounds<8>;
  return nullptr;
}

}  // namespace drover::app
