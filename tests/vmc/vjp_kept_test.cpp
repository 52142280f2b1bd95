// vjp_sum in loops: recordings that are kept, cotangents of the samples, real ranks.
#include <cstdio>
#include <random>
#include <string>

#include "drover/core/error.hpp"
#include "tests/mesh/mpi_launch.hpp"
#include "vjp_sum_models.hpp"

namespace drover::vjp_testing {
namespace {

Array<double> random_array(Array<double>::Shape shape, int seed) {
  std::mt19937_64 random{std::uint64_t(seed)};
  std::normal_distribution<double> normal;
  Array<double> a(std::move(shape));
  for (double& x : a) x = normal(random);
  return a;
}
Weights random_weights(int seed) {
  return {random_array({4, 5}, seed), random_array({5, 3}, seed + 1)};
}
// Not linear, so that values of the weights matter to the gradient.
const auto bent = [](auto const& W, auto x) {
  for (auto const& w : W) x = tanh(dot(x, w));
  return sum(x);
};

TEST(KeptModel, is_recorded_once_a_device_in_a_loop_of_changing_weights_and_rows) {
  const auto scope = use_mesh(Mesh::cpu(3));
  int calls = 0;  // of the model: its recordings, on every device in turn
  std::mutex guard;
  const auto counted = [&](auto const& W, auto x) {
    const std::lock_guard<std::mutex> lock(guard);
    ++calls;
    return bent(W, x);
  };
  const auto kept = keep(counted);
  for (int step = 0; step < 5; ++step) {
    const auto x = shard(random_array({20 + step, 4}, 10 + step));
    const auto dv = shard(random_array({20 + step}, 20 + step));
    const auto w = replicate(random_weights(30 + step));
    const VjpOptions options{.microbatch = 2 + step};
    EXPECT_EQ(*reduce(vjp_sum(kept, w, x, dv, options)),
              *reduce(vjp_sum(bent, w, x, dv, options)));
    EXPECT_EQ(gather(map_model(kept, w, x)), gather(map_model(bent, w, x)));
    EXPECT_EQ(kept.recordings(), 3) << "step " << step;
  }
  EXPECT_EQ(calls, 3);
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is the test
  const auto copy = kept;
  vjp_sum(copy, replicate(random_weights(1)), shard(ones({6, 4})), shard(ones({6})));
  EXPECT_EQ(kept.recordings(), 3);
}

TEST(KeptModel, is_recorded_again_for_other_shapes_types_and_after_a_failure) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const auto kept = keep(bent);
  const auto x = shard(random_array({9, 4}, 1));
  const auto dv = shard(random_array({9}, 2));
  vjp_sum(kept, replicate(random_weights(3)), x, dv);
  EXPECT_EQ(kept.recordings(), 2);
  const Weights narrow = {random_array({4, 2}, 4), random_array({2, 6}, 5)};
  EXPECT_EQ(*reduce(vjp_sum(kept, replicate(narrow), x, dv)),
            *reduce(vjp_sum(bent, replicate(narrow), x, dv)));
  EXPECT_EQ(kept.recordings(), 4);
  Array<float> x_float({9, 4});
  x_float.fill(0.5f);
  vjp_sum(kept, replicate(narrow), shard(x_float), dv);
  EXPECT_EQ(kept.recordings(), 6);
  const Weights unfit = {random_array({3, 2}, 6)};
  EXPECT_THROW(vjp_sum(kept, replicate(unfit), x, dv), Error);
  EXPECT_EQ(*reduce(vjp_sum(kept, replicate(narrow), x, dv)),
            *reduce(vjp_sum(bent, replicate(narrow), x, dv)));
}

TEST(KeptModel, serves_meshes_of_any_size) {
  const auto kept = keep(bent);
  const Weights w = random_weights(7);
  const auto x = random_array({30, 4}, 8);
  const auto dv = random_array({30}, 9);
  const auto on = [&](int devices) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    return *reduce(vjp_sum(kept, shared(w), shard(x), shard(dv)));
  };
  const Weights first = on(1);
  EXPECT_EQ(on(4), first);
  EXPECT_EQ(kept.recordings(), 4);
  EXPECT_EQ(on(2), first);
}

