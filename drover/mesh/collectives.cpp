// Summing the partials of a rank's devices, then of all ranks.
#include "drover/mesh/collectives.hpp"

#include <algorithm>
#include <cstring>

namespace drover {
namespace detail {
namespace {

// Additions (some 0.1 ms of them) below which one thread is done before all have started.
constexpr std::int64_t additions_worth_sharing = std::int64_t{1} << 18;

std::int64_t total_words(const WordSpans& spans) {
  std::int64_t words = 0;
  for (const auto& span : spans) words += static_cast<std::int64_t>(span.size());
  return words;
}

void require_equal_shapes(const std::vector<WordSpans>& devices) {
  for (const WordSpans& spans : devices) {
    const bool same =
        std::equal(spans.begin(), spans.end(), devices[0].begin(), devices[0].end(),
                   [](const auto& a, const auto& b) { return a.size() == b.size(); });
    if (!same) throw_shape_mismatch("reduce");
  }
}

// Unsigned, because wrapping around is what a sum modulo 2^64 means.
void add_words(std::span<std::int64_t> to, std::span<const std::int64_t> from) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(to[i]) +
                                      static_cast<std::uint64_t>(from[i]));
  }
}

Collective entry(CollectiveKind kind, std::string_view label, std::size_t bytes,
                 std::int64_t numbers, int participants) {
  Collective collective;
  collective.kind = kind;
  collective.label = std::string(label);
  collective.bytes = static_cast<std::int64_t>(bytes);
  collective.numbers = numbers;
  collective.participants = participants;
  return collective;
}

void record(const Mesh& mesh, CollectiveKind kind, std::string_view label,
            std::size_t bytes, std::int64_t numbers) {
  if (mesh.device_count() == 1) return;
  mesh.ledger().record(entry(kind, label, bytes, numbers, mesh.device_count()));
}

}  // namespace

void sum_devices(const Mesh& mesh, const std::vector<WordSpans>& devices) {
  require_equal_shapes(devices);
  // Part `part` of `parts` of every span, so that devices write disjoint words.
  const auto sum_part = [&](std::size_t part, std::size_t parts) {
    for (std::size_t s = 0; s < devices[0].size(); ++s) {
      const std::size_t size = devices[0][s].size();
      const std::size_t first = size * part / parts;
      const std::size_t count = size * (part + 1) / parts - first;
      const auto to = devices[0][s].subspan(first, count);
      for (std::size_t d = 1; d < devices.size(); ++d) {
        add_words(to, devices[d][s].subspan(first, count));
      }
    }
  };
  const auto others = static_cast<std::int64_t>(devices.size()) - 1;
  if (others * total_words(devices[0]) < additions_worth_sharing) {
    sum_part(0, 1);
  } else {
    mesh.for_each_device([&](const DeviceContext& device) {
      sum_part(static_cast<std::size_t>(device.local_index), devices.size());
    });
  }
}

void all_reduce(const Mesh& mesh, std::string_view label, std::int64_t numbers,
                const std::vector<WordSpans>& devices) {
  require_equal_shapes(devices);
  const WordSpans& own = devices[0];
  record(mesh, CollectiveKind::all_reduce, label,
         static_cast<std::size_t>(total_words(own)) * sizeof(std::int64_t), numbers);
  sum_devices(mesh, devices);
  if (mesh.ranks() == 1) return;
  if (own.size() == 1) {
    mesh.communicator().all_reduce_sum(own[0]);
    return;
  }
  std::vector<std::int64_t> packed;
  packed.reserve(static_cast<std::size_t>(total_words(own)));
  for (const auto& span : own) packed.insert(packed.end(), span.begin(), span.end());
  mesh.communicator().all_reduce_sum(packed);
  auto next = packed.begin();
  for (const auto& span : own) {
    const auto end = next + static_cast<std::ptrdiff_t>(span.size());
    std::copy(next, end, span.begin());
    next = end;
  }
}

