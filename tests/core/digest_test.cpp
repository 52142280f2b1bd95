// core/digest.hpp: the known hash, and sums of hashes that know no order.
#include "drover/core/digest.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string_view>
#include <vector>

namespace drover {
namespace {

std::string hash_of(std::string_view text) {
  return murmur3_128(std::as_bytes(std::span(text))).text();
}

TEST(Digest, the_hash_is_MurmurHash3_x64_128) {
  EXPECT_EQ(hash_of(""), "00000000000000000000000000000000");
  EXPECT_EQ(hash_of("hello"), "cbd8a7b341bd9b025b1e906a48ae1d19");
  EXPECT_EQ(hash_of("The quick brown fox jumps over the lazy dog"),
            "e34bbc7bbc071b6c7a433ca9c49a9347");
}

TEST(Digest, an_item_is_hashed_with_its_index_and_tag) {
  const std::vector<double> x = {1.0, 2.5, -3.0};
  std::string bytes(16 + 24, '\0');
  const std::uint64_t head[2] = {12, 34};
  std::memcpy(bytes.data(), head, 16);
  std::memcpy(bytes.data() + 16, x.data(), 24);
  Digest d;
  d.add(12, x, 34);
  EXPECT_EQ(d.text(), hash_of(bytes));
}

TEST(Digest, devices_may_be_merged_in_any_order) {
  std::vector<double> walkers(300);
  for (std::size_t i = 0; i < walkers.size(); ++i) walkers[i] = 0.1 * double(i);
  const auto digest_of = [&](int first, int last) {
    Digest d;
    for (int w = last - 1; w >= first; --w)
      d.add(w, std::span<const double>(walkers).subspan(std::size_t(3 * w), 3));
    return d;
  };
  const Digest all = digest_of(0, 100);
  Digest merged;
  for (const auto& [first, last] : {std::pair{60, 100}, {0, 7}, {7, 60}})
    merged.merge(digest_of(first, last));
  EXPECT_EQ(merged, all);
  std::array<std::int64_t, 4> sum{};
  for (const auto& [first, last] : {std::pair{60, 100}, {0, 7}, {7, 60}})
    for (std::size_t i = 0; i < 4; ++i) sum[i] += digest_of(first, last).words()[i];
  EXPECT_EQ(Digest::from_words(sum), all);
}

TEST(Digest, any_change_shows) {
  const std::vector<double> x = {1.0, 2.0}, swapped = {2.0, 1.0}, negative = {1.0, -2.0};
  std::set<std::string> seen;
  Digest a, b, c, d, e, f;
  a.add(0, x);
  b.add(1, x);
  c.add(0, x, 1);
  d.add(0, swapped);
  e.add(0, negative);
  f.add(0, std::span<const double>(x).first(1));
  for (const Digest& one : {a, b, c, d, e, f})
    EXPECT_TRUE(seen.insert(one.text()).second);
  // Exchanging the contents of two items is a change as well.
  Digest ab, ba;
  ab.add(0, x), ab.add(1, swapped);
  ba.add(0, swapped), ba.add(1, x);
  EXPECT_NE(ab, ba);
}

TEST(Digest, carries_pass_from_the_low_to_the_high_half) {
  Digest a{1, ~std::uint64_t{0}};
  a.merge({2, 1});
  EXPECT_EQ(a, (Digest{4, 0}));
}

}  // namespace
}  // namespace drover
