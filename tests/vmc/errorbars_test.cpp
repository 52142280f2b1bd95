// Error bars of real runs: many seeds, and how far energies lie from the truth in units
// of their own error bars. bench/study_errorbars.cpp does the same at length.
#include "bench/errorbars.hpp"

#include <gtest/gtest.h>

#include "run_fixture.hpp"

namespace drover::testing {
namespace {

constexpr int runs = 60;

// The mean square of 60 deviations lies between 0.34 and 2.22 but for 1e-6 of the times
// (Student's t with 127 degrees of freedom); bars half as long as they should be give 4.
TEST(ErrorBars, HoldWhereSuccessiveEnergiesAreAlikeAndNaiveOnesDoNot) {
  const auto scope = use_mesh(Mesh::cpu(1));
  const auto found = errorbars::study(molecule_of("He_cc-pvdz.molden"),
                                      errorbars::correlated_settings(), runs, 1, {});
  EXPECT_TRUE(found.holds()) << found.mean_square << " not in " << found.allowed.low
                             << " to " << found.allowed.high;
  EXPECT_GT(found.mean_tau, 5.0) << "the runs are not what this test needs";
  EXPECT_TRUE(found.naive_fails()) << found.mean_square_naive;
}

// The same bounds, and a normal number within 4.89 for the mean of all runs: a bias that
// a run's own bar hides would be seen in sixty.
TEST(ErrorBars, HoldAgainstTheExactEnergyOfADeterminant) {
  const auto scope = use_mesh(Mesh::cpu(1));
  Settings settings = errorbars::correlated_settings();
  settings.jastrow.terms.clear();
  const double exact = -2.855160477242742;  // reference.json, by PySCF
  const auto found =
      errorbars::study(molecule_of("He_cc-pvdz.molden"), settings, runs, 1001, exact);
  EXPECT_TRUE(found.holds()) << found.mean_square << " not in " << found.allowed.low
                             << " to " << found.allowed.high;
  EXPECT_LT(std::fabs(*found.mean_deviation), 4.8916);
}

// Quantiles 5e-7 and 1 - 5e-7 of chi square / n with n = 400: 0.6914 and 1.3849 (from the
// regularised incomplete gamma function); the cube root is good to 0.001 there.
TEST(ErrorBars, BoundsOfManyWalkersAreThoseOfChiSquare) {
  const auto bounds = errorbars::mean_square_bounds(400, 1000000000);
  EXPECT_NEAR(bounds.low, 0.6914, 0.001);
  EXPECT_NEAR(bounds.high, 1.3849, 0.001);
  const auto few = errorbars::mean_square_bounds(400, 33);
  EXPECT_GT(few.high / bounds.high, 32.0 / 30.0);
}

}  // namespace
}  // namespace drover::testing
