// A model's gradient over devices and microbatches, reduced once, against known values.
// All numbers are integers far below 2^53, so they are compared for equality.
#include <gtest/gtest.h>

#include <random>

#include "drover/core/error.hpp"
#include "stack_model.hpp"

namespace drover::stack {
namespace {

Matrix matrix(std::initializer_list<double> values) {
  Matrix m{};
  std::copy(values.begin(), values.end(), m.begin());
  return m;
}

TEST(Stack, of_ones_on_four_devices_gives_2240_everywhere_with_one_all_reduce) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Mesh mesh = current_mesh();
  const Samples samples = samples_of_ones(140);
  const Weights weights = ones(3);
  const auto x = shard(samples.x);
  const auto dv = shard(samples.dv);
  const auto w = replicate(weights);

  const auto losses = map(
      {.microbatch = 7},
      [](std::span<const double> row, const Weights& p) { return loss_of(row, p); }, x,
      w);
  const BudgetScope budget(mesh.ledger(), 1);
  auto gradient = sum_gradients(weights, x, dv, 7);
  for (int d = 0; d < 4; ++d) {
    for (const Matrix& m : device_partial(gradient, d).value()) {
      for (const double entry : m) EXPECT_EQ(entry, 560.0);
    }
    for (const double loss : losses.shard(d)) EXPECT_EQ(loss, 256.0);
  }
  const auto total = reduce(std::move(gradient), "gradient");
  for (const Matrix& m : *total) {
    for (const double entry : m) EXPECT_EQ(entry, 2240.0);
  }
  EXPECT_EQ(budget.executed(), 1);
  const auto entries = mesh.ledger().recent();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, CollectiveKind::all_reduce);
  EXPECT_EQ(entries[0].numbers, 48);
  EXPECT_EQ(entries[0].participants, 4);
  EXPECT_EQ(entries[0].loop_depth, 0);
  EXPECT_EQ(entries[0].bytes, 8 * ExactSums::word_count(48, 0));
}

TEST(Stack, of_ones_gives_16_times_the_sum_of_any_cotangents) {
  const auto scope = use_mesh(Mesh::cpu(4));
  Samples samples = samples_of_ones(140);
  std::mt19937_64 random(20240717);
  std::normal_distribution<double> normal;
  ExactSums exact(1);
  for (double& v : samples.dv) {
    v = normal(random);
    exact.deposit(0, 16.0 * v);  // times a power of two: exact
  }
  const auto total =
      reduce(sum_gradients(ones(3), shard(samples.x), shard(samples.dv), 7));
  for (const Matrix& m : *total) {
    for (const double entry : m) EXPECT_EQ(entry, exact.value(0));
  }
}

TEST(Stack, reduced_in_every_iteration_gives_the_same_numbers_with_five_collectives) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Mesh mesh = current_mesh();
  const Samples samples = samples_of_ones(140);
  const auto x = shard(samples.x);
  const auto dv = shard(samples.dv);
  Weights weights = ones(3);
  const auto naive = [&] {
    Weights sum(3);
    for (std::int64_t m = 0; m < 5; ++m) {
      const LoopScope loop;
      const auto part = reduce(
          map_sum(
              {.microbatch = 7}, [&] { return weights; },
              [&](const Batch& batch, RowSpan<const double> rows,
                  std::span<const double> cotangents, Accumulator<Weights>& to) {
                if (batch.number != m) return;
                for (std::int64_t i = 0; i < batch.size(); ++i) {
                  to.add(gradient_of(rows[i], cotangents[std::size_t(i)], weights));
                }
              },
              x, dv),
          "naive");
      for (std::size_t l = 0; l < 3; ++l) {
        for (std::size_t e = 0; e < 16; ++e) sum[l][e] += (*part)[l][e];
      }
    }
    return sum;
  };
  const Weights sum = naive();
  for (const Matrix& m : sum) {
    for (const double entry : m) EXPECT_EQ(entry, 2240.0);
  }
  EXPECT_EQ(mesh.ledger().count("naive"), 5);
  for (const Collective& entry : mesh.ledger().recent()) EXPECT_EQ(entry.loop_depth, 1);

  const BudgetScope budget(mesh.ledger(), 1);
  try {
    naive();
    FAIL() << "the budget of one collective was not enforced";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("\"naive\""), std::string::npos)
        << error.what();
    EXPECT_NE(std::string(error.what()).find("loop depth 1"), std::string::npos);
  }
}

