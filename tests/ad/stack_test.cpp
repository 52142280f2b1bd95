// The stack of layers whose gradients are known in integers: every number below is exact,
// so
// == is asked for. act = x W0 W1 ... W(L-1), loss = sum of act; the gradient of
// sum_i dv_i loss_i on one device.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "drover/ad/models.hpp"
#include "drover/ad/vjp.hpp"

namespace {

using drover::accumulate;
using drover::Array;
using drover::give;
using drover::skip;
using drover::vjp;

const auto stack = [](auto const& W, auto x) {
  for (auto const& w : W) x = dot(x, w);
  return sum(x);
};
using Weights = std::vector<Array<double>>;

Array<double> ones(std::vector<std::int64_t> shape) {
  Array<double> a(std::move(shape));
  a.fill(1.0);
  return a;
}
Weights ones_weights() {
  return Weights(3, ones({4, 4}));
}

Weights known_weights() {
  Weights W(3, Array<double>({4, 4}));
  for (int l = 0; l < 3; ++l) {
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) {
        W[unsigned(l)](i, j) = ((l + 1) * (i + 2 * j)) % 5 - 2;
      }
    }
  }
  return W;
}
Array<double> known_samples(int n, int first = 0) {
  Array<double> x({n, 4});
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < 4; ++k) x(i, k) = (3 * (first + i) + k) % 11 - 5;
  }
  return x;
}
std::vector<double> known_cotangents(int n, int first = 0) {
  std::vector<double> dv;
  for (int i = first; i < first + n; ++i) dv.push_back(i % 5 - 2 + i % 3);
  return dv;
}
double sum_of(const Array<double>& a) {
  return std::accumulate(a.begin(), a.end(), 0.0);
}
double sum_of_squares(const Weights& g) {
  double sum = 0;
  for (const auto& layer : g) {
    for (const double x : layer) sum += x * x;
  }
  return sum;
}
void expect_layer_sums(const Weights& g, std::array<double, 3> expected) {
  for (unsigned l = 0; l < 3; ++l) EXPECT_EQ(sum_of(g[l]), expected[l]) << "layer " << l;
}

TEST(Stack, of_ones_has_losses_of_256_and_gradients_of_2240_over_five_microbatches) {
  Weights total(3, Array<double>({4, 4}));
  for (int batch = 0; batch < 5; ++batch) {
    auto [value, pullback] = vjp(stack, ones_weights(), ones({28, 4}));
    ASSERT_EQ(value.size(), 28);
    for (const double loss : value) EXPECT_EQ(loss, 256.0);
    pullback(ones({28}), accumulate(total), skip);
  }
  for (const auto& layer : total) {
    for (const double g : layer) EXPECT_EQ(g, 2240.0);
  }
  // One device of four: 35 samples.
  auto device = vjp(stack, ones_weights(), ones({35, 4}));
  for (const auto& layer : device.pullback(ones({35}), give, skip).params) {
    for (const double g : layer) EXPECT_EQ(g, 560.0);
  }
}

TEST(Stack, with_known_weights_has_the_known_gradient) {
  const auto dv = known_cotangents(140);
  auto [value, pullback] = vjp(stack, known_weights(), known_samples(140));
  const auto pulled = pullback(dv, give, give);
  const double g0[] = {150, -150, -75, 125, -72, 72,   36,  -60,
                       -96, 96,   48,  -80, 144, -144, -72, 120};
  const double g1[] = {28,   0, -28, 14,  184, 0, -184, 92,
                       -180, 0, 180, -90, -14, 0, 14,   -7};
  const double g2[] = {201, 201, 201, 201, 140,  140,  140,  140,
                       184, 184, 184, 184, -267, -267, -267, -267};
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(pulled.params[0][i], g0[i]);
    EXPECT_EQ(pulled.params[1][i], g1[i]);
    EXPECT_EQ(pulled.params[2][i], g2[i]);
  }
  expect_layer_sums(pulled.params, {42, 9, 1032});
  EXPECT_EQ(sum_of_squares(pulled.params), 981571);
  EXPECT_EQ(std::accumulate(dv.begin(), dv.end(), 0.0), 139);
  EXPECT_EQ(sum_of(value), 98);
  EXPECT_EQ(std::inner_product(dv.begin(), dv.end(), value.begin(), 0.0), 233);
  // The samples' own cotangents, by hand: dv_i (W0 W1 W2 1).
  const Weights W = known_weights();
  std::array<double, 4> right{1, 1, 1, 1};
  for (int l = 2; l >= 0; --l) {
    std::array<double, 4> next{};
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        next[unsigned(i)] += W[unsigned(l)](i, j) * right[unsigned(j)];
    }
    right = next;
  }
  for (int i = 0; i < 140; ++i) {
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(pulled.x(i, k), dv[unsigned(i)] * right[unsigned(k)]);
  }
}

