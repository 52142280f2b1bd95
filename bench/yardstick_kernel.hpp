// What yardstick_v3.cpp and yardstick_v4.cpp share; see yardstick.hpp.
//
// Orbitals: sum_k c_k exp(-a_k r^2) times x, y, z or a d function, with gradient and
// Laplacian. E = -1/2 sum_i [lap_i ln psi + |grad_i ln psi|^2] + V.
#pragma once

#include <cstdint>

#include "drover/core/pack.hpp"
#include "yardstick.hpp"

namespace yardstick {
inline namespace DROVER_ISA {

// exp(x) for x <= 0, cut at -700: 2^n times a polynomial of degree 11, to a few ulp.
template <int W>
DROVER_INLINE drover::Pack<W> exponential(drover::Pack<W> x) {
  using R = drover::Pack<W>;
  using Bits = typename R::ivec;
  constexpr double magic = 0x1.8p52;  // leaves round(t) in the low bits
  constexpr double inverse_factorials[] = {
      1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,      1.0 / 24,      1.0 / 6,      0.5,         1.0,        1.0};
  x = max(x, R(-700.0));
  const R shifted = fma(x, R(0x1.71547652b82fep0), R(magic));  // 1/ln 2
  const R n = shifted - R(magic);
  // ln 2 in two parts
  const R r =
      fma(n, R(-1.90821492927058770002e-10), fma(n, R(-6.93147180369123816490e-01), x));
  R p(inverse_factorials[0]);
  for (int k = 1; k < 12; ++k) p = fma(p, r, R(inverse_factorials[k]));
  const Bits power = reinterpret_cast<Bits>(shifted.v) << 52;
  return R(reinterpret_cast<typename R::vec>(reinterpret_cast<Bits>(p.v) + power));
}

template <class R>
struct Vector {
  R x, y, z;
};

// All orbitals of one electron: [orbital]{value, gradient, Laplacian}, added to.
template <class R>
struct OrbitalSums {
  const System& system;
  R (*sums)[5];
  int next = 0;  // basis function

  DROVER_INLINE void add(R v, R vx, R vy, R vz, R laplacian) {
    const double* c = system.orbital[next++];
    for (int m = 0; m < orbitals; ++m) {
      const R weight(c[m]);
      sums[m][0] = fma(weight, v, sums[m][0]);
      sums[m][1] = fma(weight, vx, sums[m][1]);
      sums[m][2] = fma(weight, vy, sums[m][2]);
      sums[m][3] = fma(weight, vz, sums[m][3]);
      sums[m][4] = fma(weight, laplacian, sums[m][4]);
    }
  }
};

template <class R>
DROVER_INLINE void add_orbitals(const System& system, const R* x, R (*sums)[5]) {
  OrbitalSums<R> out{system, sums};
  const R zero(0.0), two(2.0);
  for (const Shell& shell : system.shell) {
    const double* at = system.nucleus[shell.nucleus];
    const Vector<R> d = {x[0] - R(at[0]), x[1] - R(at[1]), x[2] - R(at[2])};
    const R r2 = fma(d.x, d.x, fma(d.y, d.y, d.z * d.z));
    // g(r^2) = sum q; f1 = g'/r and f2 = (g'/r)'/r, of g as a function of r
    R g(0.0), f1(0.0), f2(0.0);
    for (int k = 0; k < shell.primitives; ++k) {
      const double a = shell.exponent[k];
      const R q = R(shell.coefficient[k]) * exponential(R(-a) * r2);
      g += q;
      f1 = fma(R(-2.0 * a), q, f1);
      f2 = fma(R(4.0 * a * a), q, f2);
    }
    const R laplacian = fma(R(3.0 + 2.0 * shell.l), f1, f2 * r2);
    if (shell.l == 0) {
      out.add(g, f1 * d.x, f1 * d.y, f1 * d.z, laplacian);
    } else {
      // S g has the gradient g grad S + f1 S d.
      const auto add = [&](R s, R sx, R sy, R sz) {
        const R q = f1 * s;
        out.add(g * s, fma(q, d.x, g * sx), fma(q, d.y, g * sy), fma(q, d.z, g * sz),
                laplacian * s);
      };
      const R one(1.0);
      if (shell.l == 1) {
        add(d.x, one, zero, zero);
        add(d.y, zero, one, zero);
        add(d.z, zero, zero, one);
      } else {
        add(d.x * d.y, d.y, d.x, zero);
        add(d.y * d.z, zero, d.z, d.y);
        add(d.x * d.z, d.z, zero, d.x);
        add(fma(d.x, d.x, -(d.y * d.y)), two * d.x, -(two * d.y), zero);
        add(fma(R(3.0) * d.z, d.z, -r2), -(two * d.x), -(two * d.y), R(4.0) * d.z);
      }
    }
  }
}

// Jastrow sums of each electron: gradient [3] and Laplacian.
template <class R>
struct JastrowSums {
  R gradient[electrons][3], laplacian[electrons];
};

// u(r) with r' = d/r: adds grad u and lap u = u'' + 2 u'/r; returns 1/r.
template <class R>
DROVER_INLINE R add_distance(const System& system, const Vector<R>& d, JastrowSums<R>& to,
                             int i, int j) {
  const R r = sqrt(fma(d.x, d.x, fma(d.y, d.y, d.z * d.z)));
  const R inverse = R(1.0) / r;
  R u(0.0), u1(0.0), half_u2(0.0);  // Horner's scheme with its derivatives
  for (const double c : system.jastrow) {
    half_u2 = fma(half_u2, r, u1);
    u1 = fma(u1, r, u);
    u = fma(u, r, R(c));
  }
  const R f = u1 * inverse, l = R(2.0) * (half_u2 + f);
  const R g[3] = {f * d.x, f * d.y, f * d.z};
  for (int k = 0; k < 3; ++k) to.gradient[i][k] += g[k];
  to.laplacian[i] += l;
  if (j >= 0) {
    for (int k = 0; k < 3; ++k) to.gradient[j][k] -= g[k];
    to.laplacian[j] += l;
  }
  return inverse;
}

// Gauss-Jordan without pivots: b becomes the inverse of a.
template <class R>
DROVER_INLINE void invert(R (*a)[orbitals], R (*b)[orbitals]) {
  for (int i = 0; i < orbitals; ++i)
    for (int j = 0; j < orbitals; ++j) b[i][j] = R(i == j ? 1.0 : 0.0);
  for (int c = 0; c < orbitals; ++c) {
    const R pivot = R(1.0) / a[c][c];
    for (int j = 0; j < orbitals; ++j) {
      a[c][j] *= pivot;
      b[c][j] *= pivot;
    }
    for (int i = 0; i < orbitals; ++i) {
      if (i == c) continue;
      const R f = a[i][c];
      for (int j = 0; j < orbitals; ++j) {
        a[i][j] = fnma(f, a[c][j], a[i][j]);
        b[i][j] = fnma(f, b[c][j], b[i][j]);
      }
    }
  }
}

// The local energy of a pack of walkers; x[3 electrons].
template <class R>
DROVER_INLINE R local_energy(const System& system, const R* x) {
  R mo[electrons][orbitals][5];
  for (auto& electron : mo)
    for (auto& orbital : electron)
      for (R& sum : orbital) sum = R(0.0);
  for (int i = 0; i < electrons; ++i) add_orbitals(system, x + 3 * i, mo[i]);

  JastrowSums<R> jastrow;
  for (int i = 0; i < electrons; ++i) {
    for (R& g : jastrow.gradient[i]) g = R(0.0);
    jastrow.laplacian[i] = R(0.0);
  }
  R potential(0.0);
  for (int i = 0; i < electrons; ++i) {
    const R* a = x + 3 * i;
    for (int j = 0; j < i; ++j) {
      const R* b = x + 3 * j;
      const Vector<R> d = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
      potential += add_distance(system, d, jastrow, i, j);
    }
    for (int n = 0; n < nuclei; ++n) {
      const double* at = system.nucleus[n];
      const Vector<R> d = {a[0] - R(at[0]), a[1] - R(at[1]), a[2] - R(at[2])};
      const R inverse = add_distance(system, d, jastrow, i, -1);
      potential = fnma(R(system.charge[n]), inverse, potential);
    }
  }

  R kinetic(0.0);
  for (int spin = 0; spin < 2; ++spin) {
    R a[orbitals][orbitals], inverse[orbitals][orbitals];
    for (int i = 0; i < orbitals; ++i)
      for (int m = 0; m < orbitals; ++m) a[i][m] = mo[spin * orbitals + i][m][0];
    invert(a, inverse);
    for (int i = 0; i < orbitals; ++i) {
      const int e = spin * orbitals + i;
      R d[5];
      for (int c = 1; c < 5; ++c) {
        d[c] = R(0.0);
        for (int m = 0; m < orbitals; ++m) d[c] = fma(inverse[m][i], mo[e][m][c], d[c]);
      }
      R sum = d[4] + jastrow.laplacian[e];
      for (int k = 0; k < 3; ++k) {
        const R total = d[k + 1] + jastrow.gradient[e][k];
        sum = fma(total, total, fnma(d[k + 1], d[k + 1], sum));
      }
      kinetic = fma(R(-0.5), sum, kinetic);
    }
  }
  return kinetic + potential;
}

template <int W>
void run(const System& system, const double* positions, int walkers, double* energies) {
  using R = drover::Pack<W>;
  for (int w = 0; w < walkers; w += W) {
    R x[3 * electrons];
    for (int k = 0; k < 3 * electrons; ++k)
      x[k] = drover::load<R>(positions + long(k) * walkers + w);
    store(energies + w, local_energy(system, x));
  }
}

}  // namespace DROVER_ISA
}  // namespace yardstick
