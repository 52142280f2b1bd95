// The optimiser's way to known minima. Averages are made by exact quadrature, so nothing
// here is random unless it says so.
#include "drover/vmc/optimiser.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "drover/core/error.hpp"
#include "tests/vmc/optimiser_models.hpp"

namespace drover {
namespace {

struct Path {
  std::vector<double> accepted;  // merits
  int steps = 0;
  int reverted = 0;
};

// Runs the loop until the merit is within tolerance of the goal.
Path optimise(Optimiser& optimiser, const OptimiserSettings& settings, const Model& model,
              double goal, double tolerance, int max_steps) {
  Path path;
  for (; path.steps < max_steps; ++path.steps) {
    const auto m = average(settings.moments(), model(optimiser.trial()));
    const Verdict verdict = optimiser.judge(figures_of(m, 1e-10), m);
    const bool energy = settings.objective == Objective::energy;
    if (verdict.accepted) path.accepted.push_back(energy ? m.energy : m.variance);
    if (!verdict.accepted) ++path.reverted;
    const auto& best = optimiser.best_figures();
    if (std::abs((energy ? best.energy : best.variance) - goal) < tolerance) break;
    optimiser.propose();
  }
  return path;
}

void expect_never_climbs(const Path& path) {
  for (std::size_t i = 1; i < path.accepted.size(); ++i) {
    EXPECT_LE(path.accepted[i], path.accepted[i - 1] + 1e-9) << i;
  }
}

// Hydrogen in three s Gaussians, parameters ln(exponent) and all three coefficients; the
// overall scale is a singular direction of S.
std::vector<Point> hydrogen(const std::vector<double>& p) {
  std::vector<Point> points;
  const int n = 1500;
  for (int i = 1; i < n; ++i) {
    // r = 12 t^2 resolves the cuspless core and the tail alike.
    const double t = static_cast<double>(i) / n;
    const double r = 12.0 * t * t;
    double psi = 0.0, h_psi = 0.0;
    std::vector<double> g(3), h(3);
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = std::exp(p[k]);
      g[k] = std::exp(-a * r * r);
      h[k] = 3.0 * a - 2.0 * a * a * r * r - 1.0 / r;
      psi += p[3 + k] * g[k];
      h_psi += p[3 + k] * h[k] * g[k];
    }
    const double energy = h_psi / psi;
    Point q{psi * psi * r * r * t, energy, std::vector<double>(6),
            std::vector<double>(6)};
    for (std::size_t k = 0; k < 3; ++k) {
      const double a = std::exp(p[k]);
      q.o[k] = -p[3 + k] * a * r * r * g[k] / psi;
      const double slope =
          p[3 + k] * a * ((3.0 - 4.0 * a * r * r) - r * r * h[k]) * g[k] / psi;
      q.de[k] = slope - energy * q.o[k];
      q.o[3 + k] = g[k] / psi;
      q.de[3 + k] = h[k] * g[k] / psi - energy * q.o[3 + k];
    }
    points.push_back(q);
  }
  return points;
}

TEST(Optimiser, FindsTheOscillatorByTheLinearMethod) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  for (double start : {0.4, 2.5}) {
    Optimiser optimiser(settings, {start});
    const Path path = optimise(optimiser, settings, oscillators({1.0}), 0.5, 1e-7, 40);
    EXPECT_LT(path.steps, 20) << start;
    EXPECT_NEAR(optimiser.best()[0], 1.0, 1e-3);
    expect_never_climbs(path);
  }
}

TEST(Optimiser, FindsTheOscillatorByStochasticReconfiguration) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::sr);
  Optimiser optimiser(settings, {2.5});
  const Path path = optimise(optimiser, settings, oscillators({1.0}), 0.5, 1e-6, 200);
  EXPECT_LT(path.steps, 100);
  expect_never_climbs(path);
}

// The variance (omega^2 - a^2)^2 / (8 a^2) of an oscillator and its slope in a.
TEST(Optimiser, KnowsTheGradientOfAVarianceThatMovesItsDensity) {
  const double a = 1.5, w = 1.0;
  const auto moments = [&](bool moving) {
    return average(
        moments_of(moving ? Objective::variance : Objective::reference_variance,
                   OptimiseMethod::adam),
        oscillators({w})({a}));
  };
  const double d = w * w - a * a;
  EXPECT_NEAR(moments(true).variance, d * d / (8 * a * a), 1e-12);
  EXPECT_NEAR(moments(true).gradient(true)[0], -d / (2 * a) - d * d / (4 * a * a * a),
              1e-11);
  // Over a fixed density the x^2 of a: -d/(2 a) alone.
  EXPECT_NEAR(moments(false).gradient(true)[0], -d / (2 * a), 1e-11);
}

