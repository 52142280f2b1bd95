// rexp, polynomial and pytc-dtn held against pytc 0.2.1's REXP, Poly and DTN: value,
// gradient, Laplacian, local energy, parameter derivatives and pair functions, at fixed
// points and with pytc's own softened distances.
#include <gtest/gtest.h>

#include <cmath>

#include "one_walker.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

struct Factor {
  const char* file;
  const char* term;
  Softening softening;
  std::vector<const char*> leaves;  // of pytc's parameters, in the order of ours
};

void PrintTo(const Factor& f, std::ostream* out) {
  *out << f.term;
}

void flatten(const nlohmann::json& leaf, std::vector<double>& out) {
  if (leaf.is_number()) {
    out.push_back(leaf);
    return;
  }
  for (const nlohmann::json& item : leaf) flatten(item, out);
}

// pytc's parameters, or derivatives by them, in our order; those that pytc holds fixed
// (the first c_ee_raw) or never uses (all but the first of Poly) are left out.
std::vector<double> ours(const Factor& factor, const nlohmann::json& pytc) {
  std::vector<double> all;
  for (const char* leaf : factor.leaves) {
    std::vector<double> numbers;
    flatten(*leaf == '\0' ? pytc : pytc[leaf], numbers);
    if (std::string(leaf) == "c_ee_raw") numbers.erase(numbers.begin());
    if (*leaf == '\0') numbers.resize(1);
    all.insert(all.end(), numbers.begin(), numbers.end());
  }
  return all;
}

std::vector<double> points(const nlohmann::json& positions) {
  std::vector<double> x;
  flatten(positions, x);
  return x;
}

#define EXPECT_CLOSE(found, expected) \
  EXPECT_NEAR(found, expected, 1e-10 * std::max(1.0, std::fabs(double(expected))))

class TermsParity : public ::testing::TestWithParam<std::tuple<const char*, Factor>> {
 protected:
  const Factor& factor() const { return std::get<1>(GetParam()); }
  Molecule molecule() const {
    return read_wavefunction(data_path("pyscf/" + system() + "/scf.molden"), {});
  }
  nlohmann::json file() const {
    return read_json("pytc/" + system() + "/" + factor().file + ".json");
  }

 private:
  std::string system() const { return std::get<0>(GetParam()); }
};

// 1e-10 relative to max(1, |value|): points lie down to 0.02 bohr from a nucleus, where a
// Laplacian of 1e4 is left over from larger terms.
TEST_P(TermsParity, local_energies_and_derivatives_are_pytcs) {
  const Molecule m = molecule();
  MolecularModel model(m, jastrow_of({factor().term}, "pytc"));
  const MolecularModel bare(m, jastrow_of({}));
  OneWalker<double> determinant(bare.plan());
  const nlohmann::json pytc = file();
  for (const char* set : {"initial", "perturbed"}) {
    const nlohmann::json& data = pytc["sets"][set];
    model.set_parameters(ours(factor(), data["params"]));
    WavePlan plan = model.plan();
    plan.softening = factor().softening;
    OneWalker<double> walker(plan);
    int number = 0;
    for (const nlohmann::json& c : data["configurations"]) {
      SCOPED_TRACE(set + std::string(", configuration ") + std::to_string(number++));
      const std::vector<double> x = points(c["positions"]);
      auto& d = determinant.at(x);
      d.energy<false, false>();
      auto& psi = walker.at(x);
      const auto e = psi.energy<true, true>();
      EXPECT_CLOSE(e.log_jastrow, c["ln_J_symmetric"]);
      EXPECT_EQ(e.sign, double(c["sign"]));
      EXPECT_CLOSE(e.kinetic + e.potential, c["E_L_unsoftened_V"]);
      const std::vector<double> gradient = points(c["grad_lnJ"]);
      for (int k = 0; k < 3 * m.electrons(); ++k)
        EXPECT_CLOSE(psi.gradient()[k] - d.gradient()[k],
                     gradient[static_cast<std::size_t>(k)]);
      const std::vector<double> laplacian = points(c["lap_lnJ"]);
      for (int k = 0; k < m.electrons(); ++k)
        EXPECT_CLOSE(psi.laplacian()[k] - d.laplacian()[k],
                     laplacian[static_cast<std::size_t>(k)]);
      const std::vector<double> o = ours(factor(), c["dlnJ_dp_symmetric"]);
      const std::vector<double> g = ours(factor(), c["dEL_dp"]);
      ASSERT_EQ(o.size(), model.parameters().size());
      for (std::size_t k = 0; k < o.size(); ++k) {
        SCOPED_TRACE(model.parameters()[k].name);
        EXPECT_CLOSE(psi.by_parameter()[k], o[k]);
        EXPECT_CLOSE(psi.energy_by_parameter()[k], g[k]);
      }
    }
    EXPECT_EQ(number, 6);
  }
}

