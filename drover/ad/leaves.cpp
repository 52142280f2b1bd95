#include "drover/ad/leaves.hpp"

#include <string>

#include "drover/ad/vjp.hpp"

namespace drover::leaves {

void throw_size(const char* what, std::int64_t expected, std::int64_t found) {
  throw Error(ErrorKind::logic, std::string("[vjp] ") + what + ": expected " +
                                    std::to_string(expected) + " numbers, found " +
                                    std::to_string(found));
}

tape::Shape shape_of(std::span<const std::int64_t> extents, const char* what) {
  std::int64_t size = 1;
  for (const std::int64_t n : extents) size *= n;
  if (extents.size() > 2 || size < 1 || size > (std::int64_t{1} << 30)) {
    std::string text;
    for (const std::int64_t n : extents)
      text += (text.empty() ? "" : " x ") + std::to_string(n);
    throw Error(ErrorKind::logic,
                std::string("[record] ") + what + " of shape (" + text +
                    "): a model takes numbers, vectors and matrices of at "
                    "least one and at most 2^30 numbers; reshape it");
  }
  const auto extent = [&](std::size_t i) { return static_cast<int>(extents[i]); };
  if (extents.empty()) return tape::scalar_shape();
  if (extents.size() == 1) return tape::vector_shape(extent(0));
  return tape::matrix_shape(extent(0), extent(1));
}

}  // namespace drover::leaves