TEST(Optimiser, FindsTheOscillatorsByEveryMethodOfItsObjective) {
  struct Case {
    Objective objective;
    OptimiseMethod method;
    double rate;
    int steps;
  };
  using M = OptimiseMethod;
  for (const Case& c : {Case{Objective::variance, M::gauss_newton, -1.0, 20},
                        Case{Objective::variance, M::sgd, 0.02, 200},
                        Case{Objective::energy, M::sgd, 0.1, 200},
                        Case{Objective::energy, M::adam, 0.05, 200},
                        Case{Objective::energy, M::rmsprop, 0.02, 200},
                        Case{Objective::energy, M::lion, 0.02, 200},
                        Case{Objective::energy, M::spring, -1.0, 200}}) {
    OptimiseSettings given;
    given.objective = c.objective;
    given.method = c.method;
    given.learning_rate = c.rate;
    given.steps = c.steps;
    if (c.method != M::gauss_newton) given.schedule = Schedule::cosine;
    const auto settings = OptimiserSettings::of(given, c.objective, 2, 4096);
    Optimiser optimiser(settings, {1.4, 1.8});
    const double lowest = c.objective == Objective::energy ? 1.25 : 0.0;
    optimise(optimiser, settings, oscillators({1.0, 1.5}), lowest, 1e-6, c.steps);
    EXPECT_NEAR(optimiser.best()[0], 1.0, 0.02) << name_of(c.method);
    EXPECT_NEAR(optimiser.best()[1], 1.5, 0.02) << name_of(c.method);
  }
}

TEST(Optimiser, ShrinksTheRateOfAFirstOrderMethodThatClimbs) {
  OptimiseSettings given;
  given.method = OptimiseMethod::sgd;
  given.learning_rate = 8.0;  // (a + 1/a)/4 has curvature 1/2: beyond 2/curvature
  given.momentum = 0.0;
  given.trust_radius = 10.0;
  const auto settings = OptimiserSettings::of(given, Objective::energy, 1, 4096);
  Optimiser optimiser(settings, {1.4});
  const Path path = optimise(optimiser, settings, oscillators({1.0}), 0.5, 1e-6, 60);
  EXPECT_GT(path.reverted, 1);
  EXPECT_NEAR(optimiser.best_figures().energy, 0.5, 1e-3);  // from 0.5286
  expect_never_climbs(path);
  EXPECT_LE(1.0 / optimiser.shift(), 8.0);  // never above what was given
}

TEST(Optimiser, LowersTheRateByItsScheduleWithEachAcceptedUpdate) {
  for (const auto method : {OptimiseMethod::sr, OptimiseMethod::sgd}) {
    OptimiseSettings given;
    given.method = method;
    given.learning_rate = 1e-3;
    if (method == OptimiseMethod::sgd) given.momentum = 0.0;
    given.schedule = Schedule::inverse;
    given.schedule_steps = 2;
    const auto settings = OptimiserSettings::of(given, Objective::energy, 1, 4096);
    Optimiser optimiser(settings, {2.0});
    const auto m = average(settings.moments(), oscillators({1.0})({2.0}));
    std::vector<double> steps;
    for (int t = 0; t < 3; ++t) {
      // Figures of the start throughout, so that the gradient is the same.
      EXPECT_TRUE(optimiser.judge(figures_of(m, 1e-4), m).accepted);
      steps.push_back(optimiser.propose().norm);
    }
    EXPECT_NEAR(steps[1], steps[0] / 1.5, 1e-12) << name_of(method);
    EXPECT_NEAR(steps[2], steps[0] / 2.0, 1e-12) << name_of(method);
  }
}

TEST(Optimiser, GoesOnOverTheSameSamplesWhileTheMeritFalls) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::sr);
  const Model model = oscillators({1.0});
  Optimiser optimiser(settings, {2.0});
  const auto look = [&] { return average(settings.moments(), model(optimiser.trial())); };
  auto m = look();
  EXPECT_THROW(optimiser.refine(figures_of(m, 1e-4), m), Error);  // nothing proposed yet
  optimiser.judge(figures_of(m, 1e-4), m);
  const double first = optimiser.propose().parameters[0];
  m = look();
  const auto further = optimiser.refine(figures_of(m, 1e-4), m);
  ASSERT_TRUE(further);
  EXPECT_LT(further->parameters[0], first);
  EXPECT_EQ(optimiser.base()[0], 2.0);
  // A merit that does not fall leaves the trial.
  EXPECT_FALSE(optimiser.refine(figures_of(m, 1e-4), m));
  EXPECT_EQ(optimiser.trial(), further->parameters);
  m = look();
  EXPECT_TRUE(optimiser.judge(figures_of(m, 1e-4), m).accepted);
}

