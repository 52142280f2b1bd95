// Which rows a device owns and takes at a time.
#include "drover/mesh/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "drover/core/error.hpp"
#include "drover/mesh/padding.hpp"

namespace drover {

RowRange shard_range(std::int64_t rows, std::int64_t grain, int devices, int device) {
  if (rows < 0 || grain < 1 || devices < 1 || device < 0 || device >= devices) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[shard] cannot place {} rows in grains of {} on device {} of "
                    "{}: expected rows >= 0, grain >= 1, devices >= 1 and "
                    "0 <= device < devices",
                    rows, grain, device, devices));
  }
  const std::int64_t grains = rows / grain + (rows % grain != 0 ? 1 : 0);
  const std::int64_t each = grains / devices;
  const std::int64_t extra = grains % devices;
  const std::int64_t first = device * each + std::min<std::int64_t>(device, extra);
  const std::int64_t last = first + each + (device < extra ? 1 : 0);
  return {std::min(first * grain, rows), std::min(last * grain, rows)};
}

std::int64_t batch_rows(std::int64_t microbatch, std::int64_t grain,
                        std::int64_t shard_rows) {
  if (microbatch < 0) {
    throw Error(ErrorKind::logic,
                fmt::format("[map] the microbatch is {}: expected the rows that a device "
                            "takes at a time, or 0 for all of them",
                            microbatch));
  }
  if (microbatch == 0) return std::max(shard_rows, grain);
  return std::max(grain, microbatch / grain * grain);
}

std::int64_t padded_rows(std::int64_t rows, std::int64_t multiple) {
  if (rows < 0 || multiple < 1) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[pad] cannot pad {} rows to a multiple of {}: expected rows >= 0 "
                    "and a multiple of at least 1",
                    rows, multiple));
  }
  return (rows + multiple - 1) / multiple * multiple;
}

namespace detail {

void throw_unequal_rows(std::string_view leaf, std::int64_t rows, std::int64_t others) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[shard] the per-walker leaf \"{}\" has {} rows, those before it "
                  "{}: every per-walker leaf of a tree has one row for each walker",
                  leaf, rows, others));
}

void copy_leaf_rows(const std::vector<ConstRowLeaf>& from, RowRange range,
                    const std::vector<RowLeaf>& to, std::int64_t first) {
  if (range.empty()) return;
  for (std::size_t leaf = 0; leaf < from.size(); ++leaf) {
    const std::int64_t row_bytes = from[leaf].row_bytes;
    if (leaf >= to.size() || to[leaf].row_bytes != row_bytes) {
      throw Error(
          ErrorKind::logic,
          fmt::format("[rows] rows differ in size: {} bytes where {} were expected; "
                      "every shard needs rows of one shape, also an empty one",
                      row_bytes, leaf < to.size() ? to[leaf].row_bytes : 0));
    }
    std::memcpy(to[leaf].bytes + first * row_bytes,
                from[leaf].bytes + range.first * row_bytes,
                static_cast<std::size_t>(range.size() * row_bytes));
  }
}

}  // namespace detail

}  // namespace drover
