// Elementary functions with their first derivatives, written once for every scalar.
//
// Exp::derivatives<K>(x) = {f(x), f'(x), ..., f^(K)(x)} with K up to 3, on any scalar R:
// double, Pack<W>, Counting, or another type of this room. Dual, Laplacian and Jet each
// add one rule, chain(x, {f, f', ...}); with it the functions at the end of this file
// exist for all three, and for what they are nested in. Formulas: Abramowitz and Stegun,
// ch. 3 and 4.
#pragma once

#include <array>
#include <concepts>
#include <type_traits>

#include "drover/core/isa.hpp"
#include "drover/core/math.hpp"
#include "drover/core/pack.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Opened by each type that carries derivatives; such a type has a member `value`, a
// constant `order` (how many derivatives of f its rule asks for) and a function chain(x,
// {f, ...}).
template <class T>
struct is_differential : std::false_type {};
template <class T>
concept Differential = is_differential<T>::value;

// What may stand beside a T as a constant: its own scalar or a number, but not a T.
template <class S, class T>
concept ConstantOf = !std::same_as<std::remove_cvref_t<S>, T> &&
                     std::convertible_to<S, typename T::scalar>;

// x^n by squaring, n >= 0; the order of the products depends on n only.
template <class R>
DROVER_INLINE R natural_power(R x, unsigned n) {
  R result = n & 1u ? x : R(1.0);
  for (unsigned bits = n >> 1; bits != 0; bits >>= 1) {
    x = x * x;
    if (bits & 1u) result = result * x;
  }
  return result;
}
// x^n for any integer n; 1/x^|n| for negative ones.
template <class R>
DROVER_INLINE R integer_power(R x, int n) {
  if (n >= 0) return natural_power(x, static_cast<unsigned>(n));
  return R(1.0) / natural_power(x, static_cast<unsigned>(-n));
}

// -1, 0 or 1.
template <class R>
DROVER_INLINE R sign(R x) {
  return select(x > R(0.0), R(1.0), select(x < R(0.0), R(-1.0), R(0.0)));
}

// The first K+1 of four derivatives.
template <int K, class R>
DROVER_INLINE std::array<R, K + 1> first_of(R f0, R f1, R f2, R f3) {
  static_assert(K >= 0 && K <= 3, "elementary functions know three derivatives");
  if constexpr (K == 0) return {f0};
  if constexpr (K == 1) return {f0, f1};
  if constexpr (K == 2) return {f0, f1, f2};
  if constexpr (K == 3) return {f0, f1, f2, f3};
}

