// Linear operations on Unreduced, and the conversions into it: all local.
//
//   u + v, u - v, -u, s * u stay Unreduced; a factor travels beside the partials and is
//   applied after the reduction, in the order of the terms, so bits do not depend on
//   devices to_unreduced(replicated)   [v, 0, 0, ...] to_unreduced(sharded)      every
//   device's own rows in a full shape of zeros
// Partials of a user's own type, which are integers, can be added but not scaled.
#pragma once

#include "drover/mesh/accumulator.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/mesh/misuse.hpp"

namespace drover {
namespace detail {

template <class P>
void add_terms(Unreduced<P>& to, Unreduced<P>& from) {
  require_host_code("+");
  if (!(to.mesh() == from.mesh())) throw_mesh_mismatch("+");
  auto& terms = UnreducedAccess::terms(to);
  auto& more = UnreducedAccess::terms(from);
  if (terms.empty() || more.empty()) throw_used_up("+");
  for (auto& term : more) {
    const auto same = std::find_if(terms.begin(), terms.end(), [&](const auto& other) {
      return other.factor == term.factor;
    });
    if (same == terms.end()) {
      terms.push_back(std::move(term));
      continue;
    }
    to.mesh().for_each_device([&](const DeviceContext& device) {
      const auto d = static_cast<std::size_t>(device.local_index);
      same->partials[d]->merge(*term.partials[d]);
    });
  }
  more.clear();
}

template <class P>
void scale(Unreduced<P>& u, double factor) {
  static_assert(
      PartialTraits<P>::scalable,
      "[Unreduced] a partial of integer words cannot be scaled: reduce() it and "
      "scale the value");
  auto& terms = UnreducedAccess::terms(u);
  if (terms.empty()) throw_used_up("*");
  for (auto& term : terms) term.factor *= factor;
}

}  // namespace detail

// Arguments given as rvalues are used up, others copied. Errors: logic, for different
// meshes.
template <class P>
Unreduced<P> operator+(Unreduced<P> u, Unreduced<P> v) {
  detail::add_terms(u, v);
  return u;
}
template <class P>
Unreduced<P> operator*(double factor, Unreduced<P> u) {
  detail::scale(u, factor);
  return u;
}
template <class P>
Unreduced<P> operator*(Unreduced<P> u, double factor) {
  detail::scale(u, factor);
  return u;
}
template <class P>
Unreduced<P> operator*(const Replicated<double>& factor, Unreduced<P> u) {
  detail::scale(u, *factor);
  return u;
}
template <class P>
Unreduced<P> operator-(Unreduced<P> u) {
  detail::scale(u, -1.0);
  return u;
}
template <class P>
Unreduced<P> operator-(Unreduced<P> u, Unreduced<P> v) {
  detail::scale(v, -1.0);
  detail::add_terms(u, v);
  return u;
}

// The value on device 0 of the mesh, zeros elsewhere; never a share v / D, whose sum
// rounds. A P of the user's own needs clear().
template <class P>
Unreduced<P> to_unreduced(const Replicated<P>& x) {
  require_host_code("to_unreduced");
  Unreduced<P> u = detail::UnreducedAccess::make_empty<P>(x.mesh());
  auto& partials = detail::UnreducedAccess::terms(u)[0].partials;
  x.mesh().for_each_device([&](const DeviceContext& device) {
    auto partial = std::make_unique<partial_t<P>>(PartialTraits<P>::make(*x));
    if constexpr (Reducible<P>) {
      if (device.index != 0) partial->clear();
    } else if (device.index == 0) {
      partial->add(*x);
    }
    partials[static_cast<std::size_t>(device.local_index)] = std::move(partial);
  });
  return u;
}

template <HasFlatRows T>
Unreduced<T> to_unreduced(const Sharded<T>& x) {
  require_host_code("to_unreduced");
  Unreduced<T> u = detail::UnreducedAccess::make_empty<T>(x.mesh());
  auto& partials = detail::UnreducedAccess::terms(u)[0].partials;
  x.mesh().for_each_device([&](const DeviceContext& device) {
    const T& own = x.shard(device.local_index);
    const RowRange range = x.local_range(device.local_index);
    T full = RowTraits<T>::make_like(own, x.rows());
    detail::copy_leaf_rows(detail::row_leaves(own), {0, range.size()},
                           detail::row_leaves(full), range.first);
    auto partial = std::make_unique<Accumulator<T>>(full);
    partial->add(full);
    partials[static_cast<std::size_t>(device.local_index)] = std::move(partial);
  });
  return u;
}

// reduce() for sums in which some numbers may be missing: gives their count instead of
// throwing. The same on every rank.
template <SummableTree P>
Replicated<Counted<P>> reduce_counted(Unreduced<P> u, std::string_view label = "reduce") {
  detail::reduce_in_place(u, label);
  return Replicated<Counted<P>>(
      u.mesh(), PartialTraits<P>::counted(detail::UnreducedAccess::terms(u), label));
}

}  // namespace drover
