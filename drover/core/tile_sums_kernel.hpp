// Register-blocked sums over the walkers of a tile (tile_sums.hpp), for one instruction
// set.
//
// Lanes run over rows: a panel of three packs of rows is turned to [walker][row],
// weighted on the way, and stays in L1; the other rows are read where they are, one
// number broadcast at a time. A block of accumulators (3 packs x 8 rows with AVX-512, 3 x
// 4 with AVX2) holds whole sums over the 64 walkers, so nothing is ever folded across
// lanes.
#pragma once

#include <cstring>

#include "drover/core/pack.hpp"
#include "drover/core/tile_sums.hpp"

namespace drover {

// The builds of the kernels (tile_sums_v3.cpp, tile_sums_v4.cpp).
struct TileSumKernels {
  void (*gram)(const double* y, int rows, const double* weight, double* out, TileSum);
  void (*cross)(const double* a, int rows_a, const double* b, int rows_b,
                const double* weight, double* out, TileSum);
  void (*row_sums)(const double* y, int rows, const double* weight, double* out, TileSum);
  void (*combine)(const double* y, int rows, const double* coefficients, double* out);
};
extern const TileSumKernels tile_sum_kernels_v3, tile_sum_kernels_v4;

inline namespace DROVER_ISA {
namespace tile_sums {

using R = Pack<DROVER_ISA_LANES>;
inline constexpr int width = DROVER_ISA_LANES;
inline constexpr int panel_packs = 3;
inline constexpr int panel_rows = panel_packs * width;
inline constexpr int block_rows = width == 8 ? 8 : 4;  // of the broadcast side

struct alignas(64) Panel {
  double at[tile_walkers][panel_rows];
};

// to[w][i] = from[i][w] for a square of `width` rows and walkers.
DROVER_INLINE void transpose_square(const double* from, double* to) {
#if defined(__AVX512F__)
  // Halves of rows (i | i + 2) side by side make both exchanges plain two-source
  // shuffles.
  for (int half = 0; half < 2; ++half) {
    const double* f = from + 4 * half;
    const auto rows = [f](int i) {
      const __m512d low = _mm512_castpd256_pd512(_mm256_loadu_pd(f + i * tile_walkers));
      return _mm512_maskz_insertf64x4(0xff, low,
                                      _mm256_loadu_pd(f + (i + 2) * tile_walkers), 1);
    };
    const __m512d r02 = rows(0), r13 = rows(1), r46 = rows(4), r57 = rows(5);
    const __m512d even_low = _mm512_maskz_unpacklo_pd(0xff, r02, r13);
    const __m512d odd_low = _mm512_maskz_unpackhi_pd(0xff, r02, r13);
    const __m512d even_high = _mm512_maskz_unpacklo_pd(0xff, r46, r57);
    const __m512d odd_high = _mm512_maskz_unpackhi_pd(0xff, r46, r57);
    double* t = to + 4 * half * panel_rows;
    _mm512_storeu_pd(t, _mm512_maskz_shuffle_f64x2(0xff, even_low, even_high, 0x88));
    _mm512_storeu_pd(t + panel_rows,
                     _mm512_maskz_shuffle_f64x2(0xff, odd_low, odd_high, 0x88));
    _mm512_storeu_pd(t + 2 * panel_rows,
                     _mm512_maskz_shuffle_f64x2(0xff, even_low, even_high, 0xdd));
    _mm512_storeu_pd(t + 3 * panel_rows,
                     _mm512_maskz_shuffle_f64x2(0xff, odd_low, odd_high, 0xdd));
  }
#elif defined(__AVX2__)
  const __m256d r0 = _mm256_loadu_pd(from), r1 = _mm256_loadu_pd(from + tile_walkers);
  const __m256d r2 = _mm256_loadu_pd(from + 2 * tile_walkers);
  const __m256d r3 = _mm256_loadu_pd(from + 3 * tile_walkers);
  const __m256d a = _mm256_unpacklo_pd(r0, r1), b = _mm256_unpackhi_pd(r0, r1);
  const __m256d c = _mm256_unpacklo_pd(r2, r3), d = _mm256_unpackhi_pd(r2, r3);
  _mm256_storeu_pd(to, _mm256_permute2f128_pd(a, c, 0x20));
  _mm256_storeu_pd(to + panel_rows, _mm256_permute2f128_pd(b, d, 0x20));
  _mm256_storeu_pd(to + 2 * panel_rows, _mm256_permute2f128_pd(a, c, 0x31));
  _mm256_storeu_pd(to + 3 * panel_rows, _mm256_permute2f128_pd(b, d, 0x31));
#else
  for (int w = 0; w < width; ++w)
    for (int i = 0; i < width; ++i) to[w * panel_rows + i] = from[i * tile_walkers + w];
#endif
}

// Packs of a panel that hold some of `rows` rows.
DROVER_INLINE int packs_of(int rows) {
  const int packs = (rows + width - 1) / width;
  return packs < panel_packs ? packs : panel_packs;
}

// Rows [first, first + panel_rows) of y, times the weight of each walker; rows from
// `rows` on become zero.
DROVER_INLINE void fill_panel(const double* y, int first, int rows, const double* weight,
                              Panel& panel) {
  for (int pack = 0; pack < packs_of(rows - first); ++pack) {
    const int row = first + pack * width;
    if (row + width <= rows) {
      for (int w = 0; w < tile_walkers; w += width)
        transpose_square(y + std::int64_t(row) * tile_walkers + w,
                         &panel.at[w][pack * width]);
    } else {
      alignas(64) double rest[width * tile_walkers] = {};
      const int left = rows - row;
      if (left > 0)
        std::memcpy(rest, y + std::int64_t(row) * tile_walkers,
                    sizeof(double) * std::size_t(left) * tile_walkers);
      for (int w = 0; w < tile_walkers; w += width)
        transpose_square(rest + w, &panel.at[w][pack * width]);
    }
  }
  if (weight != nullptr)
    for (int w = 0; w < tile_walkers; ++w)
      for (int pack = 0; pack < packs_of(rows - first); ++pack) {
        double* p = &panel.at[w][pack * width];
        store(p, R(weight[w]) * load<R>(p));
      }
}

// f.operator()<Rows>(first): blocks of block_rows rows from `first` on, the last one
// shorter.
template <int Rows, class F>
DROVER_INLINE void remaining_rows(int first, int left, const F& f) {
  if constexpr (Rows > 0) {
    if (left == Rows) return f.template operator()<Rows>(first);
    remaining_rows<Rows - 1>(first, left, f);
  }
}
template <class F>
DROVER_INLINE void for_blocks_of_rows(int first, int end, const F& f) {
  for (; first + block_rows <= end; first += block_rows)
    f.template operator()<block_rows>(first);
  remaining_rows<block_rows - 1>(first, end - first, f);
}

// sum[j][k] = sums over the walkers of panel pack k times row j of y.
template <int Packs, int Rows>
struct Block {
  R sum[Rows][Packs];
};
template <int Packs, int Rows>
DROVER_INLINE void multiply(const Panel& panel, const double* y, Block<Packs, Rows>& b) {
#pragma GCC unroll 8
  for (int j = 0; j < Rows; ++j)
#pragma GCC unroll 3
    for (int k = 0; k < Packs; ++k) b.sum[j][k] = R(0.0);
#pragma GCC unroll 1
  for (int w = 0; w < tile_walkers; ++w) {
    R p[Packs];
#pragma GCC unroll 3
    for (int k = 0; k < Packs; ++k) p[k] = load<R>(&panel.at[w][k * width]);
#pragma GCC unroll 8
    for (int j = 0; j < Rows; ++j) {
      const R v(y[j * tile_walkers + w]);
#pragma GCC unroll 3
      for (int k = 0; k < Packs; ++k) b.sum[j][k] = fma(p[k], v, b.sum[j][k]);
    }
  }
}

// The first `count` lanes of a sum to out, count > 0.
DROVER_INLINE void write(R sum, int count, double* out, TileSum mode) {
#if defined(__AVX512F__)
  const __mmask8 wanted = count >= width ? __mmask8(0xff) : __mmask8((1 << count) - 1);
  const __m512d old = mode == TileSum::accumulate ? _mm512_maskz_loadu_pd(wanted, out)
                                                  : _mm512_setzero_pd();
  const R result = mode == TileSum::accumulate ? R(old) + sum : sum;
  _mm512_mask_storeu_pd(out, wanted, result.v);
#else
  if (count >= width)
    return store(out, mode == TileSum::accumulate ? load<R>(out) + sum : sum);
#pragma GCC unroll 1
  for (int i = 0; i < count; ++i)
    out[i] = mode == TileSum::accumulate ? out[i] + sum[i] : sum[i];
#endif
}

// One block of `Packs` packs of panel rows against `Rows` rows of y; place(j) says where
// the sums with row j go, lanes(j) how many of them are wanted.
template <int Packs, int Rows, class Lanes, class Place>
DROVER_INLINE void block(const Panel& panel, const double* y, TileSum mode, Lanes lanes,
                         Place place) {
  Block<Packs, Rows> b;
  multiply(panel, y, b);
#pragma GCC unroll 8
  for (int j = 0; j < Rows; ++j) {
    double* const out = place(j);
    const int wanted = lanes(j);
#pragma GCC unroll 3
    for (int k = 0; k < Packs; ++k)
      if (wanted > k * width)
        write(b.sum[j][k], wanted - k * width, out + k * width, mode);
  }
}

template <int Rows, class Lanes, class Place>
DROVER_INLINE void block_of(int packs, const Panel& panel, const double* y, TileSum mode,
                            Lanes lanes, Place place) {
  switch (packs) {
    case 1:
      return block<1, Rows>(panel, y, mode, lanes, place);
    case 2:
      return block<2, Rows>(panel, y, mode, lanes, place);
    default:
      return block<3, Rows>(panel, y, mode, lanes, place);
  }
}

DROVER_INLINE void gram(const double* y, int rows, const double* weight, double* out,
                        TileSum mode) {
  Panel panel;
  for (int first = 0; first < rows; first += panel_rows) {
    fill_panel(y, first, rows, weight, panel);
    // Columns b from the panel's first row on; only packs with rows a <= b are computed.
    const auto columns = [&]<int Rows>(int b0) {
      const auto lanes = [&](int j) { return b0 + j - first + 1; };
      const auto place = [&](int j) { return out + packed_index(first, b0 + j); };
      block_of<Rows>(packs_of(b0 + Rows - first), panel,
                     y + std::int64_t(b0) * tile_walkers, mode, lanes, place);
    };
    for_blocks_of_rows(first, rows, columns);
  }
}

DROVER_INLINE void cross(const double* a, int rows_a, const double* b, int rows_b,
                         const double* weight, double* out, TileSum mode) {
  Panel panel;
  for (int first = 0; first < rows_b; first += panel_rows) {
    fill_panel(b, first, rows_b, weight, panel);
    const int left = rows_b - first;
    const auto rows = [&]<int Rows>(int i0) {
      const auto lanes = [&](int) { return left; };
      const auto place = [&](int j) {
        return out + std::int64_t(i0 + j) * rows_b + first;
      };
      block_of<Rows>(packs_of(left), panel, a + std::int64_t(i0) * tile_walkers, mode,
                     lanes, place);
    };
    for_blocks_of_rows(0, rows_a, rows);
  }
}

DROVER_INLINE void row_sums(const double* y, int rows, const double* weight, double* out,
                            TileSum mode) {
  alignas(64) double ones[tile_walkers];
  for (double& one : ones) one = 1.0;
  cross(weight != nullptr ? weight : ones, 1, y, rows, nullptr, out, mode);
}

// Sixteen walkers of all rows at a time, so that their sums stay in registers.
DROVER_INLINE void combine(const double* y, int rows, const double* coefficients,
                           double* out) {
  constexpr int packs = 16 / width;
  for (int w = 0; w < tile_walkers; w += 16) {
    R sum[packs];
#pragma GCC unroll 4
    for (int k = 0; k < packs; ++k) sum[k] = R(0.0);
#pragma GCC unroll 1
    for (int a = 0; a < rows; ++a) {
      const R c(coefficients[a]);
      const double* row = y + std::int64_t(a) * tile_walkers + w;
#pragma GCC unroll 4
      for (int k = 0; k < packs; ++k) sum[k] = fma(c, load<R>(row + k * width), sum[k]);
    }
#pragma GCC unroll 4
    for (int k = 0; k < packs; ++k) store(out + w + k * width, sum[k]);
  }
}

}  // namespace tile_sums
}  // namespace DROVER_ISA
}  // namespace drover
