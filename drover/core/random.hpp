// Random numbers of a walker: a pure function of (seed, walker, step, purpose, index).
//
// Nothing depends on the device, the lane or the order of drawing. The Philox counter is
//   word 0  walker             below 2^32
//   word 1  step, low half     64-bit step
//   word 2  step, high half
//   word 3  purpose << 24 | block   8 bits, 24 bits
// and the key is the seed. Uniform numbers are odd multiples of 2^-53 (or 2^-33):
// strictly between 0 and 1 and symmetric about 1/2. Normal numbers by Box and Muller
// (1958): fixed cost, no rejection; radius from 52 bits (largest 8.57), angle from 32.
#pragma once

#include <cstdint>

#include "drover/core/math.hpp"
#include "drover/core/philox.hpp"

namespace drover {

// What numbers are drawn for; every use has its own, so that no two share a counter.
enum class Purpose : std::uint8_t {
  initial_positions = 1,  // where a walker starts
  move = 2,               // moves of one electron: index = sweep * electrons + electron
  move_all = 3,           // moves of all electrons at once
  initial_move = 4,       // moves of the equilibration
  branch = 5,             // birth and death of walkers
  check = 6,              // what a self-check draws
  bootstrap = 7,          // resampling in statistics
  parameters = 8,         // starting values of parameters
  move_drift = 9,         // moves of all electrons along the drift
  user = 255              // a user's own
};

inline constexpr std::int64_t max_walkers = std::int64_t{1} << 32;
// Blocks, and so the indices of draw_uniforms and draw_normals, are below this; draw_move
// takes two blocks, so its index is below half of it.
inline constexpr std::int64_t max_draw_blocks = std::int64_t{1} << 24;
inline constexpr std::int64_t max_move_index = max_draw_blocks / 2;

// Throws Error (input) unless walkers fit the counter's walker word, and Error (logic)
// unless every index below `indices` fits for `blocks_per_index` blocks each (1, or 2 for
// draw_move), or if a number is negative. Call it once before drawing, on the host.
void check_draw_range(std::int64_t walkers, std::int64_t indices, int blocks_per_index);

DROVER_INLINE constexpr std::uint32_t philox_purpose_word(Purpose purpose,
                                                          std::uint32_t block) {
  return (std::uint32_t(purpose) << 24) | (block & 0xffffffu);
}

inline namespace DROVER_ISA {

// The Philox block of walkers first_walker, first_walker + 1, ..., one a lane.
template <KernelReal R>
DROVER_INLINE PhiloxBlock<R> draw_block(std::uint64_t seed, std::int64_t first_walker,
                                        std::int64_t step, Purpose purpose,
                                        std::int64_t block) {
  const std::uint64_t s = std::uint64_t(step);
  const std::uint64_t last = philox_purpose_word(purpose, std::uint32_t(block));
  return philox<R>({{consecutive_bits<R>(std::uint64_t(first_walker)),
                     broadcast_bits<R>(s & 0xffffffffu), broadcast_bits<R>(s >> 32),
                     broadcast_bits<R>(last)}},
                   seed);
}

// (2 u + 1) 2^-53 with u the upper 52 bits of (high, low): in (0, 1), exact.
template <KernelReal R>
DROVER_INLINE R uniform_from_words(bits_t<R> low, bits_t<R> high) {
  const bits_t<R> mantissa = (((low & 0xffffffffu) | (high << 32)) >> 12);
  return from_bits<R>(mantissa | 0x3ff0000000000000) - R(1.0 - 0x1p-53);
}
// (2 u + 1) 2^-33 with u the 32 bits of a word: in (0, 1), exact.
template <KernelReal R>
DROVER_INLINE R uniform_from_word(bits_t<R> word) {
  const bits_t<R> mantissa = (word & 0xffffffffu) << 20;
  return from_bits<R>(mantissa | 0x3ff0000000000000) - R(1.0 - 0x1p-33);
}

// sqrt(-2 ln u) for u in (0, 1).
template <KernelReal R>
DROVER_INLINE R box_muller_radius(R u) {
  return sqrt(R(-2.0) * log_unchecked(u));
}

template <KernelReal R>
struct UniformPair {
  R first, second;
};
// Two uniform numbers in (0, 1); index below max_draw_blocks.
template <KernelReal R>
DROVER_INLINE UniformPair<R> draw_uniforms(std::uint64_t seed, std::int64_t first_walker,
                                           std::int64_t step, Purpose purpose,
                                           std::int64_t index) {
  const PhiloxBlock<R> b = draw_block<R>(seed, first_walker, step, purpose, index);
  return {uniform_from_words<R>(b.word[0], b.word[1]),
          uniform_from_words<R>(b.word[2], b.word[3])};
}

template <KernelReal R>
struct NormalPair {
  R first, second;
};
// Two independent standard normal numbers; index below max_draw_blocks.
template <KernelReal R>
DROVER_INLINE NormalPair<R> draw_normals(std::uint64_t seed, std::int64_t first_walker,
                                         std::int64_t step, Purpose purpose,
                                         std::int64_t index) {
  const PhiloxBlock<R> b = draw_block<R>(seed, first_walker, step, purpose, index);
  const R radius = box_muller_radius(uniform_from_words<R>(b.word[0], b.word[1]));
  R s, c;
  sincos_2pi(uniform_from_word<R>(b.word[2]), s, c);
  return {radius * c, radius * s};
}

// What the move of one electron takes: three independent standard normal numbers and the
// uniform number of the Metropolis test.
template <KernelReal R>
struct MoveDraw {
  R x, y, z, uniform;
};
// Takes blocks 2 index and 2 index + 1; index below max_move_index.
template <KernelReal R>
DROVER_INLINE MoveDraw<R> draw_move(std::uint64_t seed, std::int64_t first_walker,
                                    std::int64_t step, Purpose purpose,
                                    std::int64_t index) {
  const PhiloxBlock<R> a = draw_block<R>(seed, first_walker, step, purpose, 2 * index);
  const PhiloxBlock<R> b =
      draw_block<R>(seed, first_walker, step, purpose, 2 * index + 1);
  const R radius_xy = box_muller_radius(uniform_from_words<R>(a.word[0], a.word[1]));
  const R radius_z = box_muller_radius(uniform_from_words<R>(b.word[0], b.word[1]));
  R sine_xy, cosine_xy, sine_z, cosine_z;
  sincos_2pi(uniform_from_word<R>(a.word[2]), sine_xy, cosine_xy);
  sincos_2pi(uniform_from_word<R>(a.word[3]), sine_z, cosine_z);
  return {radius_xy * cosine_xy, radius_xy * sine_xy, radius_z * cosine_z,
          uniform_from_words<R>(b.word[2], b.word[3])};
}

}  // namespace DROVER_ISA
}  // namespace drover
