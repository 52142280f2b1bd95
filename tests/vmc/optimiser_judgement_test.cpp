// How the optimiser judges a trial: what it accepts, reverts, calls best and says.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "drover/core/error.hpp"
#include "drover/vmc/optimiser.hpp"
#include "tests/vmc/optimiser_models.hpp"

namespace drover {
namespace {

// An optimiser of one oscillator that has judged its start and proposed.
struct Started {
  OptimiserSettings settings = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser{settings, {2.0}};
  OptimiserMoments moments = average(settings.moments(), oscillators({1.0})({2.0}));

  Started() {
    optimiser.judge({0.625, 0.001, 0.3, 0.01, 1000, 0}, moments);
    optimiser.propose();
  }
  Verdict judge(double energy, double error, double variance = 0.3,
                std::int64_t nonfinite = 0) {
    return optimiser.judge({energy, error, variance, 0.01, 1000 - nonfinite, nonfinite},
                           moments);
  }
};

TEST(Judgement, AcceptsALowerEnergyInWords) {
  Started s;
  const double shift = s.optimiser.shift();
  const Verdict verdict = s.judge(0.6127, 0.001);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.reason, "accepted: energy fell by 12.3(14) mHa");
  EXPECT_LT(s.optimiser.shift(), shift);
  EXPECT_EQ(s.optimiser.base(), s.optimiser.trial());
  EXPECT_EQ(s.optimiser.best(), s.optimiser.trial());
}

TEST(Judgement, RevertsAHigherEnergyAndShrinks) {
  Started s;
  const double shift = s.optimiser.shift(), radius = s.optimiser.radius();
  const Verdict verdict = s.judge(0.6300, 0.001);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_EQ(verdict.reason.find("reverted: energy rose by 5.0(14) mHa; next step"), 0u);
  EXPECT_GT(s.optimiser.shift(), shift);
  EXPECT_LT(s.optimiser.radius(), radius);
  EXPECT_EQ(s.optimiser.trial(), std::vector<double>{2.0});
  const Proposal again = s.optimiser.propose();
  EXPECT_LE(again.norm, s.optimiser.radius());
}

TEST(Judgement, AcceptsARiseWithinTheNoiseWithoutCallingItBest) {
  Started s;
  const Verdict verdict = s.judge(0.6270, 0.001);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.reason, "accepted: energy rose by 2.0(14) mHa");
  EXPECT_EQ(s.optimiser.best(), std::vector<double>{2.0});
  EXPECT_NE(s.optimiser.base(), s.optimiser.best());
}

TEST(Judgement, StopsASlowClimbAtTheBest) {
  // Rises of 2.5 errors each: every one passes for noise beside the one before.
  Started s;
  double energy = 0.625;
  Verdict verdict;
  int accepted = 0;
  do {
    energy += 2.5 * std::sqrt(2.0) * 0.001;
    verdict = s.judge(energy, 0.001);
    accepted += verdict.accepted ? 1 : 0;
    if (verdict.accepted) s.optimiser.propose();
  } while (verdict.accepted && accepted < 10);
  EXPECT_EQ(accepted, 1);
  EXPECT_NE(verdict.reason.find("above the best so far; back to the best"),
            std::string::npos);
  EXPECT_EQ(s.optimiser.base(), std::vector<double>{2.0});
}

TEST(Judgement, RevertsWhatIsNotANumber) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const StepFigures& bad : {StepFigures{nan, 0.001, 0.3, 0.0, 1000, 0},
                                 StepFigures{0.5, nan, 0.3, 0.0, 1000, 0},
                                 StepFigures{0.5, 0.001, nan, 0.0, 1000, 0},
                                 StepFigures{0.0, 0.0, 0.0, 0.0, 0, 1000},
                                 StepFigures{0.5, 0.001, 0.3, 0.0, 900, 100}}) {
    Started s;
    const Verdict verdict = s.optimiser.judge(bad, s.moments);
    EXPECT_FALSE(verdict.accepted);
    EXPECT_EQ(verdict.reason.find("reverted: "), 0u);
    EXPECT_EQ(s.optimiser.best(), std::vector<double>{2.0});
  }
}