TEST(Stack, has_the_known_partial_of_each_of_four_shards) {
  const double expected[4][3] = {
      {4, 28, 924}, {48, 34, -848}, {-26, -103, 436}, {16, 50, 520}};
  for (int d = 0; d < 4; ++d) {
    auto shard = vjp(stack, known_weights(), known_samples(35, 35 * d));
    const auto g = shard.pullback(known_cotangents(35, 35 * d), give, skip).params;
    expect_layer_sums(g, {expected[d][0], expected[d][1], expected[d][2]});
  }
}

TEST(Stack, has_the_known_gradients_of_uneven_sample_counts) {
  const auto gradient = [](int n) {
    auto result = vjp(stack, known_weights(), known_samples(n));
    return result.pullback(known_cotangents(n), give, skip).params;
  };
  expect_layer_sums(gradient(142), {30, 14, 1052});
  EXPECT_EQ(sum_of_squares(gradient(142)), 1027584);
  expect_layer_sums(gradient(13), {-60, -12, 504});
  EXPECT_EQ(sum_of_squares(gradient(13)), 319936);
  expect_layer_sums(gradient(3), {96, 0, -240});
  expect_layer_sums(gradient(0), {0, 0, 0});
}

TEST(Stack, mean_of_a_microbatch_accumulates_20_and_the_mean_of_all_is_4) {
  const auto outputs = [](auto const& W, auto x) {
    for (auto const& w : W) x = dot(x, w);
    return x;
  };
  Weights total(3, Array<double>({4, 4}));
  for (int batch = 0; batch < 5; ++batch) {
    auto result = vjp(outputs, ones_weights(), ones({7, 4}));
    EXPECT_EQ(result.value.shape(), (std::vector<std::int64_t>{7, 4}));
    Array<double> cotangent = ones({7, 4});
    cotangent.fill(1.0 / 28.0);
    result.pullback(cotangent, accumulate(total), skip);
  }
  auto all = vjp(outputs, ones_weights(), ones({35, 4}));
  Array<double> cotangent = ones({35, 4});
  cotangent.fill(1.0 / 140.0);
  const auto mean = all.pullback(cotangent, give, skip).params;
  // 1/28 and 1/140 are rounded; their sums over samples are within a few ulp.
  for (unsigned l = 0; l < 3; ++l) {
    for (int i = 0; i < 16; ++i) {
      EXPECT_DOUBLE_EQ(total[l][i], 20.0);
      EXPECT_DOUBLE_EQ(mean[l][i], 4.0);
    }
  }
}

TEST(Sinks, accumulate_adds_to_what_the_buffer_holds) {
  // One sample of ones, one layer: the gradient of sum(x W) is 1 everywhere; times 4.
  const auto layer = [](auto const& W, auto x) { return sum(dot(x, W)); };
  Array<double> buffer = ones({4, 4}), rows = ones({1, 4});
  buffer.fill(100.0);
  rows.fill(100.0);
  auto result = vjp(layer, ones({4, 4}), ones({1, 4}));
  const std::vector<double> four = {4.0}, one = {1.0};
  result.pullback(four, accumulate(buffer), skip);
  for (const double g : buffer) EXPECT_EQ(g, 104.0);
  result.pullback(one, skip, accumulate(rows));
  for (const double g : rows) EXPECT_EQ(g, 104.0);
}

TEST(Sinks, skip_drops_a_dot_products_pullback_from_two_products_to_one) {
  const auto layer = [](auto const& W, auto x) { return sum(dot(x, W)); };
  auto result = vjp(layer, ones({4, 3}), ones({5, 4}));
  const auto dv = ones({5});
  const auto both = result.pullback(dv, give, give).work;
  EXPECT_EQ(both.products, 2);
  EXPECT_EQ(both.multiply_adds, 2 * 5 * 4 * 3);
  const auto weights = result.pullback(dv, give, skip).work;
  EXPECT_EQ(weights.products, 1);
  EXPECT_EQ(weights.multiply_adds, 5 * 4 * 3);
  EXPECT_EQ(result.pullback(dv, skip, give).work.products, 1);
  EXPECT_EQ(result.pullback(dv, skip, skip).work.products, 0);
}

TEST(Sinks, refuse_buffers_and_cotangents_of_another_size) {
  auto result = vjp(stack, ones_weights(), ones({5, 4}));
  Weights small(2, Array<double>({4, 4}));
  EXPECT_THROW(result.pullback(ones({5}), accumulate(small), skip), drover::Error);
  EXPECT_THROW(result.pullback(ones({4}), give, skip), drover::Error);
}

TEST(Stack, refuses_weights_that_do_not_fit_and_says_both_shapes) {
  try {
    vjp(stack, Weights(2, ones({4, 3})), ones({5, 4}));
    FAIL() << "no error";
  } catch (const drover::Error& error) {
    EXPECT_NE(std::string(error.what()).find("(3)"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("(4 x 3)"), std::string::npos)
        << error.what();
  }
}

}  // namespace
