// Held against pytc 0.2.1: value, gradient, Laplacian, local energy and parameter
// derivatives of its Jastrow factors at fixed points (tests/data/pytc/README.md).
#include <gtest/gtest.h>

#include <cmath>

#include "pytc_fixture.hpp"

namespace drover::testing {
namespace {

// The softening of pytc's distances, sqrt(r^2 + 1e-16), is left out of boys-handy and
// nuclear-cusp: it moves r by 5e-17/r, at 0.02 bohr from a nucleus 1e-13 of r, which is
// below the tolerance. That of the networks, 1e-8, is not.
struct Factor {
  const char* file;
  std::vector<std::string> terms;
  double softening = 0.0;
};

void PrintTo(const Factor& f, std::ostream* out) {
  *out << f.file;
}

class PytcParity : public ::testing::TestWithParam<std::tuple<const char*, Factor>> {};

// 1e-10 relative to max(1, |value|): the files have 17 digits, points lie down to 0.02
// bohr from a nucleus, where a Laplacian of 1e4 is left over from larger terms.
TEST_P(PytcParity, numbers_are_pytcs) {
  const auto& [system, factor] = GetParam();
  const std::string name(system);
  const Molecule molecule =
      read_wavefunction(data_path("pyscf/" + name + "/scf.molden"), {});
  const JastrowSettings settings = jastrow_of(factor.terms, "pytc", {16, 16});
  MolecularModel model(molecule, settings);
  const PytcLayout layout = pytc_layout(molecule, settings);
  const MolecularModel bare(molecule, jastrow_of({}));
  OneWalker<double> plain(bare.plan());
  const nlohmann::json file = read_json("pytc/" + name + "/" + factor.file + ".json");
  int configurations = 0;
  for (const auto& [set, data] : file["sets"].items()) {
    model.set_parameters(fold(layout, data["params"], Fold::mean));
    WavePlan plan = model.plan();
    plan.softening.square = factor.softening;
    OneWalker<double> walker(plan);
    for (const nlohmann::json& c : data["configurations"]) {
      SCOPED_TRACE(set + ", configuration " + std::to_string(configurations));
      ++configurations;
      auto& d = plain.at(points(c["positions"]));
      d.energy<false, false>();
      auto& psi = walker.at(points(c["positions"]));
      const auto e = psi.energy<true, true>();
      EXPECT_CLOSE(e.log_jastrow, c["ln_J_symmetric"], 1e-10);
      EXPECT_EQ(e.sign, c["sign"]);
      EXPECT_CLOSE(e.kinetic + e.potential, c["E_L_unsoftened_V"], 1e-10);
      for (int i = 0; i < model.electrons(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        for (int k = 0; k < 3; ++k)
          EXPECT_CLOSE(psi.gradient()[3 * i + k] - d.gradient()[3 * i + k],
                       c["grad_lnJ"][at][static_cast<std::size_t>(k)], 1e-10);
        EXPECT_CLOSE(psi.laplacian()[i] - d.laplacian()[i], c["lap_lnJ"][at], 1e-10);
      }
      const auto logs = fold(layout, c["dlnJ_dp_symmetric"], Fold::sum);
      const auto energies = fold(layout, c["dEL_dp"], Fold::sum);
      for (std::size_t k = 0; k < logs.size(); ++k) {
        SCOPED_TRACE(layout.parameters[k].name);
        EXPECT_CLOSE(psi.by_parameter()[k], logs[k], 1e-10);
        EXPECT_CLOSE(psi.energy_by_parameter()[k], energies[k], 1e-10);
      }
    }
  }
  EXPECT_GT(configurations, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Factors, PytcParity,
    ::testing::Combine(
        ::testing::Values("Be_cc-pvdz", "LiH_cc-pvdz", "H2O_cc-pvdz"),
        ::testing::Values(Factor{"BoysHandy", {"boys-handy"}},
                          Factor{"BoysHandyAnalytical", {"boys-handy"}},
                          Factor{"NuclearCusp_exact_orbital", {"nuclear-cusp"}},
                          Factor{
                              "Composite_NuclearCusp_BoysHandyAnalytical_exact_orbital",
                              {"nuclear-cusp", "boys-handy"}},
                          Factor{"NeuralEE", {"neural-ee"}, 1e-8},
                          Factor{"NeuralEN", {"neural-en"}, 1e-8},
                          Factor{"NeuralEEN", {"neural-een"}, 1e-8})));

// 2e-8: pytc's orbital at the nucleus is a spline's, extrapolated from its first knot at
// 1e-8 bohr with a slope of ln phi of at most 0.71 (oxygen); 1.4 of that is 1e-8.
TEST(PytcRanges, bounds_of_the_nuclear_cusp_are_pytcs) {
  for (const std::string system : {"Be_cc-pvdz", "LiH_cc-pvdz", "H2O_cc-pvdz"}) {
    const Molecule molecule =
        read_wavefunction(data_path("pyscf/" + system + "/scf.molden"), {});
    const MolecularModel model(molecule, jastrow_of({"nuclear-cusp"}, "pytc"));
    const nlohmann::json file = read_json("pytc/" + system + "/nuclear_cusp_ranges.json");
    const std::size_t kinds = file["unique_Z"].size();
    ASSERT_EQ(model.parameters().size(), 2 * kinds);
    for (std::size_t k = 0; k < 2 * kinds; ++k) {
      const ParameterInfo& p = model.parameters()[k];
      SCOPED_TRACE(system + ": " + p.name);
      const auto& range = k < kinds ? file["X4_range"][k] : file["rc_range"][k - kinds];
      EXPECT_NEAR(p.lower, range[0], 2e-8);
      EXPECT_NEAR(p.upper, range[1], 2e-8);
      EXPECT_LE(p.lower, p.initial);
      EXPECT_LE(p.initial, p.upper);
    }
  }
}

}  // namespace
}  // namespace drover::testing
