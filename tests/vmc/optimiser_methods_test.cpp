// Steps of the optimisation methods against known numbers and exact small problems.
#include "drover/vmc/optimiser_methods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "drover/core/error.hpp"

namespace drover {
namespace {

using Samples = std::vector<std::vector<double>>;

OptimiserMoments moments_of(MomentSet set, const std::vector<double>& energies,
                            const Samples& log_slopes, const Samples& energy_slopes = {},
                            double shift = 0.0) {
  const auto& some = log_slopes.empty() ? energy_slopes : log_slopes;
  OptimiserSums sums(set, static_cast<std::int64_t>(some[0].size()), shift);
  for (std::size_t i = 0; i < energies.size(); ++i) {
    sums.add(
        energies[i],
        log_slopes.empty() ? std::span<const double>{} : std::span(log_slopes[i]),
        energy_slopes.empty() ? std::span<const double>{} : std::span(energy_slopes[i]));
  }
  return central_moments(sums);
}

const Samples four_slopes = {{1, 0}, {0, 1}, {2, 3}, {1, 4}};
const std::vector<double> four_energies = {1, 2, 3, 6};

StepLimits without_limits() {
  StepLimits limits;
  limits.relative = 0.0;
  limits.absolute = 0.0;
  limits.trust_radius = 0.0;
  return limits;
}

TEST(CentralMoments, OfFourSamplesAreExact) {
  const auto m = moments_of(MomentSet::sr(), four_energies, four_slopes);
  EXPECT_EQ(m.o_mean, (std::vector<double>{1, 2}));
  EXPECT_EQ(m.energy, 3.0);
  EXPECT_EQ(m.variance, 3.5);
  EXPECT_EQ(m.overlap, (std::vector<double>{0.5, 0.5, 0.5, 2.5}));
  // Half of g = (1/2, 11/2).
  EXPECT_EQ(m.energy_log, (std::vector<double>{0.25, 2.75}));
}

TEST(CentralMoments, AreCentralAndDoNotKnowTheShift) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  const MomentSet all = MomentSet::all();
  std::vector<double> e;
  Samples o, de;
  for (int i = 0; i < 50; ++i) {
    o.push_back({normal(random), 3.0 + normal(random)});
    de.push_back({normal(random), 1.0 + normal(random)});
    e.push_back(normal(random) + o.back()[0]);
  }
  const auto m = moments_of(all, e, o, de);
  std::vector<double> deep = e;
  for (double& x : deep) x -= 1e4;
  const auto s = moments_of(all, deep, o, de, -1e4);
  // -1e4 itself rounds the energies at 1e-12.
  EXPECT_NEAR(s.variance, m.variance, 1e-10);
  for (std::size_t kl = 0; kl < 4; ++kl) {
    double direct = 0.0, cross = 0.0;
    for (std::size_t i = 0; i < 50; ++i) {
      const double ok = o[i][kl / 2] - m.o_mean[kl / 2];
      const double ol = o[i][kl % 2] - m.o_mean[kl % 2];
      direct += (e[i] - m.energy) * ok * ol / 50.0;
      cross += ok * (de[i][kl % 2] - m.de_mean[kl % 2]) / 50.0;
    }
    EXPECT_NEAR(m.energy_overlap[kl], direct, 1e-13);
    EXPECT_NEAR(s.energy_overlap[kl], direct, 1e-10);
    EXPECT_NEAR(m.log_slope[kl], cross, 1e-13);
  }
  std::vector<double> numbers = {7.0};
  append(numbers, m);
  std::span<const double> rest = std::span(numbers).subspan(1);
  const auto back = take_moments(rest);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(back.energy_overlap, m.energy_overlap);
  EXPECT_EQ(back.slope_slope, m.slope_slope);
  std::span<const double> cut = std::span(numbers).subspan(1, 20);
  EXPECT_THROW(take_moments(cut), Error);
}

TEST(CentralMoments, RefuseNothingAndNotANumber) {
  EXPECT_THROW(central_moments(OptimiserSums(MomentSet::sr(), 2, 0.0)), Error);
  OptimiserSums sums(MomentSet::sr(), 1, 0.0);
  const std::vector<double> nan = {std::numeric_limits<double>::quiet_NaN()};
  sums.add(1.0, nan, {});
  try {
    central_moments(sums);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_EQ(error.where().component, "O");
  }
}

TEST(StochasticReconfiguration, OfFourSamplesGivesTheKnownDirection) {
  const auto m = moments_of(MomentSet::sr(), four_energies, four_slopes);
  const auto d = sr_direction(m, 0.0, 0.5);
  EXPECT_NEAR(d[0], -5.0 / 22.0, 1e-15);
  EXPECT_NEAR(d[1], 21.0 / 22.0, 1e-15);
  StepLimits limits = without_limits();
  limits.absolute = 0.5;
  const ParameterStep step = sr_step(m, 0.1, limits);
  EXPECT_NEAR(step.change[0], 0.5 / 22.0, 1e-15);
  EXPECT_NEAR(step.change[1], -2.1 / 22.0, 1e-15);
  EXPECT_NEAR(step.predicted, 0.5 * step.change[0] + 5.5 * step.change[1], 1e-15);
}

TEST(StochasticReconfiguration, WithMomentumIsSpring) {
  const auto m = moments_of(MomentSet::sr(), four_energies, four_slopes);
  const std::vector<double> previous = {1, -1};
  const auto d = sr_direction(m, 0.0, 0.5, 0.5, previous);
  EXPECT_NEAR(d[0], 1.0 / 11.0, 1e-15);
  EXPECT_NEAR(d[1], 9.0 / 11.0, 1e-15);
  EXPECT_THROW(sr_direction(m, 0.0, 0.5, 0.5, {}), Error);
}

TEST(StochasticReconfiguration, BySamplesGivesTheSameDirection) {
  const std::vector<double> rows = {1, 0, 0, 1, 2, 3, 1, 4};
  const auto d = min_sr_direction(rows, four_energies, 2, 0.5);
  EXPECT_NEAR(d[0], -5.0 / 22.0, 1e-15);
  EXPECT_NEAR(d[1], 21.0 / 22.0, 1e-15);
  const std::vector<double> previous = {1, -1};
  const auto s = min_sr_direction(rows, four_energies, 2, 0.5, 0.5, previous);
  EXPECT_NEAR(s[0], 1.0 / 11.0, 1e-15);
  EXPECT_NEAR(s[1], 9.0 / 11.0, 1e-15);
  EXPECT_THROW(min_sr_direction(rows, four_energies, 3, 0.5), Error);
}

TEST(StochasticReconfiguration, StaysWithinTheTrustRadius) {
  const auto m = moments_of(MomentSet::sr(), four_energies, four_slopes);
  StepLimits limits = without_limits();
  limits.trust_radius = 0.01;
  const ParameterStep step = sr_step(m, 1.0, limits);
  EXPECT_NEAR(step.norm, 0.01, 1e-15);
  EXPECT_LT(step.predicted, 0.0);
}

// psi = sum of oscillator states 0, 2, 4 with coefficients 1, p_0, p_1 (omega 1), at
// arbitrary points: an exact wave function lies in the span, at p = 0.
OptimiserMoments oscillator_states(const std::vector<double>& p, int samples) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-2.0, 2.0);
  std::vector<double> e;
  Samples o, de;
  const std::vector<double> level = {0.5, 2.5, 4.5};
  for (int i = 0; i < samples; ++i) {
    const double x = uniform(random);
    const std::vector<double> h = {1.0, 2.0 * x * x - 1.0,
                                   (4.0 * x * x - 12.0) * x * x + 3.0};
    const double psi = h[0] + p[0] * h[1] + p[1] * h[2];
    const double energy =
        (level[0] * h[0] + level[1] * p[0] * h[1] + level[2] * p[1] * h[2]) / psi;
    e.push_back(energy);
    o.push_back({h[1] / psi, h[2] / psi});
    de.push_back({h[1] / psi * (level[1] - energy), h[2] / psi * (level[2] - energy)});
  }
  return moments_of(MomentSet::linear_method(), e, o, de, 0.5);
}

