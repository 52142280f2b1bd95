// Conversions between placements, and the linear algebra of partial sums.
#include "drover/mesh/placement.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "thread_ranks.hpp"

namespace drover {
namespace {

using Rows = std::vector<double>;

Rows arange(int n) {
  Rows x;
  for (int i = 0; i < n; ++i) x.push_back(i);
  return x;
}

// The sum over devices d of (d+1) * base.
Unreduced<Rows> multiples(const Mesh& mesh, const Rows& base) {
  const auto one_each = make_sharded<int>(mesh, mesh.device_count(), 1,
                                          [](const auto&, RowRange) { return 0; });
  return map_sum(
      {}, [&] { return base; },
      [&](const Batch& batch, int, Accumulator<Rows>& sum) {
        for (int i = 0; i <= batch.device.index; ++i) sum.add(base);
      },
      one_each);
}

TEST(ToUnreduced, puts_a_replicated_value_on_device_0_and_zeros_elsewhere) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const auto u = to_unreduced(replicate(1.0));
  EXPECT_EQ(device_partial(u, 0).value(), 1.0);
  EXPECT_EQ(device_partial(u, 1).value(), 0.0);
  EXPECT_EQ(*reduce(u), 1.0);
}

TEST(ToUnreduced, of_a_value_that_no_share_could_represent_gives_it_back_exactly) {
  const auto scope = use_mesh(Mesh::cpu(3));
  EXPECT_EQ(*reduce(to_unreduced(replicate(0.1))), 0.1);
}

TEST(ToUnreduced, of_sharded_rows_has_zeros_outside_them) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const auto u = to_unreduced(shard(arange(4)));
  EXPECT_EQ(device_partial(u, 0).value(), (Rows{0, 1, 0, 0}));
  EXPECT_EQ(device_partial(u, 1).value(), (Rows{0, 0, 2, 3}));
  EXPECT_EQ(*reduce(u), arange(4));
}

TEST(ToUnreduced, keeps_a_nan_on_device_0_and_reduce_refuses_to_hide_it) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const auto u = to_unreduced(replicate(Rows{1.0, std::nan("")}));
  EXPECT_EQ(device_partial(u, 0).nonfinite(), 1);
  EXPECT_EQ(device_partial(u, 1).nonfinite(), 0);
  const auto counted = reduce_counted(u);
  EXPECT_EQ(counted->nonfinite, 1);
  EXPECT_EQ(counted->value[0], 1.0);
  try {
    reduce(u, "gradient");
    FAIL() << "a NaN vanished";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::numerical);
    EXPECT_EQ(std::string(error.what()).find("[gradient] 1 of the numbers"), 0u);
  }
}

TEST(ReduceScatter, leaves_each_device_its_rows_of_the_sum) {
  const auto scope = use_mesh(Mesh::cpu(4));
  const auto own = reduce_scatter(multiples(current_mesh(), {1, 2, 3, 4}));
  for (int d = 0; d < 4; ++d) EXPECT_EQ(own.shard(d), Rows{10.0 * (d + 1)});
  EXPECT_EQ(current_mesh().ledger().count(CollectiveKind::reduce_scatter), 1);
  EXPECT_EQ(current_mesh().ledger().count(), 1);
}

TEST(ReduceScatter, between_ranks_gives_what_one_rank_gives) {
  on_thread_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    const auto scope = use_mesh(Mesh::cpu(2, ranks));
    ASSERT_EQ(current_mesh().device_count(), 6);
    const auto base = arange(10);
    const auto u = multiples(current_mesh(), base);  // times 1 + 2 + ... + 6 = 21
    const auto own = reduce_scatter(2.0 * u + -1.0 * u);
    for (int d = 0; d < 2; ++d) {
      const RowRange range = own.local_range(d);
      for (std::int64_t i = range.first; i < range.last; ++i) {
        EXPECT_EQ(own.shard(d)[std::size_t(i - range.first)], 21.0 * double(i));
      }
    }
    EXPECT_EQ(*all_gather(own), *reduce(u));
  });
}

