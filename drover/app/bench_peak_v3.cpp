// The multiply-add peak with AVX2; see bench_peak.hpp.
#include "drover/app/bench_peak_body.hpp"

namespace drover::app {

PeakLoop peak_loop_v3(int lanes) {
  if (lanes == 2) return peak_rounds<2>;
  if (lanes == 4) return peak_rounds<4>;
  return nullptr;
}

}  // namespace drover::app
