// core/exact_sums.hpp: the same bits under any order and grouping, exact values, the
// window.
#include "drover/core/exact_sums.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/core/exact_sums_kernel.hpp"

namespace drover {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

// Random signs and mantissas over 30 decades, 1e-20 to 1e10.
std::vector<double> numbers_over_30_decades(int count, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> decade(-20.0, 10.0);
  std::vector<double> x(static_cast<std::size_t>(count));
  for (double& v : x) {
    v = std::pow(10.0, decade(generator));
    if (generator() & 1) v = -v;
  }
  return x;
}

TEST(ExactSums, every_permutation_and_partition_gives_the_same_bits) {
  std::vector<double> x = numbers_over_30_decades(5000, 1);
  ExactSums straight(1);
  for (double v : x) straight.deposit(0, v);
  std::mt19937_64 generator(2);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::shuffle(x.begin(), x.end(), generator);
    const int parts = 1 + int(generator() % 9);
    std::vector<ExactSums> partial(std::size_t(parts), ExactSums(1));
    for (double v : x) partial[generator() % std::size_t(parts)].deposit(0, v);
    ExactSums total(1);
    for (const ExactSums& p : partial) total.merge(p);
    EXPECT_TRUE(total == straight);
    EXPECT_EQ(total.value(0), straight.value(0));
    EXPECT_EQ(total.value_long(0), straight.value_long(0));
  }
}

TEST(ExactSums, reduction_of_the_words_equals_one_accumulator) {
  const std::vector<double> x = numbers_over_30_decades(4000, 3);
  ExactSums one(3, 2);
  std::vector<ExactSums> ranks(7, ExactSums(3, 2));
  for (std::size_t i = 0; i < x.size(); ++i) {
    one.deposit(std::int64_t(i % 3), x[i]);
    one.add_count(1, 2);
    ranks[i % 7].deposit(std::int64_t(i % 3), x[i]);
    ranks[i % 7].add_count(1, 2);
  }
  std::vector<std::int64_t> total(std::size_t(ExactSums::word_count(3, 2)), 0);
  EXPECT_EQ(total.size(), 3u * 3 + 3 + 2);
  for (ExactSums& r : ranks)
    for (std::size_t w = 0; w < total.size(); ++w) total[w] += r.words()[w];
  ExactSums reduced(3, 2);
  std::copy(total.begin(), total.end(), reduced.words().begin());
  EXPECT_TRUE(reduced == one);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(reduced.value(i), one.value(i));
  EXPECT_EQ(reduced.count(1), 8000);
  EXPECT_EQ(reduced.count(0), 0);
}

TEST(ExactSums, vectors_and_single_numbers_and_both_kernels_agree) {
  std::vector<DepositKernel*> kernels;
  if (cpu_support().v3) kernels.push_back(deposit_all_v3);
  if (cpu_support().v4) kernels.push_back(deposit_all_v4);
  for (int count : {1, 2, 3, 7, 8, 9, 31, 64, 1001}) {
    std::vector<double> x = numbers_over_30_decades(count, unsigned(count));
    if (count > 8) x[3] = nan_value, x[5] = 0x1p48, x[6] = -inf, x[8] = -0.0;
    const std::size_t n = x.size();
    std::vector<std::int64_t> expected(3 * n, 5);
    DepositTally wanted;
    for (std::size_t i = 0; i < n; ++i)
      deposit_one(x[i], &expected[i], &expected[n + i], &expected[2 * n + i], wanted);
    for (DepositKernel* kernel : kernels) {
      std::vector<std::int64_t> found(3 * n, 5);
      const DepositTally t =
          kernel(x.data(), count, found.data(), found.data() + n, found.data() + 2 * n);
      EXPECT_EQ(found, expected);
      EXPECT_EQ(t.outside, wanted.outside);
      EXPECT_EQ(t.nonfinite, wanted.nonfinite);
      EXPECT_EQ(t.largest, wanted.largest);
    }
    ExactSums vector(count), single(count);
    vector.deposit(x.data(), count);
    for (int i = 0; i < count; ++i) single.deposit(i, x[std::size_t(i)]);
    EXPECT_TRUE(vector == single);
    EXPECT_EQ(vector.nonfinite(), count > 8 ? 2 : 0);
    EXPECT_EQ(vector.outside(), count > 8 ? 1 : 0);
  }
}

TEST(ExactSums, a_single_number_comes_back_rounded_to_the_quantum_only) {
  for (double x : {0.0, 1.0, -1.0, 0.1, -76.3, 0x1.8p-60, 1e10, 0x1p47, 2.8e14, 0x1p-86,
                   -0x1.fffffffffffffp47, 1234567.0 / 3.0}) {
    ExactSums s(1);
    s.deposit(0, x);
    EXPECT_EQ(s.value(0), x) << x;
  }
  ExactSums s(1);
  s.deposit(0, 0x1.8p-86);  // halfway between one and two quanta: to the even one
  EXPECT_EQ(s.value(0), 0x1p-85);
  s.clear();
  s.deposit(0, 0x1p-88);
  EXPECT_EQ(s.value(0), 0.0);
}

