// The direction of stochastic reconfiguration by every route, on four samples whose
// answer is known by hand: O = [[1,0],[0,1],[2,3],[1,4]], E = [1,2,3,6], shift 1/2,
// d = (-5/22, 21/22); SPRING after (1, -1) with momentum 1/2: (1/11, 9/11).
#include "drover/vmc/optimiser_direction.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "drover/core/error.hpp"

namespace drover {
namespace {

using Vector = std::vector<double>;

const SampleRows four = {{1, 0, 0, 1, 2, 3, 1, 4}, {1, 2, 3, 6}, {1, 1, 1, 1}};

OptimiserMoments moments_of(const SampleRows& rows) {
  OptimiserSums sums({.log_slopes = true, .diagonal = true, .overlap = true}, 2, 0.0);
  for (std::size_t i = 0; i < rows.weights.size(); ++i)
    sums.add(rows.energies[i], std::span(rows.log_slopes).subspan(2 * i, 2), {},
             rows.weights[i]);
  return central_moments(sums);
}

StepSamples ask(const SampleRows& rows, int* products = nullptr) {
  return {[&rows, products](std::span<const double> v) {
            Vector sum(2, 0.0);
            double weight = 0.0;
            for (std::size_t i = 0; i < rows.weights.size(); ++i) {
              const double* o = rows.log_slopes.data() + 2 * i;
              const double y = rows.weights[i] * (o[0] * v[0] + o[1] * v[1]);
              weight += rows.weights[i];
              for (std::size_t k = 0; k < 2; ++k) sum[k] += o[k] * y;
            }
            for (double& x : sum) x /= weight;
            if (products) ++*products;
            return sum;
          },
          [&rows] { return rows; }};
}

DirectionSettings settings_of(OptimiseMethod method, bool by_samples = false) {
  DirectionSettings s;
  s.method = method;
  s.by_samples = by_samples;
  s.absolute = 0.5;
  s.momentum = method == OptimiseMethod::spring ? 0.5 : 0.0;
  return s;
}

const DirectionSettings routes[] = {
    settings_of(OptimiseMethod::sr_cg), settings_of(OptimiseMethod::min_sr, true),
    settings_of(OptimiseMethod::spring), settings_of(OptimiseMethod::spring, true)};

TEST(Direction, IsTheSameByEveryRoute) {
  for (const DirectionSettings& s : routes) {
    const Direction d = next_direction(s, moments_of(four), ask(four), {}, {});
    EXPECT_NEAR(d.step[0], -5.0 / 22.0, 1e-14);
    EXPECT_NEAR(d.step[1], 21.0 / 22.0, 1e-14);
    // d^T S d, S = [[1/2, 1/2], [1/2, 5/2]]
    EXPECT_NEAR(d.norm * d.norm, (0.5 * 25 - 105 + 2.5 * 441) / 484, 1e-13);
    EXPECT_EQ(d.memory.updates, 1);
  }
}

TEST(Direction, OfWeightedSamplesIsThatOfRepeatedOnes) {
  SampleRows weighted = four, repeated = four;
  weighted.weights = {1, 3, 0, 1};
  repeated.log_slopes = {1, 0, 0, 1, 0, 1, 0, 1, 1, 4};
  repeated.energies = {1, 2, 2, 2, 6};
  repeated.weights = {1, 1, 1, 1, 1};
  const Direction plain =
      next_direction(routes[2], moments_of(repeated), ask(repeated), {}, {});
  for (const DirectionSettings& s : routes) {
    const Direction d = next_direction(s, moments_of(weighted), ask(weighted), {}, {});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(d.step[k], plain.step[k], 1e-14);
    EXPECT_NEAR(d.norm, plain.norm, 1e-14);
  }
}

TEST(Direction, OfSpringKeepsItsMomentum) {
  for (const bool by_samples : {false, true}) {
    const auto s = settings_of(OptimiseMethod::spring, by_samples);
    const Direction d =
        next_direction(s, moments_of(four), ask(four), {}, {{1, -1}, {}, 3});
    EXPECT_NEAR(d.step[0], 1.0 / 11.0, 1e-14);
    EXPECT_NEAR(d.step[1], 9.0 / 11.0, 1e-14);
    EXPECT_EQ(d.memory.first, d.step);
    EXPECT_EQ(d.memory.updates, 4);
  }
}

TEST(Direction, LeavesFrozenParametersOut) {
  const std::vector<std::uint8_t> frozen = {1, 0};
  for (const DirectionSettings& s : routes) {
    const Direction d = next_direction(s, moments_of(four), ask(four), frozen, {});
    EXPECT_EQ(d.step[0], 0.0);
    EXPECT_NEAR(d.step[1], 2.75 / 3.0, 1e-14);  // cov(E, O_1) / (5/2 + 1/2)
    EXPECT_NEAR(d.norm, std::sqrt(2.5) * 2.75 / 3.0, 1e-14);
  }
  DirectionSettings adam = settings_of(OptimiseMethod::adam);
  adam.momentum = 0.9;
  adam.beta2 = 0.999;
  const Direction d = next_direction(adam, moments_of(four), {}, frozen, {});
  EXPECT_EQ(d.step[0], 0.0);
  EXPECT_NEAR(d.step[1], 1.0, 1e-8);
  EXPECT_NEAR(d.norm, 1.0, 1e-8);
}

TEST(Direction, TakesTheGradientOfTheObjective) {
  DirectionSettings sgd = settings_of(OptimiseMethod::sgd);
  const Direction d = next_direction(sgd, moments_of(four), {}, {}, {});
  EXPECT_EQ(d.step, (Vector{0.5, 5.5}));  // 2 cov(E, O)
}

TEST(Direction, OfAnExactWaveFunctionIsZero) {
  SampleRows exact = four;
  exact.energies = {-0.5, -0.5, -0.5, -0.5};
  for (const DirectionSettings& s : routes)
    EXPECT_EQ(next_direction(s, moments_of(exact), ask(exact), {}, {}).step,
              (Vector{0, 0}));
}

TEST(Direction, NeedsSamplesThatCanBeAsked) {
  EXPECT_THROW(next_direction(routes[0], moments_of(four), {}, {}, {}), Error);
  EXPECT_THROW(next_direction(routes[1], moments_of(four), {}, {}, {}), Error);
}

TEST(DirectionStep, IsCutToTheRadiusAndTheLargestChange) {
  const Direction d = {{3, -4}, 2.0, {}};
  StepLimits limits;
  limits.trust_radius = 0.5;
  const Vector gradient = {1, 1};
  ParameterStep step = direction_step(d, 0.1, gradient, limits);
  EXPECT_EQ(step.norm, 0.2);
  EXPECT_EQ(step.change, (Vector{-0.1 * 3, 0.1 * 4}));
  EXPECT_NEAR(step.predicted, 0.1, 1e-15);
  step = direction_step(d, 1.0, gradient, limits);
  EXPECT_EQ(step.change, (Vector{-0.75, 1.0}));
  EXPECT_EQ(step.norm, 0.5);
  limits.largest_change = {1.0, 0.5};
  step = direction_step(d, 1.0, gradient, limits);
  EXPECT_EQ(step.change, (Vector{-0.375, 0.5}));
  EXPECT_EQ(step.limited, std::vector<std::int64_t>{1});
  limits.frozen = {0, 1};
  step = direction_step(d, 1.0, gradient, limits);
  EXPECT_EQ(step.change, (Vector{-0.75, 0.0}));
}

TEST(ConjugateGradients, NeedAsManyProductsAsThereAreDirections) {
  int products = 0;
  next_direction(routes[0], moments_of(four), ask(four, &products), {}, {});
  EXPECT_EQ(products, 2);
  // A diagonal that is its own preconditioner needs one.
  const Vector diagonal = {2, 5}, shift = {1, 0}, right = {3, 10};
  const auto times = [&](std::span<const double> v) {
    return Vector{2 * v[0], 5 * v[1]};
  };
  const auto solved = conjugate_gradients(times, diagonal, shift, right, 1e-12, 20);
  EXPECT_EQ(solved.iterations, 1);
  EXPECT_EQ(solved.solution, (Vector{1, 2}));
  EXPECT_NEAR(solved.norm, std::sqrt(22.0), 1e-15);
}

TEST(ConjugateGradients, StopAtTheirLimitAndLiveWithASingularMatrix) {
  // [[1, 1], [1, 1]] x = (2, 2): the part without curvature stays zero.
  const Vector ones = {1, 1}, none = {0, 0}, right = {2, 2};
  const auto times = [](std::span<const double> v) {
    return Vector{v[0] + v[1], v[0] + v[1]};
  };
  const auto solved = conjugate_gradients(times, ones, none, right, 1e-12, 50);
  EXPECT_EQ(solved.solution, (Vector{1, 1}));
  const Vector tilted = {2, 1};
  EXPECT_EQ(conjugate_gradients(times, ones, none, tilted, 1e-12, 1).iterations, 1);
  const auto broken = [](std::span<const double>) { return Vector{NAN, 0}; };
  EXPECT_THROW(conjugate_gradients(broken, ones, none, right, 1e-12, 5), Error);
  EXPECT_THROW(conjugate_gradients(times, ones, none, Vector{1}, 1e-12, 5), Error);
}

}  // namespace
}  // namespace drover
