// The pieces of an error bar put together. Statistical bounds as in statistics_test.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "chains.hpp"
#include "drover/core/error.hpp"
#include "drover/vmc/statistics.hpp"

namespace drover {
namespace {

using testing::ar1;
using testing::one_in_a_million;

MeasuredEnergies measure(std::mt19937_64& random, int walkers, std::size_t steps,
                         double phi) {
  MeasuredEnergies measured;
  measured.series.assign(steps, -76.0);
  measured.walkers.shift = -76.0;
  Moments all;
  for (int w = 0; w < walkers; ++w) {
    const auto x = ar1(random, phi, steps);
    double sum = 0.0;
    for (std::size_t t = 0; t < steps; ++t) {
      measured.series[t] += x[t] / walkers;
      sum += x[t];
      all.add(x[t]);
    }
    measured.walkers.add(sum, static_cast<double>(steps));
    const std::size_t length = steps / 2;
    for (std::size_t h : {std::size_t{0}, length}) {
      Moments half;
      for (std::size_t t = h; t < h + length; ++t) half.add(x[t]);
      measured.half_chains.add(static_cast<double>(length), half.mean, half.m2);
    }
  }
  measured.variance = all.variance();
  return measured;
}

TEST(Combine, QuotesTheWalkersSpreadAndItsInefficiency) {
  std::mt19937_64 random(23);
  const EnergyStatistics s = combine(measure(random, 512, 512, 0.8));
  EXPECT_TRUE(s.error_known);
  EXPECT_TRUE(s.plateau_reached);
  EXPECT_TRUE(s.warnings.empty());
  EXPECT_NEAR(s.energy, -76.0, one_in_a_million * s.error);
  // tau = 9 less the finite chains' end effect tau^2/(2n); the spread of 512 walkers
  // knows its square to sqrt(2/512) = 6 %.
  EXPECT_NEAR(s.tau, 9.0, 9.0 * (0.02 + one_in_a_million * 0.0625));
  EXPECT_NEAR(s.effective_samples, 512 * 512 / s.tau, 1e-6);
  EXPECT_NEAR(s.error_blocking, s.error, 0.6 * s.error);
  // sqrt(1 + 8/256), its excess known to the 4.4 % of 1024 half means' variance.
  EXPECT_NEAR(s.r_hat, 1.0155, one_in_a_million * 0.044 * 0.018);
  RunResult result;
  fill(result, s);
  EXPECT_EQ(result.error, s.error);
  EXPECT_EQ(result.blocking.size(), s.levels.size());
}

TEST(Combine, OfOneWalkerUsesBlockingAndSaysIfItHasNotConverged) {
  std::mt19937_64 random(29);
  const EnergyStatistics s = combine(measure(random, 1, 4096, 0.5));
  EXPECT_TRUE(s.plateau_reached);
  EXPECT_EQ(s.error, s.error_blocking);
  const EnergyStatistics slow = combine(measure(random, 1, 128, 0.999));
  ASSERT_FALSE(slow.plateau_reached);
  ASSERT_FALSE(slow.warnings.empty());
  EXPECT_NE(slow.warnings[0].find("has not converged"), std::string::npos);
}

TEST(Combine, OfOneEnergyHasNoErrorBarAndSaysSo) {
  MeasuredEnergies measured;
  measured.series = {-1.5};
  measured.walkers.add(-1.5, 1.0);
  const EnergyStatistics s = combine(measured);
  EXPECT_EQ(s.energy, -1.5);
  EXPECT_FALSE(s.error_known);
  EXPECT_EQ(s.tau, 1.0);
  ASSERT_EQ(s.warnings.size(), 2u);
  EXPECT_NE(s.warnings[0].find("no error bar"), std::string::npos);
}

TEST(Combine, OfAnExactWaveFunctionHasZeroError) {
  MeasuredEnergies measured;
  measured.series.assign(16, -0.5);
  measured.walkers.shift = -0.5;
  for (int w = 0; w < 64; ++w) {
    measured.walkers.add(0.0, 16.0);
    measured.half_chains.add(8.0, 0.0, 0.0);
    measured.half_chains.add(8.0, 0.0, 0.0);
  }
  const EnergyStatistics s = combine(measured);
  EXPECT_EQ(s.energy, -0.5);
  EXPECT_EQ(s.error, 0.0);
  EXPECT_EQ(s.tau, 1.0);
  EXPECT_EQ(s.r_hat, 1.0);
  EXPECT_EQ(s.effective_samples, 1024.0);
}

TEST(Combine, WarnsWhenWalkersDriftTogether) {
  std::mt19937_64 random(31);
  MeasuredEnergies measured = measure(random, 256, 1024, 0.2);
  // A drift common to all walkers leaves their spread alone.
  for (std::size_t t = 0; t < measured.series.size(); ++t) {
    measured.series[t] += 0.3 * static_cast<double>(t) / 1024.0;
  }
  const EnergyStatistics s = combine(measured);
  ASSERT_FALSE(s.warnings.empty());
  EXPECT_NE(s.warnings[0].find("disagree"), std::string::npos);
  EXPECT_NE(s.warnings[0].find("still drift together"), std::string::npos);
}

// Short runs have few blocks, whose error is often far too small by chance. Two bounds of
// four standard deviations at each of five block lengths: 0.1 false alarms in 400 runs.
TEST(Combine, IsQuietAboutShortRunsOfIndependentEnergies) {
  std::mt19937_64 random(77);
  int warned = 0;
  for (int run = 0; run < 400; ++run)
    warned += combine(measure(random, 256, 32, 0.0)).warnings.empty() ? 0 : 1;
  EXPECT_LE(warned, 1);
}

TEST(Combine, WarnsWhenWalkersKeepToDifferentRegions) {
  std::mt19937_64 random(32);
  MeasuredEnergies measured = measure(random, 256, 1024, 0.0);
  measured.walkers.sum2 *= 4;
  const EnergyStatistics s = combine(measured);
  ASSERT_FALSE(s.warnings.empty());
  EXPECT_NE(s.warnings[0].find("keep to different regions (measure longer)"),
            std::string::npos);
}

TEST(Combine, RefusesNothingAndNotANumber) {
  EXPECT_THROW(combine({}), Error);
  MeasuredEnergies measured;
  measured.walkers.add(1.0, 1.0);
  measured.series = {std::numeric_limits<double>::quiet_NaN()};
  EXPECT_THROW(combine(measured), Error);
}

}  // namespace
}  // namespace drover