TEST(Judgement, RevertsAVarianceThatHidesTheEnergy) {
  Started s;
  const Verdict verdict = s.judge(0.62, 0.01, 3.0);
  EXPECT_FALSE(verdict.accepted);
  EXPECT_NE(verdict.reason.find("the variance grew 10.0-fold"), std::string::npos);
  Started clear;
  EXPECT_TRUE(clear.judge(0.5, 0.01, 3.0).accepted);
}

TEST(Judgement, StallsAfterSixRevertsAndTakesTheEnginesOwnWords) {
  Started s;
  for (int i = 0; i < 6; ++i) {
    EXPECT_FALSE(s.optimiser.stalled());
    const Verdict verdict = s.optimiser.reject("walkers lost");
    EXPECT_EQ(verdict.reason.find("reverted: walkers lost"), 0u);
    if (i < 5) s.optimiser.propose();
  }
  EXPECT_TRUE(s.optimiser.stalled());
}

TEST(Judgement, SamplesTheBaseAnewAfterThreeReverts) {
  // The walkers had not settled: the start's 0.625 was too low, every step is turned
  // down.
  Started s;
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(s.judge(0.65, 0.001).accepted);
    s.optimiser.propose();
  }
  EXPECT_EQ(s.optimiser.trial(), std::vector<double>{2.0});
  Optimiser resumed(s.settings, {0.0});
  resumed.restore(s.optimiser.state());
  const Verdict verdict = s.judge(0.651, 0.001);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.reason,
            "accepted: the same parameters sampled anew: energy rose by 26.0(14) mHa");
  EXPECT_EQ(resumed.judge({0.651, 0.001, 0.3, 0.01, 1000, 0}, s.moments).reason,
            verdict.reason);
  EXPECT_EQ(s.optimiser.best_figures().energy, 0.651);
  EXPECT_NE(s.optimiser.propose().parameters, std::vector<double>{2.0});
  EXPECT_TRUE(s.judge(0.64, 0.001).accepted);
}

TEST(Judgement, RefusesAStartWithoutEnergyAndCallsOutOfOrder) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser(settings, {2.0});
  EXPECT_THROW(optimiser.propose(), Error);
  EXPECT_THROW(optimiser.judge({0.0, 0.0, 0.0, 0.0, 0, 100}, {}), Error);
  Started s;
  EXPECT_TRUE(s.judge(0.6, 0.001).accepted);
  EXPECT_THROW(s.judge(0.6, 0.001), Error);
  EXPECT_THROW(s.optimiser.reject("twice"), Error);
  EXPECT_THROW(Optimiser(settings, {1.0, 2.0}, {1}), Error);
}

TEST(Judgement, AveragesThePointsOfTheFlatStretch) {
  Started s;
  EXPECT_FALSE(s.optimiser.propose_average());
  // A clear fall starts the stretch anew; of five points the newer three are averaged.
  std::vector<std::vector<double>> points;
  for (double energy : {0.6, 0.5999, 0.6001, 0.6, 0.5998}) {
    points.push_back(s.optimiser.trial());
    EXPECT_TRUE(s.judge(energy, 0.001).accepted);
    s.optimiser.propose();
  }
  const auto proposal = s.optimiser.propose_average();
  ASSERT_TRUE(proposal);
  EXPECT_NEAR(proposal->parameters[0], (points[2][0] + points[3][0] + points[4][0]) / 3.0,
              1e-14);
  Optimiser resumed(s.settings, {0.0});
  resumed.restore(s.optimiser.state());
  const Verdict verdict = s.judge(0.5999, 0.001);
  EXPECT_TRUE(verdict.accepted);
  EXPECT_EQ(verdict.reason.find("accepted the average of the last points: energy"), 0u);
  EXPECT_EQ(s.optimiser.result(), proposal->parameters);
  EXPECT_EQ(resumed.judge({0.65, 0.001, 0.3, 0.01, 1000, 0}, s.moments).accepted, false);
  EXPECT_EQ(resumed.result(), resumed.best());
}

}  // namespace
}  // namespace drover
