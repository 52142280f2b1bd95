// The nuclear cusp of a pack of walkers, with its derivatives.
//
//   chi(r) = [p(r) - ln g(r^2)] / (1 + (r/rc)^3), r < rc; 0 outside
// g is the s orbital of the nucleus (CuspAtomPlan), p a quartic with p'(0) = -Z that
// meets ln g with two derivatives at rc, so chi and its first two derivatives vanish
// there.
#pragma once

#include "drover/core/math.hpp"
#include "drover/wave/orbital_kernel.hpp"
#include "drover/wave/radial_functions.hpp"

namespace drover {
inline namespace DROVER_ISA {

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
class NuclearCuspTerm {
 public:
  explicit NuclearCuspTerm(const WavePlan& plan) : plan_(plan) {}
  bool active() const { return plan_.cusp.active; }

  // One-body value of the electron in a slot; radial: the s orbitals where it is.
  DROVER_INLINE R body(long, const Separation<R>* nuclear, const Radial<R>* radial) {
    R value(0.0);
    for (int a = 0; a < plan_.atoms; ++a)
      value = value + cusp_value(plan_.cusp.atom[a], nuclear[a].r, radial[a].g);
    return value;
  }

  void energy(const Geometry<R>& geometry, const Radial<R>* radial, R& value, R* grad,
              R* lap) {
    cusp_energy(plan_, geometry, radial, value, grad, lap);
  }
  void derivatives(const Geometry<R>& geometry, const Radial<R>* radial, const R* drift,
                   R* by_parameter, R* energy_by_parameter) {
    cusp_derivatives(plan_, geometry, radial, drift, by_parameter, energy_by_parameter);
  }

 private:
  const WavePlan& plan_;
};

}  // namespace DROVER_ISA
}  // namespace drover
