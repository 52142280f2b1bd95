// core/random.hpp and core/philox.hpp: the generator against Random123, the layout of its
// counter, and the distributions drawn from it.
#include "drover/core/random.hpp"

#include <Random123/philox.h>
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "drover/core/error.hpp"

namespace drover {
namespace {

// Two-sided quantile of the standard normal distribution at a false-alarm rate of 1e-6.
constexpr double sigmas = 4.892;

TEST(Philox, known_answers_of_Random123_are_met) {
  struct Known {
    std::uint32_t counter[4], key[2], answer[4];
  };
  const Known known[] = {
      // kat_vectors of Random123, philox4x32 10
      {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
       {0xffffffff, 0xffffffff},
       {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
       {0xa4093822, 0x299f31d0},
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
  for (const Known& k : known) {
    const PhiloxBlock<double> b =
        philox<double>({{k.counter[0], k.counter[1], k.counter[2], k.counter[3]}},
                       (std::uint64_t(k.key[1]) << 32) | k.key[0]);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(std::uint32_t(b.word[i]), k.answer[i]);
  }
}

template <class R>
void expect_same_as_random123() {
  r123::Philox4x32 theirs;
  std::uint64_t state = 12345;
  const auto next = [&state] { return state = state * 6364136223846793005u + 1442695u; };
  for (int repeat = 0; repeat < 500; ++repeat) {
    const std::uint64_t seed = next(), step = next();
    const std::int64_t walker = std::int64_t(next() >> 33);
    const std::int64_t block = std::int64_t(next() >> 40);
    const PhiloxBlock<R> b =
        draw_block<R>(seed, walker, std::int64_t(step), Purpose::move_all, block);
    for (int lane = 0; lane < lanes_v<R>; ++lane) {
      const r123::Philox4x32::ctr_type c = {
          {std::uint32_t(walker + lane), std::uint32_t(step), std::uint32_t(step >> 32),
           (std::uint32_t(Purpose::move_all) << 24) | std::uint32_t(block)}};
      const auto r = theirs(c, {{std::uint32_t(seed), std::uint32_t(seed >> 32)}});
      for (std::size_t i = 0; i < 4; ++i) {
        if constexpr (lanes_v<R> == 1) {
          EXPECT_EQ(std::uint32_t(b.word[i]), r[i]);
        } else {
          EXPECT_EQ(std::uint32_t(b.word[i][lane]), r[i]);
        }
      }
    }
  }
}

TEST(Philox, every_lane_count_equals_Random123) {
  expect_same_as_random123<double>();
  expect_same_as_random123<Pack<2>>();
  expect_same_as_random123<Pack<4>>();
  expect_same_as_random123<Pack<8>>();
}

TEST(Random, no_two_purposes_can_share_a_counter) {
  const Purpose all[] = {
      Purpose::initial_positions, Purpose::move,       Purpose::move_all,
      Purpose::initial_move,      Purpose::branch,     Purpose::check,
      Purpose::bootstrap,         Purpose::parameters, Purpose::user};
  std::set<std::uint32_t> tops;
  for (const Purpose p : all) {
    // Whatever the block, the purpose alone fills the upper byte.
    for (std::uint32_t block : {0u, 1u, 0xffffffu})
      EXPECT_EQ(philox_purpose_word(p, block) >> 24, std::uint32_t(p));
    EXPECT_EQ(philox_purpose_word(p, 0xffffffu) & 0xffffffu, 0xffffffu);
    EXPECT_TRUE(tops.insert(philox_purpose_word(p, 0)).second) << int(p);
  }
}

TEST(Random, moves_of_different_indices_use_different_blocks) {
  std::set<double> seen;
  for (std::int64_t index = 0; index < 1000; ++index) {
    const MoveDraw<double> d = draw_move<double>(1, 2, 3, Purpose::move, index);
    for (double x : {d.x, d.y, d.z, d.uniform}) EXPECT_TRUE(seen.insert(x).second);
  }
}

template <class R>
void expect_moves_of_single_walkers() {
  for (std::int64_t first = 0; first < 64; first += lanes_v<R>) {
    const MoveDraw<R> d = draw_move<R>(9, first, 4, Purpose::move, 11);
    const UniformPair<R> u = draw_uniforms<R>(9, first, 4, Purpose::user, 11);
    const NormalPair<R> n = draw_normals<R>(9, first, 4, Purpose::user, 12);
    for (int lane = 0; lane < lanes_v<R>; ++lane) {
      const MoveDraw<double> e = draw_move<double>(9, first + lane, 4, Purpose::move, 11);
      EXPECT_EQ(d.x[lane], e.x);
      EXPECT_EQ(d.y[lane], e.y);
      EXPECT_EQ(d.z[lane], e.z);
      EXPECT_EQ(d.uniform[lane], e.uniform);
      const auto v = draw_uniforms<double>(9, first + lane, 4, Purpose::user, 11);
      EXPECT_EQ(u.first[lane], v.first);
      EXPECT_EQ(u.second[lane], v.second);
      const auto m = draw_normals<double>(9, first + lane, 4, Purpose::user, 12);
      EXPECT_EQ(n.first[lane], m.first);
      EXPECT_EQ(n.second[lane], m.second);
    }
  }
}

TEST(Random, a_walker_draws_the_same_in_every_lane_count) {
  expect_moves_of_single_walkers<Pack<2>>();
  expect_moves_of_single_walkers<Pack<4>>();
  expect_moves_of_single_walkers<Pack<8>>();
}

TEST(Random, uniform_numbers_never_reach_0_or_1) {
  const std::uint64_t ones = 0xffffffff;
  EXPECT_EQ(uniform_from_words<double>(0, 0), 0x1p-53);
  EXPECT_EQ(uniform_from_words<double>(ones, ones), 1.0 - 0x1p-53);
  EXPECT_EQ(uniform_from_word<double>(0), 0x1p-33);
  EXPECT_EQ(uniform_from_word<double>(ones), 1.0 - 0x1p-33);
  EXPECT_EQ(uniform_from_words<double>(0, 0x80000000u), 0.5 + 0x1p-53);
  // Garbage above the 32 bits of a word does not enter.
  EXPECT_EQ(uniform_from_words<double>(ones << 32, 0), 0x1p-53);
  EXPECT_EQ(uniform_from_words<double>(0, ones << 32), 0x1p-53);
  EXPECT_EQ(uniform_from_word<double>(ones << 32), 0x1p-33);
  EXPECT_LT(box_muller_radius(0x1p-53), 8.58);
  EXPECT_GT(box_muller_radius(1.0 - 0x1p-53), 0.0);
}

// Moments of the draws of 2^17 walkers. Each standard error follows from the moments of
// the normal (1, 2, 15 - 9 ... ) or uniform distribution; false alarm 1e-6 each,
// two-sided.
TEST(Random, moves_have_the_moments_of_independent_normal_numbers) {
  const int count = 1 << 17;
  double mean[3] = {}, square[3] = {}, fourth[3] = {}, cross[6] = {}, tail = 0.0;
  double uniform = 0.0, uniform_square = 0.0;
  for (int w = 0; w < count; ++w) {
    const MoveDraw<double> d = draw_move<double>(31, w, 5, Purpose::move, 3);
    const double x[3] = {d.x, d.y, d.z};
    for (int i = 0; i < 3; ++i) {
      mean[i] += x[i];
      square[i] += x[i] * x[i];
      fourth[i] += x[i] * x[i] * x[i] * x[i];
      tail += std::fabs(x[i]) > 2.0;
      cross[3 + i] += x[i] * (d.uniform - 0.5);
    }
    cross[0] += d.x * d.y;
    cross[1] += d.y * d.z;
    cross[2] += d.x * d.z;
    uniform += d.uniform;
    uniform_square += d.uniform * d.uniform;
  }
  const double n = count, root = std::sqrt(n);
  for (int i = 0; i < 3; ++i) {
    EXPECT_LT(std::fabs(mean[i] / n), sigmas / root);
    EXPECT_LT(std::fabs(square[i] / n - 1.0), sigmas * std::sqrt(2.0) / root);
    EXPECT_LT(std::fabs(fourth[i] / n - 3.0), sigmas * std::sqrt(96.0) / root);
    EXPECT_LT(std::fabs(cross[i] / n), sigmas / root);
    EXPECT_LT(std::fabs(cross[3 + i] / n), sigmas * std::sqrt(1.0 / 12.0) / root);
  }
  const double beyond = 0.04550026389635842;  // P(|x| > 2)
  EXPECT_LT(std::fabs(tail / (3 * n) - beyond),
            sigmas * std::sqrt(beyond * (1 - beyond) / (3 * n)));
  EXPECT_LT(std::fabs(uniform / n - 0.5), sigmas * std::sqrt(1.0 / 12.0) / root);
  EXPECT_LT(std::fabs(uniform_square / n - 1.0 / 3.0),
            sigmas * std::sqrt(4.0 / 45.0) / root);
}

// Chi squared over 256 equal cells; 255 degrees of freedom, quantiles at 5e-7 and
// 1 - 5e-7 by Wilson and Hilferty: 255 (1 - 2/2295 -+ 4.892 sqrt(2/2295))^3.
TEST(Random, uniform_numbers_fill_their_cells_evenly) {
  const int count = 1 << 17, cells = 256;
  std::vector<int> hits(cells * 2);
  for (int w = 0; w < count; ++w) {
    const auto u = draw_uniforms<double>(17, w, 1, Purpose::check, 0);
    ++hits[std::size_t(u.first * cells)];
    ++hits[std::size_t(cells + int(u.second * cells))];
  }
  for (int half = 0; half < 2; ++half) {
    double chi = 0.0;
    const double expected = double(count) / cells;
    for (int c = 0; c < cells; ++c) {
      const double d = hits[std::size_t(half * cells + c)] - expected;
      chi += d * d / expected;
    }
    const double scale = std::sqrt(2.0 / 2295.0), centre = 1.0 - 2.0 / 2295.0;
    EXPECT_GT(chi, 255.0 * std::pow(centre - sigmas * scale, 3));
    EXPECT_LT(chi, 255.0 * std::pow(centre + sigmas * scale, 3));
  }
}

TEST(Random, what_does_not_fit_the_counter_is_an_error) {
  EXPECT_NO_THROW(check_draw_range(max_walkers, max_move_index, 2));
  EXPECT_NO_THROW(check_draw_range(0, 0, 1));
  EXPECT_THROW(check_draw_range(max_walkers + 1, 1, 1), Error);
  EXPECT_THROW(check_draw_range(-1, 1, 1), Error);
  EXPECT_THROW(check_draw_range(1, max_move_index + 1, 2), Error);
  EXPECT_THROW(check_draw_range(1, max_draw_blocks + 1, 1), Error);
  try {
    check_draw_range(std::int64_t{1} << 33, 1, 1);
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::input);
    EXPECT_NE(std::string(e.what()).find("8589934592"), std::string::npos);
  }
}

}  // namespace
}  // namespace drover
