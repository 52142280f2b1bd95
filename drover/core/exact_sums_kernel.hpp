// The deposit of exact_sums.hpp over lanes: cutting by magic constants.
//
// Adding 1.5 * 2^52 * q to |x| < 2^50 q rounds x to a multiple of q, whose integer stands
// in the low bits of the sum; what is left of x is exact. Limbs lie one array each.
#pragma once

#include "drover/core/bits.hpp"

namespace drover {

inline constexpr double exact_sums_limit = 0x1p48;
inline constexpr double exact_sums_common = 0x1p24;  // below it a number needs no care

// What a deposit found beside the numbers that it added.
struct DepositTally {
  std::int64_t outside = 0, nonfinite = 0;
  double largest = exact_sums_common;  // bound of the magnitudes that were folded in
};

inline namespace DROVER_ISA {

template <class R>
DROVER_INLINE void add_to_limb(std::int64_t* limb, bits_t<R> amount) {
  bits_t<R> sum;
  __builtin_memcpy(&sum, limb, sizeof sum);
  sum += amount;
  __builtin_memcpy(limb, &sum, sizeof sum);
}

// Adds x to the limbs of lanes_v<R> neighbouring sums, for |x| < 2^48.
template <class R>
DROVER_INLINE void deposit_pack(R x, std::int64_t* a, std::int64_t* b, std::int64_t* c) {
  constexpr double shift_a = 0x1.8p50, shift_b = 0x1.8p8, shift_c = 0x1.8p-34;
  const R ta = x + R(shift_a);
  const R left = x - (ta - R(shift_a));
  const R tb = left + R(shift_b);
  const R tc = (left - (tb - R(shift_b))) + R(shift_c);
  add_to_limb<R>(a, to_bits(ta) - to_bits(shift_a));
  add_to_limb<R>(b, to_bits(tb) - to_bits(shift_b));
  add_to_limb<R>(c, to_bits(tc) - to_bits(shift_c));
}

// A number that may not be folded in, counted by its kind.
DROVER_INLINE void count_refused(double x, DepositTally& tally) {
  if (__builtin_isfinite(x)) {
    ++tally.outside;
  } else {
    ++tally.nonfinite;
  }
}

// Adds one number of any kind.
DROVER_INLINE void deposit_one(double x, std::int64_t* a, std::int64_t* b,
                               std::int64_t* c, DepositTally& tally) {
  const double magnitude = __builtin_fabs(x);
  if (magnitude < exact_sums_limit) {
    deposit_pack(x, a, b, c);
    tally.largest = magnitude > tally.largest ? magnitude : tally.largest;
  } else {
    count_refused(x, tally);
  }
}

// Whether any lane is a NaN or has a magnitude of at least `limit`.
template <class R>
DROVER_INLINE bool any_beyond(R x, double limit) {
#if defined(__AVX512F__)
  if constexpr (lanes_v<R> == 8)
    return _mm512_cmp_pd_mask(abs(x).v, R(limit).v, _CMP_NLT_UQ) != 0;
#endif
  return any(!(abs(x) < R(limit)));
}

// values[i] to the limbs a[i], b[i], c[i] for i < count.
template <class R>
DROVER_INLINE DepositTally deposit_all(const double* values, std::int64_t count,
                                       std::int64_t* a, std::int64_t* b,
                                       std::int64_t* c) {
  DepositTally tally;
  constexpr int width = lanes_v<R>;
  std::int64_t i = 0;
  for (; i + width <= count; i += width) {
    const R x = load<R>(values + i);
    if (any_beyond(x, exact_sums_common)) [[unlikely]] {
      for (std::int64_t k = i; k < i + width; ++k)
        deposit_one(values[k], a + k, b + k, c + k, tally);
    } else {
      deposit_pack(x, a + i, b + i, c + i);
    }
  }
  for (; i < count; ++i) deposit_one(values[i], a + i, b + i, c + i, tally);
  return tally;
}

}  // namespace DROVER_ISA

// The builds of deposit_all (exact_sums_v3.cpp, exact_sums_v4.cpp).
using DepositKernel = DepositTally(const double* values, std::int64_t count,
                                   std::int64_t* a, std::int64_t* b, std::int64_t* c);
DepositKernel deposit_all_v3, deposit_all_v4;

}  // namespace drover