TEST(LinearMethod, FindsAnExactStateInItsSpanFromAFewArbitrarySamples) {
  // Strong zero variance: 12 samples that do not even follow |psi|^2 point exactly at it.
  const std::vector<double> p = {0.02, -0.03};
  const ParameterStep step = linear_step(oscillator_states(p, 12), 0.0, without_limits());
  EXPECT_NEAR(step.change[0] / step.change[1], p[0] / p[1], 1e-9);
  EXPECT_LT(step.change[0], 0.0);
  EXPECT_EQ(step.shift, 0.0);
}

TEST(LinearMethod, WithALargeShiftIsStochasticReconfiguration) {
  const auto m = oscillator_states({0.02, -0.03}, 200);
  StepLimits limits = without_limits();
  limits.absolute = 0.01;
  const double shift = 1e6;
  const ParameterStep linear = linear_step(m, shift, limits);
  const ParameterStep sr = sr_step(m, 1.0 / shift, limits);
  for (std::size_t k = 0; k < 2; ++k) {
    // Corrections are of the order (H / shift).
    EXPECT_NEAR(linear.change[k], sr.change[k], 1e-4 * std::abs(sr.change[k]));
  }
}

TEST(LinearMethod, RaisesTheShiftUntilTheStepIsWithinTheTrustRadius) {
  const auto m = oscillator_states({0.3, -0.2}, 500);
  StepLimits limits = without_limits();
  limits.trust_radius = 0.05;
  const ParameterStep step = linear_step(m, 1e-3, limits);
  EXPECT_LE(step.norm, 0.05);
  EXPECT_GT(step.norm, 0.01);  // factors of four in the shift overshoot no further
  EXPECT_GT(step.shift, 1e-3);
}