TEST(Optimiser, LivesWithCurvaturesOneToAThousand) {
  // In the metric S the curvatures are 4 omega: 4 and 4000 hartree.
  const std::vector<double> omega = {1.0, 1000.0};
  const double exact = 500.5;
  const auto linear = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser(linear, {1.5, 1300.0});
  const Path path = optimise(optimiser, linear, oscillators(omega), exact, 1e-5, 100);
  EXPECT_LT(path.steps, 30);
  expect_never_climbs(path);

  // SR needs a rate below 2/4000 and crawls along the soft direction, but never swings.
  const auto sr = settings_for(Objective::energy, OptimiseMethod::sr);
  Optimiser slow(sr, {1.5, 1300.0});
  const Path crawl = optimise(slow, sr, oscillators(omega), exact, 1e-2, 400);
  EXPECT_LT(crawl.steps, 200);
  expect_never_climbs(crawl);
}

TEST(Optimiser, FindsThreeGaussiansForHydrogenWithASingularOverlap) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser(settings,
                      {std::log(0.1), std::log(0.5), std::log(3.0), 0.3, 0.5, 0.2});
  // Known minimum of three s Gaussians: -0.49697925.
  const Path path = optimise(optimiser, settings, hydrogen, -0.4969793, 1e-5, 200);
  EXPECT_LT(path.steps, 100);
  EXPECT_NEAR(optimiser.best_figures().energy, -0.4969793, 1e-5);
  expect_never_climbs(path);
}

// Fixed samples, energies that bend in the parameters: a coefficient that starts at 1e-5
// times a function whose range starts to matter only once the coefficient has grown.
std::vector<Point> range_and_coefficient(const std::vector<double>& p) {
  std::vector<Point> points;
  for (int i = 0; i < 200; ++i) {
    const double x = (i + 0.5) / 200.0 * 6.0;
    const double f = x / (1.0 + p[1] * x);
    const double goal = 2.0 * x / (1.0 + 3.0 * x);
    points.push_back({1.0, -7.0 + p[0] * f - goal, {0, 0}, {f, -p[0] * f * f}});
  }
  return points;
}

TEST(Optimiser, MinimisesTheReferenceVarianceThroughAStartWithoutSlopes) {
  const auto settings =
      settings_for(Objective::reference_variance, OptimiseMethod::gauss_newton);
  Optimiser optimiser(settings, {1e-5, 1.3}, {}, {"c(200)", "b"});
  const auto start = average(settings.moments(), range_and_coefficient({1e-5, 1.3}));
  optimiser.judge(figures_of(start, 1e-10), start);
  const Proposal first = optimiser.propose();
  ASSERT_FALSE(first.notes.empty());
  EXPECT_EQ(first.notes[0], "held for this step: b has no variance at these parameters");
  EXPECT_EQ(first.parameters[1], 1.3);
  const Path path = optimise(optimiser, settings, range_and_coefficient, 0.0, 1e-8, 60);
  EXPECT_LT(path.steps, 40);
  EXPECT_NEAR(optimiser.best()[0], 2.0, 0.02);
  EXPECT_NEAR(optimiser.best()[1], 3.0, 0.05);
  expect_never_climbs(path);
}

TEST(Optimiser, ProposesNothingForAnExactWaveFunction) {
  for (auto method : {OptimiseMethod::linear, OptimiseMethod::sr}) {
    const auto settings = settings_for(Objective::energy, method);
    Optimiser optimiser(settings, {1.0, -0.0});
    const auto m = average(settings.moments(), oscillators({1.0, 2.0})({1.0, 2.0}));
    optimiser.judge(figures_of(m, 0.0), m);
    const Proposal proposal = optimiser.propose();
    EXPECT_EQ(proposal.parameters, (std::vector<double>{1.0, 0.0}));
    EXPECT_TRUE(std::signbit(proposal.parameters[1]));
    ASSERT_EQ(proposal.notes.size(), 1u);
    EXPECT_NE(proposal.notes[0].find("no change"), std::string::npos);
  }
}

