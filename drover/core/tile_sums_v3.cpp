// The tile sums of tile_sums.hpp for x86-64-v3.
#include "drover/core/tile_sums_kernel.hpp"

namespace drover {
namespace {

void gram_v3(const double* y, int rows, const double* weight, double* out, TileSum mode) {
  tile_sums::gram(y, rows, weight, out, mode);
}
void cross_v3(const double* a, int rows_a, const double* b, int rows_b,
              const double* weight, double* out, TileSum mode) {
  tile_sums::cross(a, rows_a, b, rows_b, weight, out, mode);
}
void row_sums_v3(const double* y, int rows, const double* weight, double* out,
                 TileSum mode) {
  tile_sums::row_sums(y, rows, weight, out, mode);
}
void combine_v3(const double* y, int rows, const double* coefficients, double* out) {
  tile_sums::combine(y, rows, coefficients, out);
}

}  // namespace

const TileSumKernels tile_sum_kernels_v3 = {gram_v3, cross_v3, row_sums_v3, combine_v3};

}  // namespace drover
