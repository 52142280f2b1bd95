// Sums whose bits do not depend on the order of summation, on who adds what, or on how
// partial sums are combined.
//
// Each number is rounded once to a multiple of 2^-86 and cut into three integers,
//   x = a 2^-2 + b 2^-44 + c 2^-86,   |a| <= 2^50, |b| <= 2^41, |c| <= 2^41,
// which are added in 64-bit limbs. Integer addition is associative, so threads, ranks and
// atomics may add in any order. The cut is exact but for its last rounding, which depends
// on x alone (the fixed-quanta method; cf. Demmel and Nguyen, "Parallel reproducible
// summation", IEEE Trans. Comput. 64 (2015) 2060).
//
// Window: |x| < 2^48 = 2.8e14, and sums below 2^61 = 2.3e18. A larger or a non-finite
// number is not folded in but counted (outside, nonfinite); a sum that may have left the
// window is an error when it is read. Numbers below 2^-87 = 6.5e-27 count as zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace drover {

class ExactSums {
 public:
  ExactSums() : ExactSums(0) {}
  // `sums` sums and `counts` integer counters beside them, all zero.
  explicit ExactSums(std::int64_t sums, std::int64_t counts = 0);

  std::int64_t size() const { return sums_; }
  std::int64_t counts() const { return counts_; }

  // Adds values[i] to sum i for i < count; count <= size(). Error (logic) otherwise.
  void deposit(const double* values, std::int64_t count) { deposit(0, values, count); }
  // Adds values[i] to sum first + i for i < count.
  void deposit(std::int64_t first, const double* values, std::int64_t count);
  void deposit(std::int64_t i, double x) { deposit(i, &x, 1); }
  void add_count(std::int64_t i, std::int64_t n = 1);

  // Adds another's sums and counters. Error (logic) if their sizes differ.
  void merge(const ExactSums& other);
  void clear();

  // Sum i, rounded once to the nearest double. Error (numerical) if sums may have left
  // the window.
  double value(std::int64_t i) const;
  // Sum i to the 64 bits of a long double: for differences that cancel.
  long double value_long(std::int64_t i) const;
  std::int64_t count(std::int64_t i) const;

  std::int64_t outside() const;    // numbers that were finite, but too large
  std::int64_t nonfinite() const;  // infinities and NaNs
  bool left_window() const;        // whether a sum may have exceeded 2^61

  // Brings the limbs to the one form that a value has, with |b|, |c| <= 2^41.
  void canonicalise();
  // Everything that a reduction adds: 3 size() limbs, outside, nonfinite, a bound of the
  // largest sum, counts() counters; canonical. Up to 2^20 such buffers may be added word
  // by word as 64-bit integers that wrap, in any order, and the result left here.
  std::span<std::int64_t> words();
  std::span<const std::int64_t> words() const { return words_; }  // as they are
  static std::int64_t word_count(std::int64_t sums, std::int64_t counts) {
    return 3 * sums + 3 + counts;
  }

  // Of the canonical words: equal sums compare equal however they were collected.
  friend bool operator==(const ExactSums& a, const ExactSums& b);

 private:
  std::int64_t sums_ = 0, counts_ = 0;
  std::int64_t pending_ = 0;  // deposits since the limbs were canonical
  std::vector<std::int64_t> words_;

  std::int64_t* limb(int k) { return words_.data() + k * sums_; }
  const std::int64_t* limb(int k) const { return words_.data() + k * sums_; }
  std::int64_t& tally(int k) { return words_[std::size_t(3 * sums_ + k)]; }
  std::int64_t tally(int k) const { return words_[std::size_t(3 * sums_ + k)]; }
  void require_index(std::int64_t i, std::int64_t size, const char* what) const;
};

}  // namespace drover