TEST(Optimiser, KeepsTheBitsOfFrozenParameters) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  const double start = 0.1 + 0.2;
  Optimiser optimiser(settings, {2.0, start}, {0, 1});
  optimise(optimiser, settings, oscillators({1.0, 1.0}), -1.0, 1e-9, 10);
  EXPECT_EQ(optimiser.best()[1], start);
  EXPECT_NEAR(optimiser.best()[0], 1.0, 0.01);
}

TEST(Optimiser, StaysWithinBoundsAndMovesTheOthersOn) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser(settings, {2.0, 2.0, 0.5}, {0, 0, 1});
  // The first minimum lies across its bound; the third is frozen out of its bounds.
  optimiser.set_bounds({1.4, 0.0, 1.0}, {3.0, 0.0, 3.0});
  optimise(optimiser, settings, oscillators({1.0, 1.0, 1.0}), -1.0, 1e-9, 12);
  EXPECT_EQ(optimiser.best()[0], 1.4);
  EXPECT_NEAR(optimiser.best()[1], 1.0, 0.01);
  EXPECT_EQ(optimiser.best()[2], 0.5);
  EXPECT_THROW(optimiser.set_bounds({0.0}, {1.0}), Error);
}

TEST(Optimiser, GoesOnFromItsStateWithTheSameBits) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  const Model model = oscillators({1.0, 30.0});
  Optimiser straight(settings, {2.0, 50.0});
  Optimiser resumed(settings, {2.0, 50.0});
  for (int step = 0; step < 6; ++step) {
    Optimiser next(settings, {0.0, 0.0});
    next.restore(resumed.state());
    resumed = next;
    const auto m = average(settings.moments(), model(straight.trial()));
    EXPECT_EQ(straight.judge(figures_of(m, 1e-4), m).reason,
              resumed.judge(figures_of(m, 1e-4), m).reason);
    next.restore(resumed.state());
    resumed = next;
    EXPECT_EQ(straight.propose().parameters, resumed.propose().parameters);
    EXPECT_EQ(straight.state(), resumed.state());
  }
  auto numbers = straight.state();
  numbers.pop_back();
  EXPECT_THROW(resumed.restore(numbers), Error);
  Optimiser other(settings, {1.0});
  EXPECT_THROW(other.restore(straight.state()), Error);
}

TEST(Optimiser, WithNoParametersHasNothingToDo) {
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser(settings, {});
  OptimiserSums sums(settings.moments(), 0, 0.0);
  sums.add(1.0, {}, {});
  sums.add(2.0, {}, {});
  const auto m = central_moments(sums);
  optimiser.judge(figures_of(m, 0.1), m);
  EXPECT_TRUE(optimiser.propose().parameters.empty());
}

TEST(Optimiser, EndsNearTheMinimumThroughRealNoise) {
  // Eight oscillators in noise that no parameter removes, 2000 samples a step, each
  // energy known to 22 mHa only. Measured over 40 seeds: the average is off by 0.05
  // to 1.4 mHa, the best single point by up to 3.7.
  std::mt19937_64 random(41);
  std::normal_distribution<double> normal;
  const std::size_t p = 8;
  const auto settings = settings_for(Objective::energy, OptimiseMethod::linear);
  Optimiser optimiser(settings, std::vector<double>(p, 1.6));
  const auto exact = [](const std::vector<double>& a) {
    double e = 0.0;
    for (double x : a) e += 0.25 * (x + 1.0 / x);
    return e;
  };
  for (int step = 0; step < 15; ++step) {
    OptimiserSums sums(settings.moments(), static_cast<std::int64_t>(p), 4.0);
    for (int i = 0; i < 2000; ++i) {
      double energy = normal(random);
      std::vector<double> o(p), de(p);
      for (std::size_t k = 0; k < p; ++k) {
        const double a = optimiser.trial()[k];
        const double x = normal(random) / std::sqrt(2.0 * a);
        energy += 0.5 * a + 0.5 * (1.0 - a * a) * x * x;
        o[k] = -0.5 * x * x;
        de[k] = 0.5 - a * x * x;
      }
      sums.add(energy, o, de);
    }
    const auto m = central_moments(sums);
    optimiser.judge({m.energy, std::sqrt(m.variance / 2000.0), m.variance, 0.0, 2000, 0},
                    m);
    if (step < 13) optimiser.propose();
    if (step == 13) {
      ASSERT_TRUE(optimiser.propose_average());
    }
  }
  EXPECT_LT(exact(optimiser.result()), 4.0 + 0.004);
}

}  // namespace
}  // namespace drover
