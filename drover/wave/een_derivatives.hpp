// Parameter derivatives of the Boys-Handy term: d ln psi/dp and d E_L/dp.
//
// E_L depends on a Jastrow parameter through D f = -1/2 sum_i lap_i f - sum_i F_i .
// grad_i f with f = d ln J/dp and F = grad ln|psi|. D of a product a_m(i) S_o(ij) a_n(j)
// needs, beside the sums of een_kernel.hpp,
//   X_right(i) = sum_j [ DS_o a_n(j) + S_o D a_n(j) - (grad_j S . grad_j a_n) ],
// after which every coefficient costs three multiplications an electron and nucleus.
// Ranges follow from dR^m/db = (m/b)(R^m - R^(m+1)), and alike for d.
#pragma once

#include "drover/wave/een_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R>
struct EenDerivativeWork {
  R *left_d, *right_d;  // [electron][atom][channel]: D of the factors
  R *x_right, *x_left;
  R *plain_d, *sum_d;  // [electron][kind][order]: D of the n = 0 factor, sum_j D S_o
  R* projection;       // [electron][atom]: F_i . r_iI

  void allocate(const EenPlan& p, int electrons, Arena& arena) {
    if (!p.active) return;
    const long nuclear = long(electrons) * p.atoms,
               kind = long(electrons) * p.kinds * p.orders;
    for (R** q : {&left_d, &right_d, &x_right, &x_left})
      *q = arena.take<R>(nuclear * p.channels);
    for (R** q : {&plain_d, &sum_d}) *q = arena.take<R>(kind);
    projection = arena.take<R>(nuclear);
  }
};

// Pair loop: fills sum_d, x_right, x_left and adds the derivatives in d of every kind.
template <class R>
void een_pair_derivatives(const EenPlan& p, int electrons, int up,
                          const Geometry<R>& geometry, const EenWork<R>& w,
                          const R* drift, EenDerivativeWork<R>& v, R* by_parameter,
                          R* energy_by_parameter) {
  for (int i = 1; i < electrons; ++i) {
    for (int j = 0; j < i; ++j) {
      const Separation<R>& d = geometry.electron[pair_index(i, j)];
      const bool like = (i < up) == (j < up);
      const R *fi = drift + 3 * i, *fj = drift + 3 * j;
      const R f = fma(fi[0] - fj[0], d.x, fma(fi[1] - fj[1], d.y, (fi[2] - fj[2]) * d.z));
      for (int kind = 0; kind < p.kinds; ++kind) {
        OrderTable<R> table;
        table.fill(d.r, R(p.d[kind]), p.max_order + 1);
        const int first = p.kind_nuclei[kind], last = p.kind_nuclei[kind + 1];
        const double* c = p.c + kind * p.coefficients;
        const long ki = (long(i) * p.kinds + kind) * p.orders;
        const long kj = (long(j) * p.kinds + kind) * p.orders;
        // cusp: d/dd of S_1/d is -S_2/d^2
        const double cusp = een_cusp(p, kind, like) / (p.d[kind] * p.d[kind]);
        const R slope2 = table.slope(2);
        R value_d = -(R(cusp) * table.value(2));
        R energy_d = R(cusp) * fma(slope2, f, table.laplacian(2, slope2));
        R slope[max_een_order], ds[max_een_order];
        R slope_d[max_een_order], value_by_d[max_een_order], ds_by_d[max_een_order];
        for (int q = 0; q < p.orders; ++q) {
          const int o = p.order[q];
          slope[q] = table.slope(o);
          ds[q] = -fma(slope[q], f, table.laplacian(o, slope[q]));
          const R next = table.slope(o + 1);
          const R ds_next = -fma(next, f, table.laplacian(o + 1, next));
          const R k(o / p.d[kind]);
          value_by_d[q] = k * (table.value(o) - table.value(o + 1));
          slope_d[q] = k * (slope[q] - next);
          ds_by_d[q] = k * (ds[q] - ds_next);
          v.sum_d[ki + q] += ds[q];
          v.sum_d[kj + q] += ds[q];
          R factor = w.plain[ki + q] + w.plain[kj + q];
          if (p.pure_parameter[q] >= 0)
            factor += R(c[p.pure_parameter[q]] * (last - first));
          value_d = fma(value_by_d[q], factor, value_d);
          energy_d = fma(ds_by_d[q], factor, energy_d);
          if (p.plain_first[q] == p.plain_first[q + 1]) continue;
          const R *gi = w.plain1 + 3 * (ki + q), *gj = w.plain1 + 3 * (kj + q);
          const R y =
              fma(gi[0] - gj[0], d.x, fma(gi[1] - gj[1], d.y, (gi[2] - gj[2]) * d.z));
          energy_d = fma(value_by_d[q], v.plain_d[ki + q] + v.plain_d[kj + q], energy_d);
          energy_d = fnma(slope_d[q], y, energy_d);
        }
        for (int n = first; n < last && p.channels > 0; ++n) {
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
            const R dli = v.left_d[ni + h], dlj = v.left_d[nj + h];
            const R dri = v.right_d[ni + h], drj = v.right_d[nj + h];
            const int q = p.channel[h].order;
            if (q < 0) {
              v.x_right[ni + h] += drj;
              v.x_left[ni + h] += dlj;
              v.x_right[nj + h] += dri;
              v.x_left[nj + h] += dli;
              continue;
            }
            const R s = table.value(p.order[q]);
            const R oi = slope[q] * qi, oj = slope[q] * qj;
            const R r1i = w.right1[ni + h], r1j = w.right1[nj + h];
            const R l1i = w.left1[ni + h], l1j = w.left1[nj + h];
            v.x_right[ni + h] += fma(ds[q], rj, fnma(oj, r1j, s * drj));
            v.x_left[ni + h] += fma(ds[q], lj, fnma(oj, l1j, s * dlj));
            v.x_right[nj + h] += fma(ds[q], ri, fnma(oi, r1i, s * dri));
            v.x_left[nj + h] += fma(ds[q], li, fnma(oi, l1i, s * dli));
            const R factor = fma(li, rj, lj * ri);
            const R factor_d = fma(dli, rj, fma(li, drj, fma(dlj, ri, lj * dri)));
            const R y = fma(qi, fma(l1i, rj, r1i * lj), qj * fma(l1j, ri, r1j * li));
            value_d = fma(value_by_d[q], factor, value_d);
            energy_d = fma(ds_by_d[q], factor, energy_d);
            energy_d = fma(value_by_d[q], factor_d, energy_d);
            energy_d = fnma(slope_d[q], y, energy_d);
          }
        }
        const R chain(p.d_slope[kind]);
        by_parameter[p.d_parameter + kind] =
            fma(chain, value_d, by_parameter[p.d_parameter + kind]);
        energy_by_parameter[p.d_parameter + kind] =
            fma(chain, energy_d, energy_by_parameter[p.d_parameter + kind]);
      }
    }
  }
}

