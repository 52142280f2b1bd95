// Every derivative against finite differences, in long double through the same templates,
// and the fast kernels against that plain version.
#include <gtest/gtest.h>

#include <cmath>

#include "jastrow_sums.hpp"
#include "one_walker.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

using Real = long double;

void expect_close(Real found, Real expected, Real tolerance) {
  EXPECT_NEAR(static_cast<double>(found), static_cast<double>(expected),
              static_cast<double>(tolerance));
}

struct Case {
  std::string name;
  std::string file;
  Sum sum;
  bool down = true;  // false: the electrons of spin down are taken away
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

Molecule molecule_of(const Case& c) {
  Molecule m = read_wavefunction(data_path(c.file), {});
  if (c.down) return m;
  m.charge += m.down;
  m.down = 0;
  m.orbitals_down.clear();
  return m;
}

// Every sum of terms on a molecule with two elements, and every term where there is one
// electron and where no spin points down.
std::vector<Case> every_case() {
  std::vector<Case> cases = {
      {"water", "molden/H2O_cc-pvdz.molden", {{"nuclear-cusp", "boys-handy"}}},
      {"water_pytc_cusp", "molden/H2O_sto-3g.molden", {{"boys-handy"}, "pytc"}},
      {"water_determinant", "molden/H2O_cc-pvtz.molden", {{}}},
      {"cartesian", "pyscf/H2O_6-31gs_cart/scf.molden", {{"nuclear-cusp"}}},
      {"nitrogen", "molden/N_cc-pvdz.molden", {{"nuclear-cusp", "boys-handy"}}},
      {"helium", "molden/He_cc-pvtz.molden", {{"nuclear-cusp", "boys-handy"}}}};
  for (const Sum& sum : all_sums())
    cases.push_back({"lih_" + name_of(sum), "molden/LiH_3.015_cc-pvdz.molden", sum});
  for (const JastrowTerm& term : jastrow_terms()) {
    const Sum alone{{term.name}};
    cases.push_back({"hydrogen_" + name_of(alone), "molden/H_cc-pvdz.molden", alone});
    cases.push_back(
        {"no_down_" + name_of(alone), "molden/Be_cc-pvdz.molden", alone, false});
  }
  return cases;
}

using Plain = OneWalker<Real>;

class Derivatives : public ::testing::TestWithParam<Case> {
 protected:
  Derivatives()
      : molecule_(molecule_of(GetParam())),
        model_(molecule_, settings_of(GetParam().sum)) {
    values_ = perturbed(model_);
    model_.set_parameters(values_);
  }
  std::vector<Real> walker(const Rows& x, int w) const {
    std::vector<Real> out;
    for (int k = 0; k < x.rows(); ++k) out.push_back(x.at(k, w));
    return out;
  }
  static Real scale(Real x) { return std::max<Real>(1, std::fabs(x)); }

