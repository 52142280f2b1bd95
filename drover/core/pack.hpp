// Pack<W>: W doubles, one a walker, on the compiler's vector types.
//
// Physics is written once as a template on its scalar R and instantiated with Pack<2>,
// Pack<4>, Pack<8> (kernels), double or long double (tests, references). Every operation
// is the IEEE one in each lane, so the bits of a lane do not depend on W or on the CPU.
// For a plain scalar the same free functions exist: fma, sqrt, abs, min, max, select,
// any, all, load, store, broadcast. Masks are `mask_t<R>`.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "drover/core/isa.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace drover {
inline namespace DROVER_ISA {

// The compiler's vector types; spelled out because gcc 12 ignores a dependent
// vector_size.
template <int W>
struct Vectors;
#define DROVER_VECTORS(W)                                            \
  template <>                                                        \
  struct Vectors<W> {                                                \
    typedef double real __attribute__((vector_size(8 * W)));         \
    typedef std::int64_t bits __attribute__((vector_size(8 * W)));   \
    typedef std::uint64_t ubits __attribute__((vector_size(8 * W))); \
  }
DROVER_VECTORS(2);
DROVER_VECTORS(4);
DROVER_VECTORS(8);
DROVER_VECTORS(16);
#undef DROVER_VECTORS

// Result of a comparison of packs: all bits of a lane set where true.
template <int W>
struct Mask {
  using vec = typename Vectors<W>::bits;
  vec v;

  friend DROVER_INLINE Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
  friend DROVER_INLINE Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
  friend DROVER_INLINE Mask operator^(Mask a, Mask b) { return {a.v ^ b.v}; }
  friend DROVER_INLINE Mask operator!(Mask a) { return {~a.v}; }
  DROVER_INLINE bool operator[](int lane) const { return v[lane] != 0; }
};

template <int W>
struct Pack {
  using vec = typename Vectors<W>::real;
  using ivec = typename Vectors<W>::bits;
  static constexpr int lanes = W;
  vec v;

  Pack() = default;
  DROVER_INLINE Pack(vec x) : v(x) {}
  DROVER_INLINE Pack(double x) : v(x - vec{}) {}

  DROVER_INLINE double operator[](int lane) const { return v[lane]; }
  DROVER_INLINE void set(int lane, double x) { v[lane] = x; }

  friend DROVER_INLINE Pack operator+(Pack a, Pack b) { return a.v + b.v; }
  friend DROVER_INLINE Pack operator-(Pack a, Pack b) { return a.v - b.v; }
  friend DROVER_INLINE Pack operator*(Pack a, Pack b) { return a.v * b.v; }
  friend DROVER_INLINE Pack operator/(Pack a, Pack b) { return a.v / b.v; }
  friend DROVER_INLINE Pack operator-(Pack a) { return -a.v; }
  DROVER_INLINE Pack& operator+=(Pack b) { return *this = *this + b; }
  DROVER_INLINE Pack& operator-=(Pack b) { return *this = *this - b; }
  DROVER_INLINE Pack& operator*=(Pack b) { return *this = *this * b; }
  DROVER_INLINE Pack& operator/=(Pack b) { return *this = *this / b; }

  friend DROVER_INLINE Mask<W> operator<(Pack a, Pack b) { return {a.v < b.v}; }
  friend DROVER_INLINE Mask<W> operator>(Pack a, Pack b) { return {a.v > b.v}; }
  friend DROVER_INLINE Mask<W> operator<=(Pack a, Pack b) { return {a.v <= b.v}; }
  friend DROVER_INLINE Mask<W> operator>=(Pack a, Pack b) { return {a.v >= b.v}; }
  friend DROVER_INLINE Mask<W> operator==(Pack a, Pack b) { return {a.v == b.v}; }
  friend DROVER_INLINE Mask<W> operator!=(Pack a, Pack b) { return {a.v != b.v}; }
};

// lanes_v<R>: how many walkers a scalar holds; mask_t<R>: what comparing two of them
// gives.
template <class R>
inline constexpr int lanes_v = 1;
template <int W>
inline constexpr int lanes_v<Pack<W>> = W;

template <class R>
struct mask_of {
  using type = bool;
};
template <int W>
struct mask_of<Pack<W>> {
  using type = Mask<W>;
};
template <class R>
using mask_t = typename mask_of<R>::type;

// a*b + c, rounded once.
template <int W>
DROVER_INLINE Pack<W> fma(Pack<W> a, Pack<W> b, Pack<W> c) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  if constexpr (W == 8) return Pack<W>(_mm512_fmadd_pd(a.v, b.v, c.v));
#endif
#if defined(__FMA__)
  if constexpr (W == 4) return Pack<W>(_mm256_fmadd_pd(a.v, b.v, c.v));
  if constexpr (W == 2) return Pack<W>(_mm_fmadd_pd(a.v, b.v, c.v));
#endif
  Pack<W> r;
  for (int i = 0; i < W; ++i) r.v[i] = __builtin_fma(a.v[i], b.v[i], c.v[i]);
  return r;
}
// c - a*b, rounded once.
template <int W>
DROVER_INLINE Pack<W> fnma(Pack<W> a, Pack<W> b, Pack<W> c) {
  return fma(-a, b, c);
}

