// Wave functions of Psi4 and PySCF against numbers that those programs gave.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "drover/chem/basis.hpp"
#include "drover/chem/read.hpp"
#include "tests/chem/support.hpp"

namespace drover {
namespace {

TEST(MoldenFiles, all_import_with_a_proof_and_the_right_counts) {
  const nlohmann::json reference = read_json(data_path("molden/reference.json"));
  ASSERT_EQ(reference.size(), 18U);
  for (const auto& [name, expected] : reference.items()) {
    SCOPED_TRACE(name);
    const Molecule molecule = read_wavefunction(data_path("molden/" + name));
    EXPECT_EQ(molecule.up, expected["nalpha"].get<int>());
    EXPECT_EQ(molecule.down, expected["nbeta"].get<int>());
    EXPECT_EQ(molecule.basis.functions, expected["nbf"].get<int>());
    EXPECT_EQ(molecule.charge, 0);
    EXPECT_EQ(molecule.proof.format, "Molden");
    // The files hold 16 digits, and the orbitals were orthonormal to those.
    EXPECT_LT(molecule.proof.worst_overlap_deviation, 1e-10);
    EXPECT_FALSE(molecule.proof.has_file_energy);
    // V_nn of the same geometry, to the 12 digits of its coordinates.
    EXPECT_NEAR(molecule.proof.nuclear_repulsion, expected["Vnn"].get<double>(), 1e-9);
  }
}

struct Golden {
  const char* system;
  const char* file;
};

void PrintTo(const Golden& golden, std::ostream* out) {
  *out << golden.system << ' ' << golden.file;
}

class GoldenPoints : public ::testing::TestWithParam<Golden> {};

// Relative to max(1, |value|), as the values near nuclei ask for.
void expect_close(double found, double expected, double tolerance, const char* what) {
  EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected))) << what;
}

TEST_P(GoldenPoints, orbital_values_and_derivatives_are_those_of_pyscf) {
  const std::string folder = std::string("pyscf/") + GetParam().system + "/";
  const Molecule molecule = read_wavefunction(data_path(folder + GetParam().file));
  const nlohmann::json reference = read_json(data_path(folder + "reference.json"));
  const nlohmann::json points = read_json(data_path(folder + "points.json"));
  EXPECT_EQ(molecule.up, reference["n_up"].get<int>());
  EXPECT_EQ(molecule.down, reference["n_down"].get<int>());
  EXPECT_EQ(molecule.basis.functions, reference["n_ao"].get<int>());
  EXPECT_LT(molecule.proof.worst_overlap_deviation, 1e-10);
  // The Molden files hold 14 digits of the coefficients.
  const double tolerance = 1e-10;
  for (const auto& configuration : points["configurations"]) {
    for (int electron = 0; electron < molecule.electrons(); ++electron) {
      const auto point = configuration["positions"][static_cast<std::size_t>(electron)]
                             .get<std::array<double, 3>>();
      const bool down = electron >= molecule.up;
      const auto row = static_cast<std::size_t>(down ? electron - molecule.up : electron);
      const auto expected =
          configuration[down ? "mo_down" : "mo_up"][row].get<std::vector<double>>();
      const FieldValues found =
          evaluate_orbitals(molecule.atoms, molecule.basis,
                            down ? molecule.orbitals_down : molecule.orbitals_up,
                            down ? molecule.down : molecule.up, point);
      ASSERT_EQ(found.value.size(), expected.size());
      for (std::size_t o = 0; o < expected.size(); ++o)
        expect_close(found.value[o], expected[o], tolerance, "orbital value");
    }
  }
}

// (1/D) sum_k (A^-1)_k phi_k for one electron by Cramer's rule: A with the electron's row
// replaced, over A; plain elimination with partial pivoting.
double determinant(std::vector<std::vector<double>> a) {
  double product = 1.0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < a.size(); ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    if (pivot != c) {
      std::swap(a[pivot], a[c]);
      product = -product;
    }
    product *= a[c][c];
    for (std::size_t r = c + 1; r < a.size(); ++r) {
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < a.size(); ++k) a[r][k] -= factor * a[c][k];
    }
  }
  return product;
}

TEST_P(GoldenPoints, gradient_and_laplacian_of_the_determinant_are_those_of_pyscf) {
  const std::string folder = std::string("pyscf/") + GetParam().system + "/";
  const Molecule molecule = read_wavefunction(data_path(folder + GetParam().file));
  const nlohmann::json points = read_json(data_path(folder + "points.json"));
  for (const auto& configuration : points["configurations"])
    for (bool down : {false, true}) {
      const int count = down ? molecule.down : molecule.up;
      const int first = down ? molecule.up : 0;
      const auto& orbitals = down ? molecule.orbitals_down : molecule.orbitals_up;
      std::vector<FieldValues> rows;
      std::vector<std::vector<double>> a;
      for (int e = 0; e < count; ++e) {
        rows.push_back(evaluate_orbitals(
            molecule.atoms, molecule.basis, orbitals, count,
            configuration["positions"][static_cast<std::size_t>(first + e)]
                .get<std::array<double, 3>>()));
        a.push_back(rows.back().value);
      }
      const double d = determinant(a);
      for (std::size_t e = 0; e < a.size(); ++e) {
        auto with_row = [&](const std::vector<double>& row) {
          auto replaced = a;
          replaced[e] = row;
          return determinant(replaced) / d;
        };
        const std::size_t electron = static_cast<std::size_t>(first) + e;
        // Near a node the determinant loses four or five digits.
        expect_close(with_row(rows[e].laplacian),
                     configuration["lap_D_over_D"][electron].get<double>(), 1e-8,
                     "laplacian");
        for (std::size_t x = 0; x < 3; ++x) {
          std::vector<double> row;
          for (const auto& gradient : rows[e].gradient) row.push_back(gradient[x]);
          expect_close(with_row(row),
                       configuration["grad_lnD"][electron][x].get<double>(), 1e-8,
                       "gradient");
        }
      }
    }
}

std::string test_name(const ::testing::TestParamInfo<Golden>& golden) {
  std::string name = golden.param.system;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::vector<Golden> systems(const char* file) {
  return {{"H2O_cc-pvdz", file},
          {"H2O_6-31gs_cart", file},
          {"LiH_cc-pvtz", file},
          {"CH2_cc-pvdz_uhf", file},
          {"N_cc-pvdz_rohf", file}};
}

INSTANTIATE_TEST_SUITE_P(Molden, GoldenPoints, ::testing::ValuesIn(systems("scf.molden")),
                         test_name);
INSTANTIATE_TEST_SUITE_P(PyscfCheckpoint, GoldenPoints,
                         ::testing::ValuesIn(systems("scf.chk")), test_name);
INSTANTIATE_TEST_SUITE_P(Trexio, GoldenPoints, ::testing::ValuesIn(systems("trexio.h5")),
                         test_name);

}  // namespace
}  // namespace drover
