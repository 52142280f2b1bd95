// The texts of what can go wrong with sums of trees.
#include "drover/mesh/accumulator.hpp"

#include <fmt/format.h>

#include "drover/core/error.hpp"

namespace drover::detail {

void throw_leaf_shape(std::int64_t expected, std::int64_t found) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[accumulate] what is added has {} numbers, the accumulator {} (or "
                  "as many of other types): add trees of the shape that it was made "
                  "with",
                  found, expected));
}

void throw_not_summable(std::string_view label, std::int64_t nonfinite,
                        std::int64_t outside) {
  throw Error(
      ErrorKind::numerical,
      fmt::format("[{}] {} of the numbers to be summed were infinite or NaN and {} "
                  "too large (2^48 = 2.8e14 or more): none were folded in; leave "
                  "them out before adding and count them, or use reduce_counted",
                  label, nonfinite, outside));
}

void throw_fractional_count(std::string_view label, double factor) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] an integer leaf cannot take the factor {}: keep counts in a "
                  "sum of their own, or as doubles",
                  label, factor));
}

}  // namespace drover::detail
