// Polynomials that a cutoff ends: two electrons and a nucleus, for a pack of walkers.
//
//   f = (1 - r_i/L)^3 (1 - r_j/L)^3 sum_lmn gamma_lmn r_i^l r_j^m r_ij^n
// about each nucleus, gamma symmetric in l and m (Drummond, Towler, Needs, PRB 70, 235119
// (2004), C = 3). With g_l(i) = (1 - r_i/L)^3 r_i^l and left_mn(i) = sum_l gamma_lmn
// g_l(i) a pair gives sum_n r_ij^n sum_m left_mn(i) g_m(j). As in een_kernel.hpp sums
// over the other electrons carry the derivatives:
//   T_mn(i) = sum_j r_ij^n g_m(j),  Z_mn(i) = sum_j g_m(j) grad_i r_ij^n . r_iI,
//   grad_i ln J = sum left'_mn T_mn r_iI + (pair part),
//   lap_i ln J  = sum left''_mn T_mn + 2 left'_mn Z_mn + (pair part)
// and with D f = -1/2 lap f - F . grad f
//   X_mn(i) = sum_j [ D r_ij^n g_m(j) + r_ij^n D g_m(j) - grad_j r_ij^n . grad_j g_m(j)
//   ], dE_L/dgamma_lmn = sum_i [ D g_l T_mn + g_l X_mn - g'_l Z_mn ].
#pragma once

#include "drover/wave/truncated_radial.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R>
class TruncatedEen {
 public:
  TruncatedEen(const WavePlan& plan, const TruncatedPlan& p)
      : plan_(plan), p_(p), f_(p.f_powers), q_(p.f_orders), channels_(f_ * q_) {}

  void allocate(Arena& arena) {
    if (channels_ == 0) return;
    const long slots = long(plan_.electrons + 1) * plan_.atoms;
    g_ = arena.take<R>(slots * f_);
    left_ = arena.take<R>(slots * channels_);
    for (R** t : {&g1_, &g2_, &gd_}) *t = arena.take<R>(slots * f_);
    for (R** t : {&left1_, &left2_, &t_, &z_, &x_}) *t = arena.take<R>(slots * channels_);
    inside_ = arena.take<int>(slots);
  }

  // Factors of the electron in a slot, for moves.
  DROVER_INLINE void load(long slot, const Separation<R>* nuclear) {
    for (int a = 0; a < plan_.atoms; ++a) {
      const int kind = plan_.orbitals.atom[a].kind;
      const long at = slot * plan_.atoms + a;
      const R r = softened(plan_.softening, nuclear[a].r);
      const R cut = truncation(p_.f_cutoff[kind], r).v;
      R power[max_truncated_power + 1];
      powers_of(r, p_.f_highest + 1, power);
      R* g = g_ + at * f_;
      for (int l = 0; l < f_; ++l) g[l] = cut * power[p_.f_power[l]];
      fill_left(kind, g, left_ + at * channels_);
    }
  }

  void accept(int e, mask_t<R> accepted) {
    take_slot(g_, plan_.electrons, plan_.atoms * f_, e, accepted);
    take_slot(left_, plan_.electrons, plan_.atoms * channels_, e, accepted);
  }

  DROVER_INLINE R pair(long i, long j, R r) const {
    R power[max_truncated_power + 1], u(0.0);
    powers_of(r, p_.f_highest_order + 1, power);
    for (int n = 0; n < q_; ++n) {
      R sum(0.0);
      for (int a = 0; a < plan_.atoms; ++a) {
        const R* left = left_ + (i * plan_.atoms + a) * channels_;
        const R* g = g_ + (j * plan_.atoms + a) * f_;
        for (int m = 0; m < f_; ++m) sum = fma(left[m * q_ + n], g[m], sum);
      }
      u = fma(power[p_.f_order[n]], sum, u);
    }
    return u;
  }

  void energy(const Geometry<R>& geometry, R& value, R* grad, R* lap) {
    for (long k = 0; k < long(plan_.electrons) * plan_.atoms * channels_; ++k)
      t_[k] = z_[k] = R(0.0);
    for (int i = 0; i < plan_.electrons; ++i) load_jets(i, geometry);
    for (int i = 1; i < plan_.electrons; ++i)
      for (int j = 0; j < i; ++j) pair_energy(i, j, geometry, value, grad, lap);
    for (int i = 0; i < plan_.electrons; ++i) {
      for (int a = 0; a < plan_.atoms; ++a) {
        const long at = long(i) * plan_.atoms + a;
        if (inside_[at] == 0) continue;
        R slope(0.0), l(0.0), cross(0.0);
        for (long c = at * channels_; c < (at + 1) * channels_; ++c) {
          slope = fma(left1_[c], t_[c], slope);
          l = fma(left2_[c], t_[c], l);
          cross = fma(left1_[c], z_[c], cross);
        }
        const Separation<R>& d = geometry.nuclear[at];
        R* g = grad + 3 * i;
        g[0] = fma(slope, d.x, g[0]);
        g[1] = fma(slope, d.y, g[1]);
        g[2] = fma(slope, d.z, g[2]);
        lap[i] += fma(R(2.0), cross, l);
      }
    }
  }

