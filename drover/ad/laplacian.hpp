// Laplacian<R, N>: a value with its gradient and its Laplacian in N coordinates (the
// forward Laplacian of Li and others, arXiv:2307.08214; the package folx carries the same
// triple).
//
// One rule carries everything. For y = f(u) with u = (u_1, ..., u_m), each u_a a function
// of the coordinates x_i, differentiate twice and sum over i:
//   d_i y = sum_a f_a d_i u_a,     lap y = sum_a f_a lap u_a + sum_ab f_ab grad u_a .
//   grad u_b
// so the triple of y follows from the triples of its arguments alone, one operation at a
// time, and a coordinate starts as (x_i, e_i, 0). For one argument f_a is f' and f_ab is
// f''; for a product it gives lap(uv) = u lap v + v lap u + 2 grad u . grad v. R is any
// scalar: Pack<W>, double, Counting, Dual (for the parameter derivative of a local
// energy). Comparisons look at values only.
#pragma once

#include <array>
#include <cstddef>

#include "drover/ad/elementary.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R, int N>
struct Laplacian {
  using scalar = R;
  static constexpr int order = 2;
  static constexpr int coordinates = N;

  R value;
  std::array<R, static_cast<std::size_t>(N)> gradient;
  R laplacian;

  Laplacian() = default;
  // A constant: no gradient, no Laplacian.
  template <class S>
  requires ConstantOf<S, Laplacian> DROVER_INLINE Laplacian(S constant)
      : value(constant), laplacian(R(0.0)) {
    gradient.fill(R(0.0));
  }
  // The coordinate number `index` with value x.
  static DROVER_INLINE Laplacian coordinate(R x, int index) {
    Laplacian r(x);
    r.gradient[static_cast<std::size_t>(index)] = R(1.0);
    return r;
  }

  friend DROVER_INLINE Laplacian operator-(Laplacian a) {
    for (R& g : a.gradient) g = -g;
    return raw(-a.value, a.gradient, -a.laplacian);
  }
  friend DROVER_INLINE Laplacian operator+(Laplacian a, const Laplacian& b) {
    for (std::size_t i = 0; i < N; ++i) a.gradient[i] = a.gradient[i] + b.gradient[i];
    return raw(a.value + b.value, a.gradient, a.laplacian + b.laplacian);
  }
  friend DROVER_INLINE Laplacian operator-(Laplacian a, const Laplacian& b) {
    for (std::size_t i = 0; i < N; ++i) a.gradient[i] = a.gradient[i] - b.gradient[i];
    return raw(a.value - b.value, a.gradient, a.laplacian - b.laplacian);
  }
  friend DROVER_INLINE Laplacian operator*(const Laplacian& a, const Laplacian& b) {
    Laplacian r;
    R cross(0.0);
    for (std::size_t i = 0; i < N; ++i) {
      cross = fma(a.gradient[i], b.gradient[i], cross);
      r.gradient[i] = fma(a.value, b.gradient[i], b.value * a.gradient[i]);
    }
    r.value = a.value * b.value;
    r.laplacian = fma(R(2.0), cross, fma(a.value, b.laplacian, b.value * a.laplacian));
    return r;
  }
  // q = a/b from a = q b: grad q = (grad a - q grad b)/b,
  // lap q = (lap a - q lap b - 2 grad q . grad b)/b.
  friend DROVER_INLINE Laplacian operator/(const Laplacian& a, const Laplacian& b) {
    Laplacian q;
    const R inverse = R(1.0) / b.value;
    q.value = a.value / b.value;
    R cross(0.0);
    for (std::size_t i = 0; i < N; ++i) {
      q.gradient[i] = fnma(q.value, b.gradient[i], a.gradient[i]) * inverse;
      cross = fma(q.gradient[i], b.gradient[i], cross);
    }
    q.laplacian = fnma(R(2.0), cross, fnma(q.value, b.laplacian, a.laplacian)) * inverse;
    return q;
  }