TEST(ExactSums, large_terms_cancel_exactly) {
  ExactSums s(1);
  s.deposit(0, 1e14);
  s.deposit(0, 1e-20);
  s.deposit(0, 3.0);
  s.deposit(0, -1e14);
  s.deposit(0, -3.0);
  // 1e-20 to the nearest multiple of 2^-86: half a quantum is 6.5e-27.
  EXPECT_NEAR(s.value(0), 1e-20, 6.6e-27);
}

TEST(ExactSums, values_are_rounded_once_to_nearest) {
  ExactSums s(1);
  s.deposit(0, 0x1p47);
  s.deposit(0, 0x1p-6);  // half of the last place of 2^47: tie, to even
  EXPECT_EQ(s.value(0), 0x1p47);
  s.deposit(0, 0x1p-86);  // just above the tie
  EXPECT_EQ(s.value(0), 0x1p47 + 0x1p-5);
  EXPECT_EQ(s.value_long(0), 0x1p47L + 0x1p-6L);  // 64 bits: the 2^-86 is lost
  s.deposit(0, -0x1p-85);                         // just below the tie
  EXPECT_EQ(s.value(0), 0x1p47);
  // Beyond 2^41, where the integer no longer fits 128 bits as a whole.
  ExactSums big(1);
  for (int i = 0; i < 1000; ++i) big.deposit(0, -0x1p47);
  big.deposit(0, 0x1p-86);
  EXPECT_EQ(big.value(0), -1000 * 0x1p47);
  EXPECT_EQ(big.value_long(0), -1000 * 0x1p47L);
  big.deposit(0, 8.0);  // half of the last place, 16, and a little more
  EXPECT_EQ(big.value(0), -1000 * 0x1p47 + 16.0);
  big.deposit(0, -0x1p-86);  // a tie, to even
  EXPECT_EQ(big.value(0), -1000 * 0x1p47);
}

TEST(ExactSums, sums_equal_long_integer_arithmetic) {
  std::mt19937_64 generator(11);
  __int128 exact = 0;  // in 2^-40
  ExactSums s(1);
  for (int i = 0; i < 10000; ++i) {
    const std::int64_t k = std::int64_t(generator()) >> 11;
    s.deposit(0, std::ldexp(double(k), -40));
    exact += k;
  }
  EXPECT_EQ(s.value(0), std::ldexp(double(exact), -40));
}

TEST(ExactSums, limbs_carry_before_they_overflow) {
  // 2^22 + 5 deposits of the worst middle and low limbs: without carries both would pass
  // 2^63.
  const double worst = 0.125 - 0x1p-50;
  ExactSums s(2);
  const double pair[2] = {worst, -worst};
  const std::int64_t n = (std::int64_t{1} << 22) + 5;
  for (std::int64_t i = 0; i < n; ++i) s.deposit(pair, 2);
  EXPECT_EQ(s.value_long(0), (long double)(worst) * (long double)(n));
  EXPECT_EQ(s.value_long(1), -(long double)(worst) * (long double)(n));
}

TEST(ExactSums, what_lies_outside_is_counted_and_not_folded_in) {
  ExactSums s(1);
  s.deposit(0, 2.0);
  for (double x : {0x1p48, -1e300, 0x1p60}) s.deposit(0, x);
  for (double x : {inf, -inf, nan_value}) s.deposit(0, x);
  EXPECT_EQ(s.value(0), 2.0);
  EXPECT_EQ(s.outside(), 3);
  EXPECT_EQ(s.nonfinite(), 3);
  ExactSums t(1);
  t.merge(s);
  t.merge(s);
  EXPECT_EQ(t.outside(), 6);
  EXPECT_EQ(t.nonfinite(), 6);
  EXPECT_EQ(t.value(0), 4.0);
}

TEST(ExactSums, a_sum_that_may_have_left_its_window_is_an_error) {
  ExactSums s(1);
  for (int i = 0; i < 8000; ++i) s.deposit(0, 0x1.fp47);
  EXPECT_FALSE(s.left_window());
  EXPECT_EQ(s.value(0), 8000 * 0x1.fp47);
  for (int i = 0; i < 1000; ++i) s.deposit(0, 0x1.fp47);
  EXPECT_TRUE(s.left_window());
  EXPECT_THROW(s.value(0), Error);
}

TEST(ExactSums, wrong_shapes_are_refused) {
  ExactSums s(3);
  const double x[4] = {};
  EXPECT_THROW(s.deposit(x, 4), Error);
  EXPECT_THROW(s.deposit(2, x, 2), Error);
  EXPECT_THROW(s.deposit(-1, 1.0), Error);
  EXPECT_THROW(s.value(3), Error);
  EXPECT_THROW(s.add_count(0), Error);
  EXPECT_THROW(s.merge(ExactSums(4)), Error);
  EXPECT_THROW(ExactSums(-1), Error);
  EXPECT_NO_THROW(s.deposit(x, 0));
}

}  // namespace
}  // namespace drover
