// Jastrow terms made of polynomials that a cutoff ends: polynomial, dtn and pytc-dtn.
//
//   J = sum_{i<j} u(r_ij) + sum_iI chi(r_iI) + sum_{i<j,I} f(r_iI, r_jI, r_ij)
// with u, chi and f as in truncated_radial.hpp and truncated_een.hpp; u has one
// polynomial for unlike and one for like spins, chi and f one an element. The kernel
// knows cutoffs and coefficients of plain powers ("raw"); how they follow from parameters
// (cusps, constraints, units of the cutoff) is the host's, which gives the chain of
// derivatives:
//   d/dp = sum_raw (d raw/dp) d/draw.
// Raw derivatives in order: [u cutoff, unlike c_k, like c_k], then of every element [chi
// cutoff, c_k], then of every element [f cutoff, gamma_lmn with l >= m].
#pragma once

#include "drover/wave/truncated_een.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R>
class TruncatedTerm {
 public:
  TruncatedTerm(const WavePlan& plan, const TruncatedPlan& p)
      : plan_(plan), p_(p), een_(plan, p) {}
  bool active() const { return p_.active; }
  void allocate(Arena& arena) {
    if (!p_.active) return;
    raw_ = arena.take<R>(p_.raw);
    e_raw_ = arena.take<R>(p_.raw);
    een_.allocate(arena);
  }

  R body(long slot, const Separation<R>* nuclear, const Radial<R>*) {
    if (p_.f_powers > 0) een_.load(slot, nuclear);
    R value(0.0);
    if (p_.chi_terms == 0) return value;
    for (int a = 0; a < plan_.atoms; ++a) {
      const int kind = plan_.orbitals.atom[a].kind;
      value += radial(p_.chi_cutoff[kind], p_.chi + kind * p_.chi_terms, p_.chi_terms,
                      softened(plan_.softening, nuclear[a].r));
    }
    return value;
  }

  R pair(long i, long j, R r, bool like) const {
    const R s = softened(plan_.softening, r);
    const R u = p_.u_terms == 0
                    ? R(0.0)
                    : radial(p_.u_cutoff, unlike_or_like(like), p_.u_terms, s);
    return p_.f_powers > 0 ? u + een_.pair(i, j, s) : u;
  }

  void accept(int e, mask_t<R> accepted) {
    if (p_.f_powers > 0) een_.accept(e, accepted);
  }

  void energy(const Geometry<R>& geometry, const Radial<R>*, R& value, R* grad, R* lap) {
    for (int i = 0; i < plan_.electrons; ++i) {
      for (int j = 0; j < i && p_.u_terms > 0; ++j) {
        const Separation<R>& d = geometry.electron[pair_index(i, j)];
        const Distance<R> s = softened(plan_.softening, d);
        if (outside(p_.u_cutoff, s.r)) continue;
        const Radial2<R> u =
            jet(p_.u_cutoff, unlike_or_like(alike(i, j)), p_.u_terms, s.r);
        value += u.v;
        add_pair(i, j, d, u.d1 * s.slope, laplacian(s, u), grad, lap);
      }
      for (int a = 0; a < plan_.atoms && p_.chi_terms > 0; ++a) {
        const int kind = plan_.orbitals.atom[a].kind;
        const Separation<R>& d = geometry.nuclear[i * plan_.atoms + a];
        const Distance<R> s = softened(plan_.softening, d);
        if (outside(p_.chi_cutoff[kind], s.r)) continue;
        const Radial2<R> chi =
            jet(p_.chi_cutoff[kind], p_.chi + kind * p_.chi_terms, p_.chi_terms, s.r);
        const R slope = chi.d1 * s.slope;
        value += chi.v;
        R* g = grad + 3 * i;
        g[0] = fma(slope, d.x, g[0]);
        g[1] = fma(slope, d.y, g[1]);
        g[2] = fma(slope, d.z, g[2]);
        lap[i] += laplacian(s, chi);
      }
    }
    if (p_.f_powers > 0) een_.energy(geometry, value, grad, lap);
  }

  void derivatives(const Geometry<R>& geometry, const Radial<R>*, const R* drift,
                   R* by_parameter, R* energy_by_parameter) {
    for (int k = 0; k < p_.raw; ++k) raw_[k] = e_raw_[k] = R(0.0);
    for (int i = 0; i < plan_.electrons; ++i) {
      for (int j = 0; j < i && p_.u_terms > 0; ++j) {
        const Separation<R>& d = geometry.electron[pair_index(i, j)];
        const Distance<R> s = softened(plan_.softening, d);
        if (outside(p_.u_cutoff, s.r)) continue;
        const bool like = alike(i, j);
        const int first = 1 + (like ? p_.u_terms : 0);
        const R slope = fma(pair_projection(i, j, d, drift), s.slope, s.laplacian);
        truncated_derivatives(p_.u_cutoff, unlike_or_like(like), p_.u_terms, s.r, slope,
                              s.square, raw_, e_raw_, raw_ + first, e_raw_ + first);
      }
      const R* f = drift + 3 * i;
      for (int a = 0; a < plan_.atoms && p_.chi_terms > 0; ++a) {
        const int kind = plan_.orbitals.atom[a].kind;
        const Separation<R>& d = geometry.nuclear[i * plan_.atoms + a];
        const Distance<R> s = softened(plan_.softening, d);
        if (outside(p_.chi_cutoff[kind], s.r)) continue;
        const int first = p_.chi_raw + kind * (p_.chi_terms + 1);
        const R projection = fma(f[0], d.x, fma(f[1], d.y, f[2] * d.z));
        truncated_derivatives(
            p_.chi_cutoff[kind], p_.chi + kind * p_.chi_terms, p_.chi_terms, s.r,
            fma(projection, s.slope, R(0.5) * s.laplacian), R(0.5) * s.square,
            raw_ + first, e_raw_ + first, raw_ + first + 1, e_raw_ + first + 1);
      }
    }
    if (p_.f_powers > 0)
      een_.derivatives(geometry, drift, raw_ + p_.f_raw_first, e_raw_ + p_.f_raw_first);
    for (int k = 0; k < p_.links; ++k) {
      const TruncatedLink& link = p_.link[k];
      const R weight(link.weight);
      R &by = by_parameter[link.parameter], &e_by = energy_by_parameter[link.parameter];
      by = fma(weight, raw_[link.raw], by);
      e_by = fma(weight, e_raw_[link.raw], e_by);
    }
  }

 private:
  bool alike(int i, int j) const { return (i < plan_.up) == (j < plan_.up); }
  const double* unlike_or_like(bool like) const { return p_.u + (like ? p_.u_terms : 0); }
  static DROVER_INLINE bool outside(double cutoff, R r) { return !any(r < R(cutoff)); }
  static DROVER_INLINE R radial(double cutoff, const double* c, int terms, R r) {
    if (outside(cutoff, r)) return R(0.0);
    return truncation(cutoff, r).v * polynomial_value(c, terms, r);
  }
  static DROVER_INLINE Radial2<R> jet(double cutoff, const double* c, int terms, R r) {
    return truncation(cutoff, r) * polynomial_jet(c, terms, r);
  }

  const WavePlan& plan_;
  const TruncatedPlan& p_;
  TruncatedEen<R> een_;
  R *raw_ = nullptr, *e_raw_ = nullptr;
};

}  // namespace DROVER_ISA
}  // namespace drover
