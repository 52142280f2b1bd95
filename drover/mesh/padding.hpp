// Padding to a multiple of rows, for those who need equal counts: with weights.
//
// Nothing in Drover needs padding. Where a user's own code does, the added rows repeat
// the last real one, so that they are as well behaved as it, and their weight is 0: a
// statistic that uses the weights cannot see them.
#pragma once

#include <cstdint>
#include <vector>

#include "drover/mesh/rows.hpp"

namespace drover {

template <class T>
struct Padded {
  T rows;
  std::vector<double> weights;  // 1 for each real row, then 0
  std::int64_t real_rows = 0;
};

// The smallest multiple of `multiple` that holds `rows`. Errors: logic, for a negative
// count or a multiple below one.
std::int64_t padded_rows(std::int64_t rows, std::int64_t multiple);

template <HasRows T>
Padded<T> pad_rows(const T& x, std::int64_t multiple) {
  const std::int64_t real = RowTraits<T>::rows(x);
  const std::int64_t all = padded_rows(real, multiple);
  Padded<T> padded{RowTraits<T>::make_like(x, all),
                   std::vector<double>(static_cast<std::size_t>(all)), real};
  const auto from = detail::row_leaves(x);
  const auto to = detail::row_leaves(padded.rows);
  detail::copy_leaf_rows(from, {0, real}, to, 0);
  for (std::int64_t row = real; row < all; ++row) {
    detail::copy_leaf_rows(from, {real - 1, real}, to, row);
  }
  for (std::int64_t row = 0; row < real; ++row) {
    padded.weights[static_cast<std::size_t>(row)] = 1.0;
  }
  return padded;
}

// The real rows again, of the padded ones or of what was computed from them row by row.
template <HasRows T>
T unpad_rows(const T& padded, std::int64_t real_rows) {
  return copy_rows(padded, {0, real_rows});
}

}  // namespace drover