struct Exp {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R e = exp(x);
    return first_of<K>(e, e, e, e);
  }
};
struct Expm1 {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R m = expm1(x);
    const R e = m + R(1.0);
    return first_of<K>(m, e, e, e);
  }
};
struct Log {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R i = R(1.0) / x;
    return first_of<K>(log(x), i, -(i * i), R(2.0) * (i * i * i));
  }
};
struct Log1p {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R i = R(1.0) / (R(1.0) + x);
    return first_of<K>(log1p(x), i, -(i * i), R(2.0) * (i * i * i));
  }
};
// Not differentiable at 0: the derivatives there are infinite.
struct Sqrt {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R s = sqrt(x);
    const R i = R(1.0) / x;
    const R f1 = R(0.5) * (s * i);
    const R f2 = R(-0.5) * (f1 * i);
    return first_of<K>(s, f1, f2, R(-1.5) * (f2 * i));
  }
};
struct Reciprocal {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R i = R(1.0) / x;
    const R f1 = -(i * i);
    const R f2 = R(-2.0) * (f1 * i);
    return first_of<K>(i, f1, f2, R(-3.0) * (f2 * i));
  }
};
struct Tanh {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R t = tanh(x);
    const R f1 = fnma(t, t, R(1.0));
    return first_of<K>(t, f1, R(-2.0) * (t * f1),
                       R(-2.0) * f1 * fnma(R(3.0) * t, t, R(1.0)));
  }
};
struct Sin {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    R s, c;
    sincos(x, s, c);
    return first_of<K>(s, c, -s, -c);
  }
};
struct Cos {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    R s, c;
    sincos(x, s, c);
    return first_of<K>(c, -s, -c, s);
  }
};
// 1/(1+exp(-x)).
struct Logistic {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R l = logistic(x);
    const R f1 = l * (R(1.0) - l);
    return first_of<K>(l, f1, f1 * (R(1.0) - R(2.0) * l), f1 * (R(1.0) - R(6.0) * f1));
  }
};
// ln(1+exp(x)).
struct Softplus {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    const R l = logistic(x);
    const R f2 = l * (R(1.0) - l);
    return first_of<K>(softplus(x), l, f2, f2 * (R(1.0) - R(2.0) * l));
  }
};
// The derivative at 0 is taken as 0.
struct Abs {
  template <int K, class R>
  static DROVER_INLINE auto derivatives(R x) {
    return first_of<K>(abs(x), sign(x), R(0.0), R(0.0));
  }
};
// x^n, n any integer; derivatives that vanish identically are 0 at x = 0 as well.
struct Power {
  int n;
  template <int K, class R>
  DROVER_INLINE std::array<R, K + 1> derivatives(R x) const {
    std::array<R, K + 1> f;
    double factor = 1.0;
    for (int k = 0; k <= K; ++k) {
      f[static_cast<unsigned>(k)] =
          factor == 0.0 ? R(0.0) : R(factor) * integer_power(x, n - k);
      factor *= n - k;
    }
    return f;
  }
};

// --- the functions themselves, for every type with a chain rule
// -----------------------------
template <Differential T>
DROVER_INLINE T exp(T x) {
  return chain(x, Exp::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T expm1(T x) {
  return chain(x, Expm1::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T log(T x) {
  return chain(x, Log::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T log1p(T x) {
  return chain(x, Log1p::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T sqrt(T x) {
  return chain(x, Sqrt::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T reciprocal(T x) {
  return chain(x, Reciprocal::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T tanh(T x) {
  return chain(x, Tanh::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T sin(T x) {
  return chain(x, Sin::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T cos(T x) {
  return chain(x, Cos::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE void sincos(T x, T& s, T& c) {
  const auto f = Sin::derivatives<3>(x.value);
  if constexpr (T::order == 1) {
    s = chain(x, std::array{f[0], f[1]});
    c = chain(x, std::array{f[1], f[2]});
  } else if constexpr (T::order == 2) {
    s = chain(x, std::array{f[0], f[1], f[2]});
    c = chain(x, std::array{f[1], f[2], f[3]});
  } else {
    s = chain(x, Sin::derivatives<T::order>(x.value));
    c = chain(x, Cos::derivatives<T::order>(x.value));
  }
}
template <Differential T>
DROVER_INLINE T logistic(T x) {
  return chain(x, Logistic::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T softplus(T x) {
  return chain(x, Softplus::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T abs(T x) {
  return chain(x, Abs::derivatives<T::order>(x.value));
}
template <Differential T>
DROVER_INLINE T pow(T x, int n) {
  return chain(x, Power{n}.derivatives<T::order>(x.value));
}
// x^n of a scalar without derivatives.
template <class R>
requires(!Differential<R>) DROVER_INLINE R pow(R x, int n) {
  return integer_power(x, n);
}
template <Differential T>
DROVER_INLINE T min(T a, T b) {
  return select(a.value < b.value, a, b);
}
template <Differential T>
DROVER_INLINE T max(T a, T b) {
  return select(a.value > b.value, a, b);
}
template <Differential T>
DROVER_INLINE T fma(T a, T b, T c) {
  return a * b + c;
}
template <Differential T>
DROVER_INLINE T fnma(T a, T b, T c) {
  return c - a * b;
}

}  // namespace DROVER_ISA
}  // namespace drover
