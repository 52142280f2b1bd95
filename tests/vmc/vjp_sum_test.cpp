// Gradients of a user's model over devices and microbatches, reduced once: the stack of
// layers whose numbers are known in integers (compared with ==), and the bits of random
// ones.
#include <array>
#include <random>
#include <string>

#include "drover/core/error.hpp"
#include "vjp_sum_models.hpp"

namespace drover::vjp_testing {
namespace {

TEST(VjpSum, of_ones_on_four_devices_gives_2240_everywhere_with_one_all_reduce) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Mesh mesh = current_mesh();
  const auto x = shard(ones({140, 4}));
  const auto dv = shard(ones({140}));
  const auto w = replicate(weights_of_ones());
  const BudgetScope budget(mesh.ledger(), 1);
  auto [losses, gradient] = value_and_vjp_sum(stack_model, w, x, dv, {.microbatch = 7});
  EXPECT_EQ(mesh.ledger().count(), 0) << "a collective inside the loop";
  for (int d = 0; d < 4; ++d) {
    ASSERT_EQ(losses.shard(d).size(), 35);
    for (const double loss : losses.shard(d)) EXPECT_EQ(loss, 256.0);
    expect_everywhere(device_partial(gradient, d).value(), 560.0);
  }
  expect_everywhere(*reduce(std::move(gradient), "gradient"), 2240.0);
  const auto entries = mesh.ledger().recent();
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].kind, CollectiveKind::all_reduce);
  EXPECT_EQ(entries[0].numbers, 48);
  EXPECT_EQ(entries[0].participants, 4);
  EXPECT_EQ(entries[0].loop_depth, 0);
}

TEST(VjpSum, of_ones_gives_16_times_the_sum_of_any_cotangents) {
  const auto scope = use_mesh(Mesh::cpu(4));
  std::mt19937_64 random(20240717);
  std::normal_distribution<double> normal;
  std::vector<double> dv(140);
  ExactSums exact(1);
  for (double& v : dv) {
    v = normal(random);
    exact.deposit(0, 16.0 * v);  // times a power of two: exact
  }
  const auto g = vjp_sum(stack_model, replicate(weights_of_ones()), shard(ones({140, 4})),
                         shard(dv), {.microbatch = 7});
  expect_everywhere(*reduce(g), exact.value(0));
}

// The batch as the loop of the program sees it: device-major, so that microbatch m holds
// samples 7 m to 7 m + 6 of each device's 35.
Samples microbatch(const Samples& all, int m) {
  Samples part{Array<double>({28, 4}), std::vector<double>(28)};
  for (int d = 0; d < 4; ++d) {
    for (int i = 0; i < 7; ++i) {
      const std::int64_t from = 35 * d + 7 * m + i, to = 7 * d + i;
      std::copy_n(all.x.row(from).begin(), 4, part.x.row(to).begin());
      part.dv[std::size_t(to)] = all.dv[std::size_t(from)];
    }
  }
  return part;
}

TEST(VjpSum, carried_through_a_loop_over_microbatches_is_reduced_once_outside) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples all = varied_samples(140);
  const auto w = replicate(varied_weights());
  const BudgetScope budget(current_mesh().ledger(), 1);
  auto carried = make_unreduced(current_mesh(), varied_weights);
  for (int m = 0; m < 5; ++m) {
    const LoopScope loop;
    const Samples part = microbatch(all, m);
    vjp_sum_into(carried, stack_model, w, shard(part.x), shard(part.dv));
  }
  EXPECT_EQ(sum_of_squares(*reduce(std::move(carried))), 981571.0);
  EXPECT_EQ(budget.executed(), 1);
}

TEST(VjpSum, reduced_for_each_microbatch_gives_the_same_numbers_and_trips_the_budget) {
  const auto scope = use_mesh(Mesh::cpu(4));
  Ledger& ledger = current_mesh().ledger();
  const Samples all = varied_samples(140);
  const auto w = replicate(varied_weights());
  const auto naive = [&] {
    Weights sum(3, Array<double>({4, 4}));
    for (int m = 0; m < 5; ++m) {
      const LoopScope loop;
      const Samples part = microbatch(all, m);
      const Weights g =
          *reduce(vjp_sum(stack_model, w, shard(part.x), shard(part.dv)), "naive");
      for (std::size_t l = 0; l < 3; ++l) {
        for (int i = 0; i < 16; ++i) sum[l][i] += g[l][i];
      }
    }
    return sum;
  };
  EXPECT_EQ(sum_of_squares(naive()), 981571.0);
  EXPECT_EQ(ledger.count("naive"), 5);
  for (const Collective& entry : ledger.recent()) EXPECT_EQ(entry.loop_depth, 1);
  const BudgetScope budget(ledger, 1);
  try {
    naive();
    FAIL() << "the budget of one collective was not enforced";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("\"naive\""), std::string::npos)
        << error.what();
  }
  EXPECT_EQ(budget.surplus().size(), 1u);
}