  Molecule molecule_;
  MolecularModel model_;
  std::vector<double> values_;
};

// Central differences with h = 1e-5: truncation h^2 times a third derivative of up to
// some thousands (core electrons), rounding 1e-19/1e-5; hence 1e-6 relative, 1e-5 for
// second ones.
TEST_P(Derivatives, gradient_and_laplacian_are_finite_differences) {
  const Rows x = sample(model_);
  Plain plain(model_.plan());
  const Real h = 1e-5L;
  for (int w = 0; w < 2; ++w) {
    std::vector<Real> at = walker(x, w);
    auto& psi = plain.at(at);
    const Real center = psi.energy<false, true>().log_abs;
    std::vector<Real> gradient(psi.gradient(), psi.gradient() + at.size());
    std::vector<Real> laplacian(psi.laplacian(), psi.laplacian() + model_.electrons());
    for (int e = 0; e < model_.electrons(); ++e) {
      Real lap = 0, gradient2 = 0;
      for (int c = 0; c < 3; ++c) {
        const auto k = static_cast<std::size_t>(3 * e + c);
        const Real here = at[k];
        at[k] = here + h;
        const Real up = plain.log_abs(at);
        at[k] = here - h;
        const Real down = plain.log_abs(at);
        at[k] = here;
        expect_close(gradient[k], (up - down) / (2 * h), 1e-6L * scale(gradient[k]));
        lap += (up - 2 * center + down) / (h * h);
        gradient2 += gradient[k] * gradient[k];
      }
      const auto k = static_cast<std::size_t>(e);
      expect_close(laplacian[k], lap, 1e-5L * scale(gradient2 + std::fabs(lap)));
    }
  }
}

TEST_P(Derivatives, parameter_derivatives_are_finite_differences) {
  const Rows x = sample(model_);
  Plain plain(model_.plan());
  for (int w = 0; w < 1; ++w) {
    const std::vector<Real> at = walker(x, w);
    auto& psi = plain.at(at);
    psi.energy<true, false>();
    const std::vector<Real> logs(psi.by_parameter(), psi.by_parameter() + values_.size());
    const std::vector<Real> energies(psi.energy_by_parameter(),
                                     psi.energy_by_parameter() + values_.size());
    for (std::size_t k = 0; k < values_.size(); ++k) {
      SCOPED_TRACE(model_.parameters()[k].name);
      std::vector<double> moved = values_;
      const double h = 1e-5;
      moved[k] = values_[k] + h;
      const Real wide = moved[k];
      model_.set_parameters(moved);
      const Real up = plain.log_abs(at), energy_up = plain.local_energy(at);
      moved[k] = values_[k] - h;
      const Real width = wide - moved[k];
      model_.set_parameters(moved);
      const Real down = plain.log_abs(at), energy_down = plain.local_energy(at);
      // Tables are doubles: their rounding enters with 1e-16/h.
      expect_close(logs[k], (up - down) / width, 1e-6L * scale(logs[k]));
      expect_close(energies[k], (energy_up - energy_down) / width,
                   1e-5L * scale(energies[k]));
    }
    model_.set_parameters(values_);
  }
}

// 1e-10: a hundred thousand roundings of 1e-16 on terms that cancel to about a tenth.
TEST_P(Derivatives, kernels_equal_the_plain_version) {
  Rows x = sample(model_);
  const Evaluation fast = evaluate(model_, x);
  Plain plain(model_.plan());
  for (int w = 0; w < 6; ++w) {
    auto& psi = plain.at(walker(x, w));
    const auto e = psi.energy<true, true>();
    expect_close(fast.log_abs.at(0, w), e.log_abs, 1e-10L * scale(e.log_abs));
    expect_close(fast.sign.at(0, w), e.sign, 0);
    expect_close(fast.kinetic.at(0, w), e.kinetic, 1e-10L * scale(e.kinetic));
    expect_close(fast.potential.at(0, w), e.potential, 1e-12L * scale(e.potential));
    for (int k = 0; k < static_cast<int>(values_.size()); ++k) {
      expect_close(fast.by_parameter.at(k, w), psi.by_parameter()[k],
                   1e-10L * scale(psi.by_parameter()[k]));
      expect_close(fast.energy_by_parameter.at(k, w), psi.energy_by_parameter()[k],
                   1e-9L * scale(psi.energy_by_parameter()[k]));
    }
  }
}

// The ratio of a proposed move is the quotient of two wave functions, after accepted
// moves too.
TEST_P(Derivatives, ratios_of_moves_are_quotients) {
  const Rows x = sample(model_);
  Plain a(model_.plan()), b(model_.plan());
  std::vector<Real> at = walker(x, 5);
  auto& psi = a.at(at);
  psi.load(true);
  for (int round = 0; round < 2; ++round) {
    for (int e = 0; e < model_.electrons(); ++e) {
      std::vector<Real> to = at;
      for (int c = 0; c < 3; ++c)
        to[static_cast<std::size_t>(3 * e + c)] +=
            0.05L * (c + 1) * (e % 2 == 0 ? 1 : -1);
      const auto ratio = psi.propose(e, to.data() + 3 * e);
      const Real expected = b.log_abs(to) - b.log_abs(at);
      expect_close(std::log(std::fabs(ratio.ratio)) + ratio.jastrow, expected, 1e-12L);
      const bool take = (e + round) % 2 == 0;
      psi.accept(e, to.data() + 3 * e, take);
      if (take) at = to;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, Derivatives, ::testing::ValuesIn(every_case()),
                         [](const auto& c) { return c.param.name; });

}  // namespace
}  // namespace drover::testing