TEST(AllGather, brings_rows_together_in_global_order_and_local_slice_takes_them_apart) {
  const auto scope = use_mesh(Mesh::cpu(3));
  const auto all = all_gather(shard(arange(10)), "rows");
  EXPECT_EQ(*all, arange(10));
  EXPECT_EQ(current_mesh().ledger().count(CollectiveKind::all_gather), 1);
  const auto sliced = local_slice(all);
  EXPECT_EQ(sliced.shard(0), (Rows{0, 1, 2, 3}));
  EXPECT_EQ(sliced.shard(2), (Rows{7, 8, 9}));
}

TEST(AllGather, works_when_some_devices_have_no_rows) {
  const auto scope = use_mesh(Mesh::cpu(4));
  Array<float> two({2, 3});
  for (std::size_t i = 0; i < 6; ++i) two[std::int64_t(i)] = float(i);
  EXPECT_EQ(*all_gather(shard(two)), two);
  EXPECT_EQ(gather(shard(Rows{})), Rows{});
}

TEST(Gather, gives_rank_0_everything_and_the_others_nothing) {
  on_thread_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    const auto scope = use_mesh(Mesh::cpu(2, ranks));
    const auto x = shard(arange(100), 8);
    EXPECT_EQ(gather(x), ranks->rank() == 0 ? arange(100) : Rows{});
    EXPECT_EQ(*all_gather(x), arange(100));
  });
}

TEST(Unreduced, is_linear_with_factors_applied_after_the_reduction) {
  Rows bits;
  for (const int devices : {1, 2, 3, 7}) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    const auto x = shard(Rows{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7});
    const auto sum_of = [&](double power) {
      return map_sum(
          {.microbatch = 2}, [] { return 0.0; },
          [=](const Batch&, std::span<const double> rows, Accumulator<double>& sum) {
            for (const double v : rows) sum.add(power > 1 ? v * v : v);
          },
          x);
    };
    const auto u = sum_of(1);
    const auto v = sum_of(2);
    const Rows now{*reduce(u + v),
                   *reduce(u - v),
                   *reduce(-u),
                   *reduce(0.1 * u),
                   *reduce(3.0 * u + v * 0.7),
                   *reduce(u - 0.5 * (u + v))};
    if (bits.empty()) bits = now;
    EXPECT_EQ(now, bits) << devices << " devices";
    EXPECT_EQ(*reduce(u - u), 0.0);
    EXPECT_EQ(*reduce(0.1 * u), 0.1 * *reduce(u));
    EXPECT_EQ(*reduce(replicate(2.0) * u), 2.0 * *reduce(u));
  }
}

TEST(Unreduced, cannot_be_reduced_when_it_was_moved_into_a_reduction_before) {
  const auto scope = use_mesh(Mesh::cpu(2));
  auto u = to_unreduced(replicate(1.0));
  reduce(std::move(u));
  EXPECT_THROW(reduce(std::move(u)), Error);  // NOLINT: what a user's mistake looks like
}

TEST(Unreduced, integer_leaves_are_summed_as_integers) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  auto u = to_unreduced(replicate(large));
  EXPECT_EQ(*reduce(2.0 * u), 2 * large);
  EXPECT_THROW(reduce(0.5 * u), Error);
}

struct Counts {  // integers of a user's own, in two pieces
  std::vector<std::int64_t> a = std::vector<std::int64_t>(2);
  std::vector<std::int64_t> b = std::vector<std::int64_t>(1);
  void merge(const Counts& other) {
    for (std::size_t i = 0; i < 2; ++i) a[i] += other.a[i];
    b[0] += other.b[0];
  }
  void clear() { a = {0, 0}, b = {0}; }
  template <class F>
  void visit_words(F&& f) {
    f(std::span<std::int64_t>(a));
    f(std::span<std::int64_t>(b));
  }
};

