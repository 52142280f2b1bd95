// Choice of the kernel, and the reference loops of tile_sums.hpp.
#include "drover/core/tile_sums.hpp"

#include <cmath>
#include <string>

#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/core/tile_sums_kernel.hpp"

namespace drover {
namespace {

const TileSumKernels& kernels() {
  return instruction_set() == InstructionSet::v4 ? tile_sum_kernels_v4
                                                 : tile_sum_kernels_v3;
}

void require_rows(int rows) {
  if (rows < 0)
    throw Error(ErrorKind::logic,
                "[tile sums] a negative number of rows: " + std::to_string(rows));
}

// sum_w u(w) (weight_w v(w)), walker after walker.
double sum_of_products(const double* u, const double* v, const double* weight) {
  double sum = 0.0;
  for (int w = 0; w < tile_walkers; ++w)
    sum = std::fma(u[w], weight != nullptr ? weight[w] * v[w] : v[w], sum);
  return sum;
}

void put(double sum, double& out, TileSum mode) {
  out = mode == TileSum::accumulate ? out + sum : sum;
}

}  // namespace

void tile_gram(const double* y, int rows, const double* weight, double* out,
               TileSum mode) {
  require_rows(rows);
  kernels().gram(y, rows, weight, out, mode);
}

void tile_cross(const double* a, int rows_a, const double* b, int rows_b,
                const double* weight, double* out, TileSum mode) {
  require_rows(rows_a);
  require_rows(rows_b);
  kernels().cross(a, rows_a, b, rows_b, weight, out, mode);
}

void tile_row_sums(const double* y, int rows, const double* weight, double* out,
                   TileSum mode) {
  require_rows(rows);
  kernels().row_sums(y, rows, weight, out, mode);
}

void tile_gram_reference(const double* y, int rows, const double* weight, double* out,
                         TileSum mode) {
  require_rows(rows);
  for (std::int64_t b = 0; b < rows; ++b)
    for (std::int64_t a = 0; a <= b; ++a)
      put(sum_of_products(y + b * tile_walkers, y + a * tile_walkers, weight),
          out[packed_index(a, b)], mode);
}

void tile_cross_reference(const double* a, int rows_a, const double* b, int rows_b,
                          const double* weight, double* out, TileSum mode) {
  require_rows(rows_a);
  require_rows(rows_b);
  for (std::int64_t i = 0; i < rows_a; ++i)
    for (std::int64_t j = 0; j < rows_b; ++j)
      put(sum_of_products(a + i * tile_walkers, b + j * tile_walkers, weight),
          out[i * rows_b + j], mode);
}

void tile_row_sums_reference(const double* y, int rows, const double* weight, double* out,
                             TileSum mode) {
  require_rows(rows);
  for (std::int64_t a = 0; a < rows; ++a) {
    double sum = 0.0;
    for (int w = 0; w < tile_walkers; ++w)
      sum = std::fma(weight != nullptr ? weight[w] : 1.0, y[a * tile_walkers + w], sum);
    put(sum, out[a], mode);
  }
}

void tile_combine(const double* y, int rows, const double* coefficients, double* out) {
  require_rows(rows);
  kernels().combine(y, rows, coefficients, out);
}

void tile_combine_reference(const double* y, int rows, const double* coefficients,
                            double* out) {
  require_rows(rows);
  for (int w = 0; w < tile_walkers; ++w) {
    out[w] = 0.0;
    for (std::int64_t a = 0; a < rows; ++a)
      out[w] = std::fma(coefficients[a], y[a * tile_walkers + w], out[w]);
  }
}

}  // namespace drover