  // Adds to the raw derivatives of every element: [cutoff, gamma_lmn with l >= m].
  void derivatives(const Geometry<R>& geometry, const R* drift, R* raw, R* e_raw) {
    for (long k = 0; k < long(plan_.electrons) * plan_.atoms * channels_; ++k)
      x_[k] = R(0.0);
    for (int i = 0; i < plan_.electrons; ++i) {
      for (int a = 0; a < plan_.atoms; ++a) {
        const long at = long(i) * plan_.atoms + a;
        const R projection = projection_of(geometry.nuclear[at], drift + 3 * i);
        for (long k = at * f_; k < (at + 1) * f_; ++k)
          gd_[k] = -fma(projection, g1_[k], R(0.5) * g2_[k]);
      }
    }
    for (int i = 1; i < plan_.electrons; ++i)
      for (int j = 0; j < i; ++j) pair_derivatives(i, j, geometry, drift);
    for (int i = 0; i < plan_.electrons; ++i)
      for (int a = 0; a < plan_.atoms; ++a)
        if (inside_[long(i) * plan_.atoms + a] != 0)
          electron_derivatives(i, a, geometry, drift, raw, e_raw);
  }

 private:
  static DROVER_INLINE R projection_of(const Separation<R>& d, const R* f) {
    return fma(f[0], d.x, fma(f[1], d.y, f[2] * d.z));
  }
  static DROVER_INLINE R dot(const Separation<R>& a, const Separation<R>& b) {
    return fma(a.x, b.x, fma(a.y, b.y, a.z * b.z));
  }

  // left_mn = sum_l gamma_lmn g_l of an element.
  DROVER_INLINE void fill_left(int kind, const R* g, R* left) const {
    for (int c = 0; c < channels_; ++c) left[c] = R(0.0);
    const double* gamma = p_.f + long(kind) * f_ * channels_;
    for (int l = 0; l < f_; ++l)
      for (int c = 0; c < channels_; ++c)
        left[c] = fma(R(gamma[l * channels_ + c]), g[l], left[c]);
  }

  // g and left with gradient coefficients (grad = coefficient r_iI) and Laplacians.
  void load_jets(int i, const Geometry<R>& geometry) {
    for (int a = 0; a < plan_.atoms; ++a) {
      const int kind = plan_.orbitals.atom[a].kind;
      const long at = long(i) * plan_.atoms + a;
      const Distance<R> s = softened(plan_.softening, geometry.nuclear[at]);
      inside_[at] = any(s.r < R(p_.f_cutoff[kind])) ? 1 : 0;
      const Radial2<R> cut = truncation(p_.f_cutoff[kind], s.r);
      R power[max_truncated_power + 1];
      powers_of(s.r, p_.f_highest + 1, power);
      for (int l = 0; l < f_; ++l) {
        const Radial2<R> g = cut * monomial(p_.f_power[l], power);
        g_[at * f_ + l] = g.v;
        g1_[at * f_ + l] = g.d1 * s.slope;
        g2_[at * f_ + l] = laplacian(s, g);
      }
      fill_left(kind, g_ + at * f_, left_ + at * channels_);
      fill_left(kind, g1_ + at * f_, left1_ + at * channels_);
      fill_left(kind, g2_ + at * f_, left2_ + at * channels_);
    }
  }

  // r_ij^n, gradient coefficients and Laplacians of every order.
  struct Orders {
    R v[max_truncated_power + 1], d1[max_truncated_power + 1],
        d2[max_truncated_power + 1];
  };
  DROVER_INLINE void fill_orders(const Separation<R>& d, Orders& s) const {
    const Distance<R> r = softened(plan_.softening, d);
    R power[max_truncated_power + 1];
    powers_of(r.r, p_.f_highest_order + 1, power);
    for (int n = 0; n < q_; ++n) {
      const Radial2<R> m = monomial(p_.f_order[n], power);
      s.v[n] = m.v;
      s.d1[n] = m.d1 * r.slope;
      s.d2[n] = laplacian(r, m);
    }
  }

  void pair_energy(int i, int j, const Geometry<R>& geometry, R& value, R* grad, R* lap) {
    const Separation<R>& d = geometry.electron[pair_index(i, j)];
    Orders s;
    fill_orders(d, s);
    R slope(0.0), l(0.0);
    for (int a = 0; a < plan_.atoms; ++a) {
      const long ai = long(i) * plan_.atoms + a, aj = long(j) * plan_.atoms + a;
      if (inside_[ai] == 0 || inside_[aj] == 0) continue;
      const R qi = dot(geometry.nuclear[ai], d), qj = -dot(geometry.nuclear[aj], d);
      R *ti = t_ + ai * channels_, *tj = t_ + aj * channels_;
      R *zi = z_ + ai * channels_, *zj = z_ + aj * channels_;
      const R* left = left_ + ai * channels_;
      for (int n = 0; n < q_; ++n) {
        const R oi = s.d1[n] * qi, oj = s.d1[n] * qj;
        R sum(0.0);
        for (int m = 0; m < f_; ++m) {
          const R gi = g_[ai * f_ + m], gj = g_[aj * f_ + m];
          const int c = m * q_ + n;
          sum = fma(left[c], gj, sum);
          ti[c] = fma(s.v[n], gj, ti[c]);
          tj[c] = fma(s.v[n], gi, tj[c]);
          zi[c] = fma(oi, gj, zi[c]);
          zj[c] = fma(oj, gi, zj[c]);
        }
        value = fma(s.v[n], sum, value);
        slope = fma(s.d1[n], sum, slope);
        l = fma(s.d2[n], sum, l);
      }
    }
    add_pair(i, j, d, slope, l, grad, lap);
  }

