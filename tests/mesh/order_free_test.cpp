// The same bits for any number of devices, ranks and any microbatch.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <random>

#include "drover/core/error.hpp"
#include "drover/core/exact_sums.hpp"
#include "drover/mesh/map.hpp"
#include "thread_ranks.hpp"

namespace drover {
namespace {

constexpr std::int64_t width = 5;

// Statistics and gradient of a small nonlinear model, in double and in float leaves.
struct Step {
  std::vector<double> gradient = std::vector<double>(width);
  std::vector<float> gradient_float = std::vector<float>(width);
  double energy = 0.0;
  double energy_squared = 0.0;
  std::int64_t rows = 0;
  static constexpr auto fields = tree_fields(
      field("gradient", &Step::gradient), field("gradient_float", &Step::gradient_float),
      field("energy", &Step::energy), field("energy_squared", &Step::energy_squared),
      field("rows", &Step::rows));
  friend bool operator==(const Step&, const Step&) = default;
};

template <class Real>
Array<Real> random_rows(std::int64_t rows) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  Array<Real> x({rows, width});
  // Magnitudes over 14 decades, so that a naive sum does depend on its order.
  for (Real& v : x) v = Real(normal(random) * std::pow(10.0, 7.0 * normal(random) / 3));
  return x;
}

Step step_on(const Array<double>& x, const Array<float>& y, std::int64_t microbatch) {
  const auto sx = shard(x);
  const auto sy = shard(y);
  return *reduce(map_sum(
      {.microbatch = microbatch}, [] { return Step{}; },
      [](const Batch& batch, RowSpan<const double> a, RowSpan<const float> b,
         Accumulator<Step>& sum) {
        for (std::int64_t i = 0; i < batch.size(); ++i) {
          Step row;
          for (std::size_t k = 0; k < std::size_t(width); ++k) {
            row.energy += a[i][k] / (1.0 + a[i][k] * a[i][k]);
            row.gradient[k] = a[i][k] * a[i][0];
            row.gradient_float[k] = b[i][k] * 0.1f;
          }
          row.energy_squared = row.energy * row.energy;
          row.rows = 1;
          sum.add(row);
        }
      },
      sx, sy));
}

TEST(OrderFree, sums_have_the_same_bits_for_any_devices_and_microbatch) {
  const auto x = random_rows<double>(1003);
  const auto y = random_rows<float>(1003);
  Step first;
  for (const int devices : {1, 2, 3, 4, 7}) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    for (const std::int64_t microbatch : {1, 3, 64}) {
      const Step now = step_on(x, y, microbatch);
      if (first.rows == 0) first = now;
      EXPECT_EQ(now.rows, 1003);
      EXPECT_TRUE(now == first) << devices << " devices, microbatch " << microbatch;
    }
  }
}

TEST(OrderFree, sums_have_the_same_bits_for_any_ranks) {
  const auto x = random_rows<double>(301);
  const auto y = random_rows<float>(301);
  Step first;
  {
    const auto scope = use_mesh(Mesh::cpu(1));
    first = step_on(x, y, 0);
  }
  for (const int ranks : {2, 3, 5}) {
    on_thread_ranks(ranks, [&](const std::shared_ptr<Communicator>& communicator) {
      // Ranks may have different numbers of devices.
      const auto scope = use_mesh(Mesh::cpu(1 + communicator->rank() % 2, communicator));
      EXPECT_TRUE(step_on(x, y, 7) == first) << ranks << " ranks";
    });
  }
}

TEST(OrderFree, plain_addition_would_not_have_them) {
  // Shows that the numbers of the tests above are hard enough to tell.
  const auto x = random_rows<double>(1003);
  double forward = 0.0;
  double backward = 0.0;
  for (const double v : x) forward += v;
  for (std::int64_t i = x.size(); i-- > 0;) backward += x[i];
  EXPECT_NE(forward, backward);
}

// Tiles of 64 walkers in a shard of the user's own, as the engine uses them.
struct Herd {
  RowRange walkers;
  std::vector<double> energies;
};
Herd build_herd(RowRange range) {
  Herd herd{range, {}};
  for (std::int64_t w = range.first; w < range.last; ++w) {
    herd.energies.push_back(w == 17 ? std::nan("") : -1e4 + 1.0 / double(w + 1));
  }
  return herd;
}

TEST(OrderFree, a_walker_with_a_nan_energy_is_dropped_and_counted_on_any_devices) {
  double mean = 0.0;
  for (const int devices : {1, 2, 3, 4}) {
    const auto scope = use_mesh(Mesh::cpu(devices));
    auto herd = make_sharded<Herd>(
        200, 64, [](const DeviceContext&, RowRange range) { return build_herd(range); });
    const auto sums = reduce(map_sum(
        {.microbatch = 64}, [] { return ExactSums(1); },
        [](const Batch& batch, Herd& own, ExactSums& sum) {
          EXPECT_EQ(batch.global_first, own.walkers.first + batch.rows.first);
          EXPECT_EQ(batch.global_first % 64, 0) << "batches are whole tiles";
          for (std::int64_t w = batch.rows.first; w < batch.rows.last; ++w) {
            sum.deposit(0, own.energies[std::size_t(w)]);
          }
        },
        herd));
    EXPECT_EQ(sums->nonfinite(), 1);
    if (mean == 0.0) mean = sums->value(0) / 199;
    EXPECT_EQ(sums->value(0) / 199, mean);
    EXPECT_TRUE(std::isfinite(mean));
  }
}

TEST(OrderFree, a_nan_that_is_refused_is_refused_on_every_rank_together) {
  on_thread_ranks(3, [](const std::shared_ptr<Communicator>& ranks) {
    const auto scope = use_mesh(Mesh::cpu(1, ranks));
    auto herd = make_sharded<Herd>(
        200, 64, [](const DeviceContext&, RowRange range) { return build_herd(range); });
    auto sum = map_sum(
        {.microbatch = 64}, [] { return 0.0; },
        [](const Batch& batch, Herd& own, Accumulator<double>& to) {
          for (std::int64_t w = batch.rows.first; w < batch.rows.last; ++w) {
            to.add(own.energies[std::size_t(w)]);
          }
        },
        herd);
    // Only the rank that owns walker 17 has seen the NaN; all must throw, or some would
    // wait for ever in the next collective.
    EXPECT_THROW(reduce(std::move(sum), "energy"), Error);
  });
}

std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(Steps, ten_thousand_of_them_do_not_make_memory_grow) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer keeps memory of its own";
#endif
  const auto scope = use_mesh(Mesh::cpu(2));
  auto herd = make_sharded<Herd>(
      256, 64, [](const DeviceContext&, RowRange range) { return build_herd(range); });
  const auto step = [&](std::int64_t number) {
    current_mesh().ledger().begin_step(number);
    const auto sums = reduce(map_sum(
        {.microbatch = 64, .label = "step"}, [] { return ExactSums(100); },
        [](const Batch& batch, Herd&, ExactSums& sum) {
          sum.deposit(0, double(batch.size()));
        },
        herd));
    ASSERT_EQ(sums->value(0), 256.0);
  };
  for (int i = 0; i < 5000; ++i) step(i);
  const std::int64_t before = resident_bytes();
  for (int i = 5000; i < 15000; ++i) step(i);
  // A leak of one entry or buffer a step would be megabytes; pages come and go by a few.
  EXPECT_LT(resident_bytes() - before, 500000);
  EXPECT_EQ(current_mesh().ledger().count(), 15000);
}

}  // namespace
}  // namespace drover