TEST(VjpOfSamples, is_placed_as_the_samples_are_and_equals_the_pullback_of_each) {
  const Weights w = random_weights(11);
  const auto x = random_array({29, 4}, 12);
  const auto dv = random_array({29}, 13);
  const auto whole = vjp(bent, w, x).pullback(dv, skip, give).x;
  for (const int devices : {1, 2, 3, 7}) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    for (const std::int64_t microbatch : {0, 1, 4}) {
      const auto sharded = shard(x);
      auto [value, gradient, samples] = value_and_vjp(
          bent, replicate(w), sharded, shard(dv), {.microbatch = microbatch});
      EXPECT_EQ(samples.layout(), sharded.layout());
      EXPECT_EQ(gather(samples), whole) << devices << " devices";
      EXPECT_EQ(gather(value), evaluate(bent, w, x));
      EXPECT_EQ(*reduce(std::move(gradient)),
                *reduce(vjp_sum(bent, replicate(w), sharded, shard(dv))));
    }
  }
}

// Of the stack in integers: dx_i = dv_i W0 W1 W2 (1, 1, 1, 1).
TEST(VjpOfSamples, of_varied_weights_is_the_product_of_the_layers) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const Samples s = varied_samples(142);
  std::array<double, 4> ahead = {1, 1, 1, 1};
  const Weights W = varied_weights();
  for (std::size_t l = 3; l-- > 0;) {
    std::array<double, 4> next{};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        next[std::size_t(i)] += W[l](i, j) * ahead[std::size_t(j)];
    ahead = next;
  }
  const auto pulled = gather(
      value_and_vjp(stack_model, replicate(W), shard(s.x), shard(s.dv), {.microbatch = 7})
          .samples);
  for (std::int64_t i = 0; i < 142; ++i) {
    for (std::int64_t k = 0; k < 4; ++k) {
      EXPECT_EQ(pulled(i, k), s.dv[std::size_t(i)] * ahead[std::size_t(k)]);
    }
  }
}

TEST(VjpSum, under_mpirun_has_the_bits_of_one_process) {
  if (launched() || !mpi_is_usable()) GTEST_SKIP() << "no mpirun, or under it already";
  for (const int ranks : {2, 3}) {
    const Ending ending = run_on_ranks(ranks, "VjpSumOnRanks.*");
    EXPECT_EQ(ending.exit_code, 0) << ending.output;
    EXPECT_NE(ending.output.find("[  PASSED  ] 1 test"), std::string::npos)
        << ending.output;
  }
}

TEST(VjpSumOnRanks, equals_one_process) {
  if (!launched()) GTEST_SKIP() << "runs under mpirun";
  const Weights w = random_weights(14);
  const auto x = random_array({301, 4}, 15);
  const auto dv = random_array({301}, 16);
  const auto sum_on = [&](const Mesh& mesh, std::int64_t microbatch, std::int64_t grain) {
    const auto scope = use_mesh(mesh);
    const auto all = value_and_vjp(bent, replicate(w), shard(x, grain), shard(dv, grain),
                                   {.microbatch = microbatch});
    return std::tuple(*reduce(all.gradient), *all_gather(all.value),
                      *all_gather(all.samples));
  };
  const auto alone = std::make_shared<LocalCommunicator>();
  for (const std::int64_t grain : {1, 64}) {
    const auto expected = sum_on(Mesh::cpu(1, alone), 0, grain);
    const Mesh mesh = Mesh::cpu(2);
    ASSERT_EQ(mesh.ranks(), announced_ranks());
    EXPECT_TRUE(sum_on(mesh, 3, grain) == expected) << "grain " << grain;
    EXPECT_EQ(mesh.ledger().count(CollectiveKind::all_reduce), 1);
  }
}

}  // namespace
}  // namespace drover::vjp_testing
