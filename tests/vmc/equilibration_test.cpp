// The equilibration judge and the step-size controller on synthetic series. Rates are
// counted over many seeds; their bounds are stated with the rule that is tested.
#include "drover/vmc/equilibration.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "drover/core/error.hpp"

namespace drover {
namespace {

struct Outcome {
  std::int64_t steps = 0;
  EquilibrationVerdict verdict;
};

// Feeds energy(t), variance(t) and noise until the judge has spoken.
template <class Energy, class Variance>
Outcome equilibrate(EquilibrationSettings settings, Energy energy, Variance variance,
                    double error) {
  EquilibrationJudge judge(settings);
  Outcome outcome;
  for (int t = 0; outcome.verdict.state == EquilibrationState::running; ++t) {
    outcome.verdict = judge.feed({energy(t), variance(t), error, 0.5});
  }
  outcome.steps = judge.steps();
  return outcome;
}

TEST(KendallS, CountsRisesLessFalls) {
  EXPECT_EQ(kendall_s(std::vector<double>{1, 2, 3, 4}), 6);
  EXPECT_EQ(kendall_s(std::vector<double>{4, 3, 2, 1}), -6);
  EXPECT_EQ(kendall_s(std::vector<double>{1, 1, 1}), 0);
  EXPECT_EQ(kendall_s(std::vector<double>{}), 0);
}

TEST(EquilibrationJudge, AcceptsAStationarySeriesSoon) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  int soon = 0;
  for (int s = 0; s < 200; ++s) {
    const Outcome o = equilibrate(
        {}, [&](int) { return -76.0 + 0.02 * normal(random); },
        [&](int) { return 2.0 + 0.1 * normal(random); }, 0.02);
    ASSERT_EQ(o.verdict.state, EquilibrationState::equilibrated);
    EXPECT_GE(o.steps, 40);
    soon += o.steps <= 400 ? 1 : 0;
  }
  // Each check fails by chance in 6 %; at least nine in ten must be through by 400 steps.
  EXPECT_GE(soon, 180);
}

TEST(EquilibrationJudge, AcceptsAConstantSeriesOfAnExactWaveFunction) {
  const Outcome o = equilibrate(
      {}, [](int) { return -0.5; }, [](int) { return 0.0; }, 0.0);
  EXPECT_EQ(o.verdict.state, EquilibrationState::equilibrated);
  EXPECT_EQ(o.steps, 40);  // 5/4 of min_steps
}

TEST(EquilibrationJudge, WaitsForARelaxingEnergy) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> normal;
  double worst = 0.0;
  for (int s = 0; s < 100; ++s) {
    const auto drift = [](double t) { return 3.0 * std::exp(-t / 60.0); };
    const Outcome o = equilibrate(
        {}, [&](int t) { return -76.0 + drift(t) + 0.02 * normal(random); },
        [&](int) { return 2.0 + 0.1 * normal(random); }, 0.02);
    ASSERT_EQ(o.verdict.state, EquilibrationState::equilibrated);
    worst = std::max(worst, drift(static_cast<double>(o.steps)));
  }
  // What is left when the judge lets go: below two standard errors of one step.
  EXPECT_LT(worst, 0.04);
}

TEST(EquilibrationJudge, WaitsForARelaxingVariance) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  for (int s = 0; s < 50; ++s) {
    const Outcome o = equilibrate(
        {}, [&](int) { return -76.0 + 0.02 * normal(random); },
        [&](int t) { return 2.0 + 20.0 * std::exp(-t / 60.0) + 0.1 * normal(random); },
        0.02);
    ASSERT_EQ(o.verdict.state, EquilibrationState::equilibrated);
    // 20 exp(-t/60) is 0.4, four standard errors of a step, at t = 235.
    EXPECT_GT(o.steps, 235);
  }
}

TEST(EquilibrationJudge, IsNotFooledByHeavyTails) {
  // Variances with a diverging second moment (Pareto, index 1.5), as a Gaussian basis
  // without a cusp gives; energies with rare large outliers.
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(1e-6, 1.0);
  int soon = 0;
  for (int s = 0; s < 100; ++s) {
    const Outcome o = equilibrate(
        {},
        [&](int) {
          const double outlier = uniform(random) < 0.01 ? 20.0 : 1.0;
          return -76.0 + 0.02 * outlier * normal(random);
        },
        [&](int) { return 30.0 * std::pow(uniform(random), -1.0 / 1.5); }, 0.03);
    ASSERT_EQ(o.verdict.state, EquilibrationState::equilibrated);
    soon += o.steps <= 400 ? 1 : 0;
  }
  EXPECT_GE(soon, 80);
}

TEST(EquilibrationJudge, SaysWhatStillMovesAtTheLargestNumberOfSteps) {
  EquilibrationSettings settings;
  settings.max_steps = 200;
  const Outcome falling = equilibrate(
      settings, [](int t) { return -0.01 * t; }, [](int) { return 1.0; }, 0.01);
  EXPECT_EQ(falling.verdict.state, EquilibrationState::not_converged);
  EXPECT_EQ(falling.steps, 200);
  EXPECT_NE(falling.verdict.words.find("energy is still falling"), std::string::npos);
  const Outcome rising = equilibrate(
      settings, [](int) { return -1.0; }, [](int t) { return 1.0 + 0.1 * t; }, 0.01);
  EXPECT_NE(rising.verdict.words.find("variance is still rising"), std::string::npos);
}

