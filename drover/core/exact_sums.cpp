#include "drover/core/exact_sums.hpp"

#include <cmath>
#include <string>

#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/core/exact_sums_kernel.hpp"

namespace drover {
namespace {

// After 2^20 deposits on canonical limbs |b|, |c| < 2^41 + 2^61; another 2^20 canonical
// buffers or one such accumulator still fit 63 bits.
constexpr std::int64_t most_pending = std::int64_t{1} << 20;
constexpr int limb_bits = 42;
// The tallies behind the limbs.
constexpr int outside_at = 0, nonfinite_at = 1, bound_at = 2, counts_at = 3;
// The bound of the sums is kept in units of 2^24, at least one for each deposit, so it
// cannot overflow itself.
constexpr double bound_unit = exact_sums_common;
constexpr std::int64_t largest_bound = std::int64_t{1} << 37;  // 2^61

// Limbs wrap: only the final sum has to fit.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) {
  return std::int64_t(std::uint64_t(a) + std::uint64_t(b));
}

struct Limbs {
  std::int64_t a, b, c;
};

// Moves what exceeds [-2^41, 2^41) of a limb to the next larger one.
Limbs carried(Limbs l) {
  constexpr std::int64_t half = std::int64_t{1} << (limb_bits - 1);
  const std::int64_t from_c = (l.c + half) >> limb_bits;
  l.c -= from_c * (std::int64_t{1} << limb_bits);
  l.b += from_c;
  const std::int64_t from_b = (l.b + half) >> limb_bits;
  l.b -= from_b * (std::int64_t{1} << limb_bits);
  l.a = wrapping_add(l.a, from_b);
  return l;
}

// a 2^-2 + b 2^-44 + c 2^-86 of carried limbs, rounded once: as one 128-bit integer. When
// `a` is too large for that, bits far below the last place of the result are replaced by
// one that says whether any was set.
template <class Real>
Real rounded(const Limbs& l) {
  const __int128 low = (__int128(l.b) << limb_bits) + l.c;  // in 2^-86
  constexpr std::int64_t small = std::int64_t{1} << 42;
  if (l.a > -small && l.a < small)
    return std::ldexp(Real((__int128(l.a) << (2 * limb_bits)) + low), -86);
  constexpr int dropped = 26;
  const __int128 kept = low >> dropped;
  const bool rest = (low & ((__int128(1) << dropped) - 1)) != 0;
  const __int128 all = ((__int128(l.a) << (2 * limb_bits - dropped)) + kept) | int(rest);
  return std::ldexp(Real(all), -86 + dropped);
}

}  // namespace

ExactSums::ExactSums(std::int64_t sums, std::int64_t counts)
    : sums_(sums), counts_(counts) {
  if (sums < 0 || counts < 0)
    throw Error(ErrorKind::logic, "[exact sums] a negative number of sums or counters: " +
                                      std::to_string(sums) + ", " +
                                      std::to_string(counts));
  words_.assign(std::size_t(word_count(sums, counts)), 0);
}

void ExactSums::require_index(std::int64_t i, std::int64_t size, const char* what) const {
  if (i < 0 || i >= size)
    throw Error(ErrorKind::logic, std::string("[exact sums] no ") + what + " " +
                                      std::to_string(i) + ": expected 0 to below " +
                                      std::to_string(size));
}

void ExactSums::deposit(std::int64_t first, const double* values, std::int64_t count) {
  if (first < 0 || count < 0 || first > sums_ - count)
    throw Error(ErrorKind::logic, "[exact sums] deposit of " + std::to_string(count) +
                                      " values from sum " + std::to_string(first) +
                                      " on: there are " + std::to_string(sums_) +
                                      " sums");
  if (count == 0) return;
  if (pending_ >= most_pending) canonicalise();
  ++pending_;
  std::int64_t *a = limb(0) + first, *b = limb(1) + first, *c = limb(2) + first;
  DepositTally tally;
  if (count == 1) {
    deposit_one(*values, a, b, c, tally);
  } else {
    DepositKernel* const kernel =
        instruction_set() == InstructionSet::v4 ? deposit_all_v4 : deposit_all_v3;
    tally = kernel(values, count, a, b, c);
  }
  this->tally(outside_at) += tally.outside;
  this->tally(nonfinite_at) += tally.nonfinite;
  this->tally(bound_at) += std::int64_t(std::ceil(tally.largest / bound_unit));
}

void ExactSums::add_count(std::int64_t i, std::int64_t n) {
  require_index(i, counts_, "counter");
  tally(counts_at + int(i)) += n;
}

void ExactSums::merge(const ExactSums& other) {
  if (other.sums_ != sums_ || other.counts_ != counts_)
    throw Error(ErrorKind::logic,
                "[exact sums] merge of accumulators of different shape: " +
                    std::to_string(sums_) + " sums and " + std::to_string(counts_) +
                    " counters here, " + std::to_string(other.sums_) + " and " +
                    std::to_string(other.counts_) + " there");
  if (pending_ + other.pending_ >= most_pending) canonicalise();
  pending_ += other.pending_ + 1;
  for (std::size_t i = 0; i < words_.size(); ++i)
    words_[i] = wrapping_add(words_[i], other.words_[i]);
}

void ExactSums::clear() {
  words_.assign(words_.size(), 0);
  pending_ = 0;
}

void ExactSums::canonicalise() {
  if (pending_ == 0) return;
  std::int64_t *a = limb(0), *b = limb(1), *c = limb(2);
  for (std::int64_t i = 0; i < sums_; ++i) {
    const Limbs l = carried({a[i], b[i], c[i]});
    a[i] = l.a;
    b[i] = l.b;
    c[i] = l.c;
  }
  pending_ = 0;
}

std::span<std::int64_t> ExactSums::words() {
  canonicalise();
  pending_ = most_pending;  // whatever the caller adds is carried before the next deposit
  return words_;
}

double ExactSums::value(std::int64_t i) const {
  require_index(i, sums_, "sum");
  if (left_window())
    throw Error(ErrorKind::numerical,
                "[exact sums] a sum may have left its window: expected magnitudes that "
                "add up to less than 2^61 = 2.3e18; subtract a reference value first, or "
                "scale the numbers down");
  return rounded<double>(carried({limb(0)[i], limb(1)[i], limb(2)[i]}));
}

long double ExactSums::value_long(std::int64_t i) const {
  value(i);  // its checks
  return rounded<long double>(carried({limb(0)[i], limb(1)[i], limb(2)[i]}));
}

std::int64_t ExactSums::count(std::int64_t i) const {
  require_index(i, counts_, "counter");
  return tally(counts_at + int(i));
}

std::int64_t ExactSums::outside() const {
  return tally(outside_at);
}
std::int64_t ExactSums::nonfinite() const {
  return tally(nonfinite_at);
}
bool ExactSums::left_window() const {
  return tally(bound_at) >= largest_bound;
}

bool operator==(const ExactSums& a, const ExactSums& b) {
  if (a.sums_ != b.sums_ || a.counts_ != b.counts_) return false;
  ExactSums x = a, y = b;
  x.canonicalise();
  y.canonicalise();
  // The bound depends on how values were grouped into deposits; it is no part of the
  // value.
  x.tally(bound_at) = y.tally(bound_at) = 0;
  return x.words_ == y.words_;
}

}  // namespace drover
