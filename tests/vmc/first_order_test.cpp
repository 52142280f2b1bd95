// First-order directions against numbers made by hand, and on a quadratic bowl.
#include "drover/vmc/first_order.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "drover/core/error.hpp"

namespace drover {
namespace {

using Vector = std::vector<double>;

TEST(FirstOrder, GradientDescentAddsTheMomentumOfEarlierGradients) {
  DirectionMemory memory;
  EXPECT_EQ(sgd_direction(Vector{1, -2}, 0.5, memory), (Vector{1, -2}));
  EXPECT_EQ(sgd_direction(Vector{4, 0}, 0.5, memory), (Vector{4.5, -1}));
  EXPECT_EQ(memory.updates, 2);
  DirectionMemory plain;
  sgd_direction(Vector{1, -2}, 0.0, plain);
  EXPECT_EQ(sgd_direction(Vector{4, 0}, 0.0, plain), (Vector{4, 0}));
}

TEST(FirstOrder, AdamBeginsWithASignAndWeighsByItsPowers) {
  // m = (1 - mu) g, v = (1 - beta2) g^2, both corrected: g / |g|.
  DirectionMemory memory;
  const Vector first = adam_direction(Vector{3, -0.5, 0}, 0.5, 0.75, memory);
  EXPECT_NEAR(first[0], 1.0, 1e-8);  // the 1e-8 beside |g|
  EXPECT_NEAR(first[1], -1.0, 3e-8);
  EXPECT_EQ(first[2], 0.0);
  // m = 1.5/2 + g/2, v = 9/4 * 3/4 + g^2/4 with g = 1; over 3/4 and 7/16.
  const Vector second = adam_direction(Vector{1, 0, 0}, 0.5, 0.75, memory);
  EXPECT_NEAR(second[0], (1.25 / 0.75) / std::sqrt((2.25 * 0.75 + 0.25) / (7.0 / 16.0)),
              1e-8);
}

TEST(FirstOrder, RmspropDividesByTheRunningSize) {
  DirectionMemory memory;
  EXPECT_NEAR(rmsprop_direction(Vector{-6}, 0.75, memory)[0], -1.0, 1e-8);  // v = 36
  // v = 36 * 3/4 + 4 * 1/4
  EXPECT_NEAR(rmsprop_direction(Vector{2}, 0.75, memory)[0], 2 / std::sqrt(28.0), 1e-8);
}

TEST(FirstOrder, LionGoesByTheSignOfTheBlend) {
  DirectionMemory memory;
  EXPECT_EQ(lion_direction(Vector{5, -1e-9, 0}, 0.5, 0.75, memory), (Vector{1, -1, 0}));
  EXPECT_EQ(memory.first, (Vector{1.25, -0.25e-9, 0}));
  // 1.25/2 - 1/2 > 0: the momentum outweighs the new gradient.
  EXPECT_EQ(lion_direction(Vector{-1, 0, 0}, 0.5, 0.75, memory), (Vector{1, -1, 0}));
}

// f = (x^2 + 10 y^2)/2 from (1, -1), with the rate falling to zero.
double bowl(const std::function<Vector(const Vector&, DirectionMemory&)>& direction,
            double rate) {
  DirectionMemory memory;
  Vector p = {1, -1};
  constexpr int steps = 400;
  for (int t = 0; t < steps; ++t) {
    const Vector d = direction({p[0], 10 * p[1]}, memory);
    const double eta = rate * schedule_factor(Schedule::cosine, t, steps);
    for (std::size_t k = 0; k < 2; ++k) p[k] -= eta * d[k];
  }
  return 0.5 * (p[0] * p[0] + 10 * p[1] * p[1]);
}

TEST(FirstOrder, FindsTheBottomOfABowl) {
  // From 5.5. Steps of lion and rmsprop are as long as the rate, so their end is as near
  // as the rate's: the last steps of the cosine are below 1e-5.
  using M = DirectionMemory;
  EXPECT_LT(bowl([](auto& g, M& m) { return sgd_direction(g, 0.9, m); }, 0.02), 1e-8);
  EXPECT_LT(bowl([](auto& g, M& m) { return adam_direction(g, 0.9, 0.999, m); }, 0.05),
            1e-8);
  EXPECT_LT(bowl([](auto& g, M& m) { return rmsprop_direction(g, 0.99, m); }, 0.05),
            1e-8);
  EXPECT_LT(bowl([](auto& g, M& m) { return lion_direction(g, 0.9, 0.99, m); }, 0.02),
            1e-5);
}

TEST(FirstOrder, SchedulesFallAsTheirFormulas) {
  EXPECT_EQ(schedule_factor(Schedule::constant, 7, 10), 1.0);
  EXPECT_EQ(schedule_factor(Schedule::inverse, 0, 10), 1.0);
  EXPECT_EQ(schedule_factor(Schedule::inverse, 30, 10), 0.25);
  EXPECT_EQ(schedule_factor(Schedule::cosine, 0, 10), 1.0);
  EXPECT_NEAR(schedule_factor(Schedule::cosine, 5, 10), 0.5, 1e-15);
  EXPECT_NEAR(schedule_factor(Schedule::cosine, 10, 10), 0.0, 1e-15);
  EXPECT_NEAR(schedule_factor(Schedule::cosine, 99, 10), 0.0, 1e-15);
}

TEST(FirstOrder, RefusesAMomentumOfOtherParameters) {
  DirectionMemory memory;
  sgd_direction(Vector{1, 2}, 0.9, memory);
  EXPECT_THROW(sgd_direction(Vector{1}, 0.9, memory), Error);
}

}  // namespace
}  // namespace drover