TEST(VjpSum, of_varied_weights_has_the_known_gradient_partials_and_losses) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples s = varied_samples(140);
  auto [losses, gradient] = value_and_vjp_sum(stack_model, replicate(varied_weights()),
                                              shard(s.x), shard(s.dv), {.microbatch = 7});
  const double partials[4][3] = {
      {4, 28, 924}, {48, 34, -848}, {-26, -103, 436}, {16, 50, 520}};
  for (int d = 0; d < 4; ++d) {
    const Weights partial = device_partial(gradient, d).value();
    for (std::size_t l = 0; l < 3; ++l) EXPECT_EQ(sum_of(partial[l]), partials[d][l]);
  }
  const auto total = reduce(std::move(gradient));
  const Weights& g = *total;
  const double g0[] = {150, -150, -75, 125, -72, 72,   36,  -60,
                       -96, 96,   48,  -80, 144, -144, -72, 120};
  const double g1[] = {28,   0, -28, 14,  184, 0, -184, 92,
                       -180, 0, 180, -90, -14, 0, 14,   -7};
  const double g2[] = {201, 140, 184, -267};
  for (int i = 0; i < 16; ++i) {
    EXPECT_EQ(g[0][i], g0[i]);
    EXPECT_EQ(g[1][i], g1[i]);
    EXPECT_EQ(g[2][i], g2[i / 4]);
  }
  EXPECT_EQ(sum_of_squares(g), 981571.0);
  const Array<double> loss = gather(losses);
  EXPECT_EQ(sum_of(loss), 98.0);
  EXPECT_EQ(std::inner_product(s.dv.begin(), s.dv.end(), loss.begin(), 0.0), 233.0);
  // In input order: sample i alone has the loss that stands at i.
  EXPECT_EQ(loss, evaluate(stack_model, varied_weights(), s.x));
}

struct Uneven {
  std::int64_t samples;
  std::array<std::int64_t, 4> shards;
  std::array<double, 3> layer_sums;
  double squares;  // -1: not known
};
class VjpSumOfUnevenShards : public testing::TestWithParam<Uneven> {};

TEST_P(VjpSumOfUnevenShards, has_the_known_sums_and_every_device_joins) {
  const Uneven& known = GetParam();
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples s = varied_samples(known.samples);
  const auto x = shard(s.x);
  auto gradient = vjp_sum(stack_model, replicate(varied_weights()), x, shard(s.dv),
                          {.microbatch = 7});
  for (int d = 0; d < 4; ++d) {
    EXPECT_EQ(x.local_range(d).size(), known.shards[std::size_t(d)]);
    if (known.shards[std::size_t(d)] == 0) {
      expect_everywhere(device_partial(gradient, d).value(), 0.0);
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
    Counts, VjpSumOfUnevenShards,
    testing::Values(Uneven{142, {36, 36, 35, 35}, {30, 14, 1052}, 1027584},
                    Uneven{13, {4, 3, 3, 3}, {-60, -12, 504}, 319936},
                    Uneven{3, {1, 1, 1, 0}, {96, 0, -240}, -1},
                    Uneven{0, {0, 0, 0, 0}, {0, 0, 0}, 0}));

TEST(VjpSum, needs_one_all_reduce_whose_bytes_do_not_depend_on_microbatches) {
  for (const std::size_t layers : {1u, 3u, 8u}) {
    for (const int devices : {1, 2, 3, 4, 8}) {
      const auto scope = use_mesh(Mesh::cpu(devices));
      const std::int64_t count = 35 * devices;
      const auto x = shard(ones({count, 4}));
      const auto dv = shard(ones({count}));
      const auto w = replicate(weights_of_ones(layers));
      Ledger& ledger = current_mesh().ledger();
      for (const std::int64_t batches : {1, 2, 5, 35}) {
        ledger.clear();
        const std::int64_t rows = (35 + batches - 1) / batches;
        reduce(vjp_sum(stack_model, w, x, dv, {.microbatch = rows}));
        EXPECT_EQ(ledger.count(), devices == 1 ? 0 : 1);
        EXPECT_EQ(
            ledger.bytes(),
            devices == 1 ? 0 : 8 * ExactSums::word_count(std::int64_t(16 * layers), 0));
      }
    }
  }
}

}  // namespace
}  // namespace drover::vjp_testing
