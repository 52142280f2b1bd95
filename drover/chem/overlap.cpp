// Overlap integrals of Gaussian basis functions (see overlap.hpp).
#include "drover/chem/overlap.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "drover/chem/gaussian.hpp"
#include "drover/chem/solid_harmonics.hpp"
#include "drover/core/error.hpp"
#include "drover/core/math.hpp"

namespace drover {

namespace {

constexpr int powers = max_angular_momentum + 1;
constexpr int most_functions =
    (max_angular_momentum + 1) * (max_angular_momentum + 2) / 2;

// s_ij in one direction, without the factor exp(-ab/(a+b) (A-B)^2).
struct Line {
  double s[powers][powers] = {};

  Line(double p, double from_a, double from_b, int most_i, int most_j) {
    const double half = 0.5 / p;
    s[0][0] = std::sqrt(std::numbers::pi / p);
    for (int i = 0; i <= most_i; ++i) {
      if (i > 0)
        s[i][0] = from_a * s[i - 1][0] + (i > 1 ? half * (i - 1) * s[i - 2][0] : 0.0);
      for (int j = 1; j <= most_j; ++j) {
        double value = from_b * s[i][j - 1];
        if (i > 0) value += half * i * s[i - 1][j - 1];
        if (j > 1) value += half * (j - 1) * s[i][j - 2];
        s[i][j] = value;
      }
    }
  }
};

std::vector<Monomial> terms_of(const Shell& shell, int function) {
  if (shell.spherical) return solid_harmonic(shell.l, function);
  return {cartesian_monomial(shell.l, function)};
}

int cartesian_index(const Monomial& t) {
  const int rest = t.j + t.k;  // functions before those with x^i, then by z's power
  return rest * (rest + 1) / 2 + t.k;
}

// The functions of every shell as sums over its Cartesian monomials, made once.
struct Expansions {
  struct Term {
    double c;
    int index;
  };
  std::vector<std::vector<Term>> of[2];  // [spherical][l*most + function]