TEST(Stack, carried_unreduced_through_a_loop_of_maps_is_reduced_once) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples samples = varied_samples(140);
  const auto x = shard(samples.x);
  const auto dv = shard(samples.dv);
  Weights weights = varied_weights();
  const BudgetScope budget(current_mesh().ledger(), 1);
  auto carried = make_unreduced(current_mesh(), [&] { return weights; });
  for (std::int64_t m = 0; m < 5; ++m) {
    const LoopScope loop;
    map_sum_into(
        carried, {.microbatch = 7},
        [&](const Batch& batch, RowSpan<const double> rows,
            std::span<const double> cotangents, Accumulator<Weights>& to) {
          if (batch.number != m) return;
          for (std::int64_t i = 0; i < batch.size(); ++i) {
            to.add(gradient_of(rows[i], cotangents[std::size_t(i)], weights));
          }
        },
        x, dv);
  }
  EXPECT_EQ(sum_of_squares(*reduce(carried)), 981571.0);
}

TEST(Stack, of_varied_weights_has_the_known_gradient) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples samples = varied_samples(140);
  const Weights weights = varied_weights();
  const auto x = shard(samples.x);
  const auto dv = shard(samples.dv);
  auto gradient = sum_gradients(weights, x, dv, 7);
  const double partials[4][3] = {
      {4, 28, 924}, {48, 34, -848}, {-26, -103, 436}, {16, 50, 520}};
  for (int d = 0; d < 4; ++d) {
    const Weights partial = device_partial(gradient, d).value();
    for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(sum_of(partial[l]), partials[d][l]);
  }
  const auto total = reduce(std::move(gradient));
  const Weights& g = *total;
  EXPECT_EQ(g[0], matrix({150, -150, -75, 125, -72, 72, 36, -60, -96, 96, 48, -80, 144,
                          -144, -72, 120}));
  EXPECT_EQ(g[1], matrix({28, 0, -28, 14, 184, 0, -184, 92, -180, 0, 180, -90, -14, 0, 14,
                          -7}));
  EXPECT_EQ(g[2], matrix({201, 201, 201, 201, 140, 140, 140, 140, 184, 184, 184, 184,
                          -267, -267, -267, -267}));
  EXPECT_EQ(sum_of(g[0]), 42.0);
  EXPECT_EQ(sum_of(g[1]), 9.0);
  EXPECT_EQ(sum_of(g[2]), 1032.0);
  EXPECT_EQ(sum_of_squares(g), 981571.0);

  const auto losses = map(
      {.microbatch = 7},
      [](std::span<const double> row, const Weights& w) { return loss_of(row, w); }, x,
      shared(weights));
  using Sums = std::array<double, 3>;  // of dv, of losses, of dv * loss
  const auto sums = reduce(map_sum(
      {}, [] { return Sums{}; },
      [](const Batch&, std::span<const double> l, std::span<const double> v,
         Accumulator<Sums>& to) {
        for (std::size_t i = 0; i < l.size(); ++i) to.add({v[i], l[i], v[i] * l[i]});
      },
      losses, dv));
  EXPECT_EQ(*sums, (Sums{139, 98, 233}));
}

struct Uneven {
  std::int64_t samples;
  std::array<std::int64_t, 4> shards;
  std::array<double, 3> layer_sums;
  double squares;  // -1: not known
};
class StackOfUnevenShards : public testing::TestWithParam<Uneven> {};

