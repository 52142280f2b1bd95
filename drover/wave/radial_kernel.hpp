// Radial Jastrow terms of a pack of walkers: the nuclear cusp and Pade, with their
// derivatives.
//
//   nuclear cusp  chi(r) = [p(r) - ln g(r^2)] / (1 + (r/rc)^3), r < rc; 0 outside
//   Pade          u(r)   = a r / (1 + b r)
// g is the s orbital of the nucleus (CuspAtomPlan), p a quartic with p'(0) = -Z that
// meets ln g with two derivatives at rc, so chi and its first two derivatives vanish
// there.
#pragma once

#include "drover/core/math.hpp"
#include "drover/wave/geometry_kernel.hpp"
#include "drover/wave/orbital_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

// A function of one variable with its first two derivatives.
template <class R>
struct Radial2 {
  R v, d1, d2;
};
template <class R>
DROVER_INLINE Radial2<R> operator*(Radial2<R> a, Radial2<R> b) {
  return {a.v * b.v, fma(a.d1, b.v, a.v * b.d1),
          fma(a.d2, b.v, fma(R(2.0) * a.d1, b.d1, a.v * b.d2))};
}
template <class R>
DROVER_INLINE Radial2<R> operator+(Radial2<R> a, Radial2<R> b) {
  return {a.v + b.v, a.d1 + b.d1, a.d2 + b.d2};
}
template <class R>
DROVER_INLINE Radial2<R> operator-(Radial2<R> a, Radial2<R> b) {
  return {a.v - b.v, a.d1 - b.d1, a.d2 - b.d2};
}

template <class R>
DROVER_INLINE Radial2<R> quartic(const double* c, R r) {
  const R v = fma(fma(fma(fma(R(c[4]), r, R(c[3])), r, R(c[2])), r, R(c[1])), r, R(c[0]));
  const R d1 = fma(fma(fma(R(4 * c[4]), r, R(3 * c[3])), r, R(2 * c[2])), r, R(c[1]));
  const R d2 = fma(fma(R(12 * c[4]), r, R(6 * c[3])), r, R(2 * c[2]));
  return {v, d1, d2};
}

// 1/(1 + (r/rc)^3) and its derivative with respect to rc.
template <class R>
DROVER_INLINE void cusp_cutoff(double rc, R r, Radial2<R>& cut, Radial2<R>& by_rc) {
  const R q(1.0 / (rc * rc * rc));
  const R r2 = r * r, y = q * r2 * r;
  const R k = R(1.0) / (R(1.0) + y);
  const R y1 = R(3.0) * q * r2, y2 = R(6.0) * q * r;
  const R k2 = k * k;
  cut = {k, -(y1 * k2), fma(R(2.0) * y1 * y1, k2 * k, -(y2 * k2))};
  // dk/drc = -k^2 dy/drc with dy/drc = -3 y / rc
  const Radial2<R> square = cut * cut;
  const R f(3.0 / rc);
  by_rc = Radial2<R>{f * y, f * y1, f * y2} * square;
}

// Value of chi at r from g; exactly zero outside rc.
template <class R>
DROVER_INLINE R cusp_value(const CuspAtomPlan& p, R r, R g) {
  const auto inside = r < R(p.rc);
  if (!any(inside)) return R(0.0);
  const R q(1.0 / (p.rc * p.rc * p.rc));
  const R k = R(1.0) / (R(1.0) + q * r * r * r);
  const R h = fma(fma(fma(fma(R(p.c[4]), r, R(p.c[3])), r, R(p.c[2])), r, R(p.c[1])), r,
                  R(p.c[0])) -
              log(abs(g));
  return select(inside, h * k, R(0.0));
}

// p(r) - ln g with derivatives; g as a function of r^2.
template <class R>
DROVER_INLINE Radial2<R> cusp_core(const CuspAtomPlan& p, R r, const Radial<R>& g) {
  const R reciprocal = R(1.0) / g.g;
  const R d1 = R(2.0) * r * g.g1 * reciprocal;
  const R d2 = fma(R(4.0) * r * r, g.g2, R(2.0) * g.g1) * reciprocal - d1 * d1;
  return quartic(p.c, r) - Radial2<R>{log(abs(g.g)), d1, d2};
}

template <class R>
DROVER_INLINE void add_radial(const Separation<R>& d, R d1, R d2, R* grad, R& lap) {
  const R f = d1 * d.inverse;
  grad[0] = fma(f, d.x, grad[0]);
  grad[1] = fma(f, d.y, grad[1]);
  grad[2] = fma(f, d.z, grad[2]);
  lap = lap + fma(R(2.0), f, d2);
}

template <class R>
void cusp_energy(const WavePlan& plan, const Geometry<R>& geometry,
                 const Radial<R>* radial, R& value, R* grad, R* lap) {
  for (int i = 0; i < plan.electrons; ++i) {
    for (int a = 0; a < plan.atoms; ++a) {
      const CuspAtomPlan& p = plan.cusp.atom[a];
      const Separation<R>& d = geometry.nuclear[i * plan.atoms + a];
      const auto inside = d.r < R(p.rc);
      if (!any(inside)) continue;
      Radial2<R> cut, by_rc;
      cusp_cutoff(p.rc, d.r, cut, by_rc);
      const Radial2<R> chi = cusp_core(p, d.r, radial[i * plan.atoms + a]) * cut;
      const R zero(0.0);
      value = value + select(inside, chi.v, zero);
      add_radial(d, select(inside, chi.d1, zero), select(inside, chi.d2, zero),
                 grad + 3 * i, lap[i]);
    }
  }
}