  // With a constant: no work for derivatives that are zero.
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator+(Laplacian a, S s) {
    a.value = a.value + R(s);
    return a;
  }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator+(S s, const Laplacian& a) { return a + s; }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator-(Laplacian a, S s) {
    a.value = a.value - R(s);
    return a;
  }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator-(S s, const Laplacian& a) {
    Laplacian r = -a;
    r.value = R(s) - a.value;
    return r;
  }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator*(Laplacian a, S s) {
    const R c(s);
    for (R& g : a.gradient) g = g * c;
    return raw(a.value * c, a.gradient, a.laplacian * c);
  }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator*(S s, const Laplacian& a) { return a * s; }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator/(const Laplacian& a, S s) {
    Laplacian r = a * (R(1.0) / R(s));
    r.value = a.value / R(s);
    return r;
  }
  template <class S>
  requires ConstantOf<S, Laplacian>
  friend DROVER_INLINE Laplacian operator/(S s, const Laplacian& a) {
    const R c(s);
    const auto f = Reciprocal::derivatives<2>(a.value);
    return chain(a, std::array<R, 3>{c / a.value, c * f[1], c * f[2]});
  }

  DROVER_INLINE Laplacian& operator+=(const Laplacian& b) { return *this = *this + b; }
  DROVER_INLINE Laplacian& operator-=(const Laplacian& b) { return *this = *this - b; }
  DROVER_INLINE Laplacian& operator*=(const Laplacian& b) { return *this = *this * b; }
  DROVER_INLINE Laplacian& operator/=(const Laplacian& b) { return *this = *this / b; }

  using mask = mask_t<R>;
  friend DROVER_INLINE mask operator<(const Laplacian& a, const Laplacian& b) {
    return a.value < b.value;
  }
  friend DROVER_INLINE mask operator>(const Laplacian& a, const Laplacian& b) {
    return a.value > b.value;
  }
  friend DROVER_INLINE mask operator<=(const Laplacian& a, const Laplacian& b) {
    return a.value <= b.value;
  }
  friend DROVER_INLINE mask operator>=(const Laplacian& a, const Laplacian& b) {
    return a.value >= b.value;
  }
  friend DROVER_INLINE mask operator==(const Laplacian& a, const Laplacian& b) {
    return a.value == b.value;
  }
  friend DROVER_INLINE mask operator!=(const Laplacian& a, const Laplacian& b) {
    return a.value != b.value;
  }

  // y = f(x) with f = {f, f', f''} at x.value.
  friend DROVER_INLINE Laplacian chain(const Laplacian& x, const std::array<R, 3>& f) {
    Laplacian r;
    R square(0.0);
    for (std::size_t i = 0; i < N; ++i) {
      square = fma(x.gradient[i], x.gradient[i], square);
      r.gradient[i] = f[1] * x.gradient[i];
    }
    r.value = f[0];
    r.laplacian = fma(f[2], square, f[1] * x.laplacian);
    return r;
  }
  friend DROVER_INLINE Laplacian select(mask m, const Laplacian& a, const Laplacian& b) {
    Laplacian r;
    for (std::size_t i = 0; i < N; ++i) {
      r.gradient[i] = select(m, a.gradient[i], b.gradient[i]);
    }
    r.value = select(m, a.value, b.value);
    r.laplacian = select(m, a.laplacian, b.laplacian);
    return r;
  }

 private:
  static DROVER_INLINE Laplacian raw(R v, const std::array<R, N>& g, R l) {
    Laplacian r;
    r.value = v;
    r.gradient = g;
    r.laplacian = l;
    return r;
  }
};

template <class R, int N>
struct is_differential<Laplacian<R, N>> : std::true_type {};
template <class R, int N>
inline constexpr int lanes_v<Laplacian<R, N>> = lanes_v<R>;
template <class R, int N>
struct mask_of<Laplacian<R, N>> {
  using type = mask_t<R>;
};

// The N coordinates x as variables, in order.
template <int N, class R>
DROVER_INLINE std::array<Laplacian<R, N>, static_cast<std::size_t>(N)> coordinates(
    const std::array<R, static_cast<std::size_t>(N)>& x) {
  std::array<Laplacian<R, N>, static_cast<std::size_t>(N)> r;
  for (int i = 0; i < N; ++i) {
    r[static_cast<std::size_t>(i)] =
        Laplacian<R, N>::coordinate(x[static_cast<std::size_t>(i)], i);
  }
  return r;
}

// |grad|^2, the other half of a kinetic energy: T = -1/2 (lap ln psi + |grad ln psi|^2).
template <class R, int N>
DROVER_INLINE R squared_gradient(const Laplacian<R, N>& a) {
  R square(0.0);
  for (const R& g : a.gradient) square = fma(g, g, square);
  return square;
}

}  // namespace DROVER_ISA
}  // namespace drover
