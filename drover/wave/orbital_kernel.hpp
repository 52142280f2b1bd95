// Gaussian orbitals of one electron of a pack of walkers: values, or values with gradient
// and Laplacian, contracted to molecular orbitals.
//
//   phi = S g(s), s = r^2          grad phi = g grad S + 2 g' S r
//   lap phi = S [(6 + 4 l) g' + 4 s g''] + g lap S        (r . grad S = l S)
// S are the solid harmonics (or monomials) of chem/molecule.hpp. The result does not
// depend on how orbitals are blocked: every sum runs over the basis functions in order.
#pragma once

#include "drover/core/math.hpp"
#include "drover/core/pack.hpp"
#include "drover/wave/plan.hpp"

namespace drover {
inline namespace DROVER_ISA {

inline constexpr int highest_shell_l = 6;

// exp(-a r2) of an atom's distinct exponents (ascending). A primitive is dropped per
// walker, so skipping it when every lane drops it cannot change a bit.
template <class R>
DROVER_INLINE void atom_exponentials(const OrbitalPlan& plan, const AtomPlan& atom, R r2,
                                     R* out) {
  const ExponentPlan* exponent = plan.exponent + atom.first_exponent;
  for (int k = 0; k < atom.exponents; ++k) {
    const auto dropped = R(exponent[k].drop) * r2 > R(45.0);
    if (all(dropped)) {
      out[k] = R(0.0);
    } else {
      out[k] = select(dropped, R(0.0), exp_negative(R(-exponent[k].a) * r2));
    }
  }
}

template <class R>
struct Radial {
  R g, g1, g2;  // value, first and second derivative in r^2
};

template <bool Derivatives, class R>
DROVER_INLINE Radial<R> contract_radial(const OrbitalPlan& plan, const ShellPlan& shell,
                                        const R* exponentials) {
  Radial<R> f{R(0.0), R(0.0), R(0.0)};
  const PrimitivePlan* p = plan.primitive + shell.first_primitive;
  for (int k = 0; k < shell.primitives; ++k) {
    const R e = exponentials[p[k].exponent];
    f.g = fma(R(p[k].value), e, f.g);
    if constexpr (Derivatives) {
      f.g1 = fma(R(p[k].slope), e, f.g1);
      f.g2 = fma(R(p[k].curvature), e, f.g2);
    }
  }
  return f;
}

// Writes one basis function: value only, or value, gradient, Laplacian (stride 5).
template <bool Derivatives, class R>
struct FunctionWriter {
  R* out;
  R x, y, z;
  Radial<R> f;
  R two_g1, laplace;  // 2 g', (6 + 4l) g' + 4 s g''

  DROVER_INLINE void put(R s, R sx, R sy, R sz) {
    if constexpr (Derivatives) {
      const R q = two_g1 * s;
      out[0] = f.g * s;
      out[1] = fma(q, x, f.g * sx);
      out[2] = fma(q, y, f.g * sy);
      out[3] = fma(q, z, f.g * sz);
      out[4] = laplace * s;
      out += 5;
    } else {
      *out++ = f.g * s;
    }
  }
};

template <bool Derivatives, class R>
void angular_from_monomials(const OrbitalPlan& plan, const ShellPlan& shell,
                            FunctionWriter<Derivatives, R>& w) {
  R px[highest_shell_l + 1], py[highest_shell_l + 1], pz[highest_shell_l + 1];
  px[0] = py[0] = pz[0] = R(1.0);
  for (int k = 1; k <= shell.l; ++k) {
    px[k] = px[k - 1] * w.x;
    py[k] = py[k - 1] * w.y;
    pz[k] = pz[k - 1] * w.z;
  }
  const int functions =
      shell.cartesian ? (shell.l + 1) * (shell.l + 2) / 2 : 2 * shell.l + 1;
  for (int m = 0; m < functions; ++m) {
    const int first = plan.first_monomial[shell.first_function + m];
    const int last = plan.first_monomial[shell.first_function + m + 1];
    R s(0.0), sx(0.0), sy(0.0), sz(0.0), lap(0.0);
    for (int q = first; q < last; ++q) {
      const MonomialPlan& t = plan.monomial[q];
      const R c(t.c);
      s = fma(c, px[t.i] * py[t.j] * pz[t.k], s);
      if constexpr (Derivatives) {
        if (t.i > 0) sx = fma(R(t.c * t.i), px[t.i - 1] * py[t.j] * pz[t.k], sx);
        if (t.j > 0) sy = fma(R(t.c * t.j), px[t.i] * py[t.j - 1] * pz[t.k], sy);
        if (t.k > 0) sz = fma(R(t.c * t.k), px[t.i] * py[t.j] * pz[t.k - 1], sz);
        if (shell.cartesian) {
          if (t.i > 1)
            lap = fma(R(t.c * t.i * (t.i - 1)), px[t.i - 2] * py[t.j] * pz[t.k], lap);
          if (t.j > 1)
            lap = fma(R(t.c * t.j * (t.j - 1)), px[t.i] * py[t.j - 2] * pz[t.k], lap);
          if (t.k > 1)
            lap = fma(R(t.c * t.k * (t.k - 1)), px[t.i] * py[t.j] * pz[t.k - 2], lap);
        }
      }
    }
    w.put(s, sx, sy, sz);
    if constexpr (Derivatives) {
      if (shell.cartesian) w.out[-1] = fma(w.f.g, lap, w.out[-1]);
    }
  }
}

template <bool Derivatives, class R>
DROVER_INLINE void angular(const OrbitalPlan& plan, const ShellPlan& shell,
                           FunctionWriter<Derivatives, R>& w) {
  const R one(1.0), zero(0.0);
  const R x = w.x, y = w.y, z = w.z;
  if (shell.l == 0) {
    w.put(one, zero, zero, zero);
  } else if (shell.l == 1) {
    if (!shell.cartesian) w.put(z, zero, zero, one);
    w.put(x, one, zero, zero);
    w.put(y, zero, one, zero);
    if (shell.cartesian) w.put(z, zero, zero, one);
  } else if (shell.l == 2 && !shell.cartesian) {
    const double root3 = 1.7320508075688772;
    const R c(root3), h(0.5 * root3), xc = c * x, yc = c * y, zc = c * z;
    const R rho2 = fma(x, x, y * y);
    w.put(fma(z, z, R(-0.5) * rho2), -x, -y, z + z);
    w.put(xc * z, zc, zero, xc);
    w.put(yc * z, zero, zc, yc);
    w.put(h * (x * x - y * y), xc, -yc, zero);
    w.put(xc * y, yc, xc, zero);
  } else {
    angular_from_monomials<Derivatives>(plan, shell, w);
  }
}

// All basis functions at (x, y, z): ao[functions] or ao[functions][5].
// cusp_radial[atoms] receives each atom's cusp-weighted s contractions (g, g', g'').
template <bool Derivatives, class R>
void basis_functions(const OrbitalPlan& plan, R x, R y, R z, R* exponentials, R* ao,
                     Radial<R>* cusp_radial) {
  for (int a = 0; a < plan.atoms; ++a) {
    const AtomPlan& atom = plan.atom[a];
    FunctionWriter<Derivatives, R> w;
    w.x = x - R(atom.x);
    w.y = y - R(atom.y);
    w.z = z - R(atom.z);
    const R r2 = fma(w.x, w.x, fma(w.y, w.y, w.z * w.z));
    atom_exponentials(plan, atom, r2, exponentials);
    cusp_radial[a] = {R(0.0), R(0.0), R(0.0)};
    for (int q = atom.first_shell; q < atom.first_shell + atom.shells; ++q) {
      const ShellPlan& shell = plan.shell[q];
      w.f = contract_radial<Derivatives>(plan, shell, exponentials);
      if (shell.cusp_weight != 0.0) {
        const R weight(shell.cusp_weight);
        cusp_radial[a].g = fma(weight, w.f.g, cusp_radial[a].g);
        cusp_radial[a].g1 = fma(weight, w.f.g1, cusp_radial[a].g1);
        cusp_radial[a].g2 = fma(weight, w.f.g2, cusp_radial[a].g2);
      }
      if constexpr (Derivatives) {
        w.two_g1 = w.f.g1 + w.f.g1;
        w.laplace = fma(R(6.0 + 4.0 * shell.l), w.f.g1, R(4.0) * r2 * w.f.g2);
        w.out = ao + 5 * shell.first_function;
      } else {
        w.out = ao + shell.first_function;
      }
      angular<Derivatives>(plan, shell, w);
    }
  }
}

// out[k][C] = sum_f coefficients[f][k] ao[f][C] for B orbitals, accumulators in
// registers.
template <int B, int C, class R>
DROVER_INLINE void contract_block(const double* coefficients, int orbitals, int functions,
                                  const R* ao, R* out) {
  R sum[B][C];
  for (int k = 0; k < B; ++k)
    for (int c = 0; c < C; ++c) sum[k][c] = R(0.0);
  for (int f = 0; f < functions; ++f) {
    for (int k = 0; k < B; ++k) {
      const R q(coefficients[f * orbitals + k]);
      for (int c = 0; c < C; ++c) sum[k][c] = fma(q, ao[f * C + c], sum[k][c]);
    }
  }
  for (int k = 0; k < B; ++k)
    for (int c = 0; c < C; ++c) out[k * C + c] = sum[k][c];
}

template <int C, class R>
void contract_orbitals(const double* coefficients, int orbitals, int functions,
                       const R* ao, R* out) {
  constexpr int widest = lanes_v<R> >= 8 ? 5 : 3;
  int k = 0;
  while (k < orbitals) {
    const int left = orbitals - k;
    const int blocks = (left + widest - 1) / widest;
    const int b = (left + blocks - 1) / blocks;
    const double* c = coefficients + k;
    R* o = out + k * C;
    if (b == 5)
      contract_block<5, C>(c, orbitals, functions, ao, o);
    else if (b == 4)
      contract_block<4, C>(c, orbitals, functions, ao, o);
    else if (b == 3)
      contract_block<3, C>(c, orbitals, functions, ao, o);
    else if (b == 2)
      contract_block<2, C>(c, orbitals, functions, ao, o);
    else
      contract_block<1, C>(c, orbitals, functions, ao, o);
    k += b;
  }
}

}  // namespace DROVER_ISA
}  // namespace drover