  void pair_derivatives(int i, int j, const Geometry<R>& geometry, const R* drift) {
    const Separation<R>& d = geometry.electron[pair_index(i, j)];
    Orders s;
    fill_orders(d, s);
    const R f = pair_projection(i, j, d, drift);
    for (int a = 0; a < plan_.atoms; ++a) {
      const long ai = long(i) * plan_.atoms + a, aj = long(j) * plan_.atoms + a;
      if (inside_[ai] == 0 || inside_[aj] == 0) continue;
      const R qi = dot(geometry.nuclear[ai], d), qj = -dot(geometry.nuclear[aj], d);
      R *xi = x_ + ai * channels_, *xj = x_ + aj * channels_;
      for (int n = 0; n < q_; ++n) {
        const R ds = -fma(s.d1[n], f, s.d2[n]);
        const R oi = s.d1[n] * qi, oj = s.d1[n] * qj;
        for (int m = 0; m < f_; ++m) {
          const long ki = ai * f_ + m, kj = aj * f_ + m;
          const int c = m * q_ + n;
          // grad_j r_ij^n . grad_j g_m(j) is oj g'_m(j)
          xi[c] += fma(ds, g_[kj], fnma(oj, g1_[kj], s.v[n] * gd_[kj]));
          xj[c] += fma(ds, g_[ki], fnma(oi, g1_[ki], s.v[n] * gd_[ki]));
        }
      }
    }
  }

  void electron_derivatives(int i, int a, const Geometry<R>& geometry, const R* drift,
                            R* raw, R* e_raw) {
    const int kind = plan_.orbitals.atom[a].kind;
    const long at = long(i) * plan_.atoms + a;
    const R *t = t_ + at * channels_, *z = z_ + at * channels_, *x = x_ + at * channels_;
    long slot = long(kind) * p_.f_raw + 1;
    for (int l = 0; l < f_; ++l) {
      const R g = g_[at * f_ + l], g1 = g1_[at * f_ + l], gd = gd_[at * f_ + l];
      for (int m = 0; m <= l; ++m) {
        const R half(l == m ? 0.5 : 1.0);  // a pair is seen by both its electrons
        for (int n = 0; n < q_; ++n, ++slot) {
          const int c = m * q_ + n;
          raw[slot] = fma(half * g, t[c], raw[slot]);
          e_raw[slot] = fma(half, fma(gd, t[c], fnma(g1, z[c], g * x[c])), e_raw[slot]);
        }
      }
    }
    // Of the cutoff: dg_l/dL in the place of g_l.
    const Distance<R> s = softened(plan_.softening, geometry.nuclear[at]);
    const R projection = projection_of(geometry.nuclear[at], drift + 3 * i);
    const Radial2<R> cut = truncation_by_cutoff(p_.f_cutoff[kind], s.r);
    R power[max_truncated_power + 1], v(0.0), e(0.0);
    powers_of(s.r, p_.f_highest + 1, power);
    const double* gamma = p_.f + long(kind) * f_ * channels_;
    for (int l = 0; l < f_; ++l) {
      const Radial2<R> h = cut * monomial(p_.f_power[l], power);
      const R h1 = h.d1 * s.slope;
      const R hd = -fma(projection, h1, R(0.5) * laplacian(s, h));
      R t_sum(0.0), z_sum(0.0), x_sum(0.0);
      for (int c = 0; c < channels_; ++c) {
        const R w(gamma[l * channels_ + c]);
        t_sum = fma(w, t[c], t_sum);
        z_sum = fma(w, z[c], z_sum);
        x_sum = fma(w, x[c], x_sum);
      }
      v = fma(h.v, t_sum, v);
      e += fma(hd, t_sum, fnma(h1, z_sum, h.v * x_sum));
    }
    raw[long(kind) * p_.f_raw] += v;
    e_raw[long(kind) * p_.f_raw] += e;
  }

  const WavePlan& plan_;
  const TruncatedPlan& p_;
  const int f_, q_, channels_;        // powers l, orders n, and their products
  R *g_ = nullptr, *left_ = nullptr;  // [slot][atom][..]
  R *g1_ = nullptr, *g2_ = nullptr, *gd_ = nullptr;  // D g_l
  R *left1_ = nullptr, *left2_ = nullptr, *t_ = nullptr, *z_ = nullptr, *x_ = nullptr;
  int* inside_ = nullptr;  // [electron][atom]: whether any walker is within the cutoff
};

}  // namespace DROVER_ISA
}  // namespace drover