template <int W>
DROVER_INLINE Pack<W> sqrt(Pack<W> a) {
#if defined(__AVX512F__) && defined(__AVX512VL__)
  if constexpr (W == 8)
    return Pack<W>(_mm512_maskz_sqrt_pd(0xff, a.v));  // gcc 12 warns on the plain one
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return Pack<W>(_mm256_sqrt_pd(a.v));
#endif
#if defined(__SSE2__)
  if constexpr (W == 2) return Pack<W>(_mm_sqrt_pd(a.v));
#endif
  Pack<W> r;
  for (int i = 0; i < W; ++i) r.v[i] = __builtin_sqrt(a.v[i]);
  return r;
}

// a where the mask is set, b elsewhere; the values not chosen may be anything.
template <int W>
DROVER_INLINE Pack<W> select(Mask<W> m, Pack<W> a, Pack<W> b) {
  return Pack<W>(m.v ? a.v : b.v);
}
template <int W>
DROVER_INLINE Pack<W> abs(Pack<W> a) {
  using I = typename Pack<W>::ivec;
  const I bits = reinterpret_cast<I>(a.v) & I(I{} + INT64_MAX);
  return Pack<W>(reinterpret_cast<typename Pack<W>::vec>(bits));
}
// The second where the first is not smaller (larger), so a NaN in `a` gives b.
template <int W>
DROVER_INLINE Pack<W> min(Pack<W> a, Pack<W> b) {
#if defined(__AVX512F__)
  if constexpr (W == 8) return Pack<W>(_mm512_maskz_min_pd(0xff, a.v, b.v));
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return Pack<W>(_mm256_min_pd(a.v, b.v));
#endif
#if defined(__SSE2__)
  if constexpr (W == 2) return Pack<W>(_mm_min_pd(a.v, b.v));
#endif
  return select(a < b, a, b);
}
template <int W>
DROVER_INLINE Pack<W> max(Pack<W> a, Pack<W> b) {
#if defined(__AVX512F__)
  if constexpr (W == 8) return Pack<W>(_mm512_maskz_max_pd(0xff, a.v, b.v));
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return Pack<W>(_mm256_max_pd(a.v, b.v));
#endif
#if defined(__SSE2__)
  if constexpr (W == 2) return Pack<W>(_mm_max_pd(a.v, b.v));
#endif
  return select(a > b, a, b);
}

template <int W>
DROVER_INLINE bool any(Mask<W> m) {
#if defined(__AVX512F__) && defined(__AVX512DQ__) && defined(__AVX512VL__)
  if constexpr (W == 8) return _mm512_movepi64_mask((__m512i)m.v) != 0;
#endif
#if defined(__AVX__)
  if constexpr (W == 4) return _mm256_movemask_pd((__m256d)m.v) != 0;
#endif
#if defined(__SSE2__)
  if constexpr (W == 2) return _mm_movemask_pd((__m128d)m.v) != 0;
#endif
  std::int64_t r = 0;
  for (int i = 0; i < W; ++i) r |= m.v[i];
  return r != 0;
}
template <int W>
DROVER_INLINE bool all(Mask<W> m) {
  return !any(!m);
}

template <class R>
DROVER_INLINE R load(const double* p) {
  if constexpr (lanes_v<R> == 1) {
    return R(*p);
  } else {
    R r;
    std::memcpy(&r.v, p, sizeof r.v);
    return r;
  }
}
template <int W>
DROVER_INLINE void store(double* p, Pack<W> a) {
  std::memcpy(p, &a.v, sizeof a.v);
}

// --- the same functions for a plain scalar
// ------------------------------------------------
template <class R>
concept Scalar = std::is_floating_point_v<R>;

template <Scalar R>
DROVER_INLINE R fma(R a, R b, R c) {
  return std::fma(a, b, c);
}
template <Scalar R>
DROVER_INLINE R fnma(R a, R b, R c) {
  return std::fma(-a, b, c);
}
template <Scalar R>
DROVER_INLINE R sqrt(R a) {
  return std::sqrt(a);
}
template <Scalar R>
DROVER_INLINE R select(bool m, R a, R b) {
  return m ? a : b;
}
template <Scalar R>
DROVER_INLINE R abs(R a) {
  return std::fabs(a);
}
template <Scalar R>
DROVER_INLINE R min(R a, R b) {
  return a < b ? a : b;
}
template <Scalar R>
DROVER_INLINE R max(R a, R b) {
  return a > b ? a : b;
}
DROVER_INLINE bool any(bool m) {
  return m;
}
DROVER_INLINE bool all(bool m) {
  return m;
}
template <Scalar R>
DROVER_INLINE void store(double* p, R a) {
  *p = static_cast<double>(a);
}

}  // namespace DROVER_ISA
}  // namespace drover