// E = e0 + sum p_k f_k over fixed samples: Gauss-Newton without damping is exact.
OptimiserMoments linear_energies(const std::vector<double>& p, double duplicate_scale) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> e;
  Samples de;
  for (int i = 0; i < 400; ++i) {
    const double a = normal(random), b = normal(random), rest = 0.1 * normal(random);
    const std::vector<double> f = {a, a + 0.5 * b, duplicate_scale * a, 0.0, 5.0};
    double energy = -76.0 + 3.0 * a - 2.0 * b + rest;
    for (std::size_t k = 0; k < f.size(); ++k) energy += p[k] * f[k];
    e.push_back(energy);
    de.push_back(f);
  }
  return moments_of(MomentSet::gauss_newton(), e, {}, de, -76.0);
}

TEST(GaussNewton, SolvesALinearProblemInOneStepWithSingularDirections) {
  // Parameter 2 repeats parameter 0 in another unit, 3 does nothing, 4 shifts all
  // energies alike: no variance.
  const auto m = linear_energies({0, 0, 0, 0, 0}, 1e3);
  const ParameterStep step = gauss_newton_step(m, 0.0, without_limits());
  EXPECT_EQ(step.held, (std::vector<std::int64_t>{3, 4}));
  EXPECT_EQ(step.change[3], 0.0);
  EXPECT_EQ(step.change[4], 0.0);
  const auto after = linear_energies(step.change, 1e3);
  EXPECT_NEAR(after.variance, m.variance + step.predicted, 1e-9);
  EXPECT_LT(after.variance, 0.012);  // 0.1^2 is left, within 400 samples' noise
  // The repeated parameters share the work evenly in their own units.
  EXPECT_NEAR(step.change[0], 1e3 * step.change[2], 1e-6);
}

TEST(GaussNewton, HoldsFrozenParametersAndTheTrustRadius) {
  const auto m = linear_energies({0, 0, 0, 0, 0}, 1.0);
  StepLimits limits = without_limits();
  limits.trust_radius = 0.25;
  limits.frozen = {0, 1, 0, 0, 0};
  const ParameterStep step = gauss_newton_step(m, 1e-3, limits);
  EXPECT_EQ(step.change[1], 0.0);
  EXPECT_NEAR(step.norm, 0.25, 1e-12);
  EXPECT_LT(step.predicted, 0.0);
}

TEST(Steps, KeepEachParameterWithinItsLargestChange) {
  const auto m = linear_energies({0, 0, 0, 0, 0}, 1e-3);
  StepLimits limits = without_limits();
  limits.largest_change = {0.5, 100.0, 0.5, 1.0, 1.0};
  const ParameterStep step = gauss_newton_step(m, 1e-3, limits);
  EXPECT_LE(std::abs(step.change[0]), 0.5);
  EXPECT_LE(std::abs(step.change[2]), 0.5);
  EXPECT_FALSE(step.limited.empty());
  EXPECT_LT(step.predicted, 0.0);
}