// Adds d ln psi/dp and d E_L/dp of every Boys-Handy parameter; een_energy must have run
// on the same positions. drift = grad ln|psi| of the whole wave function, [3 N].
template <class R>
void een_derivatives(const EenPlan& p, int electrons, int up, const Geometry<R>& geometry,
                     const EenWork<R>& w, const R* drift, EenDerivativeWork<R>& v,
                     R* by_parameter, R* energy_by_parameter) {
  const R minus_half(-0.5);
  const long all_kind = long(electrons) * p.kinds * p.orders;
  const long all_channel = long(electrons) * p.atoms * p.channels;
  for (long k = 0; k < all_kind; ++k) v.sum_d[k] = R(0.0);
  for (long k = 0; k < all_channel; ++k) v.x_right[k] = v.x_left[k] = R(0.0);
  for (int i = 0; i < electrons; ++i) {
    const R* f = drift + 3 * i;
    for (int a = 0; a < p.atoms; ++a) {
      const Separation<R>& d = geometry.nuclear[i * p.atoms + a];
      const R projection = fma(f[0], d.x, fma(f[1], d.y, f[2] * d.z));
      v.projection[i * p.atoms + a] = projection;
      const long n = (long(i) * p.atoms + a) * p.channels;
      for (int h = 0; h < p.channels; ++h) {
        v.left_d[n + h] = fnma(projection, w.left1[n + h], minus_half * w.left2[n + h]);
        v.right_d[n + h] =
            fnma(projection, w.right1[n + h], minus_half * w.right2[n + h]);
      }
    }
    for (int k = 0; k < p.kinds * p.orders; ++k) {
      const long kq = long(i) * p.kinds * p.orders + k;
      const R* g = w.plain1 + 3 * kq;
      const R dot = fma(f[0], g[0], fma(f[1], g[1], f[2] * g[2]));
      v.plain_d[kq] = fma(minus_half, w.plain2[kq], -dot);
    }
  }
  een_pair_derivatives(p, electrons, up, geometry, w, drift, v, by_parameter,
                       energy_by_parameter);

  const R weight(electrons - 1.0);
  for (int i = 0; i < electrons; ++i) {
    for (int kind = 0; kind < p.kinds; ++kind) {
      const double* c = p.c + kind * p.coefficients;
      const int first = p.kind_nuclei[kind], last = p.kind_nuclei[kind + 1];
      const long kq = (long(i) * p.kinds + kind) * p.orders;
      const R b(p.b[kind]);
      R* o_c = by_parameter + p.c_parameter + kind * p.coefficients;
      R* e_c = energy_by_parameter + p.c_parameter + kind * p.coefficients;
      R value_b(0.0), energy_b(0.0);
      for (int q = 0; q < p.orders; ++q) {
        const int k = p.pure_parameter[q];
        if (k < 0) continue;
        const R half(0.5 * (last - first));  // every pair is seen by both its electrons
        o_c[k] = fma(half, w.sum[kq + q], o_c[k]);
        e_c[k] = fma(half, v.sum_d[kq + q], e_c[k]);
      }
      for (int n = first; n < last; ++n) {
        const int a = p.nucleus[n];
        const Separation<R>& d = geometry.nuclear[i * p.atoms + a];
        const R t = w.t[i * p.atoms + a], projection = v.projection[i * p.atoms + a];
        const R bt = b * t, alpha = bt * bt * t, beta = alpha * t;
        // a_m, its gradient coefficient A_m, D a_m, and the same for d a_m/db
        R power[max_een_power + 2], slope[max_een_power + 2], energy[max_een_power + 2];
        R power_b[max_een_power + 1], slope_b[max_een_power + 1],
            energy_b_m[max_een_power + 1];
        fill_powers(w.s[i * p.atoms + a], p.max_power + 1, power);
        for (int m = 2; m <= p.max_power + 1; ++m) {
          slope[m] = R(double(m)) * alpha * power[m - 2];
          energy[m] =
              fnma(projection, slope[m], R(-0.5 * m * (m + 1)) * beta * power[m - 2]);
        }
        for (int m = 2; m <= p.max_power; ++m) {
          const R k(m / p.b[kind]);
          power_b[m] = k * (power[m] - power[m + 1]);
          slope_b[m] = k * (slope[m] - slope[m + 1]);
          energy_b_m[m] = k * (energy[m] - energy[m + 1]);
        }
        for (int k = 0; k < p.body_terms; ++k) {
          const EenTerm& term = p.body_term[k];
          const R ck = weight * R(c[term.parameter]);
          o_c[term.parameter] = fma(weight, power[term.m], o_c[term.parameter]);
          e_c[term.parameter] = fma(weight, energy[term.m], e_c[term.parameter]);
          value_b = fma(ck, power_b[term.m], value_b);
          energy_b = fma(ck, energy_b_m[term.m], energy_b);
        }
        for (int q = 0; q < p.orders; ++q) {
          if (p.plain_first[q] == p.plain_first[q + 1]) continue;
          const R sum = w.sum[kq + q], sum_d = v.sum_d[kq + q];
          const R* z3 = w.vector + 3 * (kq + q);
          const R z = fma(z3[0], d.x, fma(z3[1], d.y, z3[2] * d.z));
          R v_b(0.0), s_b(0.0), e_b(0.0);
          for (int k = p.plain_first[q]; k < p.plain_first[q + 1]; ++k) {
            const EenTerm& term = p.plain_term[k];
            const R ck(c[term.parameter]);
            o_c[term.parameter] = fma(power[term.m], sum, o_c[term.parameter]);
            e_c[term.parameter] +=
                fma(energy[term.m], sum, fnma(slope[term.m], z, power[term.m] * sum_d));
            v_b = fma(ck, power_b[term.m], v_b);
            s_b = fma(ck, slope_b[term.m], s_b);
            e_b = fma(ck, energy_b_m[term.m], e_b);
          }
          value_b = fma(v_b, sum, value_b);
          energy_b += fma(e_b, sum, fnma(s_b, z, v_b * sum_d));
        }
        const long nc = (long(i) * p.atoms + a) * p.channels;
        for (int h = 0; h < p.channels; ++h) {
          const EenChannel& channel = p.channel[h];
          const R sum = w.t_right[nc + h], x = v.x_right[nc + h], z = w.z_right[nc + h];
          R v_b(0.0), s_b(0.0), e_b(0.0);
          for (int k = channel.first_term; k < channel.first_term + channel.terms; ++k) {
            const EenTerm& term = p.channel_term[k];
            const R weight_k(p.channel_weight[k]);
            const R ck = weight_k * R(c[term.parameter]);
            o_c[term.parameter] = fma(weight_k * power[term.m], sum, o_c[term.parameter]);
            e_c[term.parameter] +=
                weight_k *
                fma(energy[term.m], sum, fnma(slope[term.m], z, power[term.m] * x));
            v_b = fma(ck, power_b[term.m], v_b);
            s_b = fma(ck, slope_b[term.m], s_b);
            e_b = fma(ck, energy_b_m[term.m], e_b);
          }
          value_b = fma(v_b, sum, value_b);
          energy_b += fma(e_b, sum, fnma(s_b, z, v_b * x));
          const int m = channel.n;
          value_b = fma(power_b[m], w.t_left[nc + h], value_b);
          energy_b +=
              fma(energy_b_m[m], w.t_left[nc + h],
                  fnma(slope_b[m], w.z_left[nc + h], power_b[m] * v.x_left[nc + h]));
        }
      }
      const R chain(p.b_slope[kind]);
      by_parameter[p.b_parameter + kind] =
          fma(chain, value_b, by_parameter[p.b_parameter + kind]);
      energy_by_parameter[p.b_parameter + kind] =
          fma(chain, energy_b, energy_by_parameter[p.b_parameter + kind]);
    }
  }
}

}  // namespace DROVER_ISA
}  // namespace drover
