// The determinant held against PySCF's numbers at fixed points.
#include <gtest/gtest.h>

#include <cmath>

#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

Rows positions_of(const nlohmann::json& configurations, int electrons) {
  Rows x(3 * electrons);
  for (int w = 0; w < tile_walkers; ++w) {
    const auto& at = configurations[static_cast<std::size_t>(w) % configurations.size()];
    for (int e = 0; e < electrons; ++e)
      for (int k = 0; k < 3; ++k)
        x.at(3 * e + k, w) =
            at["positions"][static_cast<std::size_t>(e)][static_cast<std::size_t>(k)];
  }
  return x;
}

#define EXPECT_CLOSE(found, expected, tolerance) \
  EXPECT_NEAR(found, expected, (tolerance)*std::max(1.0, std::fabs(double(expected))))

class PyscfParity : public ::testing::TestWithParam<const char*> {};

// 1e-10 relative to max(1, value): the files print 16 digits and some points lie near
// nodes.
TEST_P(PyscfParity, determinant_and_local_energy_are_pyscfs) {
  const std::string folder = std::string("pyscf/") + GetParam() + "/";
  const Molecule molecule = read_wavefunction(data_path(folder + "scf.molden"), {});
  MolecularModel model(molecule, jastrow_of({}));
  const nlohmann::json points = read_json(folder + "points.json")["configurations"];
  Rows x = positions_of(points, molecule.electrons());
  const Evaluation found = evaluate(model, x);
  for (int c = 0; c < static_cast<int>(points.size()); ++c) {
    const auto& p = points[static_cast<std::size_t>(c)];
    // The order of orbitals fixes the sign only up to the file's own order.
    const double logs = double(p["lnabs_up"]) + double(p["lnabs_down"]);
    EXPECT_CLOSE(found.log_abs.at(0, c), logs, 1e-10);
    EXPECT_CLOSE(found.kinetic.at(0, c), p["kinetic"], 1e-10);
    EXPECT_CLOSE(found.energy(c), p["E_L"], 1e-10);
    for (int e = 0; e < molecule.electrons(); ++e) {
      double gradient2 = 0;
      for (int k = 0; k < 3; ++k) {
        const double g =
            p["grad_lnD"][static_cast<std::size_t>(e)][static_cast<std::size_t>(k)];
        EXPECT_CLOSE(found.gradient.at(3 * e + k, c), g, 1e-10);
        gradient2 += g * g;
      }
      const double lap =
          double(p["lap_D_over_D"][static_cast<std::size_t>(e)]) - gradient2;
      EXPECT_NEAR(found.laplacian.at(e, c), lap, 1e-10 * std::max(1.0, gradient2));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Systems, PyscfParity,
                         ::testing::Values("H2O_cc-pvdz", "H2O_6-31gs_cart",
                                           "LiH_cc-pvtz", "CH2_cc-pvdz_uhf",
                                           "N_cc-pvdz_rohf"));

// Hydrogen's outermost Gaussian, exp(-0.122 r^2), ends at 75.7 bohr in the kernels;
// beyond, there is no wave function rather than a wrong one.
TEST(FarAway, the_last_gaussian_is_exact_until_it_vanishes) {
  const Molecule molecule = read_wavefunction(data_path("molden/H_cc-pvdz.molden"), {});
  MolecularModel model(molecule, jastrow_of({}));
  Rows x(3);
  for (int w = 0; w < tile_walkers; ++w) x.at(2, w) = w % 2 == 0 ? 75.5 : 76.0;
  const Evaluation found = evaluate(model, x);
  EXPECT_NEAR(found.gradient.at(2, 0), -2 * 0.122 * 75.5, 1e-12);
  EXPECT_FALSE(std::isfinite(found.log_abs.at(0, 1)));
}

}  // namespace
}  // namespace drover::testing
