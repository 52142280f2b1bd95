// The stack of layers whose gradients are known in integers, for the tests of vjp_sum:
// act = x W0 W1 ... W(L-1), loss = sum of act.
#pragma once

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "drover/ad/models.hpp"
#include "drover/vmc/vjp_sum.hpp"

namespace drover::vjp_testing {

inline const auto stack_model = [](auto const& W, auto x) {
  for (auto const& w : W) x = dot(x, w);
  return sum(x);
};
using Weights = std::vector<Array<double>>;

inline Array<double> ones(Array<double>::Shape shape) {
  Array<double> a(std::move(shape));
  a.fill(1.0);
  return a;
}
inline Weights weights_of_ones(std::size_t layers = 3) {
  return Weights(layers, ones({4, 4}));
}

// W_l[i][j] = ((l+1)(i+2j)) mod 5 - 2.
inline Weights varied_weights() {
  Weights W(3, Array<double>({4, 4}));
  for (int l = 0; l < 3; ++l) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        W[std::size_t(l)](i, j) = ((l + 1) * (i + 2 * j)) % 5 - 2;
    }
  }
  return W;
}
// x_i[k] = ((3i+k) mod 11) - 5, dv_i = (i mod 5) - 2 + (i mod 3).
struct Samples {
  Array<double> x;
  std::vector<double> dv;
};
inline Samples varied_samples(std::int64_t count) {
  Samples s{Array<double>({count, 4}), {}};
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t k = 0; k < 4; ++k) s.x(i, k) = double((3 * i + k) % 11 - 5);
    s.dv.push_back(double(i % 5 - 2 + i % 3));
  }
  return s;
}

inline double sum_of(const Array<double>& a) {
  return std::accumulate(a.begin(), a.end(), 0.0);
}
inline double sum_of_squares(const Weights& g) {
  double sum = 0;
  for (const auto& layer : g) {
    for (const double x : layer) sum += x * x;
  }
  return sum;
}
inline void expect_everywhere(const Weights& g, double value) {
  for (const auto& layer : g) {
    for (const double x : layer) EXPECT_EQ(x, value);
  }
}

}  // namespace drover::vjp_testing
