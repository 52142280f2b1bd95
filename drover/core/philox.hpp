// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw
// ("Parallel random numbers: as easy as 1, 2, 3", SC11), over the lanes of a pack.
//
// A block of four 32-bit words is a bijection of a 128-bit counter for each 64-bit key:
//   (c0, c1, c2, c3) -> (hi(M1 c2) ^ c1 ^ k0, lo(M1 c2), hi(M0 c0) ^ c3 ^ k1, lo(M0 c0)),
// ten times, the key stepping by Weyl constants. Each word is held in a 64-bit lane; only
// its low 32 bits count, whatever stands above them is ignored by the multiplication.
#pragma once

#include "drover/core/bits.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Four words a lane; the low 32 bits of each 64-bit lane.
template <KernelReal R>
struct PhiloxBlock {
  bits_t<R> word[4];
};

// The 64-bit product of the low halves of each lane with a 32-bit constant.
template <KernelReal R>
DROVER_INLINE bits_t<R> multiply_low_words(bits_t<R> a, std::uint32_t b) {
#if defined(__AVX512F__)
  // The masked form: gcc 12 warns about the undefined source of the plain one.
  if constexpr (lanes_v<R> == 8)
    return (bits_t<R>)_mm512_maskz_mul_epu32(0xff, (__m512i)a,
                                             (__m512i)broadcast_bits<R>(b));
#endif
#if defined(__AVX2__)
  if constexpr (lanes_v<R> == 4)
    return (bits_t<R>)_mm256_mul_epu32((__m256i)a, (__m256i)broadcast_bits<R>(b));
#endif
#if defined(__SSE2__)
  if constexpr (lanes_v<R> == 2)
    return (bits_t<R>)_mm_mul_epu32((__m128i)a, (__m128i)broadcast_bits<R>(b));
#endif
  return (a & 0xffffffffu) * std::uint64_t(b);
}

// The block of `counter` under `key`; the words above 32 bits are garbage, in and out.
template <KernelReal R>
DROVER_INLINE PhiloxBlock<R> philox(PhiloxBlock<R> counter, std::uint64_t key) {
  constexpr std::uint32_t m0 = 0xD2511F53, m1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  std::uint32_t k0 = std::uint32_t(key), k1 = std::uint32_t(key >> 32);
  bits_t<R> c0 = counter.word[0], c1 = counter.word[1];
  bits_t<R> c2 = counter.word[2], c3 = counter.word[3];
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
    const bits_t<R> p0 = multiply_low_words<R>(c0, m0);
    const bits_t<R> p1 = multiply_low_words<R>(c2, m1);
    c0 = (p1 >> 32) ^ c1 ^ std::uint64_t(k0);
    c1 = p1;
    c2 = (p0 >> 32) ^ c3 ^ std::uint64_t(k1);
    c3 = p0;
    k0 += weyl0;
    k1 += weyl1;
  }
  return {{c0, c1, c2, c3}};
}

}  // namespace DROVER_ISA
}  // namespace drover