std::vector<std::int64_t> reduce_scatter_words(const Mesh& mesh, std::string_view label,
                                               std::int64_t numbers,
                                               const std::vector<std::int64_t>& counts,
                                               std::vector<std::int64_t> words) {
  record(mesh, CollectiveKind::reduce_scatter, label, words.size() * sizeof(std::int64_t),
         numbers);
  if (mesh.ranks() == 1) return words;
  std::vector<std::int64_t> own(
      static_cast<std::size_t>(counts[static_cast<std::size_t>(mesh.rank())]));
  mesh.communicator().reduce_scatter_sum(words, counts, own);
  return own;
}

std::vector<std::byte> pack_rows(const std::vector<ConstRowLeaf>& leaves,
                                 std::int64_t rows) {
  std::vector<std::byte> packed;
  for (const ConstRowLeaf& leaf : leaves) {
    packed.insert(packed.end(), leaf.bytes, leaf.bytes + rows * leaf.row_bytes);
  }
  return packed;
}

void unpack_rows(const ShardLayout& layout, std::span<const std::byte> bytes,
                 const std::vector<RowLeaf>& to) {
  std::int64_t row_bytes = 0;
  for (const RowLeaf& leaf : to) row_bytes += leaf.row_bytes;
  if (static_cast<std::int64_t>(bytes.size()) != row_bytes * layout.rows) {
    throw_shard_rows("gather", 0, row_bytes * layout.rows,
                     static_cast<std::int64_t>(bytes.size()));
  }
  const std::byte* next = bytes.data();
  for (int rank = 0; rank < layout.mesh.ranks(); ++rank) {
    const RowRange rows = layout.rank_range(rank);
    for (const RowLeaf& leaf : to) {
      const auto size = static_cast<std::size_t>(rows.size() * leaf.row_bytes);
      if (size != 0) std::memcpy(leaf.bytes + rows.first * leaf.row_bytes, next, size);
      next += size;
    }
  }
}

std::vector<std::byte> all_gather_bytes(const Mesh& mesh, std::string_view label,
                                        std::int64_t numbers,
                                        std::span<const std::byte> own) {
  record(mesh, CollectiveKind::all_gather, label, own.size(), numbers);
  if (mesh.ranks() == 1) return {};
  return mesh.communicator().all_gather(own);
}

std::vector<std::byte> gather_bytes(const Mesh& mesh, std::string_view label,
                                    std::int64_t numbers,
                                    std::span<const std::byte> own) {
  record(mesh, CollectiveKind::gather, label, own.size(), numbers);
  if (mesh.ranks() == 1) return {};
  return mesh.communicator().gather(own, 0);
}

static void record_between_ranks(const Mesh& mesh, CollectiveKind kind,
                                 std::string_view label, std::size_t bytes) {
  if (mesh.ranks() == 1) return;
  mesh.ledger().record(
      entry(kind, label, bytes, static_cast<std::int64_t>(bytes), mesh.device_count()));
}

}  // namespace detail

void agree(const Mesh& mesh, std::string_view name, std::int64_t value) {
  Communicator& ranks = mesh.communicator();
  detail::record_between_ranks(mesh, CollectiveKind::agree, name, sizeof value);
  agree(ranks, name, value);
}
void agree(const Mesh& mesh, std::string_view name, std::string_view value) {
  Communicator& ranks = mesh.communicator();
  detail::record_between_ranks(mesh, CollectiveKind::agree, name, value.size());
  agree(ranks, name, value);
}
void agree(const Mesh& mesh, std::string_view name, std::span<const std::byte> bytes) {
  Communicator& ranks = mesh.communicator();
  detail::record_between_ranks(mesh, CollectiveKind::agree, name, bytes.size());
  agree(ranks, name, bytes);
}

void broadcast(const Mesh& mesh, std::span<std::byte> bytes, int root,
               std::string_view label) {
  Communicator& ranks = mesh.communicator();
  detail::record_between_ranks(mesh, CollectiveKind::broadcast, label, bytes.size());
  ranks.broadcast(bytes, root);
}

}  // namespace drover
