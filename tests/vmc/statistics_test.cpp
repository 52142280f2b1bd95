// Error bars: exact small cases, and synthetic chains of known correlation over many
// seeds. Statistical bounds are two-sided with a false-alarm rate of 1e-6 (4.9 standard
// deviations of a normal number).
#include "drover/vmc/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "chains.hpp"

namespace drover {
namespace {

using testing::ar1;
using testing::one_in_a_million;

// Bounds of the average of n squared normal numbers.
double low(int n) {
  return 1.0 - one_in_a_million * std::sqrt(2.0 / n);
}
double high(int n) {
  return 1.0 + one_in_a_million * std::sqrt(2.0 / n);
}

TEST(Moments, MergeLikeOneSeries) {
  Moments a, b;
  for (double x : {1.0, 2.0, 3.0}) a.add(x);
  for (double x : {4.0, 6.0}) b.add(x);
  a.merge(b);
  EXPECT_EQ(a.count, 5);
  EXPECT_DOUBLE_EQ(a.mean, 3.2);
  EXPECT_DOUBLE_EQ(a.m2, 14.8);
  Moments empty;
  empty.merge(a);
  EXPECT_EQ(empty.count, 5);
  a.merge(Moments{});
  EXPECT_EQ(a.count, 5);
}

TEST(Moments, KeepASmallSpreadOnALargeEnergy) {
  Moments all, left, right;
  long double sum = 0.0L, sum2 = 0.0L;
  std::vector<float> energies;
  for (int i = 0; i < 65536; ++i) {
    energies.push_back(-1e4f + (static_cast<float>(i) / 65535.0f - 0.5f));
    sum += static_cast<long double>(energies.back()) + 1e4L;
  }
  const long double mean = sum / 65536.0L;
  for (float e : energies) {
    const long double d = static_cast<long double>(e) + 1e4L - mean;
    sum2 += d * d;
    all.add(e);
    (all.count % 3 == 0 ? left : right).add(e);
  }
  left.merge(right);
  const double exact = static_cast<double>(sum2 / 65536.0L);
  EXPECT_NEAR(all.variance(), exact, 1e-6 * exact);
  EXPECT_NEAR(left.variance(), exact, 1e-6 * exact);
}

TEST(Blocking, OfTwoValuesIsHalfTheirDistance) {
  const std::vector<double> two = {1.0, 3.0};
  const auto levels = blocking(two);
  ASSERT_EQ(levels.size(), 1u);
  // Variance 1, divided by n - 1 = 1.
  EXPECT_DOUBLE_EQ(levels[0].error, 1.0);
  EXPECT_DOUBLE_EQ(levels[0].error_of_error, std::sqrt(0.5));
  EXPECT_FALSE(plateau(levels).reached);
}

TEST(Blocking, OfShortOrConstantSeries) {
  EXPECT_TRUE(blocking(std::vector<double>{}).empty());
  EXPECT_TRUE(blocking(std::vector<double>{7.0}).empty());
  EXPECT_FALSE(plateau({}).reached);
  const auto three = blocking(std::vector<double>{1.0, 2.0, 3.0});
  ASSERT_EQ(three.size(), 1u);
  EXPECT_EQ(three[0].blocks, 3);
  EXPECT_DOUBLE_EQ(three[0].error, std::sqrt(1.0 / 3.0));
  const auto constant = blocking(std::vector<double>(64, -76.0));
  ASSERT_EQ(constant.size(), 6u);
  const Plateau flat = plateau(constant);
  EXPECT_TRUE(flat.reached);
  EXPECT_EQ(flat.error, 0.0);
}

TEST(Blocking, OfAlternatingValuesVanishesFromTheSecondLevelOn) {
  std::vector<double> series;
  for (int i = 0; i < 16; ++i) series.push_back(i % 2 == 0 ? 1.0 : -1.0);
  const auto levels = blocking(series);
  ASSERT_EQ(levels.size(), 4u);
  EXPECT_DOUBLE_EQ(levels[0].error, std::sqrt(1.0 / 15.0));
  EXPECT_EQ(levels[1].error, 0.0);
  EXPECT_EQ(levels[1].block_length, 2);
  EXPECT_EQ(levels[1].blocks, 8);
}

TEST(Blocking, SaysWhenASeriesIsShorterThanItsCorrelations) {
  std::mt19937_64 random(5);
  const auto levels = blocking(ar1(random, 0.999, 256));
  EXPECT_FALSE(plateau(levels).reached);
}

TEST(Blocking, HasHonestErrorBarsAndNaiveOnesAreNot) {
  std::mt19937_64 random(11);
  const int seeds = 400;
  double z2 = 0.0, naive2 = 0.0;
  for (int s = 0; s < seeds; ++s) {
    const auto x = ar1(random, 0.8, 4096);
    Moments m;
    for (double v : x) m.add(v);
    const auto levels = blocking(x);
    const Plateau flat = plateau(levels);
    ASSERT_TRUE(flat.reached);
    z2 += m.mean * m.mean / (flat.error * flat.error) / seeds;
    naive2 += m.mean * m.mean / (levels[0].error * levels[0].error) / seeds;
  }
  // The plateau has some 64 blocks of 64 steps: its square is low by tau/64 = 14 %, and
  // 1/error^2 is high by 2/64 on average; hence up to 1.2 instead of 1.
  EXPECT_GT(z2, low(seeds));
  EXPECT_LT(z2, 1.2 * high(seeds));
  EXPECT_GT(naive2, 1.2 * high(seeds));  // the right value is tau = 9
}

TEST(AutocorrelationTime, OfKnownChains) {
  std::mt19937_64 random(3);
  for (double phi : {0.0, 0.5, 0.9, -0.5}) {
    const double tau = (1.0 + phi) / (1.0 - phi);
    Moments found;
    for (int s = 0; s < 32; ++s) found.add(autocorrelation_time(ar1(random, phi, 16384)));
    const double error = std::sqrt(found.sample_variance() / 32.0);
    // Geyer's window lets some noise in on top: 2 % of bias allowed.
    EXPECT_NEAR(found.mean, tau, one_in_a_million * error + 0.02 * tau) << phi;
    EXPECT_LT(error, 0.02 * tau + 0.002) << phi;
  }
}

TEST(AutocorrelationTime, OfShortOrConstantSeriesIsOne) {
  EXPECT_EQ(autocorrelation_time(std::vector<double>{}), 1.0);
  EXPECT_EQ(autocorrelation_time(std::vector<double>{1.0, 2.0, 3.0}), 1.0);
  EXPECT_EQ(autocorrelation_time(std::vector<double>(100, -76.1)), 1.0);
  std::vector<double> alternating;
  for (int i = 0; i < 64; ++i) alternating.push_back(i % 2 == 0 ? 1.0 : -1.0);
  EXPECT_GE(autocorrelation_time(alternating), 0.01);
}

TEST(WalkerSpread, OfEqualCountsIsTheErrorOfTheMeanOfMeans) {
  WalkerSums sums;
  sums.shift = -10.0;
  // Walkers' means 1, 2, 3, 6 above the shift from four energies each.
  for (double mean : {1.0, 2.0, 3.0, 6.0}) sums.add(4.0 * mean, 4.0);
  const auto spread = walker_spread(sums);
  ASSERT_TRUE(spread);
  EXPECT_DOUBLE_EQ(spread->mean, -7.0);
  // sum (m - 3)^2 = 14; 14 / (3 * 4).
  EXPECT_DOUBLE_EQ(spread->error, std::sqrt(14.0 / 12.0));
}

TEST(WalkerSpread, LeavesOutWalkersWithoutEnergiesAndNeedsTwo) {
  WalkerSums sums;
  EXPECT_FALSE(walker_spread(sums));
  sums.add(3.0, 2.0);
  sums.add(0.0, 0.0);
  EXPECT_EQ(sums.walkers, 1);
  EXPECT_FALSE(walker_spread(sums));
  sums.add(3.0, 2.0);
  const auto spread = walker_spread(sums);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->error, 0.0);
}

TEST(WalkerSpread, IsHonestWithUnequalCountsAndSlowChains) {
  std::mt19937_64 random(17);
  const int seeds = 400;
  double z2 = 0.0, naive2 = 0.0;
  for (int s = 0; s < seeds; ++s) {
    WalkerSums sums;
    double square = 0.0;
    for (int w = 0; w < 128; ++w) {
      const std::size_t length = 20 + random() % 100;
      const auto x = ar1(random, 0.8, length);
      double sum = 0.0;
      for (double v : x) {
        sum += v;
        square += v * v;
      }
      sums.add(sum, static_cast<double>(length));
    }
    const auto spread = walker_spread(sums);
    z2 += spread->mean * spread->mean / (spread->error * spread->error) / seeds;
    naive2 += spread->mean * spread->mean * sums.counted * sums.counted / square / seeds;
  }
  // Student's t of 127 degrees of freedom widens the variance by 1.6 %.
  EXPECT_GT(z2, low(seeds));
  EXPECT_LT(z2, 1.016 * high(seeds));
  EXPECT_GT(naive2, 1.016 * high(seeds));
}

TEST(SplitRHat, OfTheStandardExample) {
  const std::vector<std::vector<double>> chains = {{1, 2, 3, 4}, {2, 3, 4, 5}};
  // W = 1/2, half means 1.5 3.5 2.5 4.5 with variance 5/3: sqrt((1/4 + 5/3) / (1/2)).
  EXPECT_NEAR(*split_r_hat(chains), 1.9578900, 5e-8);
}

TEST(SplitRHat, OfStuckChainsIsHuge) {
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> chains = {ar1(random, 0.0, 100),
                                             ar1(random, 0.0, 100)};
  for (double& x : chains[1]) x += 100.0;
  EXPECT_GT(*split_r_hat(chains), 10.0);
  const std::vector<std::vector<double>> constant = {{0, 0, 0, 0}, {100, 100, 100, 100}};
  EXPECT_EQ(*split_r_hat(constant), 1e12);
}

TEST(SplitRHat, OfChainsThatForgetIsNearOne) {
  std::mt19937_64 random(2);
  std::vector<std::vector<double>> chains;
  for (int c = 0; c < 50; ++c) chains.push_back(ar1(random, 0.5, 2000));
  // sqrt(1 + (tau - 1)/n), tau 3, n 1000; 100 half means know their variance to 14 %.
  EXPECT_NEAR(*split_r_hat(chains), 1.001, one_in_a_million * 0.14 * 0.0015);
}

TEST(SplitRHat, IgnoresAShiftAndAllowsHalvesOfUnequalLength) {
  HalfChainSums equal, shifted;
  shifted.shift = -70.0;
  for (double mean : {0.1, -0.2, 0.4, 0.0}) {
    equal.add(10.0, mean, 9.0);
    shifted.add(10.0, mean + 70.0, 9.0);
  }
  // sum_means2 near 2e4 rounds at 4e-12, and V is 0.06.
  EXPECT_NEAR(*split_r_hat(equal), *split_r_hat(shifted), 1e-10);
  // Independent numbers, halves of 5 and 500: V = W <1/n> on average, so R-hat is 1.
  std::mt19937_64 random(9);
  HalfChainSums unequal;
  for (int j = 0; j < 4000; ++j) {
    const std::size_t n = j % 2 == 0 ? 5 : 500;
    Moments m;
    for (double x : ar1(random, 0.0, n)) m.add(x);
    unequal.add(static_cast<double>(n), m.mean, m.m2);
  }
  // V is about 0.1 with a relative error of sqrt(2 * 2 / 4000): R-hat^2 within 0.016.
  EXPECT_NEAR(*split_r_hat(unequal), 1.0, 0.008);
}

TEST(SplitRHat, NeedsFourEnergiesAndAcceptsConstants) {
  const std::vector<std::vector<double>> three = {{1, 2, 3}};
  EXPECT_FALSE(split_r_hat(three));
  const std::vector<std::vector<double>> constant = {{5, 5, 5, 5}};
  EXPECT_EQ(*split_r_hat(constant), 1.0);
}

TEST(WithError, ShowsTheErrorOnTheLastDigits) {
  EXPECT_EQ(with_error(-76.02676, 0.0013), "-76.0268(13)");
  EXPECT_EQ(with_error(-76.02676, 0.0004), "-76.0268(4)");
  EXPECT_EQ(with_error(12.34, 0.4), "12.3(4)");
  EXPECT_EQ(with_error(1234.0, 56.0), "1234(56)");
  EXPECT_EQ(with_error(-0.5, 0.0), "-0.5(0)");
}

}  // namespace
}  // namespace drover
