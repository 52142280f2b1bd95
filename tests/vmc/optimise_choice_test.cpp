// Which method goes with what, and what a step is planned to communicate.
#include "drover/vmc/optimise_choice.hpp"

#include <gtest/gtest.h>

#include "drover/core/error.hpp"

namespace drover {
namespace {

std::string error_of(const OptimiseSettings& settings) {
  try {
    check_optimise(settings);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    return std::string(e.where().key) + " | " + e.what();
  }
  return "";
}

TEST(OptimiseChoice, RefusesAMethodOfAnotherObjective) {
  OptimiseSettings s;
  EXPECT_EQ(error_of(s), "");
  s.objective = Objective::variance;
  EXPECT_EQ(error_of(s), "");  // auto
  EXPECT_EQ(method_of(s, Objective::variance), OptimiseMethod::gauss_newton);
  s.method = OptimiseMethod::lion;
  EXPECT_EQ(error_of(s), "");
  s.method = OptimiseMethod::linear;
  EXPECT_EQ(error_of(s),
            "optimise.method | optimise.method: \"linear\" is not a method for the "
            "objective \"variance\"; those are \"auto\", \"adam\", \"gauss-newton\", "
            "\"sgd\", \"rmsprop\", \"lion\"");
  s.objective = Objective::energy;
  s.method = OptimiseMethod::gauss_newton;
  EXPECT_NE(error_of(s).find("objective \"energy\""), std::string::npos);
}

TEST(OptimiseChoice, RefusesANumberThatTheMethodDoesNotUse) {
  OptimiseSettings s;
  s.momentum = 0.5;
  EXPECT_EQ(error_of(s),
            "optimise.momentum | optimise.momentum: the method \"linear\" does not use "
            "it; it is for \"spring\", \"adam\", \"sgd\", \"lion\". Leave it out, or "
            "choose another optimise.method");
  s = {};
  s.learning_rate = 0.1;
  EXPECT_EQ(error_of(s).find("optimise.learning_rate"), 0u);
  s = {};
  s.beta2 = 0.1;
  EXPECT_EQ(error_of(s).find("optimise.beta2"), 0u);
  s = {};
  s.schedule = Schedule::cosine;
  EXPECT_EQ(error_of(s).find("optimise.schedule |"), 0u);
  s = {};
  s.cg_iterations = 5;
  EXPECT_EQ(error_of(s).find("optimise.cg_iterations |"), 0u);
  s = {};
  s.method = OptimiseMethod::adam;
  s.schedule_steps = 5;
  EXPECT_EQ(error_of(s).find("optimise.schedule_steps |"), 0u);
  s = {};
  s.method = OptimiseMethod::adam;
  s.learning_rate = 0.1;
  s.momentum = 0.5;
  s.beta2 = 0.5;
  s.schedule = Schedule::inverse;
  s.trust_radius = 0.1;
  EXPECT_EQ(error_of(s), "");
  s.shift = 1.0;
  EXPECT_EQ(error_of(s).find("optimise.shift"), 0u);
}

TEST(OptimiseChoice, RefusesMoreSamplesThanASystemOfTheirSizeCanBeSolvedFor) {
  OptimiseSettings s;
  s.method = OptimiseMethod::min_sr;
  s.samples = 4;
  EXPECT_NO_THROW(check_samples(s, 40, 4096));
  try {
    check_samples(s, 40, 4097);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_EQ(std::string(e.what()),
              "optimise.method: \"min-sr\" solves a system of N x N for N samples, and "
              "4097 walkers with 4 samples each make N = 16388, above 16384. Lower "
              "optimise.samples or sampling.walkers, or use \"sr\" for 40 parameters");
  }
  s.method = OptimiseMethod::spring;  // P x P here
  EXPECT_NO_THROW(check_samples(s, 40, 100000));
  EXPECT_THROW(check_samples(s, 1000000, 100000), Error);
}

TEST(OptimiseChoice, NumbersThatAreGivenWinInTheirOwnStageAlone) {
  OptimiseSettings s;
  s.method = OptimiseMethod::sr;
  s.learning_rate = 0.02;
  s.shift = 0.5;
  EXPECT_EQ(numbers_of(s, Objective::energy).learning_rate, 0.02);
  EXPECT_EQ(numbers_of(s, Objective::energy).shift, 0.5);
  EXPECT_EQ(numbers_of(s, Objective::reference_variance).shift, 1e-2);
  EXPECT_EQ(method_of(s, Objective::reference_variance), OptimiseMethod::gauss_newton);
}

Plan plan_of(OptimiseMethod method, std::int64_t parameters, Objective objective,
             std::int64_t updates = 1) {
  OptimiseSettings s;
  s.objective = objective;
  s.method = method;
  s.updates = updates;
  s.samples = 2;
  s.cg_iterations = 7;
  return plan_of_step(s, objective, parameters, 100);
}

TEST(OptimiseChoice, PlansOneCollectiveForMatricesAndGradients) {
  const auto one = [](OptimiseMethod m, Objective o) {
    return plan_of(m, 40, o).count() == 1;
  };
  for (const auto m : {OptimiseMethod::linear, OptimiseMethod::sr, OptimiseMethod::adam,
                       OptimiseMethod::spring})
    EXPECT_TRUE(one(m, Objective::energy)) << name_of(m);
  for (const auto o : {Objective::variance, Objective::reference_variance}) {
    EXPECT_TRUE(one(OptimiseMethod::gauss_newton, o));
    EXPECT_TRUE(one(OptimiseMethod::sgd, o));
  }
  EXPECT_EQ(plan_of(OptimiseMethod::sr_cg, 40, Objective::energy).count(), 1 + 7);
  EXPECT_EQ(plan_of(OptimiseMethod::min_sr, 40, Objective::energy).count(), 2);
  // 201 parameters, 200 samples: SPRING takes the N x N form.
  EXPECT_EQ(plan_of(OptimiseMethod::spring, 201, Objective::energy).count(), 2);
  EXPECT_EQ(plan_of(OptimiseMethod::sr, 40, Objective::energy, 3).count(), 3);
  EXPECT_EQ(plan_of(OptimiseMethod::sr_cg, 40, Objective::energy, 3).count(), 3 * 8);
}

TEST(OptimiseChoice, MessagesGrowWithTheParametersOrWithTheirSquare) {
  // Three words of 8 bytes a number (core/exact_sums.hpp).
  const auto grown = [](OptimiseMethod m, Objective o) {
    return (plan_of(m, 1001, o).collectives[0].bytes -
            plan_of(m, 1000, o).collectives[0].bytes) /
           24;
  };
  EXPECT_EQ(grown(OptimiseMethod::adam, Objective::energy), 2);   // O, E O
  EXPECT_EQ(grown(OptimiseMethod::sr_cg, Objective::energy), 3);  // O^2
  EXPECT_EQ(grown(OptimiseMethod::min_sr, Objective::energy), 2);
  EXPECT_EQ(grown(OptimiseMethod::adam, Objective::reference_variance), 2);  // E_k, E E_k
  EXPECT_EQ(grown(OptimiseMethod::adam, Objective::variance), 5);            // E^2 O
  EXPECT_EQ(grown(OptimiseMethod::sr, Objective::energy), 1003);  // a row of the triangle
  EXPECT_EQ(grown(OptimiseMethod::gauss_newton, Objective::variance), 1003 + 3);
  const Plan cg = plan_of(OptimiseMethod::sr_cg, 1000, Objective::energy);
  EXPECT_EQ(cg.collectives[1].bytes, 8 * (3 * 1000 + 3));
}

}  // namespace
}  // namespace drover
