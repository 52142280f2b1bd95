// The table of solid harmonics against textbook forms and the properties that define it.
#include "drover/chem/solid_harmonics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <tuple>

#include "drover/core/error.hpp"

namespace drover {
namespace {

double evaluate(const std::vector<Monomial>& terms, double x, double y, double z) {
  double sum = 0.0;
  for (const Monomial& term : terms)
    sum += term.c * std::pow(x, term.i) * std::pow(y, term.j) * std::pow(z, term.k);
  return sum;
}

// Mean of x^i y^j z^k over the unit sphere: (i-1)!!(j-1)!!(k-1)!!/(i+j+k+1)!!, zero if
// odd.
double sphere_mean(int i, int j, int k) {
  if (i % 2 || j % 2 || k % 2) return 0.0;
  auto odd_factorial = [](int n) {
    double product = 1.0;
    for (; n > 1; n -= 2) product *= n;
    return product;
  };
  return odd_factorial(i - 1) * odd_factorial(j - 1) * odd_factorial(k - 1) /
         odd_factorial(i + j + k + 1);
}

TEST(SolidHarmonics, low_ones_have_the_textbook_form_in_the_documented_order) {
  const double x = 0.3, y = -0.7, z = 1.1, r2 = x * x + y * y + z * z;
  const double s3 = std::sqrt(3.0), s5 = std::sqrt(5.0), s15 = std::sqrt(15.0);
  const std::vector<std::vector<double>> expected = {
      {1.0},
      {z, x, y},
      {(3 * z * z - r2) / 2, s3 * x * z, s3 * y * z, s3 / 2 * (x * x - y * y),
       s3 * x * y},
      {z * (5 * z * z - 3 * r2) / 2, std::sqrt(6.0) / 4 * x * (5 * z * z - r2),
       std::sqrt(6.0) / 4 * y * (5 * z * z - r2), s15 / 2 * z * (x * x - y * y),
       s15 * x * y * z, s5 / std::sqrt(8.0) * x * (x * x - 3 * y * y),
       s5 / std::sqrt(8.0) * y * (3 * x * x - y * y)}};
  for (int l = 0; l < 4; ++l)
    for (int m = 0; m < 2 * l + 1; ++m)
      // A dozen roundings of numbers of order one.
      EXPECT_NEAR(evaluate(solid_harmonic(l, m), x, y, z),
                  expected[static_cast<std::size_t>(l)][static_cast<std::size_t>(m)],
                  1e-14)
          << "l = " << l << ", m_index = " << m;
}

TEST(SolidHarmonics, every_one_is_homogeneous_and_solves_the_laplace_equation) {
  for (int l = 0; l <= max_angular_momentum; ++l)
    for (int m = 0; m < 2 * l + 1; ++m) {
      std::map<std::tuple<int, int, int>, double> laplacian;
      for (const Monomial& t : solid_harmonic(l, m)) {
        EXPECT_EQ(t.i + t.j + t.k, l);
        if (t.i > 1) laplacian[{t.i - 2, t.j, t.k}] += t.c * t.i * (t.i - 1);
        if (t.j > 1) laplacian[{t.i, t.j - 2, t.k}] += t.c * t.j * (t.j - 1);
        if (t.k > 1) laplacian[{t.i, t.j, t.k - 2}] += t.c * t.k * (t.k - 1);
      }
      // Coefficients reach 231/16 * 30; their roundings are 1e-16 of that.
      for (const auto& [powers, value] : laplacian)
        EXPECT_NEAR(value, 0.0, 1e-12) << "l = " << l << ", m_index = " << m;
    }
}

TEST(SolidHarmonics, are_orthogonal_with_racahs_norm_on_the_sphere) {
  for (int l = 0; l <= max_angular_momentum; ++l)
    for (int k = 0; k <= max_angular_momentum; ++k)
      for (int m = 0; m < 2 * l + 1; ++m)
        for (int n = 0; n < 2 * k + 1; ++n) {
          double mean = 0.0;
          for (const Monomial& a : solid_harmonic(l, m))
            for (const Monomial& b : solid_harmonic(k, n))
              mean += a.c * b.c * sphere_mean(a.i + b.i, a.j + b.j, a.k + b.k);
          // Racah: the mean of S^2 over the sphere is 1/(2l+1). Cancellation costs 1e-12.
          EXPECT_NEAR(mean, l == k && m == n ? 1.0 / (2 * l + 1) : 0.0, 1e-12);
        }
}

TEST(SolidHarmonics, sign_follows_the_dipole_direction_for_every_m) {
  // S_lm with m > 0 is positive just off the z axis towards +x (towards the azimuth
  // pi/(2m) for m < 0), and S_l0 is 1 on the axis: the phase of every m is fixed by that.
  for (int l = 1; l <= max_angular_momentum; ++l)
    for (int index = 0; index < 2 * l + 1; ++index) {
      const int m = m_of_index(index);
      EXPECT_EQ(index_of_m(m), index);
      if (m == 0) {
        EXPECT_EQ(evaluate(solid_harmonic(l, 0), 0, 0, 1), 1.0);
        continue;
      }
      const double angle = m > 0 ? 0.0 : std::acos(-1.0) / (2.0 * -m);
      EXPECT_GT(evaluate(solid_harmonic(l, index), 0.01 * std::cos(angle),
                         0.01 * std::sin(angle), 1.0),
                0.0);
    }
}

TEST(SolidHarmonics, cartesian_monomials_are_alphabetical) {
  const char* expected[] = {"xxx", "xxy", "xxz", "xyy", "xyz",
                            "xzz", "yyy", "yyz", "yzz", "zzz"};
  for (int index = 0; index < 10; ++index) {
    const Monomial t = cartesian_monomial(3, index);
    EXPECT_EQ(std::string(static_cast<std::size_t>(t.i), 'x') +
                  std::string(static_cast<std::size_t>(t.j), 'y') +
                  std::string(static_cast<std::size_t>(t.k), 'z'),
              expected[index]);
  }
}

TEST(SolidHarmonics, table_is_a_constant_expression) {
  static_assert(solid_harmonic_table.of(0, 0).terms[0].c == 1.0);
  static_assert(solid_harmonic_table.of(1, 0).terms[0].k == 1);
  static_assert(solid_harmonic_table.of(1, 1).terms[0].i == 1);
  static_assert(solid_harmonic_table.of(2, 0).size == 3);
  SUCCEED();
}

TEST(SolidHarmonics, refuses_what_it_does_not_hold) {
  EXPECT_THROW(solid_harmonic(7, 0), Error);
  EXPECT_THROW(solid_harmonic(2, 5), Error);
  EXPECT_THROW(solid_harmonic(-1, 0), Error);
}

}  // namespace
}  // namespace drover
