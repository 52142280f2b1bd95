// exp, log, sin, cos, tanh and their kin, with the same bits on every CPU and lane count.
//
// Built from +, -, *, /, fma, sqrt, integer bit operations and selects only, so a lane of
// Pack<2>, Pack<4>, Pack<8> and a double get identical bits, compiled for any instruction
// set. Reductions after Cody and Waite; the kernels of log, sin and cos are those of
// fdlibm (Sun Microsystems, 1993), the polynomial of exp is a minimax fit of our own.
// Largest errors seen against long double, in ulp (tests/core/math_test.cpp):
//   exp, exp_negative 1.1; log 0.9; log1p 0.9; expm1 1.6; sincos (|x| <= 1e6) 1.5;
//   sincos_2pi 1.8; tanh 2.8; logistic 2.4; softplus 1.6.
// long double and float go to the C library (references only). Call them unqualified from
// within namespace drover, or as drover::exp: a bare exp(double) elsewhere is libm's.
#pragma once

#include <cmath>
#include <limits>

#include "drover/core/bits.hpp"

namespace drover {
inline namespace DROVER_ISA {

namespace math_constants {
inline constexpr double log2_e = 0x1.71547652b82fep+0;
inline constexpr double ln2_high = 0x1.62e42fefa39efp-1;  // ln 2 = high + low
inline constexpr double ln2_low = 0x1.abc9e3b39803fp-56;
inline constexpr double round_shift = 0x1.8p52;  // x + shift - shift = x to an integer
inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double quiet_nan = std::numeric_limits<double>::quiet_NaN();
}  // namespace math_constants

// exp(r) = 1 + r + r^2 q(r) for |r| <= ln(2)/2: q, minimax, absolute error 3.5e-18.
// Even and odd powers are summed side by side: half the latency for one more product.
template <KernelReal R>
DROVER_INLINE R exp_kernel_q(R r, R r2) {
  R even = fma(R(0x1.28b035a45f5edp-22), r2, R(0x1.a01996adf88a4p-16));
  R odd = fma(R(0x1.af857820a31a4p-26), r2, R(0x1.71dddfd7fe6a9p-19));
  even = fma(even, r2, R(0x1.6c16c1859af14p-10));
  odd = fma(odd, r2, R(0x1.a01a01badb76ep-13));
  even = fma(even, r2, R(0x1.555555555007cp-5));
  odd = fma(odd, r2, R(0x1.111111110d653p-7));
  even = fma(even, r2, R(0x1.000000000000bp-1));
  odd = fma(odd, r2, R(0x1.5555555555561p-3));
  return fma(odd, r, even);
}

// x = n ln 2 + r with |r| <= ln(2)/2 (1 + 1e-10); the low bits of `shifted` hold n.
template <KernelReal R>
struct ExpReduction {
  R shifted, n, r;
};
template <KernelReal R>
DROVER_INLINE ExpReduction<R> reduce_exp(R x) {
  using namespace math_constants;
  const R shifted = fma(x, R(log2_e), R(round_shift));
  const R n = shifted - R(round_shift);
  R r = fma(n, R(-ln2_high), x);  // exact
  r = fma(n, R(-ln2_low), r);
  return {shifted, n, r};
}

// exp(x) for |x| <= 708.39, no checks; garbage outside.
template <KernelReal R>
DROVER_INLINE R exp_unchecked(R x) {
  const ExpReduction<R> e = reduce_exp(x);
  const R r2 = e.r * e.r;
  const R p = R(1.0) + fma(exp_kernel_q(e.r, r2), r2, e.r);
  return from_bits<R>(to_bits(p) + (to_bits(e.shifted) << 52));
}

// exp(x) for x <= 700, the cheapest: arguments below -700 give exp(-700) = 1e-304; a
// quiet NaN of the hardware stays one.
template <KernelReal R>
DROVER_INLINE R exp_negative(R x) {
  const R lowest(-700.0);
  return exp_unchecked(max(lowest, x));  // this order of arguments keeps a NaN
}

// exp(x): 0 below -708.39 (results that would be subnormal are flushed), infinity above
// 709.78, NaN for NaN.
template <KernelReal R>
DROVER_INLINE R exp(R x) {
  const R inside = exp_unchecked(x);
  const R above = select(x <= R(709.782712893384), inside,
                         x * R(math_constants::infinity));  // a NaN takes this branch too
  return select(x < R(-708.3964185322641), R(0.0), above);
}

// exp(x) - 1, accurate for small x too; -1 far below, infinity above 709.78.
template <KernelReal R>
DROVER_INLINE R expm1(R x) {
  using namespace math_constants;
  R y = select(R(-50.0) > x, R(-50.0), x);
  y = select(R(709.79) < y, R(709.79), y);
  const ExpReduction<R> e = reduce_exp(y);
  const R t = exp_kernel_q(e.r, e.r * e.r) * (e.r * e.r);
  // Half of 2^n, so that n = 1024 is in range: (exp(x) - 1)/2 = h r + (h - 1/2) + h t.
  const R half_scale =
      from_bits<R>((to_bits(e.shifted) << 52) + (std::uint64_t{1022} << 52));
  const R half = fma(half_scale, t, fma(half_scale, e.r, half_scale - R(0.5)));
  R result = half + half;
  result = select(x > R(709.782712893384), R(infinity), result);
  result = select(abs(x) < R(0x1p-54), x, result);  // keeps -0 and subnormals
  return select(x == x, result, x);
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)), for normal positive x: m and k as doubles.
template <KernelReal R>
struct LogReduction {
  R m, k;
};
template <KernelReal R>
DROVER_INLINE LogReduction<R> reduce_log(R x) {
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcd, bias = 1024;
  const bits_t<R> exponent =  // k + bias
      ((to_bits(x) - sqrt_half) + (bias << 52)) >> 52;
  const bits_t<R> m = to_bits(x) - (exponent << 52) + (bias << 52);
  const R k = from_bits<R>(exponent | 0x4330000000000000) - R(0x1p52 + double(bias));
  return {from_bits<R>(m), k};
}

// log(2^k (m + c)): c is a correction far below m's last place, given relative to m.
template <KernelReal R>
DROVER_INLINE R log_kernel(R m, R k, R c) {
  const R f = m - R(1.0);
  const R s = f / (R(1.0) + m);
  const R z = s * s, w = z * z;
  const R odd =
      z * fma(w,
              fma(w, fma(w, R(1.479819860511658591e-01), R(1.818357216161805012e-01)),
                  R(2.857142874366239149e-01)),
              R(6.666666666666735130e-01));
  const R even =
      w * fma(w, fma(w, R(1.531383769920937332e-01), R(2.222219843214978396e-01)),
              R(3.999999999940941908e-01));
  const R half_square = R(0.5) * f * f;
  constexpr double ln2_short = 6.93147180369123816490e-01;  // k ln2_short is exact
  constexpr double ln2_rest = 1.90821492927058770002e-10;
  const R low = fma(s, half_square + (odd + even), fma(k, R(ln2_rest), c));
  return fma(k, R(ln2_short), f - (half_square - low));
}

// log(x) for normal positive finite x, no checks; garbage outside.
template <KernelReal R>
DROVER_INLINE R log_unchecked(R x) {
  const LogReduction<R> l = reduce_log(x);
  return log_kernel(l.m, l.k, R(0.0));
}

// log(x): -infinity for 0, NaN for negative numbers and NaN, infinity for infinity;
// subnormal numbers are handled.
template <KernelReal R>
DROVER_INLINE R log(R x) {
  using namespace math_constants;
  const mask_t<R> tiny = x < R(0x1p-1022);
  const LogReduction<R> l = reduce_log(select(tiny, x * R(0x1p54), x));
  R result = log_kernel(l.m, select(tiny, l.k - R(54.0), l.k), R(0.0));
  result = select(x < R(infinity), result, x);  // infinity and NaN as they are
  result = select(x == R(0.0), R(-infinity), result);
  return select(x < R(0.0), R(quiet_nan), result);
}

// log(1 + x), accurate for small x too; -infinity at -1, NaN below.
template <KernelReal R>
DROVER_INLINE R log1p(R x) {
  using namespace math_constants;
  const R u = R(1.0) + x;
  // What the rounding of 1 + x lost, relative to u; the larger of 1 and x is kept whole.
  const mask_t<R> large = x >= R(1.0);
  const R lost = select(large, R(1.0) - (u - x), x - (u - R(1.0)));
  const LogReduction<R> l = reduce_log(u);
  R result = log_kernel(l.m, l.k, lost / u);
  result = select(x < R(infinity), result, x);
  result = select(abs(x) < R(0x1p-54), x, result);
  result = select(x == R(-1.0), R(-infinity), result);
  return select(x < R(-1.0), R(quiet_nan), result);
}

// sin and cos of r for |r| <= pi/4 (1 + 1e-10), after fdlibm.
template <KernelReal R>
DROVER_INLINE void sincos_kernel(R r, R& s, R& c) {
  const R z = r * r;
  R p = fma(R(1.58969099521155010221e-10), z, R(-2.50507602534068634195e-08));
  p = fma(p, z, R(2.75573137070700676789e-06));
  p = fma(p, z, R(-1.98412698298579493134e-04));
  p = fma(p, z, R(8.33333333332248946124e-03));
  p = fma(p, z, R(-1.66666666666666324348e-01));
  s = fma(p, z * r, r);
  R q = fma(R(-1.13596475577881948265e-11), z, R(2.08757232129817482790e-09));
  q = fma(q, z, R(-2.75573143513906633035e-07));
  q = fma(q, z, R(2.48015872894767294178e-05));
  q = fma(q, z, R(-1.38888888888741095749e-03));
  q = fma(q, z, R(4.16666666666666019037e-02));
  const R half = R(0.5) * z, one_less = R(1.0) - half;
  c = one_less + fma(q, z * z, (R(1.0) - one_less) - half);
}

// sin and cos of q quarter turns plus r; the low bits of `quarters` hold q.
template <KernelReal R>
DROVER_INLINE void sincos_quadrant(bits_t<R> quarters, R r, R& s, R& c) {
  R sine, cosine;
  sincos_kernel(r, sine, cosine);
  const mask_t<R> odd = bits_set<R>(quarters, 1);
  const bits_t<R> sign_s = (quarters << 62) & sign_bit;
  const bits_t<R> sign_c = ((quarters + 1) << 62) & sign_bit;
  s = from_bits<R>(to_bits(select(odd, cosine, sine)) ^ sign_s);
  c = from_bits<R>(to_bits(select(odd, sine, cosine)) ^ sign_c);
}

// sin and cos of x in radians, |x| <= 2^30 (error stated up to 1e6); NaN beyond.
template <KernelReal R>
DROVER_INLINE void sincos(R x, R& s, R& c) {
  using namespace math_constants;
  const R shifted = fma(x, R(0x1.45f306dc9c883p-1), R(round_shift));
  const R n = shifted - R(round_shift);
  R r = fma(n, R(-0x1.921fb54442d18p+0), x);  // pi/2 in three parts; this step is exact
  r = fma(n, R(-0x1.1a62633145c07p-54), r);
  r = fma(n, R(0x1.f1976b7ed8fbcp-110), r);
  R sine, cosine;
  sincos_quadrant<R>(to_bits(shifted), r, sine, cosine);
  const mask_t<R> inside = abs(x) <= R(0x1p30);
  s = select(inside, sine, R(quiet_nan));
  c = select(inside, cosine, R(quiet_nan));
}

// sin and cos of 2 pi turns, |turns| <= 2^48.
template <KernelReal R>
DROVER_INLINE void sincos_2pi(R turns, R& s, R& c) {
  using namespace math_constants;
  const R shifted = fma(turns, R(4.0), R(round_shift));
  const R quarters = shifted - R(round_shift);
  const R r = fma(quarters, R(-0.25), turns);  // exact
  sincos_quadrant<R>(to_bits(shifted), r * R(0x1.921fb54442d18p+2), s, c);
}

// tanh(x) = (e - 1)/(e + 1) with e = exp(2|x|), and the sign of x; 1 above 20.
template <KernelReal R>
DROVER_INLINE R tanh(R x) {
  const R a = abs(x);
  const R y = select(R(20.0) < a, R(20.0), a);
  const ExpReduction<R> e = reduce_exp(y + y);
  const R t = exp_kernel_q(e.r, e.r * e.r) * (e.r * e.r);
  const R scale = from_bits<R>((to_bits(e.shifted) << 52) + (std::uint64_t{1023} << 52));
  const R m = fma(scale, t, fma(scale, e.r, scale - R(1.0)));  // exp(2|x|) - 1
  const R result = select(a < R(0x1p-30), a, m / (m + R(2.0)));
  return copysign(select(x == x, result, x), x);
}

// 1/(1 + exp(-x)); 0 below -708.39.
template <KernelReal R>
DROVER_INLINE R logistic(R x) {
  const R e = exp(-abs(x));
  return select(x >= R(0.0), R(1.0), e) / (R(1.0) + e);
}

// log(1 + exp(x)) = max(x, 0) + log1p(exp(-|x|)).
template <KernelReal R>
DROVER_INLINE R softplus(R x) {
  const R positive = select(x < R(0.0), R(0.0), x);  // a NaN stays
  return positive + log1p(exp(-abs(x)));
}

// --- references: the C library's, for long double and float
// -------------------------------
template <class R>
concept LibraryReal = std::same_as<R, long double> || std::same_as<R, float>;

// clang-format off
template <LibraryReal R> DROVER_INLINE R exp(R x) { return std::exp(x); }
template <LibraryReal R> DROVER_INLINE R exp_negative(R x) { return std::exp(x); }
template <LibraryReal R> DROVER_INLINE R exp_unchecked(R x) { return std::exp(x); }
template <LibraryReal R> DROVER_INLINE R expm1(R x) { return std::expm1(x); }
template <LibraryReal R> DROVER_INLINE R log(R x) { return std::log(x); }
template <LibraryReal R> DROVER_INLINE R log_unchecked(R x) { return std::log(x); }
template <LibraryReal R> DROVER_INLINE R log1p(R x) { return std::log1p(x); }
template <LibraryReal R> DROVER_INLINE R tanh(R x) { return std::tanh(x); }
template <LibraryReal R> DROVER_INLINE R copysign(R a, R b) { return std::copysign(a, b); }
// clang-format on
template <LibraryReal R>
DROVER_INLINE void sincos(R x, R& s, R& c) {
  s = std::sin(x);
  c = std::cos(x);
}
template <LibraryReal R>
DROVER_INLINE void sincos_2pi(R turns, R& s, R& c) {
  const R angle = turns * R(6.283185307179586476925286766559L);
  sincos(angle, s, c);
}
template <LibraryReal R>
DROVER_INLINE R logistic(R x) {
  return R(1) / (R(1) + std::exp(-x));
}
template <LibraryReal R>
DROVER_INLINE R softplus(R x) {
  return (x > R(0) ? x : R(0)) + std::log1p(std::exp(-std::fabs(x)));
}

}  // namespace DROVER_ISA
}  // namespace drover
