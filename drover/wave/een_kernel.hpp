// Boys-Handy Jastrow of a pack of walkers: value, gradient, Laplacian, and rows for
// moves.
//
// With R = b r/(1 + b r) and t = 1/(1 + b r), every power has derivatives without a
// division:
//   grad R^m = m b^2 t^3 R^(m-2) (x, y, z),   lap R^m = m (m+1) b^2 t^4 R^(m-2),
// so coincident points take their limits by themselves (m >= 2). The triple sum over
// pairs and nuclei is arranged as in EenPlan: per electron sums T (over the other
// electrons) of S_o times the right (left) factor, and z, the same with grad S_o
// projected on the nucleus' direction:
//   grad_i J  = g_ij r_ij  + grad left(i) T_right(i) + grad right(i) T_left(i)
//   lap_i J   = lap S terms + lap left T_right + 2 left' z_right + (left <-> right).
#pragma once

#include "drover/wave/geometry_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

inline constexpr int max_een_order = 12;
inline constexpr int max_een_power = 12;

// S_o = (d r t)^o of one pair: value, grad = slope * (x,y,z), Laplacian.
template <class R>
struct OrderTable {
  R power[max_een_order + 2];
  R t, alpha;  // alpha = d^2 t^3

  DROVER_INLINE void fill(R r, R d, int highest) {
    t = R(1.0) / fma(d, r, R(1.0));
    const R s = d * r * t;
    const R dt = d * t;
    alpha = dt * dt * t;
    power[0] = R(1.0);
    for (int p = 1; p <= highest; ++p) power[p] = power[p - 1] * s;
  }
  DROVER_INLINE R value(int o) const { return power[o]; }
  DROVER_INLINE R slope(int o) const { return R(double(o)) * alpha * power[o - 2]; }
  DROVER_INLINE R laplacian(int o, R slope_o) const { return R(o + 1.0) * t * slope_o; }
};

template <class R>
struct EenWork {
  // per electron and nucleus
  R *t, *s;                 // t, R
  R *left, *left1, *left2;  // [channel]: left factor, gradient coefficient, Laplacian
  R *right, *right1, *right2;
  R *t_right, *t_left, *z_right, *z_left;
  // per electron and kind, [order]
  R *plain, *plain2, *sum;  // left factor of n = 0, its Laplacian, T
  R *plain1, *vector;       // [order][3]: its gradient, sum of grad S
  // per electron: one-body value is folded at once

  void allocate(const EenPlan& p, int electrons, Arena& arena) {
    if (!p.active) return;
    const long nuclear = long(electrons) * p.atoms,
               kind = long(electrons) * p.kinds * p.orders;
    t = arena.take<R>(nuclear);
    s = arena.take<R>(nuclear);
    for (R** q : {&left, &left1, &left2, &right, &right1, &right2, &t_right, &t_left,
                  &z_right, &z_left})
      *q = arena.take<R>(nuclear * p.channels);
    for (R** q : {&plain, &plain2, &sum}) *q = arena.take<R>(kind);
    for (R** q : {&plain1, &vector}) *q = arena.take<R>(3 * kind);
  }
};

// Coefficient of r t in the (0,0,1) term of one pair and one element.
DROVER_INLINE double een_cusp(const EenPlan& p, int kind, bool like) {
  const double nuclei = p.kind_nuclei[kind + 1] - p.kind_nuclei[kind];
  return (like ? p.like : p.unlike) * nuclei;
}

// Powers R^0..R^highest.
template <class R>
DROVER_INLINE void fill_powers(R s, int highest, R* power) {
  power[0] = R(1.0);
  for (int p = 1; p <= highest; ++p) power[p] = power[p - 1] * s;
}