TEST(Steps, HoldARangeWhoseCoefficientIsNearlyZeroForThisStepOnly) {
  // E = a (c f(b) ...): with c = 1e-5 the range b has slopes of 1e-5 and would run off.
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  for (double c : {1e-5, 0.1}) {
    std::vector<double> e;
    Samples o, de;
    for (int i = 0; i < 1000; ++i) {
      const double x = normal(random), y = normal(random);
      e.push_back(normal(random));
      o.push_back({x, c * y});
      de.push_back({x, c * y});
    }
    const StepLimits limits;
    const auto sr = sr_step(moments_of(MomentSet::sr(), e, o), 1.0, limits);
    const auto gn =
        gauss_newton_step(moments_of(MomentSet::gauss_newton(), e, {}, de), 1e-3, limits);
    for (const auto& step : {sr, gn}) {
      if (c < 1e-4) {
        EXPECT_EQ(step.held, (std::vector<std::int64_t>{1}));
        EXPECT_EQ(step.change[1], 0.0);
      } else {
        EXPECT_TRUE(step.held.empty());
        EXPECT_NE(step.change[1], 0.0);
      }
      EXPECT_NE(step.change[0], 0.0);
    }
  }
}

TEST(Steps, WithoutVarianceOrParametersProposeNoChange) {
  const std::vector<double> constant(4, -0.5);
  const MomentSet all = MomentSet::all();
  const Samples zero(4, std::vector<double>{0, 0});
  const auto exact = moments_of(all, constant, four_slopes, zero, -0.5);
  const auto empty = central_moments([&] {
    OptimiserSums sums(all, 0, 0.0);
    sums.add(1.0, {}, {});
    sums.add(2.0, {}, {});
    return sums;
  }());
  const auto none = moments_of(all, four_energies, zero, zero);
  for (const auto* m : {&exact, &empty, &none}) {
    for (const auto& step : {sr_step(*m, 0.1, {}), linear_step(*m, 0.1, {}),
                             gauss_newton_step(*m, 0.1, {})}) {
      EXPECT_EQ(step.change,
                std::vector<double>(static_cast<std::size_t>(m->parameters)));
      EXPECT_EQ(step.norm, 0.0);
    }
  }
}

TEST(Steps, RefuseMomentsThatAreNotNumbersOrWereNotSummed) {
  auto m = moments_of(MomentSet::sr(), four_energies, four_slopes);
  EXPECT_THROW(linear_step(m, 0.1, {}), Error);
  EXPECT_THROW(gauss_newton_step(m, 0.1, {}), Error);
  StepLimits wrong;
  wrong.frozen = {1};
  EXPECT_THROW(sr_step(m, 0.1, wrong), Error);
  m.overlap[1] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(sr_step(m, 0.1, {}), Error);
}

TEST(Steps, WithMoreParametersThanSamplesStayFinite) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> e;
  Samples o, de;
  for (int i = 0; i < 8; ++i) {
    e.push_back(normal(random));
    o.emplace_back();
    de.emplace_back();
    for (int k = 0; k < 20; ++k) {
      o.back().push_back(normal(random));
      de.back().push_back(normal(random));
    }
  }
  const auto m = moments_of(MomentSet::all(), e, o, de);
  for (const auto& limits : {StepLimits{}, without_limits()}) {
    for (const auto& step : {sr_step(m, 0.1, limits), linear_step(m, 0.1, limits),
                             gauss_newton_step(m, 1e-2, limits)}) {
      for (double x : step.change) EXPECT_TRUE(std::isfinite(x));
    }
  }
  // The N x N form and the P x P form agree where the first is meant.
  std::vector<double> rows;
  for (const auto& row : o) rows.insert(rows.end(), row.begin(), row.end());
  const auto large = sr_direction(m, 0.0, 0.01);
  const auto small = min_sr_direction(rows, e, 20, 0.01);
  for (std::size_t k = 0; k < 20; ++k) EXPECT_NEAR(large[k], small[k], 1e-11);
}

}  // namespace
}  // namespace drover
