// Accumulator<P>: what a device adds to when the sum is a plain tree of numbers P.
//
// P is a tree (core/tree.hpp): a number, a std::vector, std::array or Array of numbers,
// or a struct that lists its fields. Floating leaves are summed without rounding
// (core/exact_sums.hpp), integers as they are; each value is rounded once when it is
// read. So a gradient has the same bits for any devices, ranks and microbatches, as long
// as what one call of add() brings does not depend on them: a row, or a tile.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "drover/core/array.hpp"
#include "drover/core/exact_sums.hpp"
#include "drover/core/tree.hpp"
#include "drover/mesh/partial.hpp"

namespace drover {
namespace detail {

[[noreturn]] void throw_leaf_shape(std::int64_t expected, std::int64_t found);
[[noreturn]] void throw_not_summable(std::string_view label, std::int64_t nonfinite,
                                     std::int64_t outside);
[[noreturn]] void throw_fractional_count(std::string_view label, double factor);

template <class T>
inline constexpr bool is_summable = Number<T> && !std::is_same_v<T, bool>;
template <HasFields T>
inline constexpr bool is_summable<T> = true;
template <class T, class A>
inline constexpr bool is_summable<std::vector<T, A>> = is_summable<T>;
template <class T, std::size_t N>
inline constexpr bool is_summable<std::array<T, N>> = is_summable<T>;
template <class T>
inline constexpr bool is_summable<Array<T>> = is_summable<T>;

}  // namespace detail

template <class P>
concept SummableTree = detail::is_summable<P> && !Reducible<P>;

// Calls f(std::span<U>) for runs of numbers of one type U, in the order of the fields.
template <class T, class F>
void visit_numbers(T& tree, F&& f) {
  for_each_leaf(tree, [&](std::string_view, auto& leaf) { f(leaf_values(leaf)); });
}

template <SummableTree P>
class Accumulator {
 public:
  // Zero sums of the shape of `shape`, whose values do not matter.
  explicit Accumulator(P shape) : shape_(std::move(shape)) {
    std::int64_t reals = 0;
    std::int64_t integers = 0;
    visit_numbers(shape_, [&]<class U>(std::span<U> leaf) {
      (std::is_floating_point_v<U> ? reals : integers) +=
          static_cast<std::int64_t>(leaf.size());
      std::fill(leaf.begin(), leaf.end(), U{});
    });
    sums_ = ExactSums(reals);
    integers_.resize(static_cast<std::size_t>(integers));
    scratch_.resize(static_cast<std::size_t>(reals));
  }

  // Adds every leaf. Errors: logic, for another shape.
  void add(const P& x) {
    std::size_t real = 0;
    std::size_t integer = 0;
    visit_numbers(x, [&]<class U>(std::span<U> leaf) {
      if constexpr (std::is_floating_point_v<std::remove_const_t<U>>) {
        if (leaf.size() > scratch_.size() - real) mismatch(x);
        for (const auto value : leaf) scratch_[real++] = static_cast<double>(value);
      } else {
        if (leaf.size() > integers_.size() - integer) mismatch(x);
        for (const auto value : leaf) {
          integers_[integer++] += static_cast<std::int64_t>(value);
        }
      }
    });
    if (real != scratch_.size() || integer != integers_.size()) mismatch(x);
    sums_.deposit(scratch_.data(), static_cast<std::int64_t>(real));
  }

  // Adds to floating values `first` and on, counted in the order of the fields.
  void add(std::int64_t first, std::span<const double> values) {
    sums_.deposit(first, values.data(), static_cast<std::int64_t>(values.size()));
  }

  // What was added here, each value rounded once. Without the values that were left out.
  P value() const {
    P out = shape_;
    std::int64_t real = 0;
    std::size_t integer = 0;
    visit_numbers(out, [&]<class U>(std::span<U> leaf) {
      for (U& value : leaf) {
        if constexpr (std::is_floating_point_v<U>) {
          value = static_cast<U>(sums_.value(real++));
        } else {
          value = static_cast<U>(integers_[integer++]);
        }
      }
    });
    return out;
  }

