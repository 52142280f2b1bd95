// The bit pattern of a scalar or of a pack, as 64-bit unsigned integers, one a lane.
//
// `bits_t<R>` is std::uint64_t for double and a vector of them for Pack<W>; both add,
// subtract, shift and combine with plain integers, so the bit work of math.hpp and of
// Philox is written once. Shifts to the right bring in zeros.
#pragma once

#include <concepts>
#include <cstdint>

#include "drover/core/pack.hpp"

namespace drover {
inline namespace DROVER_ISA {

// The scalars that kernels run on: their bits are the same for every lane count and CPU.
template <class R>
inline constexpr bool is_kernel_real_v = std::same_as<R, double>;
template <int W>
inline constexpr bool is_kernel_real_v<Pack<W>> = true;
template <class R>
concept KernelReal = is_kernel_real_v<R>;

template <class R>
struct bits_of;
template <>
struct bits_of<double> {
  using type = std::uint64_t;
};
template <int W>
struct bits_of<Pack<W>> {
  using type = typename Vectors<W>::ubits;
};
template <class R>
using bits_t = typename bits_of<R>::type;

DROVER_INLINE std::uint64_t to_bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
template <int W>
DROVER_INLINE bits_t<Pack<W>> to_bits(Pack<W> x) {
  return reinterpret_cast<bits_t<Pack<W>>>(x.v);
}
template <KernelReal R>
DROVER_INLINE R from_bits(bits_t<R> b) {
  if constexpr (lanes_v<R> == 1) {
    return __builtin_bit_cast(double, b);
  } else {
    return R(reinterpret_cast<typename R::vec>(b));
  }
}

// The same integer in every lane.
template <KernelReal R>
DROVER_INLINE bits_t<R> broadcast_bits(std::uint64_t b) {
  return bits_t<R>{} + b;
}

// first, first + 1, ... : one a lane.
template <KernelReal R>
DROVER_INLINE bits_t<R> consecutive_bits(std::uint64_t first) {
  if constexpr (lanes_v<R> == 1) {
    return first;
  } else {
    bits_t<R> lanes{};  // folds to a constant
    for (int lane = 1; lane < lanes_v<R>; ++lane) lanes[lane] = std::uint64_t(lane);
    return lanes + first;
  }
}

// Where the integer has any bit of `which` set.
template <KernelReal R>
DROVER_INLINE mask_t<R> bits_set(bits_t<R> b, std::uint64_t which) {
  if constexpr (lanes_v<R> == 1) {
    return (b & which) != 0;
  } else {
    return {(b & which) != 0};
  }
}

inline constexpr std::uint64_t sign_bit = std::uint64_t{1} << 63;

// The magnitude of `a` with the sign of `b`.
template <KernelReal R>
DROVER_INLINE R copysign(R a, R b) {
  return from_bits<R>((to_bits(a) & ~sign_bit) | (to_bits(b) & sign_bit));
}

}  // namespace DROVER_ISA
}  // namespace drover
