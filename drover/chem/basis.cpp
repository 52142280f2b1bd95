// Plain reference evaluation of basis functions and orbitals (see basis.hpp).
#include "drover/chem/basis.hpp"

#include "drover/chem/solid_harmonics.hpp"
#include "drover/core/math.hpp"

namespace drover {

namespace {

// x^n; 0 for negative n, which derivatives of low powers ask for with a zero factor.
double power(double x, int n) {
  if (n < 0) return 0.0;
  double product = 1.0;
  for (int i = 0; i < n; ++i) product *= x;
  return product;
}

struct Polynomial {
  double value = 0.0;
  std::array<double, 3> gradient{};
  double laplacian = 0.0;
};

void add(Polynomial& sum, const Monomial& t, const std::array<double, 3>& r) {
  const double x = power(r[0], t.i), y = power(r[1], t.j), z = power(r[2], t.k);
  sum.value += t.c * x * y * z;
  sum.gradient[0] += t.c * t.i * power(r[0], t.i - 1) * y * z;
  sum.gradient[1] += t.c * t.j * x * power(r[1], t.j - 1) * z;
  sum.gradient[2] += t.c * t.k * x * y * power(r[2], t.k - 1);
  sum.laplacian += t.c * (t.i * (t.i - 1) * power(r[0], t.i - 2) * y * z +
                          t.j * (t.j - 1) * x * power(r[1], t.j - 2) * z +
                          t.k * (t.k - 1) * x * y * power(r[2], t.k - 2));
}

Polynomial angular_part(const Shell& shell, int function,
                        const std::array<double, 3>& r) {
  Polynomial sum;
  if (shell.spherical)
    for (const Monomial& t : solid_harmonic_table.of(shell.l, function)) add(sum, t, r);
  else
    add(sum, cartesian_monomial(shell.l, function), r);
  return sum;
}

FieldValues zeros(std::size_t n) {
  return {std::vector<double>(n, 0.0), std::vector<std::array<double, 3>>(n),
          std::vector<double>(n, 0.0)};
}

}  // namespace

FieldValues evaluate_basis(const std::vector<Atom>& atoms, const Basis& basis,
                           const std::array<double, 3>& point) {
  FieldValues out = zeros(static_cast<std::size_t>(basis.functions));
  for (const Shell& shell : basis.shells) {
    const auto& centre = atoms[static_cast<std::size_t>(shell.atom)].position;
    const std::array<double, 3> r = {point[0] - centre[0], point[1] - centre[1],
                                     point[2] - centre[2]};
    const double r2 = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    double radial = 0.0, first = 0.0, second = 0.0;
    for (std::size_t k = 0; k < shell.exponents.size(); ++k) {
      const double a = shell.exponents[k];
      const double term = shell.coefficients[k] * exp(-a * r2);
      radial += term;
      first -= a * term;
      second += a * a * term;
    }
    for (int f = 0; f < shell.functions(); ++f) {
      const Polynomial s = angular_part(shell, f, r);
      const auto at = static_cast<std::size_t>(shell.first_function + f);
      out.value[at] = s.value * radial;
      for (std::size_t d = 0; d < 3; ++d)
        out.gradient[at][d] = s.gradient[d] * radial + 2.0 * r[d] * s.value * first;
      out.laplacian[at] = s.laplacian * radial + 4.0 * shell.l * s.value * first +
                          s.value * (6.0 * first + 4.0 * r2 * second);
    }
  }
  return out;
}

FieldValues evaluate_orbitals(const std::vector<Atom>& atoms, const Basis& basis,
                              const std::vector<double>& orbitals, int number,
                              const std::array<double, 3>& point) {
  const FieldValues ao = evaluate_basis(atoms, basis, point);
  const auto n = static_cast<std::size_t>(basis.functions);
  FieldValues out = zeros(static_cast<std::size_t>(number));
  for (std::size_t o = 0; o < static_cast<std::size_t>(number); ++o)
    for (std::size_t f = 0; f < n; ++f) {
      const double c = orbitals[o * n + f];
      out.value[o] += c * ao.value[f];
      for (std::size_t d = 0; d < 3; ++d) out.gradient[o][d] += c * ao.gradient[f][d];
      out.laplacian[o] += c * ao.laplacian[f];
    }
  return out;
}

}  // namespace drover
