// Molden files as different programs mean them: one wave function, written in each
// dialect by formulas of this test, must come back the same, under the right name.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <iomanip>
#include <random>
#include <sstream>

#include "drover/chem/basis.hpp"
#include "drover/chem/gaussian.hpp"
#include "drover/chem/overlap.hpp"
#include "drover/chem/solid_harmonics.hpp"
#include "tests/chem/support.hpp"

namespace drover {
namespace {

// Orbitals of random coefficients, orthonormalised, on shells s to g of two centres: two
// occupied ones, and empty ones.
struct Sample {
  Molecule molecule;  // unit-normalised functions: the truth
  bool spherical = true;
  std::size_t orbitals = 2;
};

// `small`: what the occupied orbitals' coefficients of d and higher functions are
// multiplied by.
Sample make_sample(bool spherical, int largest_l, double small = 1.0,
                   std::size_t orbitals = 2, double apart = 1.1) {
  Sample sample{{}, spherical, orbitals};
  Molecule& m = sample.molecule;
  m.atoms = {{"He", 2, {0.1, -0.2, 0.3}}, {"He", 2, {-0.4, 0.5, apart}}};
  for (int atom = 0; atom < 2; ++atom)
    for (int l = 0; l <= largest_l; ++l) {
      Shell shell{atom, l, spherical || l < 2, {1.9 - 0.2 * l, 0.6 + 0.1 * atom}, {}, 0};
      shell.coefficients = {0.4 * primitive_norm(l, shell.exponents[0]),
                            0.7 * primitive_norm(l, shell.exponents[1])};
      const double norm = contraction_norm(l, shell.exponents, shell.coefficients);
      for (double& c : shell.coefficients) c /= norm;
      shell.first_function = m.basis.functions;
      m.basis.functions += shell.functions();
      m.basis.shells.push_back(shell);
    }
  m.up = m.down = 2;
  const auto n = static_cast<std::size_t>(m.basis.functions);
  std::mt19937 random(20);
  m.orbitals_up.resize(orbitals * n);
  for (double& c : m.orbitals_up) c = static_cast<double>(random() % 2001) / 1000.0 - 1.0;
  for (const Shell& shell : m.basis.shells)
    for (int f = 0; f < shell.functions() && shell.l > 1; ++f)
      for (std::size_t o = 0; o < 2; ++o)
        m.orbitals_up[o * n + static_cast<std::size_t>(shell.first_function + f)] *=
            small;
  const int count = static_cast<int>(orbitals);
  for (std::size_t o = 0; o < orbitals; ++o)
    // Twice, or rounding would leave an overlap of its own.
    for (int pass = 0; pass < 2; ++pass) {
      std::vector<double> s = orbital_overlap(m.atoms, m.basis, m.orbitals_up, count);
      for (std::size_t q = 0; q < o; ++q)
        for (std::size_t f = 0; f < n; ++f)
          m.orbitals_up[o * n + f] -= s[o * orbitals + q] * m.orbitals_up[q * n + f];
      s = orbital_overlap(m.atoms, m.basis, m.orbitals_up, count);
      const double norm = std::sqrt(s[o * (orbitals + 1)]);
      for (std::size_t f = 0; f < n; ++f) m.orbitals_up[o * n + f] /= norm;
    }
  m.orbitals_down = m.orbitals_up;
  return sample;
}

// Our index of the function that Molden has at `position` of a shell.
int ours(int l, bool spherical, int position) {
  if (l == 1) return (position + 1) % 3;  // x, y, z from z, x, y
  if (spherical || l < 2) return position;
  static const std::vector<std::vector<const char*>> names = {
      {"xx", "yy", "zz", "xy", "xz", "yz"},
      {"xxx", "yyy", "zzz", "xyy", "xxy", "xxz", "xzz", "yzz", "yyz", "xyz"},
      {"xxxx", "yyyy", "zzzz", "xxxy", "xxxz", "yyyx", "yyyz", "zzzx", "zzzy", "xxyy",
       "xxzz", "yyzz", "xxyz", "yyxz", "zzxy"}};
  const std::string name =
      names[static_cast<std::size_t>(l - 2)][static_cast<std::size_t>(position)];
  for (int f = 0; f < (l + 1) * (l + 2) / 2; ++f) {
    const Monomial t = cartesian_monomial(l, f);
    if (std::count(name.begin(), name.end(), 'x') == t.i &&
        std::count(name.begin(), name.end(), 'y') == t.j)
      return f;
  }
  return -1;
}

struct Dialect {
  // What stands in the file for a coefficient of normalised primitives of unit
  // contraction.
  std::function<double(int l, double exponent)> contraction;
  // What the orbital coefficient of a unit-normalised function is multiplied by.
  std::function<double(int l, int internal)> orbital;
};

const auto one = [](int, int) { return 1.0; };

// decimals: of the orbitals' coefficients; 0: all digits.
std::string write(const Sample& sample, const Dialect& dialect, int decimals = 0) {
  const Molecule& m = sample.molecule;
  std::ostringstream out;
  out.precision(17);
  out << "[Molden Format]\n[Atoms] AU\n";
  for (std::size_t a = 0; a < 2; ++a) {
    const auto& r = m.atoms[a].position;
    out << "He " << a + 1 << " 2 " << r[0] << ' ' << r[1] << ' ' << r[2] << '\n';
  }
  out << "[GTO]\n";
  int atom = -1;
  for (const Shell& shell : m.basis.shells) {
    if (shell.atom != atom) out << '\n' << (atom = shell.atom) + 1 << " 0\n";
    out << "spdfghi"[shell.l] << " 2 1.00\n";
    for (std::size_t k = 0; k < 2; ++k)
      out << shell.exponents[k] << ' '
          << shell.coefficients[k] / primitive_norm(shell.l, shell.exponents[k]) *
                 dialect.contraction(shell.l, shell.exponents[k])
          << '\n';
  }
  if (sample.spherical) out << "\n[5D7F]\n[9G]\n";
  out << "[MO]\n";
  if (decimals > 0) out << std::fixed << std::setprecision(decimals);
  for (std::size_t o = 0; o < sample.orbitals; ++o) {
    out << "Sym= A\nEne= 0.0\nSpin= Alpha\nOccup= " << (o < 2 ? "2.0" : "0.0") << '\n';
    for (const Shell& shell : m.basis.shells)
      for (int p = 0; p < shell.functions(); ++p) {
        const int f = ours(shell.l, shell.spherical, p);
        double c = m.orbitals_up[o * static_cast<std::size_t>(m.basis.functions) +
                                 static_cast<std::size_t>(shell.first_function + f)];
        // The truth has monomials of the norm of x^l; `c` is for them.
        if (!shell.spherical) c /= monomial_norm_factor(cartesian_monomial(shell.l, f));
        out << shell.first_function + p + 1 << ' ' << c * dialect.orbital(shell.l, f)
            << '\n';
      }
  }
  return out.str();
}

void expect_same_orbitals(const Molecule& found, const Molecule& expected) {
  for (const std::array<double, 3>& point :
       {std::array{0.3, 0.1, -0.4}, std::array{-1.2, 0.8, 0.9}}) {
    const FieldValues a =
        evaluate_orbitals(found.atoms, found.basis, found.orbitals_up, 2, point);
    const FieldValues b =
        evaluate_orbitals(expected.atoms, expected.basis, expected.orbitals_up, 2, point);
    for (std::size_t o = 0; o < 2; ++o)
      EXPECT_NEAR(a.value[o], b.value[o], 1e-13);  // 17 digits were written
  }
}

void expect_convention(const Sample& sample, const Dialect& dialect,
                       const std::string& name) {
  const Molecule found = accepted(write(sample, dialect));
  EXPECT_NE(found.proof.convention.find(name), std::string::npos)
      << found.proof.convention;
  EXPECT_LT(found.proof.worst_overlap_deviation, 1e-12);
  EXPECT_EQ(found.up, 2);
  EXPECT_TRUE(found.restricted);
  expect_same_orbitals(found, sample.molecule);
}

const auto normalised = [](int, double) { return 1.0; };
const auto scaled = [](int l, double) { return 1.3 + 0.1 * l; };

double all(int l) {
  return std::sqrt(double_factorial(2 * l - 1));
}

double each(int l, int internal) {
  return l < 2 ? 1.0 : monomial_norm_factor(cartesian_monomial(l, internal));
}

TEST(MoldenDialects, the_format_itself_is_read_for_spherical_and_cartesian_functions) {
  expect_convention(make_sample(true, 4), {normalised, one}, "(Molden)");
  expect_convention(make_sample(false, 4), {normalised, one}, "(Molden)");
}

TEST(MoldenDialects, spherical_functions_beyond_g_follow_the_9g_line) {
  expect_convention(make_sample(true, 6), {normalised, one}, "(Molden)");
}

TEST(MoldenDialects, contractions_that_are_not_normalised_are_renormalised) {
  expect_convention(make_sample(true, 4), {scaled, one},
                    "renormalised, each function of unit norm");
  expect_convention(make_sample(false, 4), {scaled, one},
                    "renormalised, each function of unit norm");
}

TEST(MoldenDialects, orca_puts_norms_into_its_coefficients_and_turns_some_signs) {
  auto contraction = [](int l, double a) {
    constexpr double factors[] = {1, 1, 3, 15, 35, 1};  // norms of x, xy, xyz, xxyz, x^5
    return primitive_norm(l, a) * std::sqrt(factors[l]);
  };
  auto sign = [](int, int internal) {
    const int m = std::abs(m_of_index(internal));
    return m == 3 || m == 4 ? -1.0 : 1.0;
  };
  expect_convention(make_sample(true, 3), {contraction, sign}, "(ORCA)");
  expect_convention(make_sample(true, 5), {contraction, sign}, "(ORCA)");
}

TEST(MoldenDialects, orcas_signs_alone_are_recognised) {
  auto sign = [](int, int internal) {
    const int m = std::abs(m_of_index(internal));
    return m == 3 || m == 4 ? -1.0 : 1.0;
  };
  expect_convention(make_sample(true, 4), {normalised, sign}, "as written, ORCA's signs");
  expect_convention(make_sample(true, 4), {scaled, sign}, "renormalised, ORCA's signs");
}

TEST(MoldenDialects, old_psi4_leaves_its_primitives_unnormalised) {
  expect_convention(make_sample(true, 4),
                    {[](int l, double a) { return primitive_norm(l, a); }, one},
                    "(Psi4 before 1.0)");
}

TEST(MoldenDialects, turbomole_divides_cartesian_contractions) {
  // The contractions of d and f are a little off unit norm, or renormalising would do as
  // well.
  Sample sample = make_sample(false, 4);
  for (Shell& shell : sample.molecule.basis.shells)
    for (double& c : shell.coefficients) c *= 1.01;
  for (double& c : sample.molecule.orbitals_up) c /= 1.01;
  expect_convention(sample,
                    {[](int l, double) { return l < 2 ? 1.0 : 1.0 / all(l); }, one},
                    "(Turbomole)");
}

TEST(MoldenDialects, cfour_gives_cartesian_functions_the_norm_of_xy) {
  expect_convention(
      make_sample(false, 4),
      {normalised, [](int l, int f) { return l < 2 ? 1.0 : each(l, f) / all(l); }},
      "(CFOUR)");
}

const Dialect cfour = {normalised,
                       [](int l, int f) { return l < 2 ? 1.0 : each(l, f) / all(l); }};

// A wrong norm of functions with small coefficients c changes psi by c, but the overlap
// by c^2 only: here by 1e-9.
TEST(MoldenDialects, functions_that_are_hardly_used_are_decided_by_the_last_digits) {
  expect_convention(make_sample(false, 4, 3e-5), cfour, "(CFOUR)");
}

TEST(MoldenDialects, empty_orbitals_decide_where_the_file_has_few_digits) {
  const Sample sample = make_sample(false, 3, 3e-4, 8);
  const Molecule found = accepted(write(sample, cfour, 6));
  EXPECT_NE(found.proof.convention.find("(CFOUR)"), std::string::npos)
      << found.proof.convention;
}

// The sign of f functions shows in the overlap with another centre alone, and here there
// is none.
TEST(MoldenDialects, conventions_that_nothing_tells_apart_are_named) {
  const Molecule found =
      accepted(write(make_sample(true, 3, 1.0, 2, 40.0), {normalised, one}));
  EXPECT_NE(found.proof.convention.find("(Molden)"), std::string::npos);
  std::string notes;
  for (const std::string& note : found.proof.notes) notes += note + '\n';
  EXPECT_NE(notes.find("the orbitals fit this convention as well: contractions as "
                       "written, ORCA's signs; coefficients would differ by up to 0."),
            std::string::npos)
      << notes;
}

TEST(MoldenDialects, psi4_up_to_1_3_shares_one_norm_in_a_cartesian_shell) {
  expect_convention(make_sample(false, 4), {scaled, each}, "(Psi4 up to 1.3)");
  expect_convention(make_sample(false, 4), {normalised, each},
                    "norm of x^l");  // with or without renormalising
}

TEST(MoldenDialects, a_dialect_nobody_knows_is_refused_with_the_worst_norms) {
  const std::string message = refusal(
      write(make_sample(true, 3), {[](int l, double a) { return 0.3 * l + a; }, one}));
  EXPECT_NE(message.find("not orthonormal under any known convention"),
            std::string::npos);
  EXPECT_NE(message.find("(Molden): norm "), std::string::npos) << message;
  EXPECT_NE(message.find("(ORCA): norm "), std::string::npos) << message;
}

TEST(MoldenDialects, one_damaged_coefficient_is_found) {
  std::string text = write(make_sample(true, 3), {normalised, one});
  const std::size_t at = text.rfind("\n20 ");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 4, "1.5e0\n#");
  text.erase(text.find('#'), text.find('\n', text.find('#')) - text.find('#') + 1);
  EXPECT_NE(refusal(text).find("largest |C^T S C - 1|"), std::string::npos);
}

TEST(MoldenDialects, a_missing_5d_line_is_hinted_at) {
  std::string text = write(make_sample(true, 4), {normalised, one});
  const std::string flags = "\n[5D7F]\n[9G]\n";
  text.erase(text.find(flags), flags.size());
  const std::string message = refusal(text);
  EXPECT_NE(message.find("a line [5D], [7F] or [9G] may be missing"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace drover
