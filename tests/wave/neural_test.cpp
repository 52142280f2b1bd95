// What the common tests of terms do not meet in neural terms: a residual connection in
// the first layer, other shapes, where they start, and what they refuse.
#include <gtest/gtest.h>

#include <cmath>

#include "one_walker.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

struct Shape {
  const char* term;
  std::vector<int> layers;
};

class NeuralShapes : public ::testing::TestWithParam<Shape> {};

// LiH has two nuclei, so en of layers of two and ee of layers of one have a residual
// connection in the first layer. Long double, central differences of 1e-5: 1e-6 relative
// for first derivatives, 1e-5 for second ones and for those of the local energy.
TEST_P(NeuralShapes, derivatives_are_finite_differences) {
  const Molecule lih =
      read_wavefunction(data_path("molden/LiH_3.015_cc-pvdz.molden"), {});
  for (const char* cusp : {"exact", "pytc"}) {
    SCOPED_TRACE(cusp);
    MolecularModel model(lih, jastrow_of({GetParam().term}, cusp, GetParam().layers));
    const auto kind =
        std::string(GetParam().term) == "neural-ee" ? NeuralKind::ee : NeuralKind::en;
    ASSERT_EQ(model.plan().neural[int(kind)].residual, 1);
    std::vector<double> values = perturbed(model);
    model.set_parameters(values);
    const Rows sampled = sample(model);
    std::vector<long double> x;
    for (int k = 0; k < 3 * model.electrons(); ++k) x.push_back(sampled.at(k, 3));
    OneWalker<long double> walker(model.plan());
    auto& psi = walker.at(x);
    const long double center = psi.energy<true, true>().log_abs;
    const std::vector<long double> gradient(psi.gradient(), psi.gradient() + x.size());
    const std::vector<long double> laplacian(psi.laplacian(),
                                             psi.laplacian() + model.electrons());
    const std::vector<long double> o(psi.by_parameter(),
                                     psi.by_parameter() + values.size());
    const std::vector<long double> g(psi.energy_by_parameter(),
                                     psi.energy_by_parameter() + values.size());
    const long double h = 1e-5L;
    for (std::size_t e = 0; e < laplacian.size(); ++e) {
      long double lap = 0, scale = 1;
      for (std::size_t k = 3 * e; k < 3 * e + 3; ++k) {
        const long double here = x[k];
        x[k] = here + h;
        const long double up = walker.log_abs(x);
        x[k] = here - h;
        const long double down = walker.log_abs(x);
        x[k] = here;
        EXPECT_NEAR(double(gradient[k]), double((up - down) / (2 * h)),
                    1e-6 * std::max(1.0, std::fabs(double(gradient[k]))));
        lap += (up - 2 * center + down) / (h * h);
        scale += gradient[k] * gradient[k];
      }
      EXPECT_NEAR(double(laplacian[e]), double(lap), 1e-5 * double(scale));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      SCOPED_TRACE(model.parameters()[k].name);
      std::vector<double> moved = values;
      moved[k] = values[k] + 1e-5;
      model.set_parameters(moved);
      const long double up = walker.log_abs(x), energy_up = walker.local_energy(x);
      const double wide = moved[k];
      moved[k] = values[k] - 1e-5;
      model.set_parameters(moved);
      const long double width = wide - moved[k];
      EXPECT_NEAR(double(o[k]), double((up - walker.log_abs(x)) / width),
                  1e-6 * std::max(1.0, std::fabs(double(o[k]))));
      EXPECT_NEAR(double(g[k]), double((energy_up - walker.local_energy(x)) / width),
                  1e-5 * std::max(1.0, std::fabs(double(g[k]))));
    }
    model.set_parameters(values);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, NeuralShapes,
    ::testing::Values(Shape{"neural-ee", {1}}, Shape{"neural-ee", {1, 3, 3, 1}},
                      Shape{"neural-en", {2}}, Shape{"neural-en", {2, 2, 5}}),
    [](const auto& s) { return "shape_" + std::to_string(s.index); });

// Felt, but by no more than two over a sample of 45 pairs; it does not depend on what
// else is in the list.
TEST(NeuralStart, is_small_and_the_same_for_all) {
  const Molecule water = read_wavefunction(data_path("molden/H2O_sto-3g.molden"), {});
  const auto model_of = [&](std::vector<std::string> terms) {
    return std::make_unique<MolecularModel>(
        water, jastrow_of(std::move(terms), "exact", {16, 16}));
  };
  const auto net = model_of({"pade", "neural-een"}), again = model_of({"neural-een"});
  const auto pade = model_of({"pade"});
  ASSERT_EQ(net->parameters().size(), 1u + 16 + 4 * 16 + 16 + 16 * 16 + 16);
  for (std::size_t k = 0; k < again->parameters().size(); ++k)
    EXPECT_EQ(net->parameters()[k + 1].initial, again->parameters()[k].initial);
  Rows x = sample(*pade);
  const Evaluation with = evaluate(*net, x), without = evaluate(*pade, x);
  double least = 1e9, most = -1e9;
  for (int w = 0; w < tile_walkers; ++w) {
    const double u = with.log_jastrow.at(0, w) - without.log_jastrow.at(0, w);
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_GT(most - least, 1e-3);
  EXPECT_LT(most - least, 2.0);
}

TEST(NeuralLayers, beyond_what_is_supported_are_refused) {
  const Molecule h = read_wavefunction(data_path("molden/H_sto-3g.molden"), {});
  try {
    const MolecularModel model(
        h, jastrow_of({"neural-en"}, "exact", {2, 2, 2, 2, 2, 2, 2, 2}));
    FAIL() << "eight hidden layers were taken";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_STREQ(e.what(),
                 "jastrow.neural-en.layers: a network has 1 to 7 hidden layers, found 8");
  }
}

}  // namespace
}  // namespace drover::testing