// u(r1, r2) is ln J of two electrons, but that pytc shares its one-body part out over N -
// 1 pairs: here the coefficients of that part are divided instead.
TEST_P(TermsParity, pair_functions_are_pytcs) {
  Molecule m = molecule();
  const double pairs = m.electrons() - 1;
  for (auto* orbitals : {&m.orbitals_up, &m.orbitals_down})
    orbitals->resize(static_cast<std::size_t>(m.basis.functions));
  m.up = m.down = 1;
  MolecularModel model(m, jastrow_of({factor().term}, "pytc"));
  const MolecularModel bare(m, jastrow_of({}));
  OneWalker<double> determinant(bare.plan());
  const nlohmann::json pytc = file();
  for (const char* set : {"initial", "perturbed"}) {
    const nlohmann::json& data = pytc["sets"][set];
    std::vector<double> values = ours(factor(), data["params"]);
    for (std::size_t k = 0; k < values.size(); ++k)
      if (model.parameters()[k].name.find("c_en[") != std::string::npos)
        values[k] /= pairs;
    model.set_parameters(values);
    WavePlan plan = model.plan();
    plan.softening = factor().softening;
    OneWalker<double> walker(plan);
    int number = 0;
    for (const nlohmann::json& p : data["pairs"]) {
      SCOPED_TRACE(set + std::string(", pair ") + std::to_string(number++));
      for (const bool swapped : {false, true}) {
        const std::vector<double> x =
            points({p[swapped ? "r2" : "r1"], p[swapped ? "r1" : "r2"]});
        auto& d = determinant.at(x);
        d.energy<false, false>();
        auto& psi = walker.at(x);
        EXPECT_CLOSE((psi.energy<false, true>().log_jastrow),
                     p[swapped ? "u_swapped" : "u"]);
        const int e = swapped ? 1 : 0;  // the electron at r1
        const std::vector<double> gradient = points(p["grad1_u"]);
        for (int k = 0; k < 3; ++k)
          EXPECT_CLOSE(psi.gradient()[3 * e + k] - d.gradient()[3 * e + k],
                       gradient[static_cast<std::size_t>(k)]);
        EXPECT_CLOSE(psi.laplacian()[e] - d.laplacian()[e], p["lap1_u"]);
      }
    }
    EXPECT_EQ(number, 6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Factors, TermsParity,
    ::testing::Combine(
        ::testing::Values("Be_cc-pvdz", "LiH_cc-pvdz", "H2O_cc-pvdz"),
        ::testing::Values(Factor{"REXP", "rexp", {.shift = 1e-8}, {"alpha"}},
                          Factor{"Poly", "polynomial", {.square = 1e-10}, {""}},
                          Factor{"DTN",
                                 "pytc-dtn",
                                 {.square = 1e-8},
                                 {"rc_en_raw", "rc_ee_raw", "c_ee_raw", "c_en_raw",
                                  "c_een_raw"}})));

}  // namespace
}  // namespace drover::testing