// sum_k c_k R^m_k; d1 and d2 are its gradient and Laplacian but for b^2 t^3 (x,y,z) and
// b^2 t^4.
template <class R>
struct PowerSum {
  R v, d1, d2;
};
template <bool Derivatives, class R>
DROVER_INLINE PowerSum<R> sum_of_powers(const EenTerm* term, int terms,
                                        const double* weight, double scale,
                                        const double* c, const R* power) {
  PowerSum<R> f{R(0.0), R(0.0), R(0.0)};
  for (int k = 0; k < terms; ++k) {
    const int m = term[k].m;
    const double ck = (weight ? weight[k] : scale) * c[term[k].parameter];
    f.v = fma(R(ck), power[m], f.v);
    if constexpr (Derivatives) {
      f.d1 = fma(R(ck * m), power[m - 2], f.d1);
      f.d2 = fma(R(ck * m * (m + 1)), power[m - 2], f.d2);
    }
  }
  return f;
}
template <class R>
DROVER_INLINE void add_along(R factor, const Separation<R>& d, R* vector) {
  vector[0] = fma(factor, d.x, vector[0]);
  vector[1] = fma(factor, d.y, vector[1]);
  vector[2] = fma(factor, d.z, vector[2]);
}

// Left and right factors of electron i about every nucleus; with Derivatives also their
// gradients and Laplacians and the one-body part (returned through value, grad, lap).
template <bool Derivatives, class R>
void een_electron(const EenPlan& p, int electrons, const Separation<R>* nuclear,
                  EenWork<R>& w, long i, R& value, R* grad, R& lap) {
  for (int kind = 0; kind < p.kinds; ++kind) {
    const R b(p.b[kind]);
    const double* c = p.c + kind * p.coefficients;
    const long kq = (i * p.kinds + kind) * p.orders;
    for (int q = 0; q < p.orders; ++q) w.plain[kq + q] = R(0.0);
    if constexpr (Derivatives) {
      for (int q = 0; q < p.orders; ++q) w.plain2[kq + q] = R(0.0);
      for (int q = 0; q < 3 * p.orders; ++q) w.plain1[3 * kq + q] = R(0.0);
    }
    for (int n = p.kind_nuclei[kind]; n < p.kind_nuclei[kind + 1]; ++n) {
      const int a = p.nucleus[n];
      const Separation<R>& d = nuclear[a];
      const R t = R(1.0) / fma(b, d.r, R(1.0));
      const R s = b * d.r * t;
      w.t[i * p.atoms + a] = t;
      w.s[i * p.atoms + a] = s;
      R power[max_een_power + 1];
      fill_powers(s, p.max_power, power);
      const R bt = b * t;
      const R alpha = bt * bt * t, beta = bt * bt * t * t;
      if (p.body_terms > 0) {
        const auto f = sum_of_powers<Derivatives>(p.body_term, p.body_terms, nullptr,
                                                  electrons - 1.0, c, power);
        value += f.v;
        if constexpr (Derivatives) {
          add_along(R(f.d1 * alpha), d, grad);
          lap = fma(f.d2, beta, lap);
        }
      }
      for (int q = 0; q < p.orders; ++q) {
        if (p.plain_first[q] == p.plain_first[q + 1]) continue;
        const int first = p.plain_first[q];
        const auto f = sum_of_powers<Derivatives>(
            p.plain_term + first, p.plain_first[q + 1] - first, nullptr, 1.0, c, power);
        w.plain[kq + q] += f.v;
        if constexpr (Derivatives) {
          add_along(R(f.d1 * alpha), d, w.plain1 + 3 * (kq + q));
          w.plain2[kq + q] = fma(f.d2, beta, w.plain2[kq + q]);
        }
      }
      const long nc = (i * p.atoms + a) * p.channels;
      for (int h = 0; h < p.channels; ++h) {
        const EenChannel& channel = p.channel[h];
        const auto f = sum_of_powers<Derivatives>(
            p.channel_term + channel.first_term, channel.terms,
            p.channel_weight + channel.first_term, 1.0, c, power);
        w.left[nc + h] = f.v;
        w.right[nc + h] = power[channel.n];
        if constexpr (Derivatives) {
          w.left1[nc + h] = f.d1 * alpha;
          w.left2[nc + h] = f.d2 * beta;
          const R m(double(channel.n)), m1(channel.n * (channel.n + 1.0));
          w.right1[nc + h] = m * alpha * power[channel.n - 2];
          w.right2[nc + h] = m1 * beta * power[channel.n - 2];
        }
      }
    }
  }
}

