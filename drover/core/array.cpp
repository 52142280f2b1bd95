// The checks of array.hpp.
#include "drover/core/array.hpp"

#include <string>

#include "drover/core/error.hpp"

namespace drover {
namespace {

std::string text_of(std::span<const std::int64_t> numbers) {
  std::string text = "(";
  for (std::size_t i = 0; i < numbers.size(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + ")";
}

}  // namespace

std::int64_t element_count(std::span<const std::int64_t> shape) {
  constexpr std::int64_t most = std::int64_t{1} << 62;
  std::int64_t count = 1;
  bool none = false, good = true;
  for (const std::int64_t extent : shape) {
    good = good && extent >= 0;
    if (extent == 0) none = true;
    if (extent > 0) {
      good = good && count <= most / extent;
      if (good) count *= extent;
    }
  }
  if (!good)
    throw Error(ErrorKind::logic,
                "[array] a shape must have extents of at least 0 and at most 2^62 "
                "elements, found " +
                    text_of(shape));
  return none ? 0 : count;
}

void throw_bad_index(std::span<const std::int64_t> shape,
                     std::span<const std::int64_t> index) {
  throw Error(ErrorKind::logic, "[array] index " + text_of(index) +
                                    " does not fit an array of shape " + text_of(shape));
}

}  // namespace drover
