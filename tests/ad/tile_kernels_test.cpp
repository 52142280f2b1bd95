// The kernels of a tape against plain loops that do the same operations in the same
// order: equal to the bit, for every instruction set and lane count this machine can run,
// and for sizes on both sides of every block.
#include "drover/ad/tile_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "drover/core/array.hpp"
#include "drover/core/cpu.hpp"

namespace drover::tape {
namespace {

using Numbers = AlignedVector<double>;

std::vector<const TileKernels*> all_kernels() {
  std::vector<const TileKernels*> all = {&tile_kernels_v3(2), &tile_kernels_v3(4)};
  if (cpu_support().v4) {
    all.push_back(&tile_kernels_v4(4));
    all.push_back(&tile_kernels_v4(8));
  }
  return all;
}

Numbers random_numbers(std::int64_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  Numbers numbers(static_cast<std::size_t>(n));
  for (double& x : numbers) x = uniform(generator);
  return numbers;
}
std::size_t at(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

TEST(TileKernels, layer_is_the_fused_chain_over_the_inner_index) {
  for (const auto* kernels : all_kernels()) {
    for (const std::int64_t columns : {1, 2, 3, 5, 6, 7, 13, 24}) {
      for (const std::int64_t inner : {1, 4, 9}) {
        for (const std::int64_t vectors : {1, 3}) {
          for (const std::int64_t stride : {8, 24, 64}) {
            const Numbers x = random_numbers(vectors * inner * stride, 1);
            const Numbers w = random_numbers(inner * columns, 2);
            const Numbers bias = random_numbers(columns, 3);
            for (const bool transposed : {false, true}) {
              const Weights weights{w.data(), transposed ? 1 : columns,
                                    transposed ? inner : 1, false};
              Numbers expected(at(vectors * columns * stride)), plain(expected.size()),
                  packed(expected.size()), panels(w.size());
              for (std::int64_t v = 0; v < vectors; ++v) {
                for (std::int64_t j = 0; j < columns; ++j) {
                  for (std::int64_t row = 0; row < stride; ++row) {
                    double sum = bias[at(j)];
                    for (std::int64_t k = 0; k < inner; ++k) {
                      sum = std::fma(
                          x[at((v * inner + k) * stride + row)],
                          w[at(k * weights.row_step + j * weights.column_step)], sum);
                    }
                    expected[at((v * columns + j) * stride + row)] = sum;
                  }
                }
              }
              kernels->dense(x.data(), weights, bias.data(), plain.data(), vectors, inner,
                             columns, stride);
              EXPECT_EQ(plain, expected)
                  << kernels->name << " " << inner << "x" << columns;
              kernels->pack_weights(weights, panels.data(), inner, columns);
              kernels->dense(x.data(), {panels.data(), 0, 1, true}, bias.data(),
                             packed.data(), vectors, inner, columns, stride);
              EXPECT_EQ(packed, expected)
                  << kernels->name << " " << inner << "x" << columns;
            }
          }
        }
      }
    }
  }
}

TEST(TileKernels, sums_over_rows_are_chains_in_row_order) {
  const std::int64_t stride = 64;
  for (const auto* kernels : all_kernels()) {
    for (const std::int64_t columns : {1, 3, 8, 13, 37}) {
      for (const std::int64_t inner : {1, 5, 8}) {
        for (const std::int64_t vectors : {1, 2}) {
          for (const auto& [first, last] :
               {std::pair<std::int64_t, std::int64_t>{0, 64}, {3, 4}, {10, 47}}) {
            const std::int64_t size = vectors * columns, rows = last - first;
            const Numbers x = random_numbers(vectors * inner * stride, 4);
            const Numbers y = random_numbers(size * stride, 5);
            Numbers work(at(size * stride + 16));
            Numbers outer = random_numbers(inner * columns, 6), outer_expected = outer;
            Numbers sums = random_numbers(size, 7), sums_expected = sums;
            for (std::int64_t row = first; row < last; ++row) {
              for (std::int64_t v = 0; v < vectors; ++v) {
                for (std::int64_t j = 0; j < columns; ++j) {
                  const double b = y[at((v * columns + j) * stride + row)];
                  sums_expected[at(v * columns + j)] += b;
                  for (std::int64_t k = 0; k < inner; ++k) {
                    double& sum = outer_expected[at(k * columns + j)];
                    sum = std::fma(x[at((v * inner + k) * stride + row)], b, sum);
                  }
                }
              }
            }
            kernels->transpose_rows(y.data(), work.data(), size, first, last, stride);
            kernels->row_sum(work.data(), sums.data(), false, size, rows);
            kernels->row_outer(x.data(), work.data(), outer.data(), false, vectors, inner,
                               columns, first, rows, stride);
            EXPECT_EQ(sums, sums_expected) << kernels->name << " " << size;
            EXPECT_EQ(outer, outer_expected)
                << kernels->name << " " << inner << "x" << columns;
          }
        }
      }
    }
  }
}

TEST(TileKernels, rows_are_loaded_and_stored_in_any_layout) {
  for (const auto* kernels : all_kernels()) {
    for (const std::int64_t rows : {1, 7, 8, 61}) {
      for (const std::int64_t size : {1, 3, 12, 17}) {
        const std::int64_t stride = (rows + 7) / 8 * 8;
        const Numbers by_row = random_numbers(rows * size, 8);
        Numbers by_component(by_row.size()), tile(at(size * stride)), other(tile.size());
        std::vector<float> floats(by_row.size());
        for (std::int64_t w = 0; w < rows; ++w) {
          for (std::int64_t i = 0; i < size; ++i) {
            by_component[at(i * rows + w)] = by_row[at(w * size + i)];
            floats[at(w * size + i)] = static_cast<float>(by_row[at(w * size + i)]);
          }
        }
        kernels->load_rows({by_row.data(), size, 1, false}, tile.data(), size, rows,
                           stride);
        kernels->load_rows({by_component.data(), 1, rows, false}, other.data(), size,
                           rows, stride);
        EXPECT_EQ(tile, other);
        for (std::int64_t i = 0; i < size; ++i) {
          for (std::int64_t w = 0; w < stride; ++w) {
            const std::int64_t from = std::min(w, rows - 1);  // padded by the last row
            EXPECT_EQ(tile[at(i * stride + w)], by_row[at(from * size + i)]);
          }
        }
        kernels->load_rows({floats.data(), size, 1, true}, other.data(), size, rows,
                           stride);
        EXPECT_EQ(other.back(), double{floats.back()});
        Numbers stored(by_row.size(), 2.0), added(by_row.size(), 2.0);
        kernels->store_rows(tile.data(), stored.data(), size, 1, false, size, rows,
                            stride);
        kernels->store_rows(tile.data(), added.data(), size, 1, true, size, rows, stride);
        EXPECT_EQ(stored, by_row);
        for (std::size_t i = 0; i < added.size(); ++i)
          EXPECT_EQ(added[i], 2.0 + by_row[i]);
        kernels->store_rows(tile.data(), stored.data(), 1, rows, false, size, rows,
                            stride);
        EXPECT_EQ(stored, by_component);
      }
    }
  }
}

TEST(TileKernels, factor_inverts_and_takes_determinants_with_each_rows_own_pivots) {
  const std::int64_t stride = 16;
  for (const std::int64_t n : {1, 2, 5, 11}) {
    Numbers first;
    for (const auto* kernels : all_kernels()) {
      const Numbers a = random_numbers(n * n * stride, 9);
      Numbers out(at((n * n + 2) * stride)), work(at(16 * (n * n + 2)));
      kernels->factor(a.data(), out.data(), work.data(), n, stride);
      if (first.empty()) first = out;
      EXPECT_EQ(out, first) << kernels->name;
      for (std::int64_t w = 0; w < stride; ++w) {
        // Plain elimination in long double.
        std::vector<long double> m(at(n * n));
        for (std::int64_t e = 0; e < n * n; ++e) m[at(e)] = a[at(e * stride + w)];
        long double log_determinant = 0, sign = 1;
        for (std::int64_t k = 0; k < n; ++k) {
          std::int64_t p = k;
          for (std::int64_t i = k; i < n; ++i) {
            if (std::fabs(m[at(i * n + k)]) > std::fabs(m[at(p * n + k)])) p = i;
          }
          if (p != k) sign = -sign;
          for (std::int64_t j = 0; j < n; ++j)
            std::swap(m[at(k * n + j)], m[at(p * n + j)]);
          log_determinant += std::log(std::fabs(m[at(k * n + k)]));
          sign *= m[at(k * n + k)] < 0 ? -1 : 1;
          for (std::int64_t i = k + 1; i < n; ++i) {
            const long double f = m[at(i * n + k)] / m[at(k * n + k)];
            for (std::int64_t j = k; j < n; ++j) m[at(i * n + j)] -= f * m[at(k * n + j)];
          }
        }
        // Condition numbers of these matrices stay below 1e4.
        EXPECT_NEAR(out[at(n * n * stride + w)], static_cast<double>(log_determinant),
                    1e-11);
        EXPECT_EQ(out[at((n * n + 1) * stride + w)], static_cast<double>(sign));
        for (std::int64_t i = 0; i < n; ++i) {
          for (std::int64_t j = 0; j < n; ++j) {
            double product = 0;
            for (std::int64_t k = 0; k < n; ++k) {
              product +=
                  out[at((i * n + k) * stride + w)] * a[at((k * n + j) * stride + w)];
            }
            EXPECT_NEAR(product, i == j ? 1.0 : 0.0, 1e-10);
          }
        }
      }
    }
  }
}

TEST(TileKernels, factor_of_a_singular_row_spoils_that_row_only) {
  for (const auto* kernels : all_kernels()) {
    const std::int64_t stride = 8;
    Numbers a(at(4 * stride), 1.0), out(at(6 * stride)), work(96);
    for (std::int64_t w = 0; w < stride; ++w) a[at(3 * stride + w)] = w == 3 ? 1.0 : 3.0;
    kernels->factor(a.data(), out.data(), work.data(), 2, stride);
    for (std::int64_t w = 0; w < stride; ++w) {
      const double log_determinant = out[at(4 * stride + w)];
      if (w == 3) {
        EXPECT_TRUE(std::isinf(log_determinant) && log_determinant < 0);
      } else {
        EXPECT_DOUBLE_EQ(log_determinant, std::log(2.0));
        EXPECT_DOUBLE_EQ(out[at(w)], 1.5);
      }
    }
  }
}

}  // namespace
}  // namespace drover::tape
