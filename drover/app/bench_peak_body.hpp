// What bench_peak_v3.cpp and _v4.cpp share; see bench_peak.hpp.
#pragma once

#include "drover/app/bench_peak.hpp"
#include "drover/core/pack.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Each chain tends to 1, far from overflow and from subnormal numbers.
template <int W>
double peak_rounds(std::int64_t rounds) {
  using R = Pack<W>;
  const R factor(0.5), addend(0.5);
  R chain[app::peak_chains];
  for (int k = 0; k < app::peak_chains; ++k) chain[k] = R(1.0 + 0.125 * k);
  for (std::int64_t i = 0; i < rounds; ++i)
    for (R& x : chain) x = fma(x, factor, addend);
  double sum = 0.0;
  for (const R& x : chain)
    for (int lane = 0; lane < W; ++lane) sum += x[lane];
  return sum;
}

}  // namespace DROVER_ISA
}  // namespace drover
