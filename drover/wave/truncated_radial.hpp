// Polynomials that a cutoff ends, for a pack of walkers: one distance.
//
//   f(r) = (1 - r/L)^3 Theta(L - r) sum_k c_k r^k
// (Drummond, Towler, Needs, PRB 70, 235119 (2004), with C = 3, so that the local energy
// is continuous at L; their (r - L)^3 is -L^3 of this). An infinite L is no cutoff.
#pragma once

#include "drover/wave/radial_functions.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Powers of a distance reach at most this.
inline constexpr int max_truncated_power = 12;

// (1 - r/L)^3 and its derivative with respect to L; exactly zero from L on.
template <class R>
DROVER_INLINE Radial2<R> truncation(double cutoff, R r) {
  const double inverse = 1.0 / cutoff;
  const R y = select(r < R(cutoff), fnma(R(inverse), r, R(1.0)), R(0.0));
  const R y2 = y * y;
  return {y2 * y, R(-3.0 * inverse) * y2, R(6.0 * inverse * inverse) * y};
}
template <class R>
DROVER_INLINE Radial2<R> truncation_by_cutoff(double cutoff, R r) {
  // 3 y^2 r / L^2
  const double inverse = 1.0 / cutoff, scale = 3.0 * inverse * inverse;
  const auto inside = r < R(cutoff);
  const R x = select(inside, r, R(0.0));
  const R y = select(inside, fnma(R(inverse), r, R(1.0)), R(0.0));
  const R xi = R(inverse) * x;
  return {R(scale) * x * y * y, R(scale) * y * fnma(R(2.0), xi, y),
          R(scale * inverse) * fma(R(-4.0), y, R(2.0) * xi)};
}

// sum_k c_k r^k, k < terms.
template <class R>
DROVER_INLINE R polynomial_value(const double* c, int terms, R r) {
  R v(0.0);
  for (int k = terms - 1; k >= 0; --k) v = fma(v, r, R(c[k]));
  return v;
}
template <class R>
DROVER_INLINE Radial2<R> polynomial_jet(const double* c, int terms, R r) {
  Radial2<R> p{R(0.0), R(0.0), R(0.0)};
  for (int k = terms - 1; k >= 0; --k) {
    p.d2 = fma(p.d2, r, p.d1);  // half of the second derivative
    p.d1 = fma(p.d1, r, p.v);
    p.v = fma(p.v, r, R(c[k]));
  }
  p.d2 = R(2.0) * p.d2;
  return p;
}

// r^k with derivatives; power[k] = r^k.
template <class R>
DROVER_INLINE Radial2<R> monomial(int k, const R* power) {
  return {power[k], k > 0 ? R(double(k)) * power[k - 1] : R(0.0),
          k > 1 ? R(k * (k - 1.0)) * power[k - 2] : R(0.0)};
}
template <class R>
DROVER_INLINE void powers_of(R r, int terms, R* power) {
  power[0] = R(1.0);
  for (int k = 1; k < terms; ++k) power[k] = power[k - 1] * r;
}

// Adds what a radial function contributes to the raw derivatives, [cutoff, c_0, c_1, ..]:
// d ln J, and d E_L = -(first f' + second f'') of it.
template <class R>
DROVER_INLINE void truncated_derivatives(double cutoff, const double* c, int terms, R r,
                                         R first, R second, R* by_cutoff, R* e_by_cutoff,
                                         R* by_c, R* e_by_c) {
  const Radial2<R> cut = truncation(cutoff, r);
  // -(first f' + second f'') of cut r^k is a0 r^k + a1 k r^(k-1) + a2 k (k-1) r^(k-2).
  const R a0 = -fma(first, cut.d1, second * cut.d2);
  const R a1 = -fma(first, cut.v, R(2.0) * second * cut.d1);
  const R a2 = -(second * cut.v);
  R power[max_truncated_power + 1];
  powers_of(r, terms, power);
  for (int k = 0; k < terms; ++k) {
    const Radial2<R> m = monomial(k, power);
    by_c[k] = fma(cut.v, m.v, by_c[k]);
    e_by_c[k] = fma(a0, m.v, fma(a1, m.d1, fma(a2, m.d2, e_by_c[k])));
  }
  const Radial2<R> f = truncation_by_cutoff(cutoff, r) * polynomial_jet(c, terms, r);
  *by_cutoff += f.v;
  *e_by_cutoff -= fma(first, f.d1, second * f.d2);
}

}  // namespace DROVER_ISA
}  // namespace drover
