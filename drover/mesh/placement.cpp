// The texts of what can go wrong with placements.
#include "drover/mesh/placement.hpp"

#include <fmt/format.h>

#include "drover/core/error.hpp"

namespace drover::detail {

void throw_layout_mismatch(std::string_view operation, const ShardLayout& a,
                           const ShardLayout& b) {
  if (!(a.mesh == b.mesh)) throw_mesh_mismatch(operation);
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] mapped arguments differ in layout: one has {} rows in grains "
                  "of {}, another {} rows in grains of {}; shard them alike",
                  operation, a.rows, a.grain, b.rows, b.grain));
}

void throw_mesh_mismatch(std::string_view operation) {
  throw Error(ErrorKind::logic,
              fmt::format("[{}] arguments live on different meshes: every argument of an "
                          "operation must be placed on one; make them under the same "
                          "use_mesh scope, from one Mesh object",
                          operation));
}

void throw_shard_rows(std::string_view operation, int device, std::int64_t expected,
                      std::int64_t found) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] the shard of device {} has the wrong size: expected {} rows, "
                  "found {}; build each shard from the range that it is given",
                  operation, device, expected, found));
}

void throw_shard_count(std::int64_t expected, std::int64_t found) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[shard] {} shards for {} devices of this rank: bring one shard "
                  "for each, empty where a device has no rows",
                  found, expected));
}

void throw_used_up(std::string_view operation) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] this Unreduced holds no plain partial sum any more: it was "
                  "reduced (or moved from, or scaled) before; reduce once, or reduce "
                  "a copy",
                  operation));
}

void throw_moved_from(std::string_view operation) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] a Sharded argument holds no shards any more: it was moved "
                  "from; use the one that it was moved to",
                  operation));
}

void throw_shape_mismatch(std::string_view operation) {
  throw Error(
      ErrorKind::logic,
      fmt::format("[{}] partials differ in shape: every device, and both operands of "
                  "a sum, must have accumulators of the same length",
                  operation));
}

}  // namespace drover::detail
