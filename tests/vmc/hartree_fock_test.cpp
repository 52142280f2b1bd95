// Without Jastrow the energy is the Hartree-Fock energy of the file's determinant, and so
// are its kinetic and potential parts.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "run_fixture.hpp"

namespace drover::testing {
namespace {

class HartreeFock : public ::testing::TestWithParam<const char*> {};

// Five of the run's own standard errors: false alarm 6e-7 for each of 54 normal deviates;
// a local energy without a cusp has heavy tails, hence the seed is fixed.
TEST_P(HartreeFock, energy_and_its_parts_are_the_files) {
  std::ifstream in(std::string(DROVER_SOURCE_DIR) + "/tests/data/molden/reference.json");
  const nlohmann::json reference = nlohmann::json::parse(in)[GetParam()];
  Settings settings;
  settings.jastrow.terms.clear();
  settings.sampling.walkers = 1024;
  settings.sampling.sweeps = 3;
  settings.optimise.steps = 0;
  settings.measure.steps = 96;
  const RunResult r = run_on(2, molecule_of(GetParam()), settings).result;
  const double kinetic = reference["T"];
  const double potential = static_cast<double>(reference["Vne"]) +
                           static_cast<double>(reference["Vee"]) +
                           static_cast<double>(reference["Vnn"]);
  // An error below a millihartree per electron and charge, or the test would say little.
  EXPECT_LT(r.error, 0.02 * std::fabs(static_cast<double>(reference["E"])));
  EXPECT_NEAR(r.energy, static_cast<double>(reference["E"]), 5 * r.error);
  EXPECT_NEAR(r.kinetic, kinetic, 5 * r.kinetic_error);
  EXPECT_NEAR(r.potential, potential, 5 * r.potential_error);
  EXPECT_EQ(r.nonfinite, 0);
}

INSTANTIATE_TEST_SUITE_P(
    Files, HartreeFock,
    ::testing::Values("H_sto-3g.molden", "H_cc-pvdz.molden", "He_sto-3g.molden",
                      "He_cc-pvdz.molden", "He_cc-pvtz.molden", "Be_sto-3g.molden",
                      "Be_cc-pvdz.molden", "N_cc-pvdz.molden", "Ne_cc-pvdz.molden",
                      "LiH_3.015_cc-pvdz.molden", "N2_2.068_cc-pvdz.molden",
                      "H2_1.4_cc-pvdz.molden", "H2_1.4_cc-pvtz.molden",
                      "H2O_sto-3g.molden", "H2O_cc-pvdz.molden", "H2O_cc-pvtz.molden",
                      "H2_triplet_cc-pvdz.molden", "H10_1.8_sto-6g.molden"));

}  // namespace
}  // namespace drover::testing
