// Dual<R, P>: a value with its first derivatives in P directions (forward mode).
//
//   (u v)' = u v' + v u',   f(u)' = f'(u) u'
// It composes with Laplacian both ways: Laplacian<Dual<R,1>,N> and Dual<Laplacian<R,N>,1>
// both hold the derivative of value, gradient and Laplacian with respect to a parameter,
// and so the parameter derivative of a local energy.
#pragma once

#include <array>
#include <cstddef>

#include "drover/ad/elementary.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R, int P>
struct Dual {
  using scalar = R;
  static constexpr int order = 1;
  static constexpr int directions = P;

  R value;
  std::array<R, static_cast<std::size_t>(P)> derivative;

  Dual() = default;
  template <class S>
  requires ConstantOf<S, Dual> DROVER_INLINE Dual(S constant) : value(constant) {
    derivative.fill(R(0.0));
  }
  // The variable of direction `index` with value x.
  static DROVER_INLINE Dual variable(R x, int index) {
    Dual r(x);
    r.derivative[static_cast<std::size_t>(index)] = R(1.0);
    return r;
  }

  friend DROVER_INLINE Dual operator-(Dual a) {
    a.value = -a.value;
    for (R& d : a.derivative) d = -d;
    return a;
  }
  friend DROVER_INLINE Dual operator+(Dual a, const Dual& b) {
    a.value = a.value + b.value;
    for (std::size_t i = 0; i < P; ++i)
      a.derivative[i] = a.derivative[i] + b.derivative[i];
    return a;
  }
  friend DROVER_INLINE Dual operator-(Dual a, const Dual& b) {
    a.value = a.value - b.value;
    for (std::size_t i = 0; i < P; ++i)
      a.derivative[i] = a.derivative[i] - b.derivative[i];
    return a;
  }
  friend DROVER_INLINE Dual operator*(const Dual& a, const Dual& b) {
    Dual r;
    r.value = a.value * b.value;
    for (std::size_t i = 0; i < P; ++i) {
      r.derivative[i] = fma(a.value, b.derivative[i], b.value * a.derivative[i]);
    }
    return r;
  }
  friend DROVER_INLINE Dual operator/(const Dual& a, const Dual& b) {
    Dual q;
    const R inverse = R(1.0) / b.value;
    q.value = a.value / b.value;
    for (std::size_t i = 0; i < P; ++i) {
      q.derivative[i] = fnma(q.value, b.derivative[i], a.derivative[i]) * inverse;
    }
    return q;
  }

  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator+(Dual a, S s) {
    a.value = a.value + R(s);
    return a;
  }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator+(S s, const Dual& a) { return a + s; }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator-(Dual a, S s) {
    a.value = a.value - R(s);
    return a;
  }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator-(S s, const Dual& a) {
    Dual r = -a;
    r.value = R(s) - a.value;
    return r;
  }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator*(Dual a, S s) {
    const R c(s);
    a.value = a.value * c;
    for (R& d : a.derivative) d = d * c;
    return a;
  }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator*(S s, const Dual& a) { return a * s; }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator/(const Dual& a, S s) {
    Dual r = a * (R(1.0) / R(s));
    r.value = a.value / R(s);
    return r;
  }
  template <class S>
  requires ConstantOf<S, Dual>
  friend DROVER_INLINE Dual operator/(S s, const Dual& a) {
    const R c(s);
    const R q = c / a.value;
    return chain(a, std::array<R, 2>{q, -(q / a.value)});
  }

  DROVER_INLINE Dual& operator+=(const Dual& b) { return *this = *this + b; }
  DROVER_INLINE Dual& operator-=(const Dual& b) { return *this = *this - b; }
  DROVER_INLINE Dual& operator*=(const Dual& b) { return *this = *this * b; }
  DROVER_INLINE Dual& operator/=(const Dual& b) { return *this = *this / b; }

  using mask = mask_t<R>;
  friend DROVER_INLINE mask operator<(const Dual& a, const Dual& b) {
    return a.value < b.value;
  }
  friend DROVER_INLINE mask operator>(const Dual& a, const Dual& b) {
    return a.value > b.value;
  }
  friend DROVER_INLINE mask operator<=(const Dual& a, const Dual& b) {
    return a.value <= b.value;
  }
  friend DROVER_INLINE mask operator>=(const Dual& a, const Dual& b) {
    return a.value >= b.value;
  }
  friend DROVER_INLINE mask operator==(const Dual& a, const Dual& b) {
    return a.value == b.value;
  }
  friend DROVER_INLINE mask operator!=(const Dual& a, const Dual& b) {
    return a.value != b.value;
  }

  // y = f(x) with f = {f, f'} at x.value.
  friend DROVER_INLINE Dual chain(const Dual& x, const std::array<R, 2>& f) {
    Dual r;
    r.value = f[0];
    for (std::size_t i = 0; i < P; ++i) r.derivative[i] = f[1] * x.derivative[i];
    return r;
  }
  friend DROVER_INLINE Dual select(mask m, const Dual& a, const Dual& b) {
    Dual r;
    r.value = select(m, a.value, b.value);
    for (std::size_t i = 0; i < P; ++i) {
      r.derivative[i] = select(m, a.derivative[i], b.derivative[i]);
    }
    return r;
  }
};

template <class R, int P>
struct is_differential<Dual<R, P>> : std::true_type {};
template <class R, int P>
inline constexpr int lanes_v<Dual<R, P>> = lanes_v<R>;
template <class R, int P>
struct mask_of<Dual<R, P>> {
  using type = mask_t<R>;
};

}  // namespace DROVER_ISA
}  // namespace drover