  Expansions() {
    for (int spherical = 0; spherical < 2; ++spherical) {
      of[spherical].resize(static_cast<std::size_t>(powers * most_functions));
      for (int l = 0; l < powers; ++l) {
        const Shell shell{0, l, spherical == 1, {}, {}, 0};
        for (int f = 0; f < shell.functions(); ++f)
          for (const Monomial& t : terms_of(shell, f))
            of[spherical][static_cast<std::size_t>(l * most_functions + f)].push_back(
                {t.c, cartesian_index(t)});
      }
    }
  }
  const std::vector<Term>& terms(const Shell& shell, int function) const {
    return of[shell.spherical ? 1 : 0]
             [static_cast<std::size_t>(shell.l * most_functions + function)];
  }
};

// The block of S of two shells, [functions of a][functions of b].
void shell_overlap(const std::vector<Atom>& atoms, const Shell& a, const Shell& b,
                   const Expansions& expansions, std::vector<double>& block) {
  const auto& ra = atoms[static_cast<std::size_t>(a.atom)].position;
  const auto& rb = atoms[static_cast<std::size_t>(b.atom)].position;
  const int na = (a.l + 1) * (a.l + 2) / 2, nb = (b.l + 1) * (b.l + 2) / 2;
  double distance2 = 0.0;
  for (std::size_t d = 0; d < 3; ++d) distance2 += (ra[d] - rb[d]) * (ra[d] - rb[d]);

  double cartesian[most_functions][most_functions] = {};
  for (std::size_t ka = 0; ka < a.exponents.size(); ++ka)
    for (std::size_t kb = 0; kb < b.exponents.size(); ++kb) {
      const double ea = a.exponents[ka], eb = b.exponents[kb], p = ea + eb;
      const double damping = ea * eb / p * distance2;
      // exp(-230) = 1e-100: nothing that the polynomials before it could lift.
      if (damping > 230.0) continue;
      const double weight = a.coefficients[ka] * b.coefficients[kb] * exp(-damping);
      auto line = [&](std::size_t d) {
        return Line(p, eb / p * (rb[d] - ra[d]), ea / p * (ra[d] - rb[d]), a.l, b.l);
      };
      const Line x = line(0), y = line(1), z = line(2);
      for (int fa = 0; fa < na; ++fa) {
        const Monomial ta = cartesian_monomial(a.l, fa);
        for (int fb = 0; fb < nb; ++fb) {
          const Monomial tb = cartesian_monomial(b.l, fb);
          cartesian[fa][fb] +=
              weight * x.s[ta.i][tb.i] * y.s[ta.j][tb.j] * z.s[ta.k][tb.k];
        }
      }
    }

  block.assign(static_cast<std::size_t>(a.functions() * b.functions()), 0.0);
  std::size_t at = 0;
  for (int fa = 0; fa < a.functions(); ++fa)
    for (int fb = 0; fb < b.functions(); ++fb, ++at)
      for (const auto& ta : expansions.terms(a, fa))
        for (const auto& tb : expansions.terms(b, fb))
          block[at] += ta.c * tb.c * cartesian[ta.index][tb.index];
}

// Calls visit(shell a, shell b, block) for every pair b <= a.
template <class Visit>
void for_each_block(const std::vector<Atom>& atoms, const Basis& basis, Visit visit) {
  for (const Shell& shell : basis.shells)
    if (shell.l < 0 || shell.l > max_angular_momentum || shell.atom < 0 ||
        static_cast<std::size_t>(shell.atom) >= atoms.size() ||
        shell.exponents.size() != shell.coefficients.size())
      throw Error(ErrorKind::logic,
                  "[overlap] expected shells with 0 <= l <= 6, an atom of the molecule "
                  "and as many coefficients as exponents");
  const Expansions expansions;
  std::vector<double> block;
  for (std::size_t a = 0; a < basis.shells.size(); ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      shell_overlap(atoms, basis.shells[a], basis.shells[b], expansions, block);
      visit(basis.shells[a], basis.shells[b], block);
    }
}

}  // namespace

std::vector<double> overlap_matrix(const std::vector<Atom>& atoms, const Basis& basis) {
  const auto n = static_cast<std::size_t>(basis.functions);
  std::vector<double> s(n * n, 0.0);
  for_each_block(atoms, basis, [&](const Shell& a, const Shell& b, const auto& block) {
    std::size_t at = 0;
    for (int fa = 0; fa < a.functions(); ++fa)
      for (int fb = 0; fb < b.functions(); ++fb, ++at) {
        const auto row = static_cast<std::size_t>(a.first_function + fa);
        const auto column = static_cast<std::size_t>(b.first_function + fb);
        s[row * n + column] = s[column * n + row] = block[at];
      }
  });
  return s;
}

std::vector<double> orbital_overlap(const std::vector<Atom>& atoms, const Basis& basis,
                                    const std::vector<double>& orbitals, int number) {
  const auto n = static_cast<std::size_t>(basis.functions);
  const auto count = static_cast<std::size_t>(number);
  std::vector<double> projected(count * n, 0.0);  // C S
  for_each_block(atoms, basis, [&](const Shell& a, const Shell& b, const auto& block) {
    const bool same = &a == &b;
    std::size_t at = 0;
    for (int fa = 0; fa < a.functions(); ++fa)
      for (int fb = 0; fb < b.functions(); ++fb, ++at) {
        const auto row = static_cast<std::size_t>(a.first_function + fa);
        const auto column = static_cast<std::size_t>(b.first_function + fb);
        for (std::size_t o = 0; o < count; ++o) {
          projected[o * n + column] += orbitals[o * n + row] * block[at];
          if (!same) projected[o * n + row] += orbitals[o * n + column] * block[at];
        }
      }
  });
  std::vector<double> overlap(count * count, 0.0);
  for (std::size_t o = 0; o < count; ++o)
    for (std::size_t q = 0; q < count; ++q) {
      double sum = 0.0;
      for (std::size_t f = 0; f < n; ++f)
        sum += projected[o * n + f] * orbitals[q * n + f];
      overlap[o * count + q] = sum;
    }
  return overlap;
}

}  // namespace drover
