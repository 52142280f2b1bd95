// Basis functions and their overlaps for every l, against finite differences and
// quadrature.
#include "drover/chem/basis.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "drover/chem/gaussian.hpp"
#include "drover/chem/overlap.hpp"

namespace drover {
namespace {

struct System {
  std::vector<Atom> atoms;
  Basis basis;
};

// Shells of every l, spherical and Cartesian, on two centres.
System all_shells() {
  System system;
  system.atoms = {{"H", 1, {0.2, -0.1, 0.3}}, {"H", 1, {-0.5, 0.6, -0.4}}};
  for (int l = 0; l <= 6; ++l)
    for (bool spherical : {true, false}) {
      Shell shell{l % 2, l, spherical, {0.8, 1.3}, {}, system.basis.functions};
      shell.coefficients = {0.7 * primitive_norm(l, 0.8), -0.2 * primitive_norm(l, 1.3)};
      system.basis.functions += shell.functions();
      system.basis.shells.push_back(shell);
    }
  return system;
}

TEST(Basis, gradient_and_laplacian_equal_finite_differences_for_every_l) {
  const System system = all_shells();
  const std::array<double, 3> r = {0.7, 0.4, -0.9};
  const FieldValues at = evaluate_basis(system.atoms, system.basis, r);
  constexpr double h = 1e-3;
  auto shifted = [&](std::size_t d, double step) {
    std::array<double, 3> point = r;
    point[d] += step;
    return evaluate_basis(system.atoms, system.basis, point);
  };
  std::vector<double> laplacian(at.value.size(), 0.0);
  for (std::size_t d = 0; d < 3; ++d) {
    const FieldValues p1 = shifted(d, h), p2 = shifted(d, 2 * h), m1 = shifted(d, -h),
                      m2 = shifted(d, -2 * h);
    for (std::size_t f = 0; f < at.value.size(); ++f) {
      // Five-point formulas: h^4 times a sixth derivative of order 1e3, roundings
      // 1e-16/h^2.
      const double first =
          (8 * (p1.value[f] - m1.value[f]) - (p2.value[f] - m2.value[f])) / (12 * h);
      EXPECT_NEAR(at.gradient[f][d], first, 1e-8);
      laplacian[f] += (16 * (p1.value[f] + m1.value[f]) - (p2.value[f] + m2.value[f]) -
                       30 * at.value[f]) /
                      (12 * h * h);
    }
  }
  for (std::size_t f = 0; f < at.value.size(); ++f)
    EXPECT_NEAR(at.laplacian[f], laplacian[f], 1e-7);
}

TEST(Basis, a_function_is_its_polynomial_at_the_centre_of_its_atom) {
  const System system = all_shells();
  const FieldValues at =
      evaluate_basis(system.atoms, system.basis, system.atoms[0].position);
  // l = 0: the sum of its coefficients, and -6 sum a c for the laplacian.
  const Shell& s = system.basis.shells[0];
  EXPECT_DOUBLE_EQ(at.value[0], s.coefficients[0] + s.coefficients[1]);
  EXPECT_NEAR(at.laplacian[0], -6.0 * (0.8 * s.coefficients[0] + 1.3 * s.coefficients[1]),
              1e-14);
  // l = 2 on the same atom vanishes with its gradient.
  const Shell& d = system.basis.shells[4];
  ASSERT_EQ(d.l, 2);
  for (int f = 0; f < d.functions(); ++f)
    EXPECT_EQ(at.value[static_cast<std::size_t>(d.first_function + f)], 0.0);
}

TEST(Overlap, of_two_s_functions_is_the_textbook_formula) {
  System system;
  system.atoms = {{"H", 1, {0.0, 0.0, 0.0}}, {"H", 1, {0.0, 0.0, 1.4}}};
  system.basis.shells = {{0, 0, true, {0.5}, {1.0}, 0}, {1, 0, true, {0.9}, {1.0}, 1}};
  system.basis.functions = 2;
  const double pi_over_p = std::numbers::pi / 1.4;
  EXPECT_NEAR(overlap_matrix(system.atoms, system.basis)[1],
              pi_over_p * std::sqrt(pi_over_p) * std::exp(-0.45 / 1.4 * 1.96), 1e-15);
}

TEST(Overlap, of_normalised_functions_on_one_centre_is_one_on_the_diagonal) {
  for (int l = 0; l <= 6; ++l) {
    Shell shell{0, l, true, {0.8, 0.3}, {}, 0};
    shell.coefficients = {0.5 * primitive_norm(l, 0.8), 0.6 * primitive_norm(l, 0.3)};
    const double norm = contraction_norm(l, shell.exponents, shell.coefficients);
    for (double& c : shell.coefficients) c /= norm;
    const int n = shell.functions();
    const auto s = overlap_matrix({{"H", 1, {0.1, 0.2, 0.3}}}, {{shell}, n});
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        // Cancellation in the polynomials of l = 6 costs three digits.
        EXPECT_NEAR(s[static_cast<std::size_t>(a * n + b)], a == b ? 1.0 : 0.0, 1e-13);
  }
}

TEST(Overlap, agrees_with_quadrature_for_every_l_and_kind) {
  const System system = all_shells();
  const auto n = static_cast<std::size_t>(system.basis.functions);
  // Three random orbitals over all functions test every block at once.
  std::mt19937 random(4);
  std::vector<double> orbitals(3 * n);
  for (double& c : orbitals) c = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
  // The trapezoid rule errs by exp(-pi^2/(p h^2)), 1e-18 for the sharpest product (p
  // = 2.6), times (pi^2/(p h^2))^6 = 1e10 for polynomials of degree 12 over their norms
  // of 1e5; at the edge the functions have fallen to 1e-15.
  constexpr double h = 0.3;
  constexpr int half = 22;
  double sum[3][3] = {};
  for (int i = -half; i <= half; ++i)
    for (int j = -half; j <= half; ++j)
      for (int k = -half; k <= half; ++k) {
        const FieldValues at = evaluate_orbitals(system.atoms, system.basis, orbitals, 3,
                                                 {i * h, j * h, k * h});
        for (std::size_t a = 0; a < 3; ++a)
          for (std::size_t b = 0; b < 3; ++b)
            sum[a][b] += at.value[a] * at.value[b] * h * h * h;
      }
  const auto s = orbital_overlap(system.atoms, system.basis, orbitals, 3);
  const auto matrix = overlap_matrix(system.atoms, system.basis);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) {
      EXPECT_NEAR(s[a * 3 + b], sum[a][b], 1e-10);
      double product = 0.0;
      for (std::size_t f = 0; f < n; ++f)
        for (std::size_t g = 0; g < n; ++g)
          product += orbitals[a * n + f] * matrix[f * n + g] * orbitals[b * n + g];
      EXPECT_NEAR(s[a * 3 + b], product, 1e-11);
    }
}

TEST(NuclearRepulsion, is_the_sum_over_pairs_and_skips_centres_without_charge) {
  EXPECT_DOUBLE_EQ(nuclear_repulsion({{"Li", 3, {0, 0, 0}},
                                      {"H", 1, {0, 0, 2}},
                                      {"H", 1, {0, 3, 0}},
                                      {"X", 0, {0, 0, 0}}}),
                   1.5 + 1.0 + 1.0 / std::sqrt(13.0));
}

}  // namespace
}  // namespace drover
