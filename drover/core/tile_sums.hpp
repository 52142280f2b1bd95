// Sums over the 64 walkers of a tile: Gram matrices, cross products, row sums.
//
// Columns of numbers stand walker-innermost, y[row][64]. Every sum runs over the walkers
// one after another, s <- fma(u(w), v(w), s), w = 0 ... 63, whatever the lanes and the
// instruction set, so its bits are fixed; the fast kernels equal the reference ones bit
// for bit (tests/core/tile_sums_test.cpp). Tiles are then combined by ExactSums.
//
// `weight` is one number a walker, or nullptr for ones; weightless walkers must still
// hold finite numbers. Pointers need no alignment (64 bytes is fastest).
#pragma once

#include <cstdint>

#include "drover/core/isa.hpp"
#include "drover/core/tile.hpp"

namespace drover {

// Place of (a, b), a <= b, in the packed upper triangle: column by column, so that adding
// a row to y appends to the triangle.
DROVER_INLINE constexpr std::int64_t packed_index(std::int64_t a, std::int64_t b) {
  return b * (b + 1) / 2 + a;
}
DROVER_INLINE constexpr std::int64_t packed_size(std::int64_t rows) {
  return rows * (rows + 1) / 2;
}

// Whether a result replaces what stands in `out` or is added to it (out + sum, rounded
// once more): several measurements of one tile cost one deposit then.
enum class TileSum { replace, accumulate };

// out[packed_index(a, b)] = sum_w (weight_w y[a][w]) y[b][w] for a <= b < rows.
void tile_gram(const double* y, int rows, const double* weight, double* out,
               TileSum mode = TileSum::replace);

// out[i * rows_b + j] = sum_w a[i][w] (weight_w b[j][w]).
void tile_cross(const double* a, int rows_a, const double* b, int rows_b,
                const double* weight, double* out, TileSum mode = TileSum::replace);

// out[a] = sum_w weight_w y[a][w].
void tile_row_sums(const double* y, int rows, const double* weight, double* out,
                   TileSum mode = TileSum::replace);

// out[w] = sum_a coefficients[a] y[a][w], row after row.
void tile_combine(const double* y, int rows, const double* coefficients, double* out);

// The same, as plain loops: what the fast ones must equal.
void tile_gram_reference(const double* y, int rows, const double* weight, double* out,
                         TileSum mode = TileSum::replace);
void tile_cross_reference(const double* a, int rows_a, const double* b, int rows_b,
                          const double* weight, double* out,
                          TileSum mode = TileSum::replace);
void tile_row_sums_reference(const double* y, int rows, const double* weight, double* out,
                             TileSum mode = TileSum::replace);
void tile_combine_reference(const double* y, int rows, const double* coefficients,
                            double* out);

}  // namespace drover
