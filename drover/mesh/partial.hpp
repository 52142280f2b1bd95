// What may be the partial of a device in an Unreduced<P>.
//
// A reducible type is a set of 64-bit integers whose sum over devices, word by word, is
// the sum of the values: counts, or order-free sums of doubles (core/exact_sums.hpp).
// Integer addition is associative, so no order of devices, ranks or microbatches can
// matter. Plain trees of doubles become reducible through an accumulator
// (accumulator.hpp).
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>

namespace drover {

template <class P>
concept HasWords = requires(P& p) {
  { p.words() } -> std::convertible_to<std::span<std::int64_t>>;
};

// For a struct of several sums: calls f(std::span<std::int64_t>) for each, always in the
// same order and with the same lengths on every device.
template <class P>
concept VisitsWords = requires(P& p) {
  p.visit_words([](std::span<std::int64_t>) {});
};

template <class P>
concept Reducible = (HasWords<P> || VisitsWords<P>)&&requires(P& p, const P& q) {
  p.merge(q);
};

// How a device accumulates a P and how the reduced words become a P; specialised for
// trees in accumulator.hpp. `scalable`: whether a factor can be applied to the value.
template <class P>
struct PartialTraits {
  static constexpr bool exists = false;
};

namespace detail {
template <class... P>
inline constexpr bool always_false = false;

// Brings words() into the form in which 2^20 partials may be added; a type whose words
// always are needs no canonicalise().
template <class P>
void canonicalise(P& p) {
  if constexpr (requires { p.canonicalise(); }) p.canonicalise();
}

template <class P, class F>
void visit_words(P& p, F&& f) {
  if constexpr (VisitsWords<P>) {
    p.visit_words(f);
  } else {
    f(std::span<std::int64_t>(p.words()));
  }
}
}  // namespace detail

template <Reducible P>
struct PartialTraits<P> {
  static constexpr bool exists = true;
  static constexpr bool scalable = false;
  using partial = P;
  static partial make(P empty) { return empty; }
  // Values carried, for the ledger.
  static std::int64_t numbers(partial& p) {
    if constexpr (requires { p.number_count(); }) {
      return static_cast<std::int64_t>(p.number_count());
    } else {
      std::int64_t words = 0;
      detail::visit_words(p, [&](std::span<std::int64_t> w) {
        words += static_cast<std::int64_t>(w.size());
      });
      return words;
    }
  }
};

template <class P>
struct partial_of {
  static_assert(
      PartialTraits<P>::exists,
      "[Unreduced] this type cannot be summed over devices: give it merge(const "
      "P&) and words() (or visit_words(f)) of 64-bit integers, or use a number, a "
      "std::vector, a std::array or a tree of doubles and include "
      "drover/mesh/accumulator.hpp");
  using type = typename PartialTraits<P>::partial;
};
template <class P>
using partial_t = typename partial_of<P>::type;

}  // namespace drover
