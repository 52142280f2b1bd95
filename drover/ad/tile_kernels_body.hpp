// The bodies of the elementwise kernels and the layer products; included by
// tile_kernels_v3.cpp and tile_kernels_v4.cpp only.
//
// Lanes are rows, so no operation mixes rows except the sums over rows at the end of a
// pullback (tile_kernels_sums.hpp), whose chains run row by row whatever the lane count.
#pragma once

#include <cstdint>

#include "drover/ad/elementary.hpp"
#include "drover/ad/tile_kernels.hpp"
#include "drover/core/isa.hpp"
#include "drover/core/math.hpp"
#include "drover/core/pack.hpp"

namespace drover {
inline namespace DROVER_ISA {
namespace tile {

using std::int64_t;
using tape::BinaryOp;
using tape::Operand;
using tape::SparseRows;
using tape::UnaryOp;
using tape::Weights;

// One component of an operand, readable at any row: either a pointer or one number.
template <class R>
struct Component {
  const double* data;
  R value;
  bool shared;
  DROVER_INLINE Component(const Operand& o, int64_t index, int64_t stride)
      : data(o.data + (o.shared ? index : index * stride)),
        value(o.shared ? R(*data) : R(0.0)),
        shared(o.shared) {}
  DROVER_INLINE R at(int64_t w) const { return shared ? value : load<R>(data + w); }
};

template <int W, class F>
DROVER_INLINE void map_components(const F& f, const Operand& x, double* out, int64_t size,
                                  int64_t stride) {
  using R = Pack<W>;
  if (!x.shared) {
    for (int64_t i = 0; i < size * stride; i += W) store(out + i, f(load<R>(x.data + i)));
    return;
  }
  for (int64_t i = 0; i < size; ++i) {
    const R y = f(R(x.data[i]));
    for (int64_t w = 0; w < stride; w += W) store(out + i * stride + w, y);
  }
}

template <int W>
void unary(UnaryOp f, int power, Operand x, double* out, int64_t size, int64_t stride) {
  using R = Pack<W>;
  const auto run = [&](const auto& g) { map_components<W>(g, x, out, size, stride); };
  switch (f) {
    case UnaryOp::exp:
      return run([](R a) { return exp(a); });
    case UnaryOp::expm1:
      return run([](R a) { return expm1(a); });
    case UnaryOp::log:
      return run([](R a) { return log(a); });
    case UnaryOp::log1p:
      return run([](R a) { return log1p(a); });
    case UnaryOp::sqrt:
      return run([](R a) { return sqrt(a); });
    case UnaryOp::reciprocal:
      return run([](R a) { return R(1.0) / a; });
    case UnaryOp::tanh:
      return run([](R a) { return tanh(a); });
    case UnaryOp::sin:
      return run([](R a) { return Sin::derivatives<0>(a)[0]; });
    case UnaryOp::cos:
      return run([](R a) { return Cos::derivatives<0>(a)[0]; });
    case UnaryOp::logistic:
      return run([](R a) { return logistic(a); });
    case UnaryOp::softplus:
      return run([](R a) { return softplus(a); });
    case UnaryOp::abs:
      return run([](R a) { return abs(a); });
    case UnaryOp::sign:
      return run([](R a) { return sign(a); });
    case UnaryOp::square:
      return run([](R a) { return a * a; });
    case UnaryOp::one_minus_square:
      return run([](R a) { return fnma(a, a, R(1.0)); });
    case UnaryOp::power:
      return run([power](R a) { return integer_power(a, power); });
  }
}

template <int W>
void affine(double scale, double shift, Operand x, double* out, int64_t size,
            int64_t stride) {
  using R = Pack<W>;
  map_components<W>([=](R a) { return fma(R(scale), a, R(shift)); }, x, out, size,
                    stride);
}

DROVER_INLINE int64_t component(const Operand& o, int64_t c, int64_t i, int64_t j) {
  return c * o.step[0] + i * o.step[1] + j * o.step[2];
}

template <int W, class F>
DROVER_INLINE void map_pairs(const F& f, const Operand& a, const Operand& b, double* out,
                             const int64_t extent[3], int64_t stride) {
  using R = Pack<W>;
  for (int64_t c = 0; c < extent[0]; ++c) {
    for (int64_t i = 0; i < extent[1]; ++i) {
      for (int64_t j = 0; j < extent[2]; ++j, out += stride) {
        const Component<R> x(a, component(a, c, i, j), stride);
        const Component<R> y(b, component(b, c, i, j), stride);
        if (!x.shared && !y.shared) {
          for (int64_t w = 0; w < stride; w += W) {
            store(out + w, f(load<R>(x.data + w), load<R>(y.data + w)));
          }
        } else {
          for (int64_t w = 0; w < stride; w += W) store(out + w, f(x.at(w), y.at(w)));
        }
      }
    }
  }
}

template <int W>
void binary(BinaryOp f, Operand a, Operand b, double* out, const int64_t extent[3],
            int64_t stride) {
  using R = Pack<W>;
  const auto run = [&](const auto& g) { map_pairs<W>(g, a, b, out, extent, stride); };
  const auto truth = [](auto mask) { return select(mask, R(1.0), R(0.0)); };
  switch (f) {
    case BinaryOp::add:
      return run([](R x, R y) { return x + y; });
    case BinaryOp::subtract:
      return run([](R x, R y) { return x - y; });
    case BinaryOp::multiply:
      return run([](R x, R y) { return x * y; });
    case BinaryOp::divide:
      return run([](R x, R y) { return x / y; });
    case BinaryOp::less:
      return run([&](R x, R y) { return truth(x < y); });
    case BinaryOp::less_equal:
      return run([&](R x, R y) { return truth(x <= y); });
    case BinaryOp::equal:
      return run([&](R x, R y) { return truth(x == y); });
    case BinaryOp::multiply_one_minus_square:
      return run([](R x, R y) { return x * fnma(y, y, R(1.0)); });
  }
}

template <int W>
void select_kernel(Operand mask, Operand a, Operand b, double* out,
                   const int64_t extent[3], int64_t stride) {
  using R = Pack<W>;
  for (int64_t c = 0; c < extent[0]; ++c) {
    for (int64_t i = 0; i < extent[1]; ++i) {
      for (int64_t j = 0; j < extent[2]; ++j, out += stride) {
        const Component<R> m(mask, component(mask, c, i, j), stride);
        const Component<R> x(a, component(a, c, i, j), stride);
        const Component<R> y(b, component(b, c, i, j), stride);
        for (int64_t w = 0; w < stride; w += W) {
          store(out + w, select(m.at(w) != R(0.0), x.at(w), y.at(w)));
        }
      }
    }
  }
}

template <int W>
void channel_dot(Operand a, Operand b, double* out, const int64_t extent[3],
                 int64_t stride) {
  using R = Pack<W>;
  for (int64_t i = 0; i < extent[1]; ++i) {
    for (int64_t j = 0; j < extent[2]; ++j, out += stride) {
      for (int64_t w = 0; w < stride; w += W) {
        R sum(0.0);
        for (int64_t c = 0; c < extent[0]; ++c) {
          const Component<R> x(a, component(a, c, i, j), stride);
          const Component<R> y(b, component(b, c, i, j), stride);
          sum = fma(x.at(w), y.at(w), sum);
        }
        store(out + w, sum);
      }
    }
  }
}

template <int W>
void linear(SparseRows s, Operand x, double* out, int64_t channels, int64_t stride) {
  using R = Pack<W>;
  for (int64_t c = 0; c < channels; ++c) {
    for (int64_t i = 0; i < s.rows; ++i, out += stride) {
      const int64_t first = s.start[i], last = s.start[i + 1];
      if (last == first + 1 &&
          s.coefficient[first] == 1.0) {  // most maps only move numbers
        const Component<R> y(x, c * s.columns + s.index[first], stride);
        for (int64_t w = 0; w < stride; w += W) store(out + w, y.at(w));
        continue;
      }
      for (int64_t w = 0; w < stride; w += W) {
        R sum(0.0);
        for (int64_t e = first; e < last; ++e) {
          const Component<R> y(x, c * s.columns + s.index[e], stride);
          sum = fma(R(s.coefficient[e]), y.at(w), sum);
        }
        store(out + w, sum);
      }
    }
  }
}

// V vectors of rows times J columns of the layer, kept in registers over the inner index.
template <int W, int V, int J>
DROVER_INLINE void dense_block(const double* const* x, const double* w, int64_t w_row,
                               int64_t w_column, const double* bias, double* const* out,
                               int64_t inner, int64_t stride) {
  using R = Pack<W>;
  R sum[V][J];
  for (int j = 0; j < J; ++j) {
    const R start(bias ? bias[j] : 0.0);
    for (int v = 0; v < V; ++v) sum[v][j] = start;
  }
  for (int64_t k = 0; k < inner; ++k) {
    R row[V];
    for (int v = 0; v < V; ++v) row[v] = load<R>(x[v] + k * stride);
    for (int j = 0; j < J; ++j) {
      const R weight(w[k * w_row + j * w_column]);
      for (int v = 0; v < V; ++v) sum[v][j] = fma(row[v], weight, sum[v][j]);
    }
  }
  for (int j = 0; j < J; ++j) {
    for (int v = 0; v < V; ++v) store(out[v] + j * stride, sum[v][j]);
  }
}

// Register blocks: 24 sums of 32 registers with AVX-512, 12 of 16 with AVX2.
#if defined(__AVX512F__) && defined(__AVX512VL__)
inline constexpr int block_vectors = 4;
#else
inline constexpr int block_vectors = 2;
#endif
inline constexpr int block_columns = 6;

// Calls block<J>(j) for blocks of J = 6, then 4, 2 and 1 columns from j on.
template <class F>
DROVER_INLINE void column_blocks(int64_t columns, const F& block) {
  int64_t j = 0;
  for (; columns - j >= block_columns; j += block_columns) {
    block.template operator()<block_columns>(j);
  }
  if (columns - j >= 4) {
    block.template operator()<4>(j);
    j += 4;
  }
  if (columns - j >= 2) {
    block.template operator()<2>(j);
    j += 2;
  }
  if (columns - j >= 1) block.template operator()<1>(j);
}

template <int W>
void pack_weights(Weights w, double* packed, int64_t inner, int64_t columns) {
  column_blocks(columns, [&]<int J>(int64_t j) {
    for (int64_t k = 0; k < inner; ++k) {
      for (int q = 0; q < J; ++q) {
        *packed++ = w.data[k * w.row_step + (j + q) * w.column_step];
      }
    }
  });
}

template <int W, int V>
DROVER_INLINE void dense_columns(const double* const* x, const Weights& w,
                                 const double* bias, double* const* out, int64_t inner,
                                 int64_t columns, int64_t stride) {
  column_blocks(columns, [&]<int J>(int64_t j) {
    double* to[V];
    for (int v = 0; v < V; ++v) to[v] = out[v] + j * stride;
    const double* const start = bias ? bias + j : nullptr;
    if (w.packed) {
      dense_block<W, V, J>(x, w.data + j * inner, J, 1, start, to, inner, stride);
    } else {
      dense_block<W, V, J>(x, w.data + j * w.column_step, w.row_step, w.column_step,
                           start, to, inner, stride);
    }
  });
}

template <int W>
void dense(const double* x, Weights w, const double* bias, double* out, int64_t vectors,
           int64_t inner, int64_t columns, int64_t stride) {
  const int64_t each = stride / W;
  const int64_t total = vectors * each;
  const double* from[block_vectors];
  double* to[block_vectors];
  for (int64_t q = 0; q < total;) {
    const int64_t left = total - q;
    const int use = left >= block_vectors ? block_vectors : (left >= 2 ? 2 : 1);
    for (int v = 0; v < use; ++v) {
      const int64_t vector = (q + v) / each, at = (q + v) % each * W;
      from[v] = x + vector * inner * stride + at;
      to[v] = out + vector * columns * stride + at;
    }
    if (use == block_vectors) {
      dense_columns<W, block_vectors>(from, w, bias, to, inner, columns, stride);
    } else if (use == 2) {
      dense_columns<W, 2>(from, w, bias, to, inner, columns, stride);
    } else {
      dense_columns<W, 1>(from, w, bias, to, inner, columns, stride);
    }
    q += use;
  }
}

// Four columns at a time; a shared operand is a number for all rows.
template <int W, int J>
DROVER_INLINE void matmul_block(const Operand& a, const Operand& b, double* out,
                                int64_t c0, int64_t c1, int64_t i, int64_t j,
                                int64_t inner, int64_t n, int64_t stride) {
  using R = Pack<W>;
  for (int64_t w = 0; w < stride; w += W) {
    R sum[J];
    for (int v = 0; v < J; ++v) sum[v] = R(0.0);
    for (int64_t c = c0; c < c1; ++c) {
      for (int64_t k = 0; k < inner; ++k) {
        const R x = Component<R>(a, component(a, c, i, k), stride).at(w);
        for (int v = 0; v < J; ++v) {
          const R y = Component<R>(b, component(b, c, k, j + v), stride).at(w);
          sum[v] = fma(x, y, sum[v]);
        }
      }
    }
    for (int v = 0; v < J; ++v) store(out + (i * n + j + v) * stride + w, sum[v]);
  }
}

template <int W>
void matmul(Operand a, Operand b, double* out, int64_t channels, int64_t m, int64_t inner,
            int64_t n, bool sum_channels, int64_t stride) {
  const int64_t outer = sum_channels ? 1 : channels;
  for (int64_t c = 0; c < outer; ++c, out += m * n * stride) {
    const int64_t c0 = sum_channels ? 0 : c, c1 = sum_channels ? channels : c + 1;
    for (int64_t i = 0; i < m; ++i) {
      int64_t j = 0;
      for (; j + 4 <= n; j += 4)
        matmul_block<W, 4>(a, b, out, c0, c1, i, j, inner, n, stride);
      for (; j < n; ++j) matmul_block<W, 1>(a, b, out, c0, c1, i, j, inner, n, stride);
    }
  }
}

}  // namespace tile
}  // namespace DROVER_ISA
}  // namespace drover