TEST(EquilibrationJudge, DoesNotLookAtTheAcceptanceUnlessItIsZero) {
  EquilibrationJudge judge;
  EquilibrationVerdict verdict;
  for (int t = 0; t < 40; ++t) verdict = judge.feed({-1.0, 0.1, 0.0, 0.001 * (t + 1)});
  EXPECT_EQ(verdict.state, EquilibrationState::equilibrated);

  EquilibrationJudge stuck;
  for (int t = 0; t < 19; ++t) {
    EXPECT_EQ(stuck.feed({-1.0, 0.1, 0.0, 0.0}).state, EquilibrationState::running);
  }
  verdict = stuck.feed({-1.0, 0.1, 0.0, 0.0});
  EXPECT_EQ(verdict.state, EquilibrationState::failed);
  EXPECT_NE(verdict.words.find("not one move was accepted in 20 steps"),
            std::string::npos);
}

TEST(EquilibrationJudge, FailsAtOnceWhenTheEnergyIsNotANumber) {
  EquilibrationJudge judge;
  judge.feed({-1.0, 0.1, 0.0, 0.5});
  const auto verdict =
      judge.feed({std::numeric_limits<double>::quiet_NaN(), 0.1, 0.0, 0.5});
  EXPECT_EQ(verdict.state, EquilibrationState::failed);
  EXPECT_NE(verdict.words.find("step 2"), std::string::npos);
  EXPECT_EQ(judge.feed({-1.0, 0.1, 0.0, 0.5}).state, EquilibrationState::failed);
}

TEST(EquilibrationJudge, GoesOnFromItsStateAsIfNeverStopped) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  EquilibrationJudge straight, first;
  for (int t = 0;; ++t) {
    const EquilibrationStep step = {std::exp(-t / 10.0) + 0.01 * normal(random),
                                    1.0 + 0.1 * normal(random), 0.01, 0.5};
    const auto expected = straight.feed(step);
    EquilibrationJudge resumed;
    resumed.restore(first.state());
    const auto found = resumed.feed(step);
    first.feed(step);
    EXPECT_EQ(found.state, expected.state);
    EXPECT_EQ(found.words, expected.words);
    EXPECT_EQ(resumed.state(), straight.state());
    if (expected.state != EquilibrationState::running) break;
  }
  EquilibrationJudge judge;
  judge.restore(straight.state());
  EXPECT_EQ(judge.feed({0, 0, 0, 0}).state, EquilibrationState::equilibrated);
  EXPECT_THROW(judge.restore(std::vector<double>{3.0, 0.0}), Error);
  EXPECT_THROW(judge.restore(std::vector<double>{3.0, 0.0, 0.0, 0.0, 1.0}), Error);
}

TEST(EquilibrationJudge, RefusesSettingsOutOfRange) {
  EXPECT_THROW(EquilibrationJudge({16, 100, 20}), Error);
  EXPECT_THROW(EquilibrationJudge({32, 24, 20}), Error);
}

// The acceptance of a Gaussian move of step h in a harmonic trap of many dimensions falls
// like this; its half is at h = 0.57 / scale.
double acceptance(double h, double scale) {
  return 1.0 / (1.0 + std::pow(h * scale / 0.57, 1.5));
}

TEST(StepSizeController, FindsHalfAcceptanceFromAnyStart) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  for (double start : {1e-3, 0.1, 0.5, 30.0}) {
    for (double scale : {1.0, 6.0}) {
      StepSizeController controller(start);
      int steps = 0;
      while (!controller.frozen()) {
        const double a =
            acceptance(controller.step_size(), scale) + 0.005 * normal(random);
        controller.feed(std::min(std::max(a, 0.0), 1.0));
        ++steps;
      }
      EXPECT_LE(steps, 24);
      // 0.005 of noise and the 0.02 that ends it early.
      EXPECT_NEAR(acceptance(controller.step_size(), scale), 0.5, 0.06) << start;
      EXPECT_TRUE(controller.failure().empty());
      const double frozen = controller.step_size();
      EXPECT_EQ(controller.feed(0.9), frozen);
    }
  }
}

TEST(StepSizeController, ChangesByAtMostAFactorOfTwoAStep) {
  StepSizeController controller(0.3);
  double last = 0.3;
  for (double a : {1.0, 0.0, 1.0, 0.0, 0.1, 0.9, 1.0}) {
    const double next = controller.feed(a);
    EXPECT_LE(next, 2.0 * last);
    EXPECT_GE(next, 0.5 * last);
    last = next;
  }
}

TEST(StepSizeController, SaysWhenNoMoveIsEverAccepted) {
  StepSizeController controller(0.5);
  for (int t = 0; t < 24; ++t) {
    EXPECT_TRUE(controller.failure().empty());
    controller.feed(0.0);
  }
  EXPECT_TRUE(controller.frozen());
  EXPECT_NE(controller.failure().find("no move was accepted"), std::string::npos);
}

TEST(StepSizeController, GoesOnFromItsState) {
  StepSizeController straight(0.4), stopped(0.4);
  for (double a : {0.9, 0.8, 0.6}) {
    straight.feed(a);
    stopped.feed(a);
  }
  StepSizeController resumed(1.0);
  resumed.restore(stopped.state());
  EXPECT_EQ(resumed.feed(0.55), straight.feed(0.55));
  EXPECT_EQ(resumed.state(), straight.state());
  EXPECT_THROW(resumed.restore(std::vector<double>{1.0}), Error);
}

TEST(StepSizeController, RefusesWhatIsNoAcceptance) {
  StepSizeController controller(0.4);
  EXPECT_THROW(controller.feed(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(controller.feed(1.5), Error);
  EXPECT_THROW(StepSizeController(0.0), Error);
}

}  // namespace
}  // namespace drover