TEST(Unreduced, of_a_type_of_ones_own_is_summed_word_by_word_in_one_message) {
  const auto scope = use_mesh(Mesh::cpu(3));
  const auto x = shard(arange(10));
  auto u = map_sum(
      {.microbatch = 2}, [] { return Counts{}; },
      [](const Batch& batch, std::span<const double>, Counts& c) {
        c.a[0] += batch.size();
        c.a[1] += 1;
        c.b[0] -= batch.global_first;
      },
      x);
  const auto total = reduce(u + to_unreduced(replicate(Counts{{100, 200}, {300}})));
  EXPECT_EQ(total->a, (std::vector<std::int64_t>{110, 206}));
  EXPECT_EQ(total->b[0], 300 - (0 + 2 + 4 + 6 + 7 + 9));
  EXPECT_EQ(current_mesh().ledger().count(), 1);
  EXPECT_EQ(current_mesh().ledger().bytes(), 24);
}

struct Sums {
  double energy = 0.0;
  std::vector<float> gradient;
  std::int64_t count = 0;
  static constexpr auto fields =
      tree_fields(field("energy", &Sums::energy), field("gradient", &Sums::gradient),
                  field("count", &Sums::count));
};

TEST(Unreduced, of_a_tree_is_summed_leaf_by_leaf) {
  const auto scope = use_mesh(Mesh::cpu(3));
  const auto x = shard(arange(9));
  const auto total = reduce(map_sum(
      {},
      [] {
        return Sums{0.0, std::vector<float>(2), 0};
      },
      [](const Batch&, std::span<const double> rows, Accumulator<Sums>& sum) {
        for (const double v : rows) {
          sum.add({v, {float(v), 1.0f}, 2});
        }
      },
      x));
  EXPECT_EQ(total->energy, 36.0);
  EXPECT_EQ(total->gradient, (std::vector<float>{36.0f, 9.0f}));
  EXPECT_EQ(total->count, 18);
}

struct Samples {  // a tree whose second leaf happens to be as long as there are samples
  PerWalker<Array<double>> x;
  std::vector<double> weights;
  PerWalker<std::vector<std::int64_t>> label;
  static constexpr auto fields =
      tree_fields(field("x", &Samples::x), field("weights", &Samples::weights),
                  field("label", &Samples::label));
  friend bool operator==(const Samples&, const Samples&) = default;
};

Samples some_samples() {
  Samples samples{{Array<double>({5, 2})}, arange(5), {{10, 11, 12, 13, 14}}};
  for (std::int64_t i = 0; i < 10; ++i) (*samples.x)[i] = double(i);
  return samples;
}

TEST(Trees, are_sharded_by_the_type_of_their_leaves_not_by_a_length) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const Samples samples = some_samples();
  const auto x = shard(samples);
  EXPECT_EQ(x.rows(), 5);
  EXPECT_EQ(*x.shard(1).label, (std::vector<std::int64_t>{13, 14}));
  EXPECT_EQ((*x.shard(1).x)(1, 1), 9.0);
  EXPECT_EQ(x.shard(1).weights, samples.weights);
  EXPECT_EQ(*all_gather(x), samples);
  const auto doubled = map_batches<double>(
      {.microbatch = 2},
      [](const Batch& batch, const Samples& own, std::span<double> out) {
        for (std::int64_t i = 0; i < batch.size(); ++i) {
          out[std::size_t(i)] = 2.0 * (*own.x)(batch.rows.first + i, 0);
        }
      },
      x);
  EXPECT_EQ(*all_gather(doubled), (Rows{0, 4, 8, 12, 16}));
  Samples uneven = samples;
  uneven.label->pop_back();
  EXPECT_THROW(shard(uneven), Error);
}

TEST(Trees, are_gathered_from_ranks_in_global_order) {
  on_thread_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    const auto scope = use_mesh(Mesh::cpu(1, ranks));
    EXPECT_EQ(*all_gather(shard(some_samples())), some_samples());
  });
}

