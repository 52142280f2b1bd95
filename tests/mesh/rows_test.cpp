// Which device owns which rows, and in which pieces it takes them.
#include "drover/mesh/rows.hpp"

#include <gtest/gtest.h>

#include "drover/core/error.hpp"
#include "drover/mesh/map.hpp"
#include "drover/mesh/padding.hpp"

namespace drover {
namespace {

std::vector<std::int64_t> shard_sizes(std::int64_t rows, std::int64_t grain,
                                      int devices) {
  std::vector<std::int64_t> sizes;
  for (int d = 0; d < devices; ++d) {
    sizes.push_back(shard_range(rows, grain, devices, d).size());
  }
  return sizes;
}

TEST(ShardRange, gives_the_first_devices_one_row_more) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(shard_sizes(142, 1, 4), (Sizes{36, 36, 35, 35}));
  EXPECT_EQ(shard_sizes(13, 1, 4), (Sizes{4, 3, 3, 3}));
  EXPECT_EQ(shard_sizes(3, 1, 4), (Sizes{1, 1, 1, 0}));
  EXPECT_EQ(shard_sizes(0, 1, 4), (Sizes{0, 0, 0, 0}));
}

TEST(ShardRange, never_splits_a_grain_and_covers_all_rows_in_order) {
  for (const std::int64_t grain : {1, 7, 64}) {
    for (const std::int64_t rows : {0, 1, 63, 64, 65, 1000, 4096}) {
      for (const int devices : {1, 2, 3, 7, 100}) {
        std::int64_t next = 0;
        for (int d = 0; d < devices; ++d) {
          const RowRange range = shard_range(rows, grain, devices, d);
          ASSERT_EQ(range.first, next);
          ASSERT_TRUE(range.last % grain == 0 || range.last == rows);
          next = range.last;
        }
        ASSERT_EQ(next, rows);
      }
    }
  }
}

TEST(ShardRange, refuses_what_makes_no_sense) {
  EXPECT_THROW(shard_range(-1, 1, 1, 0), Error);
  EXPECT_THROW(shard_range(1, 0, 1, 0), Error);
  EXPECT_THROW(shard_range(1, 1, 0, 0), Error);
  EXPECT_THROW(shard_range(1, 1, 2, 2), Error);
}

std::vector<std::int64_t> batch_sizes(std::int64_t rows, std::int64_t microbatch,
                                      std::int64_t grain) {
  const auto scope = use_mesh(Mesh::cpu(1));
  const auto x = shard(std::vector<double>(std::size_t(rows)), grain);
  std::vector<std::int64_t> sizes;
  map_each(
      {.microbatch = microbatch},
      [&](const Batch& batch, std::span<const double> view) {
        EXPECT_EQ(std::int64_t(view.size()), batch.size());
        EXPECT_EQ(batch.number, std::int64_t(sizes.size()));
        sizes.push_back(batch.size());
      },
      x);
  return sizes;
}

TEST(Microbatches, are_contiguous_with_the_remainder_last_and_never_padded) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(batch_sizes(21, 10, 1), (Sizes{10, 10, 1}));
  EXPECT_EQ(batch_sizes(35, 10, 1), (Sizes{10, 10, 10, 5}));
  EXPECT_EQ(batch_sizes(4, 1, 1), (Sizes{1, 1, 1, 1}));
  EXPECT_EQ(batch_sizes(5, 10, 1), (Sizes{5}));
  EXPECT_EQ(batch_sizes(5, 0, 1), (Sizes{5}));
  EXPECT_EQ(batch_sizes(0, 10, 1), (Sizes{}));
}

TEST(Microbatches, are_whole_grains_and_at_least_one) {
  using Sizes = std::vector<std::int64_t>;
  EXPECT_EQ(batch_sizes(200, 150, 64), (Sizes{128, 72}));
  EXPECT_EQ(batch_sizes(200, 10, 64), (Sizes{64, 64, 64, 8}));
  EXPECT_THROW(batch_sizes(10, -1, 1), Error);
}

TEST(Microbatches, know_the_global_index_of_their_first_row) {
  const auto scope = use_mesh(Mesh::cpu(3));
  std::vector<double> host(1000);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = double(i);
  const auto x = shard(host, 64);
  map_each(
      {.microbatch = 128},
      [](const Batch& batch, std::span<const double> view) {
        for (std::size_t i = 0; i < view.size(); ++i) {
          ASSERT_EQ(view[i], double(batch.global_first + std::int64_t(i)));
        }
      },
      x);
}

TEST(Padding, repeats_the_last_row_with_weight_0_and_can_be_taken_off) {
  Array<double> x({3, 2});
  for (std::int64_t i = 0; i < 6; ++i) x[i] = double(i);
  const auto padded = pad_rows(x, 4);
  EXPECT_EQ(padded.rows.rows(), 4);
  EXPECT_EQ(padded.rows(3, 1), 5.0);
  EXPECT_EQ(padded.weights, (std::vector<double>{1, 1, 1, 0}));
  EXPECT_EQ(unpad_rows(padded.rows, padded.real_rows), x);
  EXPECT_EQ(pad_rows(std::vector<double>{}, 4).rows.size(), 0u);
  EXPECT_EQ(pad_rows(std::vector<double>{1, 2}, 2).weights, (std::vector<double>{1, 1}));
  EXPECT_THROW(pad_rows(x, 0), Error);
}

}  // namespace
}  // namespace drover
