// The kernels of a tape: one call works on all components of a tile of rows (walkers or
// samples). A tile stores component i of row w at data[i * stride + w]; stride, the rows
// of a tile, is a multiple of 8. A shared operand (parameter, constant) has one number
// for each component and none for each row.
//
// Plain structs and function pointers only: the table is filled once for each instruction
// set and lane count, and every filling gives the same bits.
#pragma once

#include <cstdint>

namespace drover::tape {

enum class UnaryOp : std::uint8_t {
  exp,
  expm1,
  log,
  log1p,
  sqrt,
  reciprocal,
  tanh,
  sin,
  cos,
  logistic,
  softplus,
  abs,
  sign,
  square,
  one_minus_square,
  power
};
enum class BinaryOp : std::uint8_t {
  add,
  subtract,
  multiply,
  divide,
  less,
  less_equal,
  equal,                     // 1 where true, 0 elsewhere
  multiply_one_minus_square  // a (1 - b^2): the pullback of tanh
};

// A tensor [channels][rows][columns] for each row of the tile; steps are in components, 0
// along an axis that is broadcast.
struct Operand {
  const double* data = nullptr;
  std::int64_t step[3] = {0, 0, 0};
  bool shared = false;
};

// Sparse constant matrix in compressed rows: out_i = sum_e coefficient_e in_(index_e).
struct SparseRows {
  const std::int32_t* start = nullptr;  // [rows + 1]
  const std::int32_t* index = nullptr;
  const double* coefficient = nullptr;
  std::int64_t rows = 0, columns = 0;
};

// Rows of a caller's array, double or float: component i of row w at
// data[w * row_step + i * component_step].
struct RowsView {
  const void* data = nullptr;
  std::int64_t row_step = 0, component_step = 1;
  bool is_float = false;
};

// A layer's weights: w[k][j] at data[k * row_step + j * column_step], or packed.
struct Weights {
  const double* data = nullptr;
  std::int64_t row_step = 0, column_step = 1;
  bool packed = false;
};

struct TileKernels {
  const char* name;
  int lanes;

  // out = f(x), componentwise; `power` is the exponent of UnaryOp::power.
  void (*unary)(UnaryOp f, int power, Operand x, double* out, std::int64_t size,
                std::int64_t stride);
  // out = scale x + shift.
  void (*affine)(double scale, double shift, Operand x, double* out, std::int64_t size,
                 std::int64_t stride);
  // out[extent] = f(a, b) with broadcasting.
  void (*binary)(BinaryOp f, Operand a, Operand b, double* out,
                 const std::int64_t extent[3], std::int64_t stride);
  // a where the mask is not 0, b elsewhere.
  void (*select)(Operand mask, Operand a, Operand b, double* out,
                 const std::int64_t extent[3], std::int64_t stride);
  // out[rows][columns] = sum over channels of a b.
  void (*channel_dot)(Operand a, Operand b, double* out, const std::int64_t extent[3],
                      std::int64_t stride);
  // out[c] = S in[c] for each channel; terms in the order of S.
  void (*linear)(SparseRows s, Operand x, double* out, std::int64_t channels,
                 std::int64_t stride);
  // out[v][j] = bias_j + sum_k x[v][k] w[k][j], k ascending, fused; weights by their
  // steps.
  void (*dense)(const double* x, Weights w, const double* bias, double* out,
                std::int64_t vectors, std::int64_t inner, std::int64_t columns,
                std::int64_t stride);
  // The same weights in the order in which dense reads them: worth it for many rows.
  void (*pack_weights)(Weights w, double* packed, std::int64_t inner,
                       std::int64_t columns);
  // out[c][i][j] = sum_k a[c][i][k] b[c][k][j]; steps of a and b are (channel, i or k, k
  // or j); with sum_channels the sum also runs over c and out has one channel.
  void (*matmul)(Operand a, Operand b, double* out, std::int64_t channels, std::int64_t m,
                 std::int64_t inner, std::int64_t n, bool sum_channels,
                 std::int64_t stride);
  // out = inverse [n][n], ln|det|, sign of det; work: 2 n^2 lanes-wide numbers (16 n^2).
  void (*factor)(const double* a, double* out, double* work, std::int64_t n,
                 std::int64_t stride);
  // by_row[w - first][i] = y[i][w] for first <= w < last, and 8 zeros behind the last.
  void (*transpose_rows)(const double* y, double* by_row, std::int64_t size,
                         std::int64_t first, std::int64_t last, std::int64_t stride);
  // sums[i] += sum over `rows` rows of by_row[w][i], in order; with fresh, from zero.
  void (*row_sum)(const double* by_row, double* sums, bool fresh, std::int64_t size,
                  std::int64_t rows);
  // sums[k][j] += sum over rows w (outer) and vectors v (inner) of
  // x[v][k][first + w] by_row[w][v][j], fused; with fresh, from zero.
  void (*row_outer)(const double* x, const double* by_row, double* sums, bool fresh,
                    std::int64_t vectors, std::int64_t inner, std::int64_t columns,
                    std::int64_t first, std::int64_t rows, std::int64_t stride);
  // to[i] += from[i].
  void (*add)(const double* from, double* to, std::int64_t size);
  // Rows 0..rows-1 into a tile; the rows up to stride repeat the last one.
  void (*load_rows)(RowsView from, double* out, std::int64_t size, std::int64_t rows,
                    std::int64_t stride);
  // The other way; with add, the destination's content is kept and added to.
  void (*store_rows)(const double* tile, double* to, std::int64_t row_step,
                     std::int64_t component_step, bool add, std::int64_t size,
                     std::int64_t rows, std::int64_t stride);
};

const TileKernels& tile_kernels_v3(int lanes);  // 2 or 4
const TileKernels& tile_kernels_v4(int lanes);  // 4 or 8
// Those of this process: core's instruction_set() and lanes().
const TileKernels& tile_kernels();

}  // namespace drover::tape