// u(r_i, r_j) without the one-body parts; factor tables of slots i and j (slots may lie
// beyond the electrons: a move's proposal).
template <class R>
DROVER_INLINE R een_pair_value(const EenPlan& p, const EenWork<R>& w, long i, long j, R r,
                               bool like) {
  R u(0.0);
  for (int kind = 0; kind < p.kinds; ++kind) {
    OrderTable<R> table;
    table.fill(r, R(p.d[kind]), p.max_order);
    const int first = p.kind_nuclei[kind], last = p.kind_nuclei[kind + 1];
    const double* c = p.c + kind * p.coefficients;
    u = fma(R(een_cusp(p, kind, like)), r * table.t, u);
    const R* pi = w.plain + (i * p.kinds + kind) * p.orders;
    const R* pj = w.plain + (j * p.kinds + kind) * p.orders;
    for (int q = 0; q < p.orders; ++q) {
      R factor = pi[q] + pj[q];
      if (p.pure_parameter[q] >= 0) factor += R(c[p.pure_parameter[q]] * (last - first));
      u = fma(table.value(p.order[q]), factor, u);
    }
    for (int h = 0; h < p.channels; ++h) {
      R factor(0.0);
      for (int n = first; n < last; ++n) {
        const long ni = (i * p.atoms + p.nucleus[n]) * p.channels + h;
        const long nj = (j * p.atoms + p.nucleus[n]) * p.channels + h;
        factor = fma(w.left[ni], w.right[nj], factor);
        factor = fma(w.left[nj], w.right[ni], factor);
      }
      const int q = p.channel[h].order;
      u = q < 0 ? u + factor : fma(table.value(p.order[q]), factor, u);
    }
  }
  return u;
}

