#include "drover/core/digest.hpp"

#include <bit>
#include <cstring>

namespace drover {
namespace {

static_assert(std::endian::native == std::endian::little,
              "digests are defined on little-endian bytes");

constexpr std::uint64_t c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;

std::uint64_t finish(std::uint64_t k) {
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccd;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53;
  return k ^ (k >> 33);
}

// The state of the hash while 16-byte blocks are taken in.
struct Murmur {
  std::uint64_t h1 = 0, h2 = 0;

  void mix_first(std::uint64_t k1) { h1 ^= std::rotl(k1 * c1, 31) * c2; }
  void mix_second(std::uint64_t k2) { h2 ^= std::rotl(k2 * c2, 33) * c1; }
  void block(std::uint64_t k1, std::uint64_t k2) {
    mix_first(k1);
    h1 = (std::rotl(h1, 27) + h2) * 5 + 0x52dce729;
    mix_second(k2);
    h2 = (std::rotl(h2, 31) + h1) * 5 + 0x38495ab5;
  }
  // The rest of the bytes; `before` were taken in as blocks already.
  Digest last(std::span<const std::byte> bytes, std::uint64_t before) {
    std::size_t i = 0;
    for (; i + 16 <= bytes.size(); i += 16) {
      std::uint64_t k[2];
      std::memcpy(k, bytes.data() + i, 16);
      block(k[0], k[1]);
    }
    std::uint64_t k[2] = {};
    if (bytes.size() > i) std::memcpy(k, bytes.data() + i, bytes.size() - i);
    if (bytes.size() > i + 8) mix_second(k[1]);
    if (bytes.size() > i) mix_first(k[0]);
    const std::uint64_t length = before + bytes.size();
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    return {h1, h2};
  }
};

}  // namespace

Digest murmur3_128(std::span<const std::byte> bytes) {
  return Murmur().last(bytes, 0);
}

void Digest::add(std::int64_t index, std::span<const std::byte> bytes,
                 std::uint64_t tag) {
  Murmur m;
  m.block(std::uint64_t(index), tag);
  merge(m.last(bytes, 16));
}

void Digest::merge(const Digest& other) {
  low += other.low;
  high += other.high + (low < other.low ? 1 : 0);
}

std::array<std::int64_t, 4> Digest::words() const {
  constexpr std::uint64_t mask = 0xffffffff;
  return {std::int64_t(low & mask), std::int64_t(low >> 32), std::int64_t(high & mask),
          std::int64_t(high >> 32)};
}

Digest Digest::from_words(std::span<const std::int64_t, 4> words) {
  std::uint64_t part[4], carry = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const std::uint64_t sum = std::uint64_t(words[i]) + carry;
    part[i] = sum & 0xffffffff;
    carry = sum >> 32;
  }
  return {(part[3] << 32) | part[2], (part[1] << 32) | part[0]};
}

std::string Digest::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint64_t half : {high, low})
    for (int shift = 60; shift >= 0; shift -= 4) text += digits[(half >> shift) & 15];
  return text;
}

}  // namespace drover
