// core/tile_sums.hpp: the fast kernels of both instruction sets equal the plain loops bit
// for bit, and those are right.
#include "drover/core/tile_sums.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/core/tile_sums_kernel.hpp"

namespace drover {
namespace {

constexpr double untouched = -12345.5;

std::vector<double> random_columns(int rows, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> u(-3.0, 3.0);
  std::vector<double> y(std::size_t(rows) * tile_walkers);
  for (double& v : y) v = u(generator);
  return y;
}

std::vector<const TileSumKernels*> kernels_of_this_cpu() {
  std::vector<const TileSumKernels*> k;
  if (cpu_support().v3) k.push_back(&tile_sum_kernels_v3);
  if (cpu_support().v4) k.push_back(&tile_sum_kernels_v4);
  return k;
}

const int row_counts[] = {0,  1,  2,  3,  4,  5,  7,  8,  9,  11, 12, 13, 15,
                          16, 17, 23, 24, 25, 31, 33, 47, 48, 49, 63, 65, 100};

TEST(TileSums, gram_equals_the_plain_loops_bit_for_bit) {
  for (int rows : row_counts)
    for (bool weighted : {false, true})
      for (TileSum mode : {TileSum::replace, TileSum::accumulate}) {
        const std::vector<double> y = random_columns(rows, 1);
        const std::vector<double> weight = random_columns(1, 2);
        const double* w = weighted ? weight.data() : nullptr;
        std::vector<double> expected(std::size_t(packed_size(rows)) + 8, untouched);
        std::vector<double> start = expected;
        tile_gram_reference(y.data(), rows, w, expected.data(), mode);
        for (const TileSumKernels* k : kernels_of_this_cpu()) {
          std::vector<double> found = start;
          k->gram(y.data(), rows, w, found.data(), mode);
          ASSERT_EQ(found, expected) << rows << " rows";
        }
      }
}

TEST(TileSums, cross_products_equal_the_plain_loops_bit_for_bit) {
  for (int rows_a : {0, 1, 3, 4, 5, 8, 17, 50})
    for (int rows_b : row_counts)
      for (bool weighted : {false, true})
        for (TileSum mode : {TileSum::replace, TileSum::accumulate}) {
          const std::vector<double> a = random_columns(rows_a, 3);
          const std::vector<double> b = random_columns(rows_b, 4);
          const std::vector<double> weight = random_columns(1, 5);
          const double* w = weighted ? weight.data() : nullptr;
          std::vector<double> expected(std::size_t(rows_a) * std::size_t(rows_b) + 8,
                                       untouched);
          const std::vector<double> start = expected;
          tile_cross_reference(a.data(), rows_a, b.data(), rows_b, w, expected.data(),
                               mode);
          for (const TileSumKernels* k : kernels_of_this_cpu()) {
            std::vector<double> found = start;
            k->cross(a.data(), rows_a, b.data(), rows_b, w, found.data(), mode);
            ASSERT_EQ(found, expected) << rows_a << " by " << rows_b;
          }
        }
}

TEST(TileSums, row_sums_equal_the_plain_loops_bit_for_bit) {
  for (int rows : row_counts)
    for (bool weighted : {false, true}) {
      const std::vector<double> y = random_columns(rows, 6);
      const std::vector<double> weight = random_columns(1, 7);
      const double* w = weighted ? weight.data() : nullptr;
      std::vector<double> expected(std::size_t(rows) + 8, untouched);
      const std::vector<double> start = expected;
      tile_row_sums_reference(y.data(), rows, w, expected.data());
      for (const TileSumKernels* k : kernels_of_this_cpu()) {
        std::vector<double> found = start;
        k->row_sums(y.data(), rows, w, found.data(), TileSum::replace);
        ASSERT_EQ(found, expected) << rows << " rows";
      }
    }
}

TEST(TileSums, combinations_of_rows_equal_the_plain_loops_bit_for_bit) {
  for (int rows : row_counts) {
    const std::vector<double> y = random_columns(rows, 8);
    std::vector<double> coefficients(std::size_t(rows) + 1, 0.37);
    for (std::size_t a = 0; a < coefficients.size(); ++a) coefficients[a] *= double(a);
    std::vector<double> expected(tile_walkers + 8, untouched);
    const std::vector<double> start = expected;
    tile_combine_reference(y.data(), rows, coefficients.data(), expected.data());
    for (const TileSumKernels* k : kernels_of_this_cpu()) {
      std::vector<double> found = start;
      k->combine(y.data(), rows, coefficients.data(), found.data());
      ASSERT_EQ(found, expected) << rows << " rows";
    }
  }
}

TEST(TileSums, small_integers_give_exact_sums) {
  std::vector<double> y(3 * tile_walkers), weight(tile_walkers);
  double expected[6] = {};  // (0,0) (0,1) (1,1) (0,2) (1,2) (2,2)
  double sums[3] = {};
  for (int w = 0; w < tile_walkers; ++w) {
    const double v[3] = {double(w), double(w % 5 - 2), 1.0};
    weight[std::size_t(w)] = w % 3;
    for (int a = 0; a < 3; ++a) y[std::size_t(a * tile_walkers + w)] = v[a];
    for (int b = 0; b < 3; ++b) {
      sums[b] += v[b] * (w % 3);
      for (int a = 0; a <= b; ++a) expected[packed_index(a, b)] += v[a] * v[b] * (w % 3);
    }
  }
  double out[6], row[3], cross[9], combined[tile_walkers];
  const double coefficients[3] = {2.0, -1.0, 3.0};
  tile_combine(y.data(), 3, coefficients, combined);
  for (int w = 0; w < tile_walkers; ++w)
    EXPECT_EQ(combined[w], 2.0 * w - (w % 5 - 2) + 3.0);
  tile_gram(y.data(), 3, weight.data(), out);
  tile_row_sums(y.data(), 3, weight.data(), row);
  tile_cross(y.data(), 3, y.data(), 3, weight.data(), cross);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], expected[i]);
  for (int b = 0; b < 3; ++b) {
    EXPECT_EQ(row[b], sums[b]);
    for (int a = 0; a <= b; ++a) {
      EXPECT_EQ(cross[3 * a + b], expected[packed_index(a, b)]);
      EXPECT_EQ(cross[3 * b + a], expected[packed_index(a, b)]);
    }
  }
  EXPECT_EQ(expected[packed_index(2, 2)], 63.0);
}

TEST(TileSums, a_negative_number_of_rows_is_refused) {
  double none = 0.0;
  EXPECT_THROW(tile_gram(&none, -1, nullptr, &none), Error);
  EXPECT_THROW(tile_cross(&none, 1, &none, -1, nullptr, &none), Error);
  EXPECT_THROW(tile_row_sums(&none, -2, nullptr, &none), Error);
  EXPECT_THROW(tile_combine(&none, -1, &none, &none), Error);
}

}  // namespace
}  // namespace drover