  std::int64_t nonfinite() const { return sums_.nonfinite(); }  // left out
  std::int64_t outside() const { return sums_.outside(); }      // left out, see ExactSums
  const ExactSums& sums() const { return sums_; }
  ExactSums& sums() { return sums_; }
  const std::vector<std::int64_t>& integers() const { return integers_; }
  const P& shape() const { return shape_; }
  std::int64_t number_count() const {
    return sums_.size() + static_cast<std::int64_t>(integers_.size());
  }

  void merge(const Accumulator& other) {
    sums_.merge(other.sums_);
    if (other.integers_.size() != integers_.size()) mismatch(other.shape_);
    for (std::size_t i = 0; i < integers_.size(); ++i) integers_[i] += other.integers_[i];
  }
  void clear() {
    sums_.clear();
    std::fill(integers_.begin(), integers_.end(), 0);
  }
  void canonicalise() { sums_.canonicalise(); }
  template <class F>
  void visit_words(F&& f) {
    f(sums_.words());
    f(std::span<std::int64_t>(integers_));
  }

 private:
  [[noreturn]] void mismatch(const P& x) const {
    std::int64_t found = 0;
    visit_numbers(x, [&](auto leaf) { found += static_cast<std::int64_t>(leaf.size()); });
    detail::throw_leaf_shape(number_count(), found);
  }
  P shape_;
  ExactSums sums_;
  std::vector<std::int64_t> integers_;
  std::vector<double> scratch_;
};

// A sum and how many of the numbers that went into it were left out.
template <class P>
struct Counted {
  P value;
  std::int64_t nonfinite = 0;  // infinities and NaNs
  std::int64_t outside = 0;    // too large for the accumulators' window
};

template <SummableTree P>
struct PartialTraits<P> {
  static constexpr bool exists = true;
  static constexpr bool scalable = true;
  using partial = Accumulator<P>;
  static partial make(P shape) { return partial(std::move(shape)); }
  static std::int64_t numbers(const partial& p) { return p.number_count(); }

  // sum over terms of factor * sum, the terms in order; terms hold the total in
  // partials[0].
  template <class Terms>
  static Counted<P> counted(const Terms& terms, std::string_view label) {
    const partial& first = *terms[0].partials[0];
    Counted<P> out{first.value(), 0, 0};
    for (const auto& term : terms) {
      out.nonfinite += term.partials[0]->nonfinite();
      out.outside += term.partials[0]->outside();
    }
    if (terms.size() == 1 && terms[0].factor == 1.0) return out;
    std::int64_t real = 0;
    std::size_t integer = 0;
    visit_numbers(out.value, [&]<class U>(std::span<U> leaf) {
      for (U& value : leaf) {
        if constexpr (std::is_floating_point_v<U>) {
          double sum = 0.0;
          for (const auto& term : terms) {
            sum += term.factor * term.partials[0]->sums().value(real);
          }
          ++real;
          value = static_cast<U>(sum);
        } else {
          std::int64_t sum = 0;
          for (const auto& term : terms) {
            const auto whole = static_cast<std::int64_t>(term.factor);
            if (static_cast<double>(whole) != term.factor) {
              detail::throw_fractional_count(label, term.factor);
            }
            sum += whole * term.partials[0]->integers()[integer];
          }
          ++integer;
          value = static_cast<U>(sum);
        }
      }
    });
    return out;
  }

  template <class Terms>
  static P value(const Terms& terms, std::string_view label) {
    Counted<P> out = counted(terms, label);
    if (out.nonfinite != 0 || out.outside != 0) {
      detail::throw_not_summable(label, out.nonfinite, out.outside);
    }
    return std::move(out.value);
  }
};

}  // namespace drover
