// core/moments.hpp: known values, merging, and a small variance on large energies.
#include "drover/core/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "drover/core/exact_sums.hpp"

namespace drover {
namespace {

TEST(Moments, two_pieces_merge_to_the_whole) {
  Moments a, b;
  for (double x : {1.0, 2.0, 3.0}) a.add(x);
  for (double x : {4.0, 6.0}) b.add(x);
  a.merge(b);
  EXPECT_EQ(a.count, 5);
  EXPECT_DOUBLE_EQ(a.mean, 3.2);
  EXPECT_DOUBLE_EQ(a.m2, 14.8);
  EXPECT_DOUBLE_EQ(a.variance(), 2.96);
  EXPECT_DOUBLE_EQ(a.sample_variance(), 3.7);
}

TEST(Moments, nothing_and_one_number_have_no_variance) {
  Moments none, one;
  one.add(7.0);
  none.merge(Moments{});
  EXPECT_EQ(none.count, 0);
  EXPECT_EQ(none.variance(), 0.0);
  EXPECT_EQ(one.sample_variance(), 0.0);
  none.merge(one);
  EXPECT_EQ(none.mean, 7.0);
  EXPECT_EQ(moments_from_sums(0, 3.0, 0, 0).count, 0);
}

// 65536 float energies near -1e4 with a variance near 1/12: exact arithmetic gives the
// true variance (every float here is a multiple of 2^-10).
TEST(Moments, a_small_variance_on_large_energies_comes_out_right) {
  const int n = 65536;
  std::vector<float> energies;
  __int128 sum = 0, squares = 0;  // of 1024 (e + 1e4)
  for (int i = 0; i < n; ++i) {
    const double h = -0.5 + (i + 0.5) / n;
    energies.push_back(float(-1e4 + h));
    const std::int64_t k =
        std::int64_t(std::lround((double(energies.back()) + 1e4) * 1024.0));
    ASSERT_EQ(double(k) / 1024.0 - 1e4, double(energies.back()));
    sum += k;
    squares += __int128(k) * k;
  }
  const double true_m2 =
      double((long double)(squares * n - sum * sum) / n / (1024.0L * 1024.0L));
  const double true_mean = double(-1e4L + (long double)(sum) / 1024.0L / n);
  for (double shift : {0.0, -9999.0, -10000.25}) {
    ExactSums s(2);
    for (float e : energies) {
      const double d = double(e) - shift;
      const double both[2] = {d, d * d};
      s.deposit(both, 2);
    }
    const Moments m = moments_from_sums(n, shift, s.value_long(0), s.value_long(1));
    EXPECT_NEAR(m.mean, true_mean, 1e-12 * 1e4) << shift;
    // 1e-6 relative, as asked; squares near 1e8 rounded to 1e-8 each would give 1e-9.
    EXPECT_NEAR(m.m2, true_m2, 1e-6 * true_m2) << shift;
    EXPECT_NEAR(m.variance(), 1.0 / 12.0, 1e-4) << shift;
  }
  // The naive way, for contrast: sums in float are off by orders of magnitude.
  float naive = 0.0f, naive_squares = 0.0f;
  for (float e : energies) naive += e, naive_squares += e * e;
  const float mean = naive / float(n);
  EXPECT_GT(std::fabs(naive_squares / float(n) - mean * mean), 100.0f / 12.0f);
}

}  // namespace
}  // namespace drover