// -1/2 lap f - F . grad f of a radial function about a nucleus; projection = F . (x,y,z).
template <class R>
DROVER_INLINE R energy_of_radial(const Separation<R>& d, R projection, R d1, R d2) {
  const R f = d1 * d.inverse;
  return -fma(R(0.5), d2, fma(projection, f, f));
}

// Adds d ln psi/dp and d E_L/dp for X4 and rc of every kind; drift = grad ln|psi|, [3 N].
template <class R>
void cusp_derivatives(const WavePlan& plan, const Geometry<R>& geometry,
                      const Radial<R>* radial, const R* drift, R* by_parameter,
                      R* energy_by_parameter) {
  for (int i = 0; i < plan.electrons; ++i) {
    const R* f = drift + 3 * i;
    for (int a = 0; a < plan.atoms; ++a) {
      const int kind = plan.orbitals.atom[a].kind;
      const CuspAtomPlan& p = plan.cusp.atom[a];
      const Separation<R>& d = geometry.nuclear[i * plan.atoms + a];
      const auto inside = d.r < R(p.rc);
      if (!any(inside)) continue;
      Radial2<R> cut, cut_by_rc;
      cusp_cutoff(p.rc, d.r, cut, cut_by_rc);
      const R projection = fma(f[0], d.x, fma(f[1], d.y, f[2] * d.z));
      const Radial2<R> x4 = quartic(p.by_x4, d.r) * cut;
      const Radial2<R> rc = quartic(p.by_rc, d.r) * cut +
                            cusp_core(p, d.r, radial[i * plan.atoms + a]) * cut_by_rc;
      const R zero(0.0);
      const int k = plan.cusp.first_parameter + kind, l = k + plan.cusp.kinds;
      by_parameter[k] += select(inside, x4.v, zero);
      by_parameter[l] += select(inside, rc.v, zero);
      energy_by_parameter[k] +=
          select(inside, energy_of_radial(d, projection, x4.d1, x4.d2), zero);
      energy_by_parameter[l] +=
          select(inside, energy_of_radial(d, projection, rc.d1, rc.d2), zero);
    }
  }
}

template <class R>
DROVER_INLINE R pade_value(const PadePlan& p, R r, bool like) {
  return R(like ? p.like : p.unlike) * r / fma(R(p.b), r, R(1.0));
}

template <class R>
void pade_energy(const WavePlan& plan, const Geometry<R>& geometry, R& value, R* grad,
                 R* lap) {
  const PadePlan& p = plan.pade;
  for (int i = 1; i < plan.electrons; ++i) {
    for (int j = 0; j < i; ++j) {
      const Separation<R>& d = geometry.electron[pair_index(i, j)];
      const R a((i < plan.up) == (j < plan.up) ? p.like : p.unlike);
      const R t = R(1.0) / fma(R(p.b), d.r, R(1.0));
      value = fma(a * d.r, t, value);
      // u' / r = a t^2 / r, lap u = 2 a t^3 / r
      const R g = a * t * t * d.inverse;
      const R l = R(2.0) * t * g;
      R *gi = grad + 3 * i, *gj = grad + 3 * j;
      const R gx = g * d.x, gy = g * d.y, gz = g * d.z;
      gi[0] += gx;
      gi[1] += gy;
      gi[2] += gz;
      gj[0] -= gx;
      gj[1] -= gy;
      gj[2] -= gz;
      lap[i] += l;
      lap[j] += l;
    }
  }
}

// du/db = -a r^2 t^2: grad = -2 a t^3 (x,y,z), lap = -6 a t^4.
template <class R>
void pade_derivatives(const WavePlan& plan, const Geometry<R>& geometry, const R* drift,
                      R& by_parameter, R& energy_by_parameter) {
  const PadePlan& p = plan.pade;
  for (int i = 1; i < plan.electrons; ++i) {
    for (int j = 0; j < i; ++j) {
      const Separation<R>& d = geometry.electron[pair_index(i, j)];
      const R a((i < plan.up) == (j < plan.up) ? p.like : p.unlike);
      const R t = R(1.0) / fma(R(p.b), d.r, R(1.0));
      const R rt = d.r * t, at3 = a * t * t * t;
      const R *fi = drift + 3 * i, *fj = drift + 3 * j;
      const R f = fma(fi[0] - fj[0], d.x, fma(fi[1] - fj[1], d.y, (fi[2] - fj[2]) * d.z));
      by_parameter = fnma(a, rt * rt, by_parameter);
      energy_by_parameter += fma(R(6.0) * at3, t, R(2.0) * at3 * f);
    }
  }
}

}  // namespace DROVER_ISA
}  // namespace drover
