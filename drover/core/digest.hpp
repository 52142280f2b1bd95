// A 128-bit digest of items with an index, whose parts may be combined in any order.
//
// The hash of an item is MurmurHash3_x64_128 (Appleby, public domain; seed 0) of its
// index and tag (8 bytes each, little-endian) followed by its bytes; the digest is the
// sum of the hashes modulo 2^128. So every device digests its own walkers by their global
// index and the digests are added: equal states give equal digests on every machine
// shape. Against accidents, not against an adversary.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace drover {

struct Digest {
  std::uint64_t high = 0, low = 0;

  // Adds the hash of one item; `tag` tells kinds of items apart (positions, parameters).
  void add(std::int64_t index, std::span<const std::byte> bytes, std::uint64_t tag = 0);
  void add(std::int64_t index, std::span<const double> values, std::uint64_t tag = 0) {
    add(index, std::as_bytes(values), tag);
  }
  void merge(const Digest& other);

  // Four 32-bit quarters, lowest first, for an integer all-reduce: up to 2^31 of them may
  // be added word by word, and from_words carries.
  std::array<std::int64_t, 4> words() const;
  static Digest from_words(std::span<const std::int64_t, 4> words);

  std::string text() const;  // 32 hexadecimal digits, high half first

  friend bool operator==(const Digest&, const Digest&) = default;
};

// MurmurHash3_x64_128 of `bytes`, seed 0; `high` is its first half.
Digest murmur3_128(std::span<const std::byte> bytes);

}  // namespace drover
