// What the set-up of dtn promises for every order of its expansions.
#include <gtest/gtest.h>

#include <cmath>

#include "drover/core/error.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

JastrowSettings dtn_of_orders(int nuclear, int electron) {
  JastrowSettings s = jastrow_of({"dtn"});
  s.terms[0].numbers["f_nuclear"] = nuclear;
  if (nuclear > 0) s.terms[0].numbers["f_electron"] = electron;
  return s;
}

int count_named(const MolecularModel& model, const std::string& beginning) {
  int count = 0;
  for (const ParameterInfo& p : model.parameters())
    count += p.name.rfind(beginning, 0) == 0 ? 1 : 0;
  return count;
}

// The constraints of Drummond, Towler and Needs (2004), in coefficients of plain powers:
// sum_(l+m=k) gamma_lm1 = 0 and sum_(m+n=k) (3 gamma_0mn - L gamma_1mn) = 0, to rounding:
// 1e-14 of the largest coefficient's part.
TEST(Dtn, three_body_coefficients_obey_the_constraints_for_any_parameters) {
  const Molecule m = read_wavefunction(data_path("molden/H2O_sto-3g.molden"), {});
  for (int nuclear = 1; nuclear <= 6; ++nuclear) {
    for (int electron = 0; electron <= 6; ++electron) {
      SCOPED_TRACE(std::to_string(nuclear) + ", " + std::to_string(electron));
      MolecularModel model(m, dtn_of_orders(nuclear, electron));
      ASSERT_GT(count_named(model, "dtn.f[O]("), 0);
      model.set_parameters(perturbed(model));
      const TruncatedPlan& p = model.plan().dtn;
      ASSERT_EQ(p.f_powers, nuclear + 1);
      ASSERT_EQ(p.f_orders, electron + 1);
      for (int kind = 0; kind < 2; ++kind) {
        const double* all = p.f + kind * p.f_powers * p.f_powers * p.f_orders;
        double largest = 0.0;
        for (int k = 0; k < p.f_powers * p.f_powers * p.f_orders; ++k)
          largest = std::max(largest, std::fabs(all[k]));
        ASSERT_GT(largest, 0.0);
        const double rounding = 1e-14 * largest * p.f_cutoff[kind];
        const auto gamma = [&](int l, int k, int n) {
          return all[(l * p.f_powers + k) * p.f_orders + n];
        };
        for (int k = 0; electron > 0 && k <= 2 * nuclear; ++k) {
          double sum = 0.0;
          for (int l = std::max(0, k - nuclear); l <= std::min(k, nuclear); ++l) {
            EXPECT_EQ(gamma(l, k - l, 1), gamma(k - l, l, 1));
            sum += gamma(l, k - l, 1);
          }
          EXPECT_LE(std::fabs(sum), rounding) << k;
        }
        for (int k = 0; k <= nuclear + electron; ++k) {
          double sum = 0.0;
          for (int l = std::max(0, k - electron); l <= std::min(k, nuclear); ++l)
            sum += 3.0 * gamma(0, l, k - l) - p.f_cutoff[kind] * gamma(1, l, k - l);
          EXPECT_LE(std::fabs(sum), rounding) << k;
        }
      }
    }
  }
}

// With second powers at most, 18 coefficients and 5 + 5 constraints leave 8; with third
// powers 40 and 7 + 7 leave 26.
TEST(Dtn, has_as_many_free_coefficients_as_the_constraints_leave) {
  const Molecule m = read_wavefunction(data_path("molden/H2O_sto-3g.molden"), {});
  EXPECT_EQ(count_named(MolecularModel(m, dtn_of_orders(2, 2)), "dtn.f[O]("), 8);
  EXPECT_EQ(count_named(MolecularModel(m, dtn_of_orders(3, 3)), "dtn.f[O]("), 26);
  // Without powers there is no f.
  EXPECT_EQ(count_named(MolecularModel(m, dtn_of_orders(0, 3)), "dtn.f"), 0);
}

// Its chi carries the electron-nucleus cusp when nothing else does.
TEST(Dtn, leaves_the_nuclear_cusp_to_another_term) {
  const Molecule m = read_wavefunction(data_path("molden/H2O_sto-3g.molden"), {});
  const MolecularModel alone(m, jastrow_of({"dtn"}));
  const MolecularModel beside(m, jastrow_of({"dtn", "nuclear-cusp"}));
  for (int kind = 0; kind < 2; ++kind) {
    const TruncatedPlan &a = alone.plan().dtn, &b = beside.plan().dtn;
    const double z = kind == 0 ? 1.0 : 8.0;
    EXPECT_EQ(a.chi[kind * a.chi_terms + 1], -z);
    EXPECT_EQ(a.chi_cutoff[kind], 2.0 / z);
    EXPECT_EQ(b.chi[kind * b.chi_terms + 1], 0.0);
    EXPECT_EQ(b.chi_cutoff[kind], 4.0);
  }
  // A range that is given is taken as it is.
  JastrowSettings given = jastrow_of({"dtn"});
  given.terms[0].numbers["chi_cutoff"] = 4.0;
  const MolecularModel wide(m, given);
  for (int kind = 0; kind < 2; ++kind) EXPECT_EQ(wide.plan().dtn.chi_cutoff[kind], 4.0);
}

}  // namespace
}  // namespace drover::testing
