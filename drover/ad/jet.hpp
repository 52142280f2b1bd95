// Jet<R, K>: a function of one variable (a distance) with its first K derivatives, K
// <= 3.
//
// Derivatives are kept as they are, not divided by factorials. Products follow Leibniz,
//   (uv)'' = u v'' + 2 u' v' + u'' v,
// functions of functions Faa di Bruno,
//   f(u)' = f1 u',  f(u)'' = f2 u'^2 + f1 u'',  f(u)''' = f3 u'^3 + 3 f2 u' u'' + f1
//   u'''.
// A Jastrow radial function u(r; p) on Jet<Dual<R,P>,2> gives u, u', u'' and the mixed
// derivatives of all three in the parameters p in one evaluation.
#pragma once

#include <array>
#include <cstddef>

#include "drover/ad/elementary.hpp"
#include "drover/ad/laplacian.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R, int K>
struct Jet {
  static_assert(K >= 1 && K <= 3, "a jet keeps one to three derivatives");
  using scalar = R;
  static constexpr int order = K;

  R value;
  std::array<R, static_cast<std::size_t>(K)> derivative;  // first, second, ...

  Jet() = default;
  template <class S>
  requires ConstantOf<S, Jet> DROVER_INLINE Jet(S constant) : value(constant) {
    derivative.fill(R(0.0));
  }
  // The variable itself: r, 1, 0, ...
  static DROVER_INLINE Jet variable(R r) {
    Jet j(r);
    j.derivative[0] = R(1.0);
    return j;
  }

  friend DROVER_INLINE Jet operator-(Jet a) {
    a.value = -a.value;
    for (R& d : a.derivative) d = -d;
    return a;
  }
  friend DROVER_INLINE Jet operator+(Jet a, const Jet& b) {
    a.value = a.value + b.value;
    for (std::size_t k = 0; k < K; ++k)
      a.derivative[k] = a.derivative[k] + b.derivative[k];
    return a;
  }
  friend DROVER_INLINE Jet operator-(Jet a, const Jet& b) {
    a.value = a.value - b.value;
    for (std::size_t k = 0; k < K; ++k)
      a.derivative[k] = a.derivative[k] - b.derivative[k];
    return a;
  }
  friend DROVER_INLINE Jet operator*(const Jet& a, const Jet& b) {
    const auto& u = a.derivative;
    const auto& v = b.derivative;
    Jet r;
    r.value = a.value * b.value;
    r.derivative[0] = fma(a.value, v[0], b.value * u[0]);
    if constexpr (K >= 2) {
      r.derivative[1] = fma(R(2.0) * u[0], v[0], fma(a.value, v[1], b.value * u[1]));
    }
    if constexpr (K >= 3) {
      const R cross = fma(u[0], v[1], u[1] * v[0]);
      r.derivative[2] = fma(R(3.0), cross, fma(a.value, v[2], b.value * u[2]));
    }
    return r;
  }
  friend DROVER_INLINE Jet operator/(const Jet& a, const Jet& b) {
    Jet q = a * reciprocal(b);
    q.value = a.value / b.value;
    return q;
  }

  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator+(Jet a, S s) {
    a.value = a.value + R(s);
    return a;
  }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator+(S s, const Jet& a) { return a + s; }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator-(Jet a, S s) {
    a.value = a.value - R(s);
    return a;
  }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator-(S s, const Jet& a) {
    Jet r = -a;
    r.value = R(s) - a.value;
    return r;
  }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator*(Jet a, S s) {
    const R c(s);
    a.value = a.value * c;
    for (R& d : a.derivative) d = d * c;
    return a;
  }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator*(S s, const Jet& a) { return a * s; }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator/(const Jet& a, S s) {
    Jet r = a * (R(1.0) / R(s));
    r.value = a.value / R(s);
    return r;
  }
  template <class S>
  requires ConstantOf<S, Jet>
  friend DROVER_INLINE Jet operator/(S s, const Jet& a) {
    Jet r = reciprocal(a) * s;
    r.value = R(s) / a.value;
    return r;
  }

  DROVER_INLINE Jet& operator+=(const Jet& b) { return *this = *this + b; }
  DROVER_INLINE Jet& operator-=(const Jet& b) { return *this = *this - b; }
  DROVER_INLINE Jet& operator*=(const Jet& b) { return *this = *this * b; }
  DROVER_INLINE Jet& operator/=(const Jet& b) { return *this = *this / b; }

  using mask = mask_t<R>;
  friend DROVER_INLINE mask operator<(const Jet& a, const Jet& b) {
    return a.value < b.value;
  }
  friend DROVER_INLINE mask operator>(const Jet& a, const Jet& b) {
    return a.value > b.value;
  }
  friend DROVER_INLINE mask operator<=(const Jet& a, const Jet& b) {
    return a.value <= b.value;
  }
  friend DROVER_INLINE mask operator>=(const Jet& a, const Jet& b) {
    return a.value >= b.value;
  }
  friend DROVER_INLINE mask operator==(const Jet& a, const Jet& b) {
    return a.value == b.value;
  }
  friend DROVER_INLINE mask operator!=(const Jet& a, const Jet& b) {
    return a.value != b.value;
  }

  // y = f(x) with f = {f, f', ...} at x.value.
  friend DROVER_INLINE Jet chain(const Jet& x, const std::array<R, K + 1>& f) {
    const auto& u = x.derivative;
    Jet r;
    r.value = f[0];
    r.derivative[0] = f[1] * u[0];
    if constexpr (K >= 2) r.derivative[1] = fma(f[2] * u[0], u[0], f[1] * u[1]);
    if constexpr (K >= 3) {
      const R mixed = fma(f[3] * u[0], u[0], R(3.0) * f[2] * u[1]);
      r.derivative[2] = fma(mixed, u[0], f[1] * u[2]);
    }
    return r;
  }
  friend DROVER_INLINE Jet select(mask m, const Jet& a, const Jet& b) {
    Jet r;
    r.value = select(m, a.value, b.value);
    for (std::size_t k = 0; k < K; ++k) {
      r.derivative[k] = select(m, a.derivative[k], b.derivative[k]);
    }
    return r;
  }
};

template <class R, int K>
struct is_differential<Jet<R, K>> : std::true_type {};
template <class R, int K>
inline constexpr int lanes_v<Jet<R, K>> = lanes_v<R>;
template <class R, int K>
struct mask_of<Jet<R, K>> {
  using type = mask_t<R>;
};

// The jet of u at the distance r: f is called with Jet<R,K> and any further arguments.
template <int K, class F, class R, class... More>
DROVER_INLINE Jet<R, K> jet_at(const F& f, R r, const More&... more) {
  return f(Jet<R, K>::variable(r), more...);
}

// Laplacian in three dimensions of a radial function: u'' + 2 u'/r.
template <class R>
DROVER_INLINE R radial_laplacian(const Jet<R, 2>& u, R r) {
  return fma(R(2.0) * u.derivative[0], R(1.0) / r, u.derivative[1]);
}

// u(r) with r a function of coordinates: the jet's derivatives carried by the one rule.
template <class R, int N>
DROVER_INLINE Laplacian<R, N> compose(const Jet<R, 2>& u, const Laplacian<R, N>& r) {
  return chain(r, std::array<R, 3>{u.value, u.derivative[0], u.derivative[1]});
}

}  // namespace DROVER_ISA
}  // namespace drover
