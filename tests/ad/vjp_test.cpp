// Reverse mode and the forward Laplacian of whole models against long double references
// (Tensor) and finite differences, and the bits: kept or fused, any microbatch, any
// kernels.
#include "drover/ad/vjp.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "drover/core/cpu.hpp"
#include "tests/ad/models.hpp"

namespace drover {
namespace {

using test::derivative;
using test::LocalEnergy;
using test::number;

template <class Model>
class ModelOf : public testing::Test {};
using Models = testing::Types<test::NeuralJastrow, test::FermiNet, test::Everything,
                              test::MatrixFunctions>;
class Names {
 public:
  template <class Model>
  static std::string GetName(int) {
    std::string name = Model::name;
    for (char& c : name) c = c == ' ' || c == '-' ? '_' : c;
    return name;
  }
};
TYPED_TEST_SUITE(ModelOf, Models, Names);

// One rounding error of double times some tens of operations on numbers of this size.
double rounding(double size) {
  return 1e-13 * (1.0 + std::fabs(size));
}
// Nine-point differences of step h = 0.002 err by h^8/630 times a derivative of order
// nine (below 1e15 for these models, which have distances and determinants near 0.05) and
// by 1e-18/h.
double difference(double size) {
  return 1e-9 * (1.0 + std::fabs(size));
}

constexpr int rows = 5;

template <class Model, class P, class X>
long double reference(const Model& model, const P& params, const X& x) {
  return model(params, x).number();
}

TYPED_TEST(ModelOf, rows_has_the_values_of_the_model_in_long_double) {
  const TypeParam model;
  const auto p = TypeParam::params();
  const auto x = TypeParam::samples(rows);
  const auto value = evaluate(model, p, x);
  ASSERT_EQ(value.size(), rows);
  for (int w = 0; w < rows; ++w) {
    const auto y = static_cast<double>(
        reference(model, params_as<long double>(p), row_as<long double>(x, w)));
    EXPECT_NEAR(value[w], y, rounding(y));
  }
}

template <class Model, class X>
void expect_gradients(const Model& model, const X& x) {
  const auto p = Model::params();
  const auto jacobian = jacobian_rows(model, p, x);
  auto v = vjp(model, p, x);
  Array<double> ones({rows});
  ones.fill(1.0);
  const auto dx = v.pullback(ones, skip, give).x;
  for (int w = 0; w < rows; ++w) {
    auto tensors = params_as<long double>(p);
    auto row = row_as<long double>(x, w);
    for (int i = 0; i < jacobian.rows.extent(1); ++i) {
      long double& moved = number(tensors, i);
      const long double before = moved;
      const auto d = static_cast<double>(derivative([&](long double t) {
        moved = before + t;
        return reference(model, tensors, row);
      }));
      moved = before;
      EXPECT_NEAR(jacobian.rows(w, i), d, difference(d))
          << "row " << w << " parameter " << i;
    }
    for (int i = 0; i < row.size(); ++i) {
      const long double before = row.at(i);
      const auto d = static_cast<double>(derivative([&](long double t) {
        row.at(i) = before + t;
        return reference(model, tensors, row);
      }));
      row.at(i) = before;
      EXPECT_NEAR(dx[w * row.size() + i], d, difference(d))
          << "row " << w << " number " << i;
    }
  }
}

TYPED_TEST(ModelOf, rows_has_the_gradients_of_finite_differences) {
  expect_gradients(TypeParam{}, TypeParam::samples(rows));
}

TYPED_TEST(ModelOf, rows_has_the_laplacian_of_the_scalar_type_in_long_double) {
  const TypeParam model;
  const auto p = TypeParam::params();
  const auto x = TypeParam::samples(rows);
  const auto l = laplacian_rows(model, p, x);
  for (int w = 0; w < rows; ++w) {
    const auto tensors = params_as<long double>(p);
    const auto expected = forward_laplacian(
        [&](const auto& r) { return model(tensors, r); }, row_as<long double>(x, w));
    const auto value = static_cast<double>(expected.value.number());
    const auto laplacian = static_cast<double>(expected.laplacian.number());
    EXPECT_NEAR(l.value[w], value, rounding(value));
    EXPECT_NEAR(l.laplacian[w], laplacian, 30 * rounding(laplacian));
    for (int i = 0; i < expected.gradient.size(); ++i) {
      const auto g = static_cast<double>(expected.gradient.at(i));
      EXPECT_NEAR(l.gradient(w, i), g, 10 * rounding(g));
    }
  }
}

TYPED_TEST(ModelOf, local_energy_has_the_parameter_derivative_of_finite_differences) {
  const LocalEnergy<TypeParam> energy{};
  const auto p = TypeParam::params();
  const auto x = TypeParam::samples(1);
  const auto jacobian = jacobian_rows(energy, p, x);
  for (int w = 0; w < 1; ++w) {
    auto tensors = params_as<long double>(p);
    const auto row = row_as<long double>(x, w);
    const auto value = static_cast<double>(reference(energy, tensors, row));
    EXPECT_NEAR(jacobian.value[w], value, 30 * rounding(value));
    for (int i = 0; i < jacobian.rows.extent(1); i += 2) {
      long double& moved = number(tensors, i);
      const long double before = moved;
      const auto d = static_cast<double>(derivative([&](long double t) {
        moved = before + t;
        return reference(energy, tensors, row);
      }));
      moved = before;
      EXPECT_NEAR(jacobian.rows(w, i), d, 10 * difference(d)) << "row " << w << ", " << i;
    }
  }
}

TYPED_TEST(ModelOf, rows_has_directional_derivatives_equal_to_the_jacobian_times_them) {
  const TypeParam model;
  const auto p = TypeParam::params();
  const auto x = TypeParam::samples(rows);
  std::mt19937_64 generator(5);
  auto dp = p;
  leaves::each(dp, [&](Array<double>& leaf) { test::fill(leaf, generator, 1.0); });
  auto dx = x;
  test::fill(dx, generator, 1.0);
  const auto along = jvp(model, p, x, dp, dx);
  const auto jacobian = jacobian_rows(model, p, x);
  auto v = vjp(model, p, x);
  Array<double> ones({rows});
  ones.fill(1.0);
  const auto gradient = v.pullback(ones, skip, give).x;
  const auto direction = leaves::flat(dp);
  for (int w = 0; w < rows; ++w) {
    EXPECT_EQ(along.value[w], v.value[w]);
    double expected = 0.0;
    for (int i = 0; i < jacobian.rows.extent(1); ++i) {
      expected += jacobian.rows(w, i) * direction[std::size_t(i)];
    }
    const double parameters_only = jvp(model, p, x, dp, skip).tangent[w];
    EXPECT_NEAR(parameters_only, expected, 10 * rounding(expected));
    for (int i = 0; i < gradient.row_size(); ++i) {
      const std::int64_t at = w * gradient.row_size() + i;
      expected += gradient[at] * dx[at];
    }
    EXPECT_NEAR(along.tangent[w], expected, 10 * rounding(expected));
  }
}

// Everything that a pullback gives, for one model, by one set of kernels.
struct Bits {
  std::vector<double> value, gradient, rows;
  friend bool operator==(const Bits&, const Bits&) = default;
};
template <class Model>
Bits bits_of(const Model& model, int count, std::int64_t grain,
             const tape::TileKernels* kernels) {
  const auto p = Model::params();
  const auto x = Model::samples(count);
  std::vector<double> cotangents;
  for (int w = 0; w < count; ++w) cotangents.push_back(0.3 + 0.01 * w);
  Recorded recorded = record(model, p, x);
  const auto parameters = leaves::flat(p);
  Bits bits{std::vector<double>(std::size_t(count)),
            {},
            std::vector<double>(std::size_t(x.size()))};
  Recorded::Call call{.parameters = parameters,
                      .cotangent = cotangents.data(),
                      .pull_parameters = true,
                      .grain = grain,
                      .kernels = kernels};
  call.inputs = leaves::bind_rows(x, call.rows);
  call.value = bits.value.data();
  call.input_stores = {{bits.rows.data(), x.row_size()}};
  call.deliver = [&](std::int64_t, std::span<const double> sums) {
    bits.gradient.insert(bits.gradient.end(), sums.begin(), sums.end());
  };
  recorded.evaluate_and_pull(call);
  return bits;
}

TYPED_TEST(ModelOf, rows_has_the_same_bits_for_every_instruction_set_and_lane_count) {
  std::vector<const tape::TileKernels*> all = {&tape::tile_kernels_v3(2),
                                               &tape::tile_kernels_v3(4)};
  if (cpu_support().v4) {
    all.push_back(&tape::tile_kernels_v4(4));
    all.push_back(&tape::tile_kernels_v4(8));
  }
  for (const int grain : {1, 10, 64}) {
    const Bits expected = bits_of(TypeParam{}, 75, grain, all.front());
    for (const auto* kernels : all) {
      EXPECT_EQ(bits_of(TypeParam{}, 75, grain, kernels), expected)
          << kernels->name << ", grain " << grain;
    }
  }
}

TYPED_TEST(ModelOf, rows_has_the_same_bits_kept_for_a_pullback_and_in_one_sweep) {
  const TypeParam model;
  const auto p = TypeParam::params();
  const auto x = TypeParam::samples(150);
  std::vector<double> cotangents(150);
  for (std::size_t w = 0; w < 150; ++w) cotangents[w] = 0.1 * double(w) - 3.0;
  auto kept = vjp(model, p, x);
  const auto pulled = kept.pullback(cotangents, give, give);
  const auto swept = value_and_pullback(model, p, x, cotangents, give, give);
  EXPECT_EQ(kept.value, swept.value);
  EXPECT_EQ(leaves::flat(pulled.params), leaves::flat(swept.params));
  EXPECT_EQ(pulled.x, swept.x);
}

TYPED_TEST(ModelOf, rows_summed_exactly_has_the_same_bits_for_every_split_of_the_rows) {
  const TypeParam model;
  const auto p = TypeParam::params();
  constexpr int count = 150;
  const auto x = TypeParam::samples(count);
  const auto parameters = leaves::flat_size(p);
  std::vector<double> cotangents(count);
  for (std::size_t w = 0; w < count; ++w) cotangents[w] = 0.1 * double(w) - 3.0;
  const auto sums_of = [&](std::int64_t grain, std::int64_t microbatch) {
    ExactSums sums(parameters);
    std::vector<double> values;
    Recorded recorded = record(model, p, x);
    for (std::int64_t first = 0; first < count; first += microbatch) {
      const std::int64_t n = std::min<std::int64_t>(microbatch, count - first);
      const RowsOf<double> part{x.data() + first * x.row_size(),
                                n,
                                {x.extent(1), x.extent(2)},
                                x.row_size(),
                                1};
      const auto result = value_and_pullback(
          recorded, p, part, std::span(cotangents).subspan(size_t(first), size_t(n)),
          accumulate(sums, grain), skip);
      values.insert(values.end(), result.value.begin(), result.value.end());
    }
    std::vector<double> gradient;
    for (std::int64_t i = 0; i < parameters; ++i) gradient.push_back(sums.value(i));
    return std::pair(values, gradient);
  };
  const auto single = sums_of(1, count);
  for (const std::int64_t microbatch : {1, 3, 64})
    EXPECT_EQ(sums_of(1, microbatch), single);
  const auto tiles = sums_of(64, count);
  for (const std::int64_t microbatch : {64, 128})
    EXPECT_EQ(sums_of(64, microbatch), tiles);
}

TEST(Vjp, of_float_parameters_and_samples_accumulates_in_double) {
  const auto layer = [](const auto& W, auto x) { return sum(tanh(dot(x, W))); };
  std::mt19937_64 generator(3);
  Array<double> wide({3, 2}), x_wide({40, 3});
  test::fill(wide, generator, 1.0);
  test::fill(x_wide, generator, 1.0);
  Array<float> weights({3, 2}), x({40, 3});
  for (int i = 0; i < 6; ++i) wide[i] = weights[i] = static_cast<float>(wide[i]);
  for (int i = 0; i < 120; ++i) x_wide[i] = x[i] = static_cast<float>(x_wide[i]);
  std::vector<double> ones(40, 1.0);
  auto narrow = vjp(layer, weights, x);
  auto reference = vjp(layer, wide, x_wide);
  const auto g = narrow.pullback(ones, give, skip).params;
  static_assert(std::is_same_v<decltype(g), const Array<double>>);
  EXPECT_EQ(narrow.value, reference.value);
  EXPECT_EQ(g, reference.pullback(ones, give, skip).params);
  Array<float> sums({3, 2});  // a narrow accumulator is the caller's choice
  narrow.pullback(ones, accumulate(sums), skip);
  for (int i = 0; i < 6; ++i) EXPECT_EQ(sums[i], static_cast<float>(g[i]));
}

TEST(Vjp, of_a_parameter_used_in_several_places_adds_up_all_uses) {
  // f = sum(x W W) + sum(W) x_0: exact in integers.
  const auto model = [](const auto& W, auto x) {
    return sum(dot(dot(x, W), W)) + sum(W) * x[0];
  };
  const Array<double> W({2, 2}, std::vector<double>{1, 2, 3, 4});
  const Array<double> x({1, 2}, std::vector<double>{5, 7});
  auto v = vjp(model, W, x);
  EXPECT_EQ(v.value[0], 26 * 3 + 38 * 7 + 10 * 5);
  const auto g = v.pullback(std::vector<double>{1.0}, give, give);
  // x^T (W 1)^T + (x W)^T 1^T + x_0.
  EXPECT_EQ(g.params,
            Array<double>({2, 2}, std::vector<double>{15 + 26 + 5, 35 + 26 + 5,
                                                      21 + 38 + 5, 49 + 38 + 5}));
  EXPECT_EQ(g.x[0], 1 * 3 + 2 * 7 + 10);
  EXPECT_EQ(g.x[1], 3 * 3 + 4 * 7);
}

TEST(Vjp, reads_tiles_of_walkers_in_their_own_layout) {
  const auto p = test::FermiNet::params();
  const auto x = test::FermiNet::samples(64);
  Array<double> tile({12, 64});
  for (int w = 0; w < 64; ++w) {
    for (int i = 0; i < 12; ++i) tile[i * 64 + w] = x[w * 12 + i];
  }
  const RowsOf<double> view{tile.data(), 64, {4, 3}, 1, 64};
  EXPECT_EQ(evaluate(test::FermiNet{}, p, view), evaluate(test::FermiNet{}, p, x));
}

TEST(Vjp, of_several_arguments_that_rows_have_pulls_each_back) {
  const auto model = [](const auto& p, const auto& x) {
    const auto& [position, weight] = x;
    return sum(position * position) * weight[0] * std::get<0>(p);
  };
  const std::tuple<double> p{2.0};
  const std::pair x{Array<double>({2, 3}, std::vector<double>{1, 2, 3, 4, 5, 6}),
                    Array<double>({2, 1}, std::vector<double>{10, 100})};
  auto v = vjp(model, p, x);
  EXPECT_EQ(v.value, Array<double>({2}, std::vector<double>{280, 15400}));
  const auto g = v.pullback(std::vector<double>{1, 1}, give, give);
  EXPECT_EQ(std::get<0>(g.params), 140 + 7700);
  EXPECT_EQ(g.x.first,
            Array<double>({2, 3}, std::vector<double>{40, 80, 120, 1600, 2000, 2400}));
  EXPECT_EQ(g.x.second, Array<double>({2, 1}, std::vector<double>{28, 154}));
}

TEST(Vjp, of_a_model_without_dependence_is_zero) {
  const auto model = [](const auto&, auto x) { return x[0] * 0.0 + 3.0; };
  const Array<double> W({2, 2}), x({3, 2});
  auto v = vjp(model, W, x);
  for (const double y : v.value) EXPECT_EQ(y, 3.0);
  const auto g = v.pullback(std::vector<double>(3, 1.0), give, give);
  EXPECT_EQ(g.params, W);
  EXPECT_EQ(g.x, x);
  EXPECT_EQ(evaluate([](const auto&, auto) { return 2.5; }, W, x)[2], 2.5);
}

TEST(Scan, over_layers_equals_the_loop) {
  const auto loop = [](const auto& W, auto x) {
    for (const auto& w : W) x = tanh(dot(x, w));
    return sum(x);
  };
  const auto scanned = [](const auto& W, auto x) {
    return sum(scan([](auto y, const auto& w) { return tanh(dot(y, w)); }, x, W));
  };
  std::mt19937_64 generator(9);
  std::vector<Array<double>> W(3, Array<double>({4, 4}));
  for (auto& w : W) test::fill(w, generator, 1.0);
  Array<double> x({10, 4});
  test::fill(x, generator, 1.0);
  EXPECT_EQ(evaluate(scanned, W, x), evaluate(loop, W, x));
}

}  // namespace
}  // namespace drover
