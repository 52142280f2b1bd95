// Mean and variance that may be collected piece by piece and merged.
//
// n, mean and M2 = sum (x - mean)^2; two pieces merge by
//   mean = mean_a + d n_b/n,  M2 = M2_a + M2_b + d^2 n_a n_b/n,  d = mean_b - mean_a
// (Chan, Golub and LeVeque, Am. Stat. 37 (1983) 242). Where bits must not depend on the
// order, collect sums of x - shift and of (x - shift)^2 in ExactSums instead and convert
// at the end; the shift is any value near the mean that all agree on.
#pragma once

#include <cstdint>

namespace drover {

struct Moments {
  std::int64_t count = 0;
  double mean = 0.0;
  double m2 = 0.0;

  void add(double x) {
    ++count;
    const double d = x - mean;
    mean += d / double(count);
    m2 += d * (x - mean);
  }

  void merge(const Moments& other) {
    if (other.count == 0) return;
    const std::int64_t n = count + other.count;
    const double d = other.mean - mean;
    const double share = double(other.count) / double(n);
    mean += d * share;
    m2 += other.m2 + d * d * double(count) * share;
    count = n;
  }

  // M2/n, of the numbers themselves; 0 for none.
  double variance() const { return count > 0 ? m2 / double(count) : 0.0; }
  // M2/(n-1), the unbiased estimate from a sample; 0 for fewer than two.
  double sample_variance() const { return count > 1 ? m2 / double(count - 1) : 0.0; }
};

// From n, sum (x - shift) and sum (x - shift)^2. The sums carry 64 bits, so that a
// variance survives a shift which is off by up to 1e4 standard deviations.
inline Moments moments_from_sums(std::int64_t count, double shift, long double sum,
                                 long double sum_of_squares) {
  if (count <= 0) return {};
  const long double mean = sum / (long double)(count);
  const long double m2 = sum_of_squares - sum * mean;
  return {count, double((long double)(shift) + mean), m2 > 0.0L ? double(m2) : 0.0};
}

}  // namespace drover