TEST_P(StackOfUnevenShards, has_the_known_sums_and_every_device_joins) {
  const Uneven& known = GetParam();
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples samples = varied_samples(known.samples);
  const auto x = shard(samples.x);
  auto gradient = sum_gradients(varied_weights(), x, shard(samples.dv), 7);
  for (int d = 0; d < 4; ++d) {
    EXPECT_EQ(x.local_range(d).size(), known.shards[std::size_t(d)]);
    if (known.shards[std::size_t(d)] == 0) {
      EXPECT_EQ(sum_of_squares(device_partial(gradient, d).value()), 0.0);
    }
  }
  const auto total = reduce(std::move(gradient));
  for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(sum_of((*total)[l]), known.layer_sums[l]);
  if (known.squares >= 0) {
    EXPECT_EQ(sum_of_squares(*total), known.squares);
  }
  EXPECT_EQ(current_mesh().ledger().recent().at(0).participants, 4);
}
INSTANTIATE_TEST_SUITE_P(
    Counts, StackOfUnevenShards,
    testing::Values(Uneven{142, {36, 36, 35, 35}, {30, 14, 1052}, 1027584},
                    Uneven{13, {4, 3, 3, 3}, {-60, -12, 504}, 319936},
                    Uneven{3, {1, 1, 1, 0}, {96, 0, -240}, -1},
                    Uneven{0, {0, 0, 0, 0}, {0, 0, 0}, 0}));

TEST(Stack, averaged_over_each_microbatch_accumulates_20_and_over_all_gives_4) {
  const auto scope = use_mesh(Mesh::cpu(1));
  const Samples samples = samples_of_ones(35);
  Weights weights = ones(3);
  const auto x = shard(samples.x);
  const auto mean_gradient = [&](std::int64_t microbatch) {
    return reduce(map_sum(
        {.microbatch = microbatch}, [&] { return weights; },
        [&](const Batch& batch, RowSpan<const double> rows, Accumulator<Weights>& to) {
          Weights sum(3);
          for (std::int64_t i = 0; i < batch.size(); ++i) {
            const Weights one = gradient_of(rows[i], 1.0, weights);
            for (std::size_t l = 0; l < 3; ++l) {
              for (std::size_t e = 0; e < 16; ++e) sum[l][e] += one[l][e];
            }
          }
          for (Matrix& m : sum) {
            for (double& entry : m) entry /= double(4 * batch.size());
          }
          to.add(sum);
        },
        x));
  };
  for (const Matrix& m : *mean_gradient(7)) {
    for (const double entry : m) EXPECT_EQ(entry, 20.0);
  }
  for (const Matrix& m : *mean_gradient(0)) {
    for (const double entry : m) EXPECT_EQ(entry, 4.0);
  }
}

TEST(Stack, needs_one_all_reduce_whose_bytes_do_not_depend_on_microbatches) {
  for (const std::size_t layers : {1u, 3u, 8u}) {
    for (const int devices : {1, 2, 3, 4, 8}) {
      const auto scope = use_mesh(Mesh::cpu(devices));
      const Samples samples = samples_of_ones(35 * devices);
      const auto x = shard(samples.x);
      const auto dv = shard(samples.dv);
      for (const std::int64_t batches : {1, 2, 5, 35}) {
        Ledger& ledger = current_mesh().ledger();
        ledger.clear();
        reduce(sum_gradients(ones(layers), x, dv, (35 + batches - 1) / batches));
        EXPECT_EQ(ledger.count(), devices == 1 ? 0 : 1);
        EXPECT_EQ(
            ledger.bytes(),
            devices == 1 ? 0 : 8 * ExactSums::word_count(std::int64_t(16 * layers), 0));
      }
    }
  }
}

}  // namespace
}  // namespace drover::stack
