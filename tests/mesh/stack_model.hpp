// The model of the tests: a sample is multiplied by square matrices one after another.
//
// act = x W0 W1 ... W(L-1), loss = sum_j act_j; the gradient of dv * loss with respect to
// W_l[i][j] is a_l[i] b_(l+1)[j], with a_l the sample after l matrices, b_L = dv
// (1,...,1) and b_l = W_l b_(l+1). Integers throughout, so values are compared with ==.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "drover/mesh/map.hpp"

namespace drover::stack {

constexpr std::size_t width = 4;
using Matrix = std::array<double, width * width>;
using Weights = std::vector<Matrix>;
using Vector = std::array<double, width>;

struct Samples {
  Array<double> x;
  std::vector<double> dv;
};

inline Weights ones(std::size_t layers) {
  Weights w(layers);
  for (Matrix& matrix : w) matrix.fill(1.0);
  return w;
}

inline Samples samples_of_ones(std::int64_t count) {
  Samples s{Array<double>({count, std::int64_t(width)}),
            std::vector<double>(std::size_t(count), 1.0)};
  for (double& value : s.x) value = 1.0;
  return s;
}

// W_l[i][j] = ((l+1)(i+2j)) mod 5 - 2.
inline Weights varied_weights() {
  Weights w(3);
  for (int l = 0; l < 3; ++l) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        w[std::size_t(l)][std::size_t(4 * i + j)] = ((l + 1) * (i + 2 * j)) % 5 - 2;
      }
    }
  }
  return w;
}

// x_i[k] = ((3i+k) mod 11) - 5, dv_i = (i mod 5) - 2 + (i mod 3).
inline Samples varied_samples(std::int64_t count) {
  Samples s = samples_of_ones(count);
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < 4; ++k) {
      s.x(i, k) = double((3 * i + k) % 11 - 5);
    }
    s.dv[std::size_t(i)] = double(i % 5 - 2 + i % 3);
  }
  return s;
}

inline double loss_of(std::span<const double> x, const Weights& w) {
  Vector a{x[0], x[1], x[2], x[3]};
  for (const Matrix& matrix : w) {
    Vector next{};
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) next[j] += a[i] * matrix[width * i + j];
    }
    a = next;
  }
  return std::accumulate(a.begin(), a.end(), 0.0);
}

// The gradient of dv * loss for one sample.
inline Weights gradient_of(std::span<const double> x, double dv, const Weights& w) {
  std::vector<Vector> a(w.size() + 1);
  a[0] = {x[0], x[1], x[2], x[3]};
  for (std::size_t l = 0; l < w.size(); ++l) {
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        a[l + 1][j] += a[l][i] * w[l][width * i + j];
      }
    }
  }
  Weights gradient(w.size());
  Vector b{dv, dv, dv, dv};
  for (std::size_t l = w.size(); l-- > 0;) {
    Vector before{};
    for (std::size_t i = 0; i < width; ++i) {
      for (std::size_t j = 0; j < width; ++j) {
        gradient[l][width * i + j] = a[l][i] * b[j];
        before[i] += w[l][width * i + j] * b[j];
      }
    }
    b = before;
  }
  return gradient;
}

// The summed gradient over all samples, a row at a time, and the loss of each sample.
inline Unreduced<Weights> sum_gradients(const Weights& weights,
                                        const Sharded<Array<double>>& x,
                                        const Sharded<std::vector<double>>& dv,
                                        std::int64_t microbatch) {
  return map_sum(
      {.microbatch = microbatch, .label = "gradient"}, [&] { return weights; },
      [](const Batch& batch, RowSpan<const double> rows,
         std::span<const double> cotangents, const Weights& w,
         Accumulator<Weights>& sum) {
        for (std::int64_t i = 0; i < batch.size(); ++i) {
          sum.add(gradient_of(rows[i], cotangents[std::size_t(i)], w));
        }
      },
      x, dv, shared(weights));
}

inline double sum_of(const Matrix& matrix) {
  return std::accumulate(matrix.begin(), matrix.end(), 0.0);
}
inline double sum_of_squares(const Weights& w) {
  double sum = 0.0;
  for (const Matrix& matrix : w) {
    for (const double value : matrix) sum += value * value;
  }
  return sum;
}

}  // namespace drover::stack