TEST(Arguments, on_different_meshes_or_of_different_layout_are_refused) {
  const auto scope = use_mesh(Mesh::cpu(2));
  const auto x = shard(arange(4));
  const auto add = [](double a, double b) { return a + b; };
  const auto y = shard(arange(5));
  EXPECT_THROW(map({}, add, x, y), Error);
  const auto tiles = shard(arange(4), 2);
  EXPECT_THROW(map({}, add, x, tiles), Error);
  const auto other = use_mesh(Mesh::cpu(2));
  const auto z = shard(arange(4));
  const auto p = replicate(1.0);
  EXPECT_THROW(map({}, add, x, z), Error);
  EXPECT_THROW(map({}, add, x, p), Error);
  EXPECT_THROW(to_unreduced(x) + to_unreduced(z), Error);
}

TEST(Sharded, is_copied_deeply_and_built_where_it_lives) {
  const auto scope = use_mesh(Mesh::cpu(2));
  std::vector<std::thread::id> builders(2);
  auto x = make_sharded<Rows>(5, 1, [&](const DeviceContext& device, RowRange range) {
    builders[std::size_t(device.index)] = std::this_thread::get_id();
    return Rows(std::size_t(range.size()), 1.0);
  });
  EXPECT_NE(builders[0], builders[1]);
  const auto copy = x;
  map_each(
      {}, [](const Batch&, std::span<double> rows) { rows[0] = 7.0; }, x);
  EXPECT_EQ(x.shard(1)[0], 7.0);
  EXPECT_EQ(copy.shard(1)[0], 1.0);
  EXPECT_THROW(make_sharded<Rows>(5, 1, [](const auto&, RowRange) { return Rows(1); }),
               Error);
}

TEST(ShardMap, places_its_result_as_the_output_type_says) {
  const auto scope = use_mesh(Mesh::cpu(3));
  const auto x = shard(arange(7));
  const auto p = replicate(10.0);
  const auto y = shard_map<Sharded<Rows>>(
      [](const DeviceContext&, const Rows& own, double factor) {
        Rows out = own;
        for (double& v : out) v *= factor;
        return out;
      },
      x, p);
  EXPECT_EQ((*all_gather(y))[6], 60.0);
  const auto sum = shard_map<Unreduced<double>>(
      [](const DeviceContext&, const Rows& own) {
        Accumulator<double> partial(0.0);
        for (const double v : own) partial.add(v);
        return partial;
      },
      y);
  EXPECT_EQ(*reduce(sum), 210.0);
  std::vector<int> visited(3);
  shard_map<void>(
      [&](const DeviceContext& d, const Rows&) { ++visited[std::size_t(d.index)]; }, x);
  EXPECT_EQ(visited, (std::vector<int>{1, 1, 1}));
}

TEST(ShardMap, places_each_of_several_outputs_by_its_own_type) {
  const auto scope = use_mesh(Mesh::cpu(3));
  auto [squares, sum] = shard_map<std::tuple<Sharded<Rows>, Unreduced<double>>>(
      [](const DeviceContext&, const Rows& own) {
        Rows out = own;
        Accumulator<double> partial(0.0);
        for (double& v : out) partial.add(v *= v);
        return std::tuple(std::move(out), std::move(partial));
      },
      shard(arange(7)));
  EXPECT_EQ(*all_gather(squares), (Rows{0, 1, 4, 9, 16, 25, 36}));
  EXPECT_EQ(*reduce(std::move(sum)), 91.0);
  EXPECT_EQ(current_mesh().ledger().count(CollectiveKind::all_reduce), 1);
}

TEST(Map, that_throws_on_one_device_leaves_the_mesh_of_use) {
  const auto scope = use_mesh(Mesh::cpu(3));
  const auto x = shard(arange(30));
  const auto sum_but = [&](double broken) {
    return map_sum(
        {.microbatch = 2}, [] { return 0.0; },
        [&](const Batch&, std::span<const double> rows, Accumulator<double>& to) {
          for (const double v : rows) {
            if (v == broken) throw Error(ErrorKind::numerical, "row 15 is broken");
            to.add(v);
          }
        },
        x);
  };
  try {
    sum_but(15.0);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "row 15 is broken");
  }
  EXPECT_EQ(current_mesh().ledger().count(), 0);
  EXPECT_EQ(*reduce(sum_but(-1.0)), 435.0);
}

}  // namespace
}  // namespace drover
