// core/pack.hpp: every operation on a pack is the scalar one in each lane.
#include "drover/core/pack.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "drover/core/error.hpp"
#include "drover/core/tile.hpp"

namespace drover {
namespace {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();
constexpr double values[] = {1.5, -2.0, 0.0, -0.0, nan_value, 1e300, -3.25, 0.1};
constexpr double others[] = {-2.0, -2.0, -0.0, 0.0, 1.0, 1e300, nan_value, 7.0};

void expect_same(double found, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found));
  } else {
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::signbit(found), std::signbit(expected));
  }
}

template <class R>
class PackTest : public testing::Test {};
using Packs = testing::Types<Pack<2>, Pack<4>, Pack<8>>;
TYPED_TEST_SUITE(PackTest, Packs);

TYPED_TEST(PackTest, lanes_compute_as_scalars_do) {
  using R = TypeParam;
  for (int first = 0; first + lanes_v<R> <= 8; first += lanes_v<R>) {
    const R a = load<R>(values + first), b = load<R>(others + first);
    for (int lane = 0; lane < lanes_v<R>; ++lane) {
      const double x = values[first + lane], y = others[first + lane];
      expect_same((a + b)[lane], x + y);
      expect_same((a - b)[lane], x - y);
      expect_same((a * b)[lane], x * y);
      expect_same((a / b)[lane], x / y);
      expect_same((-a)[lane], -x);
      expect_same(abs(a)[lane], std::fabs(x));
      expect_same(sqrt(abs(a))[lane], std::sqrt(std::fabs(x)));
      expect_same(fma(a, b, R(0.5))[lane], std::fma(x, y, 0.5));
      expect_same(fnma(a, b, R(0.5))[lane], std::fma(-x, y, 0.5));
      expect_same(min(a, b)[lane], min(x, y));
      expect_same(max(a, b)[lane], max(x, y));
      expect_same(select(a < b, a, b)[lane], select(x < y, x, y));
      EXPECT_EQ((a < b)[lane], x < y);
      EXPECT_EQ((a <= b)[lane], x <= y);
      EXPECT_EQ((a > b)[lane], x > y);
      EXPECT_EQ((a >= b)[lane], x >= y);
      EXPECT_EQ((a == b)[lane], x == y);
      EXPECT_EQ((a != b)[lane], x != y);
    }
  }
}

TYPED_TEST(PackTest, any_and_all_look_at_every_lane) {
  using R = TypeParam;
  for (int lane = 0; lane < lanes_v<R>; ++lane) {
    R one_set(0.0), one_missing(1.0);
    one_set.set(lane, 1.0);
    one_missing.set(lane, 0.0);
    EXPECT_TRUE(any(one_set > R(0.5)));
    EXPECT_FALSE(all(one_set > R(0.5)));
    EXPECT_FALSE(all(one_missing > R(0.5)));
    EXPECT_TRUE(any(!(one_missing > R(0.5))));
  }
  EXPECT_FALSE(any(R(0.0) > R(0.5)));
  EXPECT_TRUE(all(R(1.0) > R(0.5)));
  EXPECT_TRUE(all((R(1.0) > R(0.5)) & !(R(1.0) < R(0.5))));
  EXPECT_TRUE(all((R(1.0) > R(0.5)) ^ (R(1.0) < R(0.5))));
  EXPECT_FALSE(any((R(1.0) > R(0.5)) & (R(1.0) < R(0.5))));
  EXPECT_TRUE(all((R(1.0) > R(0.5)) | (R(1.0) < R(0.5))));
}

TYPED_TEST(PackTest, numbers_are_broadcast_loaded_and_stored) {
  using R = TypeParam;
  double out[8] = {};
  store(out, load<R>(values) + R(1.0));
  for (int lane = 0; lane < lanes_v<R>; ++lane)
    expect_same(out[lane], values[lane] + 1.0);
  expect_same(R(-0.0)[lanes_v<R> - 1], -0.0);
}

TEST(Tile, the_last_tile_may_be_part_full) {
  EXPECT_EQ(tile_count(0), 0);
  EXPECT_EQ(tile_count(1), 1);
  EXPECT_EQ(tile_count(64), 1);
  EXPECT_EQ(tile_count(65), 2);
}

TEST(Error, an_input_error_names_its_place) {
  ErrorWhere where;
  where.file = "water.toml";
  where.line = 7;
  where.key = "sampling.walkers";
  const Error e = input_error("expected a number", where);
  EXPECT_STREQ(e.what(), "water.toml:7: expected a number");
  EXPECT_EQ(e.kind(), ErrorKind::input);
  EXPECT_EQ(e.where().key, "sampling.walkers");
  EXPECT_STREQ(input_error("no place").what(), "no place");
}

}  // namespace
}  // namespace drover
