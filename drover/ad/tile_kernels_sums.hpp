// The bodies of the kernels that change the layout or sum over rows, and of the
// determinant; included by tile_kernels_v3.cpp and tile_kernels_v4.cpp only.
//
// Sums over rows: the tile is transposed in small blocks, lanes become columns, and every
// sum is one chain over the rows in order, so its bits know neither lanes nor tile size.
#pragma once

#include <cstdint>
#include <cstring>

#include "drover/ad/tile_kernels_body.hpp"

namespace drover {
inline namespace DROVER_ISA {
namespace tile {

using tape::RowsView;

// to[j * to_step + i] = from[i * from_step + j] in a block of 8 x 8 or 4 x 4. Two by two:
// pairs of lanes, then pairs of pairs, then halves.
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr int transpose_block = 8;
DROVER_INLINE void transpose_small(const double* from, int64_t from_step, double* to,
                                   int64_t to_step) {
  using V = Vectors<8>::real;
  V a[8], b[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) std::memcpy(&a[i], from + i * from_step, sizeof(V));
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 2) {
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  // b[i + k] holds columns k, k + 2, k + 4, k + 6 of rows i and i + 1.
#pragma GCC unroll 8
  for (int i = 0; i < 8; i += 4) {
#pragma GCC unroll 8
    for (int k = 0; k < 2; ++k) {
      a[i + k] =
          __builtin_shufflevector(b[i + k], b[i + k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
      a[i + k + 2] =
          __builtin_shufflevector(b[i + k], b[i + k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  // a[i + k] holds columns k and k + 4 of rows i to i + 3.
#pragma GCC unroll 8
  for (int k = 0; k < 4; ++k) {
    b[k] = __builtin_shufflevector(a[k], a[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    b[k + 4] = __builtin_shufflevector(a[k], a[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) std::memcpy(to + i * to_step, &b[i], sizeof(V));
}
#else
inline constexpr int transpose_block = 4;
DROVER_INLINE void transpose_small(const double* from, int64_t from_step, double* to,
                                   int64_t to_step) {
  using V = Vectors<4>::real;
  V a[4], b[4];
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) std::memcpy(&a[i], from + i * from_step, sizeof(V));
#pragma GCC unroll 8
  for (int i = 0; i < 4; i += 2) {
    b[i] = __builtin_shufflevector(a[i], a[i + 1], 0, 4, 2, 6);
    b[i + 1] = __builtin_shufflevector(a[i], a[i + 1], 1, 5, 3, 7);
  }
#pragma GCC unroll 8
  for (int k = 0; k < 2; ++k) {
    a[k] = __builtin_shufflevector(b[k], b[k + 2], 0, 1, 4, 5);
    a[k + 2] = __builtin_shufflevector(b[k], b[k + 2], 2, 3, 6, 7);
  }
#pragma GCC unroll 8
  for (int i = 0; i < 4; ++i) std::memcpy(to + i * to_step, &a[i], sizeof(V));
}
#endif

// to[j * to_step + i] = from[i * from_step + j] for i < m, j < n.
DROVER_INLINE void transpose(const double* from, int64_t from_step, int64_t m, int64_t n,
                             double* to, int64_t to_step) {
  constexpr int64_t block = transpose_block;
  const int64_t whole_m = m / block * block, whole_n = n / block * block;
  for (int64_t j = 0; j < whole_n; j += block) {
    for (int64_t i = 0; i < whole_m; i += block) {
      transpose_small(from + i * from_step + j, from_step, to + j * to_step + i, to_step);
    }
  }
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = i < whole_m ? whole_n : 0; j < n; ++j) {
      to[j * to_step + i] = from[i * from_step + j];
    }
  }
}

template <int W>
void transpose_rows(const double* y, double* by_row, int64_t size, int64_t first,
                    int64_t last, int64_t stride) {
  transpose(y + first, stride, size, last - first, by_row, size);
  // A full vector may read past the last row; those lanes are dropped.
  std::memset(by_row + (last - first) * size, 0, 8 * sizeof(double));
}

// The first `count` lanes.
template <class R>
DROVER_INLINE R load_part(const double* p, int count) {
  double lane[lanes_v<R>] = {};
  for (int i = 0; i < count; ++i) lane[i] = p[i];
  return load<R>(lane);
}
template <class R>
DROVER_INLINE void store_part(double* p, R a, int count) {
  double lane[lanes_v<R>];
  store(lane, a);
  for (int i = 0; i < count; ++i) p[i] = lane[i];
}

// sums[k][j] += sum_t x[t][k] y[t][j] for K rows k and V vectors of columns j; t runs
// over (row, vector) in that order. With last_lanes > 0 the only vector keeps so many
// lanes.
template <int W, int V, int K>
DROVER_INLINE void outer_block(const double* x, const double* y, double* sums, bool fresh,
                               int64_t vectors, int64_t inner, int64_t columns,
                               int64_t rows, int64_t stride, int last_lanes) {
  using R = Pack<W>;
  R sum[K][V];
  for (int k = 0; k < K; ++k) {
    double* const from = sums + k * columns;
    for (int v = 0; v < V; ++v) {
      sum[k][v] = fresh                      ? R(0.0)
                  : V == 1 && last_lanes > 0 ? load_part<R>(from, last_lanes)
                                             : load<R>(from + v * W);
    }
  }
  const auto add = [&](const double* factors) {
    R row[V];
    for (int v = 0; v < V; ++v) row[v] = load<R>(y + v * W);
    for (int k = 0; k < K; ++k) {
      const R factor(factors[k * stride]);
      for (int v = 0; v < V; ++v) sum[k][v] = fma(factor, row[v], sum[k][v]);
    }
    y += columns;
  };
  if (vectors == 1) {
    for (int64_t w = 0; w < rows; ++w) add(x + w);
  } else {
    for (int64_t w = 0; w < rows; ++w) {
      for (int64_t u = 0; u < vectors; ++u) add(x + u * inner * stride + w);
    }
  }
  for (int k = 0; k < K; ++k) {
    double* const to = sums + k * columns;
    for (int v = 0; v < V; ++v) {
      if (V == 1 && last_lanes > 0) {
        store_part(to, sum[k][v], last_lanes);
      } else {
        store(to + v * W, sum[k][v]);
      }
    }
  }
}

template <int W>
void row_outer(const double* x, const double* by_row, double* sums, bool fresh,
               int64_t vectors, int64_t inner, int64_t columns, int64_t first,
               int64_t rows, int64_t stride) {
  const auto panel = [&]<int V>(int64_t j, int last_lanes) {
    const auto block = [&]<int K>(int64_t k) {
      outer_block<W, V, K>(x + k * stride + first, by_row + j, sums + k * columns + j,
                           fresh, vectors, inner, columns, rows, stride, last_lanes);
    };
    int64_t k = 0;
    for (; inner - k >= 6; k += 6) block.template operator()<6>(k);
    for (; inner - k >= 4; k += 4) block.template operator()<4>(k);
    for (; inner - k >= 2; k += 2) block.template operator()<2>(k);
    for (; inner - k >= 1; k += 1) block.template operator()<1>(k);
  };
  int64_t j = 0;
  for (; columns - j >= block_vectors * W; j += block_vectors * W) {
    panel.template operator()<block_vectors>(j, 0);
  }
  for (; columns - j >= W; j += W) panel.template operator()<1>(j, 0);
  if (j < columns) panel.template operator()<1>(j, static_cast<int>(columns - j));
}

template <int W>
void row_sum(const double* by_row, double* sums, bool fresh, int64_t size, int64_t rows) {
  using R = Pack<W>;
  int64_t i = 0;
  for (; size - i >= W; i += W) {
    R sum = fresh ? R(0.0) : load<R>(sums + i);
    for (int64_t w = 0; w < rows; ++w) sum = sum + load<R>(by_row + w * size + i);
    store(sums + i, sum);
  }
  for (; i < size; ++i) {
    double sum = fresh ? 0.0 : sums[i];
    for (int64_t w = 0; w < rows; ++w) sum += by_row[w * size + i];
    sums[i] = sum;
  }
}

template <int W>
void add(const double* from, double* to, int64_t size) {
  using R = Pack<W>;
  int64_t i = 0;
  for (; size - i >= W; i += W) store(to + i, load<R>(to + i) + load<R>(from + i));
  for (; i < size; ++i) to[i] += from[i];
}

template <int W>
void load_rows(RowsView from, double* out, int64_t size, int64_t rows, int64_t stride) {
  const auto* doubles = static_cast<const double*>(from.data);
  const auto* floats = static_cast<const float*>(from.data);
  if (!from.is_float && from.component_step == 1) {
    transpose(doubles, from.row_step, rows, size, out, stride);
  } else {
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t w = 0; w < rows; ++w) {
        const int64_t at = w * from.row_step + i * from.component_step;
        out[i * stride + w] = from.is_float ? double{floats[at]} : doubles[at];
      }
    }
  }
  for (int64_t i = 0; i < size; ++i) {
    for (int64_t w = rows; w < stride; ++w)
      out[i * stride + w] = out[i * stride + rows - 1];
  }
}

template <int W>
void store_rows(const double* tile, double* to, int64_t row_step, int64_t component_step,
                bool add, int64_t size, int64_t rows, int64_t stride) {
  if (!add && component_step == 1) {
    return transpose(tile, stride, size, rows, to, row_step);
  }
  if (component_step != 1) {
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t w = 0; w < rows; ++w) {
        double& target = to[w * row_step + i * component_step];
        target = (add ? target : 0.0) + tile[i * stride + w];
      }
    }
    return;
  }
  constexpr int64_t block = transpose_block;
  double part[block * block];
  for (int64_t i = 0; i < size; i += block) {
    const int64_t m = size - i < block ? size - i : block;
    for (int64_t w = 0; w < rows; w += block) {
      const int64_t n = rows - w < block ? rows - w : block;
      transpose(tile + i * stride + w, stride, m, n, part, block);
      for (int64_t q = 0; q < n; ++q) {
        double* const target = to + (w + q) * row_step + i;
        for (int64_t p = 0; p < m; ++p) target[p] += part[q * block + p];
      }
    }
  }
}

// Inverse, ln|det| and sign by Gauss-Jordan elimination in place with partial pivoting.
// Each lane has its own pivots: rows are exchanged by selects, the columns of the inverse
// exchanged back at the end. A singular lane ends in infinities or NaN, and only that
// lane.
template <int W>
void factor(const double* a, double* out, double* work, int64_t n, int64_t stride) {
  using R = Pack<W>;
  const auto at = [n, work](int64_t i, int64_t j) { return work + (i * n + j) * W; };
  double* const pivots = work + n * n * W;
  const auto exchange = [](mask_t<R> where, double* p, double* q) {
    const R x = load<R>(p), y = load<R>(q);
    store(p, select(where, y, x));
    store(q, select(where, x, y));
  };
  for (int64_t w = 0; w < stride; w += W) {
    for (int64_t e = 0; e < n * n; ++e) store(work + e * W, load<R>(a + e * stride + w));
    R log_determinant(0.0), determinant_sign(1.0);
    for (int64_t k = 0; k < n; ++k) {
      R best = abs(load<R>(at(k, k))), pivot(static_cast<double>(k));
      for (int64_t i = k + 1; i < n; ++i) {
        const R size = abs(load<R>(at(i, k)));
        pivot = select(size > best, R(static_cast<double>(i)), pivot);
        best = select(size > best, size, best);
      }
      store(pivots + k * W, pivot);
      for (int64_t i = k + 1; i < n; ++i) {
        const auto here = pivot == R(static_cast<double>(i));
        if (!any(here)) continue;
        determinant_sign = select(here, -determinant_sign, determinant_sign);
        for (int64_t j = 0; j < n; ++j) exchange(here, at(k, j), at(i, j));
      }
      const R diagonal = load<R>(at(k, k));
      log_determinant = log_determinant + log(abs(diagonal));
      determinant_sign = determinant_sign * sign(diagonal);
      const R inverse = R(1.0) / diagonal;
      store(at(k, k), R(1.0));
      for (int64_t j = 0; j < n; ++j) store(at(k, j), load<R>(at(k, j)) * inverse);
      for (int64_t i = 0; i < n; ++i) {
        if (i == k) continue;
        const R below = load<R>(at(i, k));
        store(at(i, k), R(0.0));
        for (int64_t j = 0; j < n; ++j) {
          store(at(i, j), fnma(below, load<R>(at(k, j)), load<R>(at(i, j))));
        }
      }
    }
    for (int64_t k = n - 1; k >= 0; --k) {
      const R pivot = load<R>(pivots + k * W);
      for (int64_t j = k + 1; j < n; ++j) {
        const auto here = pivot == R(static_cast<double>(j));
        if (!any(here)) continue;
        for (int64_t i = 0; i < n; ++i) exchange(here, at(i, k), at(i, j));
      }
    }
    for (int64_t e = 0; e < n * n; ++e)
      store(out + e * stride + w, load<R>(work + e * W));
    store(out + n * n * stride + w, log_determinant);
    store(out + (n * n + 1) * stride + w, determinant_sign);
  }
}

template <int W>
constexpr tape::TileKernels table(const char* name) {
  return {name,
          W,
          &unary<W>,
          &affine<W>,
          &binary<W>,
          &select_kernel<W>,
          &channel_dot<W>,
          &linear<W>,
          &dense<W>,
          &pack_weights<W>,
          &matmul<W>,
          &factor<W>,
          &transpose_rows<W>,
          &row_sum<W>,
          &row_outer<W>,
          &add<W>,
          &load_rows<W>,
          &store_rows<W>};
}

}  // namespace tile
}  // namespace DROVER_ISA
}  // namespace drover