// Adds ln J's een part: value, gradient[3 N], Laplacian[N]. Fills the tables of w, which
// een_derivatives reads.
template <class R>
void een_energy(const EenPlan& p, int electrons, int up, const Geometry<R>& geometry,
                EenWork<R>& w, R& value, R* grad, R* lap) {
  for (int i = 0; i < electrons; ++i)
    een_electron<true>(p, electrons, geometry.nuclear + i * p.atoms, w, i, value,
                       grad + 3 * i, lap[i]);
  const long all_kind = long(electrons) * p.kinds * p.orders;
  const long all_channel = long(electrons) * p.atoms * p.channels;
  for (long k = 0; k < all_kind; ++k) w.sum[k] = R(0.0);
  for (long k = 0; k < 3 * all_kind; ++k) w.vector[k] = R(0.0);
  for (R* q : {w.t_right, w.t_left, w.z_right, w.z_left})
    for (long k = 0; k < all_channel; ++k) q[k] = R(0.0);

  for (int i = 1; i < electrons; ++i) {
    for (int j = 0; j < i; ++j) {
      const Separation<R>& d = geometry.electron[pair_index(i, j)];
      const bool like = (i < up) == (j < up);
      R g(0.0), l(0.0);
      for (int kind = 0; kind < p.kinds; ++kind) {
        OrderTable<R> table;
        table.fill(d.r, R(p.d[kind]), p.max_order);
        const int first = p.kind_nuclei[kind], last = p.kind_nuclei[kind + 1];
        const double* c = p.c + kind * p.coefficients;
        const R cusp(een_cusp(p, kind, like));
        value = fma(cusp, d.r * table.t, value);
        const R ct = cusp * table.t * table.t * d.inverse;
        g += ct;
        l = fma(R(2.0) * table.t, ct, l);
        const long ki = (long(i) * p.kinds + kind) * p.orders;
        const long kj = (long(j) * p.kinds + kind) * p.orders;
        R slope[max_een_order], laplacian[max_een_order];
        for (int q = 0; q < p.orders; ++q) {
          const int o = p.order[q];
          const R s = table.value(o);
          slope[q] = table.slope(o);
          laplacian[q] = table.laplacian(o, slope[q]);
          R factor = w.plain[ki + q] + w.plain[kj + q];
          if (p.pure_parameter[q] >= 0)
            factor += R(c[p.pure_parameter[q]] * (last - first));
          value = fma(s, factor, value);
          g = fma(slope[q], factor, g);
          l = fma(laplacian[q], factor, l);
          w.sum[ki + q] += s;
          w.sum[kj + q] += s;
          if (p.plain_first[q] == p.plain_first[q + 1]) continue;
          R* vi = w.vector + 3 * (ki + q);
          R* vj = w.vector + 3 * (kj + q);
          const R sx = slope[q] * d.x, sy = slope[q] * d.y, sz = slope[q] * d.z;
          vi[0] += sx;
          vi[1] += sy;
          vi[2] += sz;
          vj[0] -= sx;
          vj[1] -= sy;
          vj[2] -= sz;
        }
        if (p.channels == 0) continue;
        for (int n = first; n < last; ++n) {
          const int a = p.nucleus[n];
          const Separation<R>& di = geometry.nuclear[i * p.atoms + a];
          const Separation<R>& dj = geometry.nuclear[j * p.atoms + a];
          const R qi = fma(di.x, d.x, fma(di.y, d.y, di.z * d.z));
          const R qj = -fma(dj.x, d.x, fma(dj.y, d.y, dj.z * d.z));
          const long ni = (long(i) * p.atoms + a) * p.channels;
          const long nj = (long(j) * p.atoms + a) * p.channels;
          for (int h = 0; h < p.channels; ++h) {
            const R li = w.left[ni + h], lj = w.left[nj + h];
            const R ri = w.right[ni + h], rj = w.right[nj + h];
            const R factor = fma(li, rj, lj * ri);
            const int q = p.channel[h].order;
            if (q < 0) {
              value += factor;
              w.t_right[ni + h] += rj;
              w.t_left[ni + h] += lj;
              w.t_right[nj + h] += ri;
              w.t_left[nj + h] += li;
              continue;
            }
            const R s = table.value(p.order[q]);
            value = fma(s, factor, value);
            g = fma(slope[q], factor, g);
            l = fma(laplacian[q], factor, l);
            w.t_right[ni + h] = fma(s, rj, w.t_right[ni + h]);
            w.t_left[ni + h] = fma(s, lj, w.t_left[ni + h]);
            w.t_right[nj + h] = fma(s, ri, w.t_right[nj + h]);
            w.t_left[nj + h] = fma(s, li, w.t_left[nj + h]);
            const R oi = slope[q] * qi, oj = slope[q] * qj;
            w.z_right[ni + h] = fma(oi, rj, w.z_right[ni + h]);
            w.z_left[ni + h] = fma(oi, lj, w.z_left[ni + h]);
            w.z_right[nj + h] = fma(oj, ri, w.z_right[nj + h]);
            w.z_left[nj + h] = fma(oj, li, w.z_left[nj + h]);
          }
        }
      }
      add_pair(i, j, d, g, l, grad, lap);
    }
  }

  for (int i = 0; i < electrons; ++i) {
    R* gi = grad + 3 * i;
    R l = lap[i];
    for (int kind = 0; kind < p.kinds; ++kind) {
      for (int q = 0; q < p.orders; ++q) {
        if (p.plain_first[q] == p.plain_first[q + 1]) continue;
        const long k = (long(i) * p.kinds + kind) * p.orders + q;
        const R *dp = w.plain1 + 3 * k, *v = w.vector + 3 * k;
        for (int x = 0; x < 3; ++x) gi[x] = fma(dp[x], w.sum[k], gi[x]);
        const R dot = fma(dp[0], v[0], fma(dp[1], v[1], dp[2] * v[2]));
        l = fma(w.plain2[k], w.sum[k], l);
        l = fma(R(2.0), dot, l);
      }
    }
    for (int a = 0; a < p.atoms; ++a) {
      const Separation<R>& d = geometry.nuclear[i * p.atoms + a];
      const long n = (long(i) * p.atoms + a) * p.channels;
      R f(0.0), cross(0.0);
      for (int h = 0; h < p.channels; ++h) {
        f = fma(w.left1[n + h], w.t_right[n + h], f);
        f = fma(w.right1[n + h], w.t_left[n + h], f);
        cross = fma(w.left1[n + h], w.z_right[n + h], cross);
        cross = fma(w.right1[n + h], w.z_left[n + h], cross);
        l = fma(w.left2[n + h], w.t_right[n + h], l);
        l = fma(w.right2[n + h], w.t_left[n + h], l);
      }
      gi[0] = fma(f, d.x, gi[0]);
      gi[1] = fma(f, d.y, gi[1]);
      gi[2] = fma(f, d.z, gi[2]);
      l = fma(R(2.0), cross, l);
    }
    lap[i] = l;
  }
}

}  // namespace DROVER_ISA
}  // namespace drover
