// Radial functions of a pack of walkers: products, and what they add to gradients,
// Laplacians and parameter derivatives.
//
//   grad f(r) = f' (x,y,z)/r,  lap f(r) = f'' + 2 f'/r,
//   dE_L/dp = -1/2 sum_i lap_i f - sum_i F_i . grad_i f,  f = d ln J/dp, F = grad
//   ln|psi|.
#pragma once

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
DROVER_INLINE void add_radial(const Separation<R>& d, R d1, R d2, R* grad, R& lap) {
  const R f = d1 * d.inverse;
  grad[0] = fma(f, d.x, grad[0]);
  grad[1] = fma(f, d.y, grad[1]);
  grad[2] = fma(f, d.z, grad[2]);
  lap = lap + fma(R(2.0), f, d2);
}

// lap f of a function of a distance.
template <class R>
DROVER_INLINE R laplacian(const Distance<R>& s, const Radial2<R>& f) {
  return fma(f.d2, s.square, f.d1 * s.laplacian);
}

// (F_i - F_j) . (r_i - r_j)
template <class R>
DROVER_INLINE R pair_projection(int i, int j, const Separation<R>& d, const R* drift) {
  const R *fi = drift + 3 * i, *fj = drift + 3 * j;
  return fma(fi[0] - fj[0], d.x, fma(fi[1] - fj[1], d.y, (fi[2] - fj[2]) * d.z));
}

// -1/2 lap f - F . grad f of a radial function about a nucleus; projection = F . (x,y,z).
template <class R>
DROVER_INLINE R energy_of_radial(const Separation<R>& d, R projection, R d1, R d2) {
  const R f = d1 * d.inverse;
  return -fma(R(0.5), d2, fma(projection, f, f));
}

// A Jastrow term that is a function of r_ij with one parameter. Function has of(plan) ->
// PairPlan, u(p, a, r) and jets(p, a, r, u, du/dp), where a is the slope at coalescence.
template <class R, class Function>
class PairTerm {
 public:
  explicit PairTerm(const WavePlan& plan) : plan_(plan), p_(Function::of(plan)) {}
  bool active() const { return p_.active; }

  R pair(long, long, R r, bool like) const {
    return Function::u(p_, slope(like), softened(plan_.softening, r));
  }

  void energy(const Geometry<R>& geometry, const Radial<R>*, R& value, R* grad, R* lap) {
    for (int i = 1; i < plan_.electrons; ++i) {
      for (int j = 0; j < i; ++j) {
        const Separation<R>& d = geometry.electron[pair_index(i, j)];
        const Distance<R> s = softened(plan_.softening, d);
        Radial2<R> u, by;
        Function::jets(p_, slope(alike(i, j)), s.r, u, by);
        value += u.v;
        add_pair(i, j, d, u.d1 * s.slope, laplacian(s, u), grad, lap);
      }
    }
  }

  void derivatives(const Geometry<R>& geometry, const Radial<R>*, const R* drift,
                   R* by_parameter, R* energy_by_parameter) {
    R value(0.0), energy(0.0);
    for (int i = 1; i < plan_.electrons; ++i) {
      for (int j = 0; j < i; ++j) {
        const Separation<R>& d = geometry.electron[pair_index(i, j)];
        const Distance<R> s = softened(plan_.softening, d);
        Radial2<R> u, by;
        Function::jets(p_, slope(alike(i, j)), s.r, u, by);
        value += by.v;
        // Both electrons have the same Laplacian.
        energy -= fma(by.d1 * s.slope, pair_projection(i, j, d, drift), laplacian(s, by));
      }
    }
    by_parameter[p_.parameter] += value;
    energy_by_parameter[p_.parameter] += energy;
  }

 private:
  bool alike(int i, int j) const { return (i < plan_.up) == (j < plan_.up); }
  double slope(bool like) const { return like ? p_.like : p_.unlike; }

  const WavePlan& plan_;
  const PairPlan& p_;
};

}  // namespace DROVER_ISA
}  // namespace drover
