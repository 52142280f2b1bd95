// The named operations that change a placement; those that communicate say so.
//
//   reduce           unreduced -> replicated   all-reduce
//   reduce_scatter   unreduced -> sharded      reduce-scatter
//   all_gather       sharded   -> replicated   all-gather
//   gather           sharded   -> rank 0       gather
//   local_slice      replicated -> sharded     local
//   to_unreduced     replicated or sharded -> unreduced, local: [v, 0, 0, ...], never v /
//   D
// Each collective between D > 1 devices makes one entry in the mesh's ledger, and one
// packed message between ranks.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "drover/mesh/placement.hpp"

namespace drover {
namespace detail {

// The words of one device's partials of every term, as spans in a fixed order.
using WordSpans = std::vector<std::span<std::int64_t>>;

// Adds the words of this rank's other devices to those of its device 0, which then hold
// the sum; large ones by all devices, each a part. Errors: logic, when their shapes
// differ.
void sum_devices(const Mesh& mesh, const std::vector<WordSpans>& devices);

// sum_devices, then over ranks, in one message; in the ledger.
void all_reduce(const Mesh& mesh, std::string_view label, std::int64_t numbers,
                const std::vector<WordSpans>& devices);

// The sums over ranks of this rank's counts[rank] of the words; in the ledger.
std::vector<std::int64_t> reduce_scatter_words(const Mesh& mesh, std::string_view label,
                                               std::int64_t numbers,
                                               const std::vector<std::int64_t>& counts,
                                               std::vector<std::int64_t> words);

// Every rank's bytes in rank order; in the ledger.
std::vector<std::byte> all_gather_bytes(const Mesh& mesh, std::string_view label,
                                        std::int64_t numbers,
                                        std::span<const std::byte> own);
std::vector<std::byte> gather_bytes(const Mesh& mesh, std::string_view label,
                                    std::int64_t numbers, std::span<const std::byte> own);

struct UnreducedAccess {
  template <class P>
  using Term = typename Unreduced<P>::Term;
  template <class P>
  static std::vector<Term<P>>& terms(Unreduced<P>& u) {
    return u.terms_;
  }
  template <class P>
  static const std::vector<Term<P>>& terms(const Unreduced<P>& u) {
    return u.terms_;
  }
  template <class P>
  static Unreduced<P> make(const Mesh& mesh, std::vector<Term<P>> terms) {
    return Unreduced<P>(mesh, std::move(terms));
  }
  // One term of factor 1 without partials yet.
  template <class P>
  static Unreduced<P> make_empty(const Mesh& mesh) {
    std::vector<Term<P>> terms(1);
    terms[0].partials.resize(static_cast<std::size_t>(mesh.local_device_count()));
    return Unreduced<P>(mesh, std::move(terms));
  }
};

// Leaves the sum over all devices in the partial of device 0 of each term.
template <class P>
void reduce_in_place(Unreduced<P>& u, std::string_view label) {
  require_host_code("reduce");
  auto& terms = UnreducedAccess::terms(u);
  if (terms.empty()) throw_used_up("reduce");
  const Mesh& mesh = u.mesh();
  // A map has left its partials canonical on the devices, so this costs nothing then.
  std::vector<WordSpans> words(static_cast<std::size_t>(mesh.local_device_count()));
  for (std::size_t d = 0; d < words.size(); ++d) {
    for (auto& term : terms) {
      canonicalise(*term.partials[d]);
      visit_words(*term.partials[d],
                  [&](std::span<std::int64_t> w) { words[d].push_back(w); });
    }
  }
  if (mesh.device_count() == 1) return;
  std::int64_t numbers = 0;
  for (auto& term : terms) numbers += PartialTraits<P>::numbers(*term.partials[0]);
  all_reduce(mesh, label, numbers, words);
  for (auto& term : terms) canonicalise(*term.partials[0]);
}

}  // namespace detail

// The sum over all devices, the same bits everywhere: one all-reduce of one packed
// buffer, none on a mesh of one device. The argument is used up; pass a copy to keep it.
// For a tree of doubles each value is rounded once, from the exact sum. Errors:
// numerical, on all ranks alike, when a tree had values that are not finite or outside
// the accumulators' window (see reduce_counted); logic, when `u` was reduced before.
template <class P>
Replicated<P> reduce(Unreduced<P>&& u, std::string_view label = "reduce") {
  detail::reduce_in_place(u, label);
  auto terms = std::move(detail::UnreducedAccess::terms(u));
  detail::UnreducedAccess::terms(u).clear();
  if constexpr (Reducible<P>) {
    return Replicated<P>(u.mesh(), std::move(*terms[0].partials[0]));
  } else {
    return Replicated<P>(u.mesh(), PartialTraits<P>::value(terms, label));
  }
}
template <class P>
Replicated<P> reduce(const Unreduced<P>& u, std::string_view label = "reduce") {
  return reduce(Unreduced<P>(u), label);
}

// Bytes of the packed message that a reduce of such partials sends, for a Plan. `partial`
// is what a device accumulates: a P of words of its own, or an Accumulator.
template <Reducible P>
std::int64_t message_bytes(P partial) {
  std::int64_t bytes = 0;
  detail::visit_words(partial, [&](std::span<std::int64_t> words) {
    bytes += static_cast<std::int64_t>(words.size_bytes());
  });
  return bytes;
}

// Throws Error (input), on every rank with the same text, when the ranks do not hold the
// same value of what `name` stands for. In the ledger when there are several ranks.
void agree(const Mesh& mesh, std::string_view name, std::int64_t value);
void agree(const Mesh& mesh, std::string_view name, std::string_view value);
void agree(const Mesh& mesh, std::string_view name, std::span<const std::byte> bytes);

// The bytes of rank `root` on every rank; in the ledger when there are several ranks.
void broadcast(const Mesh& mesh, std::span<std::byte> bytes, int root,
               std::string_view label = "broadcast");

// All rows in global order on every rank: one all-gather.
template <HasRows T>
Replicated<T> all_gather(const Sharded<T>& x, std::string_view label = "all_gather");

// All rows in global order on rank 0, no rows elsewhere: one gather.
template <HasRows T>
T gather(const Sharded<T>& x, std::string_view label = "gather");

// The rows of each device of a value that all of them have: local.
template <HasRows T>
Sharded<T> local_slice(const Replicated<T>& x, std::int64_t grain = 1) {
  return make_sharded<T>(
      x.mesh(), RowTraits<T>::rows(*x), grain,
      [&](const DeviceContext&, RowRange range) { return copy_rows(*x, range); });
}

// The partial of one of this rank's devices as it stands, for tests and for debugging: it
// is not the value, and what it is depends on the number of devices.
template <class P>
const partial_t<P>& device_partial(const Unreduced<P>& u, int local_device) {
  const auto& terms = detail::UnreducedAccess::terms(u);
  if (terms.empty()) detail::throw_used_up("device_partial");
  return *terms[0].partials[static_cast<std::size_t>(local_device)];
}

namespace detail {

// The rows of this rank's devices in one container.
template <HasRows T>
T local_rows(const Sharded<T>& x) {
  const int local = x.mesh().local_device_count();
  const std::int64_t first = x.local_range(0).first;
  // An empty shard may not know the shape of a row; one that has rows does.
  int shape = 0;
  while (shape + 1 < local && x.local_range(shape).empty()) ++shape;
  T all = RowTraits<T>::make_like(x.shard(shape), x.local_range(local - 1).last - first);
  const auto to = row_leaves(all);
  for (int d = 0; d < local; ++d) {
    const RowRange range = x.local_range(d);
    copy_leaf_rows(row_leaves(x.shard(d)), {0, range.size()}, to, range.first - first);
  }
  return all;
}

// The rows of some devices, leaf after leaf, as they travel between ranks; and back.
std::vector<std::byte> pack_rows(const std::vector<ConstRowLeaf>& leaves,
                                 std::int64_t rows);
void unpack_rows(const ShardLayout& layout, std::span<const std::byte> bytes,
                 const std::vector<RowLeaf>& to);

template <HasRows T>
std::int64_t numbers_of(const T& rows) {
  std::int64_t numbers = 0;
  RowTraits<T>::visit(rows, [&](auto leaf, std::int64_t) {
    numbers += static_cast<std::int64_t>(leaf.size());
  });
  return numbers;
}

}  // namespace detail

template <HasRows T>
Replicated<T> all_gather(const Sharded<T>& x, std::string_view label) {
  require_host_code("all_gather");
  T own = detail::local_rows(x);
  const auto bytes =
      detail::pack_rows(detail::row_leaves(std::as_const(own)), RowTraits<T>::rows(own));
  const auto all =
      detail::all_gather_bytes(x.mesh(), label, detail::numbers_of(own), bytes);
  if (x.mesh().ranks() == 1) return Replicated<T>(x.mesh(), std::move(own));
  T rows = RowTraits<T>::make_like(own, x.rows());
  detail::unpack_rows(x.layout(), all, detail::row_leaves(rows));
  return Replicated<T>(x.mesh(), std::move(rows));
}

template <HasRows T>
T gather(const Sharded<T>& x, std::string_view label) {
  require_host_code("gather");
  T own = detail::local_rows(x);
  const auto bytes =
      detail::pack_rows(detail::row_leaves(std::as_const(own)), RowTraits<T>::rows(own));
  const auto all = detail::gather_bytes(x.mesh(), label, detail::numbers_of(own), bytes);
  if (x.mesh().ranks() == 1) return own;
  if (x.mesh().rank() != 0) return RowTraits<T>::make_like(own, 0);
  T rows = RowTraits<T>::make_like(own, x.rows());
  detail::unpack_rows(x.layout(), all, detail::row_leaves(rows));
  return rows;
}

}  // namespace drover
