// The tile sums of tile_sums.hpp for x86-64-v4.
#include "drover/core/tile_sums_kernel.hpp"

namespace drover {
namespace {

void gram_v4(const double* y, int rows, const double* weight, double* out, TileSum mode) {
  tile_sums::gram(y, rows, weight, out, mode);
}
void cross_v4(const double* a, int rows_a, const double* b, int rows_b,
              const double* weight, double* out, TileSum mode) {
  tile_sums::cross(a, rows_a, b, rows_b, weight, out, mode);
}
void row_sums_v4(const double* y, int rows, const double* weight, double* out,
                 TileSum mode) {
  tile_sums::row_sums(y, rows, weight, out, mode);
}
void combine_v4(const double* y, int rows, const double* coefficients, double* out) {
  tile_sums::combine(y, rows, coefficients, out);
}

}  // namespace

const TileSumKernels tile_sum_kernels_v4 = {gram_v4, cross_v4, row_sums_v4, combine_v4};

}  // namespace drover
