// Mapped functions: device code over the rows of its shard, in microbatches.
//
// Each argument says by its type how it is placed: a Sharded is mapped (a device sees its
// own rows), a Replicated is shared (every device sees the whole), shared(x) shares a
// host value that every rank holds. A container of rows (rows.hpp) is handed to the
// function as a view of the microbatch's rows; any other shard is handed whole, with the
// microbatch's row range. No operation of this page communicates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "drover/mesh/scatter.hpp"

namespace drover {

struct MapOptions {
  // Rows that a device takes at a time, rounded down to whole grains, at least one; it
  // bounds memory and never changes a result. 0: all rows of the shard.
  std::int64_t microbatch = 0;
  std::string_view label = "map";
};

// The rows that a mapped function is called for: contiguous, in order, never padded; the
// last microbatch of a shard holds the remainder.
struct Batch {
  const DeviceContext& device;
  RowRange rows;              // within the device's shard
  std::int64_t global_first;  // global index of row rows.first
  std::int64_t number;        // 0, 1, 2, ... on this device

  std::int64_t size() const { return rows.size(); }
};

// A host value that every rank holds, for one map.
template <class T>
struct Shared {
  const T& value;
};
template <class T>
Shared<T> shared(const T& value) {
  return {value};
}
template <class T>
Shared<T> shared(const Replicated<T>& x) {
  return {x.value()};
}
// The placement said aloud; the type says the same.
template <class T>
Sharded<T>& mapped(Sharded<T>& x) {
  return x;
}
template <class T>
const Sharded<T>& mapped(const Sharded<T>& x) {
  return x;
}

namespace detail {

template <class A>
struct ArgumentOf {
  static constexpr bool is_mapped = false;
  static_assert(
      always_false<A>,
      "[map] an argument of a map is a Sharded (each device sees its rows), a "
      "Replicated (each sees the whole) or shared(x) for a value that every rank "
      "holds; an Unreduced must be reduced first");
};
template <class T>
struct ArgumentOf<Sharded<T>> {
  static constexpr bool is_mapped = true;
  template <class S>  // Sharded<T>& or const Sharded<T>&
  static decltype(auto) rows_of(S& x, const DeviceContext& device, RowRange rows) {
    if constexpr (HasRowViews<T>) {
      return RowTraits<T>::view(x.shard(device.local_index), rows);
    } else {
      return (x.shard(device.local_index));
    }
  }
  template <class S>
  static auto& shard_of(S& x, const DeviceContext& device) {
    return x.shard(device.local_index);
  }
};
template <class T>
struct ArgumentOf<Replicated<T>> {
  static constexpr bool is_mapped = false;
  static const T& rows_of(const Replicated<T>& x, const DeviceContext&, RowRange) {
    return x.value();
  }
  static const T& shard_of(const Replicated<T>& x, const DeviceContext&) {
    return x.value();
  }
};
template <class T>
struct ArgumentOf<Shared<T>> {
  static constexpr bool is_mapped = false;
  static const T& rows_of(const Shared<T>& x, const DeviceContext&, RowRange) {
    return x.value;
  }
  static const T& shard_of(const Shared<T>& x, const DeviceContext&) { return x.value; }
};
template <class A>
using Argument = ArgumentOf<std::remove_cvref_t<A>>;

template <class A>
void meet_layout(std::string_view operation, const ShardLayout*& layout,
                 const A& argument) {
  if constexpr (Argument<A>::is_mapped) {
    if (argument.used_up()) throw_moved_from(operation);
    if (layout == nullptr) {
      layout = &argument.layout();
    } else if (!(*layout == argument.layout())) {
      throw_layout_mismatch(operation, *layout, argument.layout());
    }
  }
}
template <class A>
void meet_mesh(std::string_view operation, const Mesh& mesh, const A& argument) {
  if constexpr (requires { argument.mesh(); }) {
    if (!(argument.mesh() == mesh)) throw_mesh_mismatch(operation);
  }
}

// The layout that all mapped arguments have. Errors: logic, when they differ in mesh,
// rows or grain, or a replicated argument is on another mesh.
template <class... Args>
ShardLayout common_layout(std::string_view operation, const Args&... args) {
  require_host_code("map");
  static_assert((Argument<Args>::is_mapped || ...),
                "[map] no argument is Sharded: there are no rows to map over; use "
                "for_each_device to run a function once per device");
  const ShardLayout* layout = nullptr;
  (meet_layout(operation, layout, args), ...);
  (meet_mesh(operation, layout->mesh, args), ...);
  return *layout;
}

// Calls f(Batch) for the microbatches of one device's shard.
template <class F>
void for_each_batch(const ShardLayout& layout, const DeviceContext& device,
                    std::int64_t microbatch, F&& f) {
  const RowRange own = layout.range_of(device.index);
  const std::int64_t step = batch_rows(microbatch, layout.grain, own.size());
  std::int64_t number = 0;
  for (std::int64_t row = 0; row < own.size(); row += step, ++number) {
    const RowRange rows{row, std::min(row + step, own.size())};
    f(Batch{device, rows, own.first + row, number});
  }
}

}  // namespace detail

// Zero partials: make() -> P is called on each device. Local.
template <class Make>
auto make_unreduced(const Mesh& mesh, Make&& make) {
  using P = std::decay_t<std::invoke_result_t<Make&>>;
  require_host_code("make_unreduced");
  Unreduced<P> u = detail::UnreducedAccess::make_empty<P>(mesh);
  auto& partials = detail::UnreducedAccess::terms(u)[0].partials;
  mesh.for_each_device([&](const DeviceContext& device) {
    partials[static_cast<std::size_t>(device.local_index)] =
        std::make_unique<partial_t<P>>(PartialTraits<P>::make(make()));
  });
  return u;
}

// Folds into a partial sum that outlives the map: f(const Batch&, rows or shared value of
// each argument..., partial_t<P>&), once per microbatch; what `into` holds is kept.
// Errors: logic, for arguments on different meshes or layouts, or when `into` was reduced
// or scaled.
template <class P, class F, class... Args>
void map_sum_into(Unreduced<P>& into, const MapOptions& options, F&& f, Args&&... args) {
  const ShardLayout layout = detail::common_layout(options.label, args...);
  detail::meet_mesh(options.label, layout.mesh, into);
  auto& terms = detail::UnreducedAccess::terms(into);
  if (terms.size() != 1 || terms[0].factor != 1.0) detail::throw_used_up(options.label);
  auto& partials = terms[0].partials;
  layout.mesh.for_each_device([&](const DeviceContext& device) {
    auto& partial = *partials[static_cast<std::size_t>(device.local_index)];
    detail::for_each_batch(layout, device, options.microbatch, [&](const Batch& batch) {
      f(batch, detail::Argument<Args>::rows_of(args, device, batch.rows)..., partial);
    });
    detail::canonicalise(partial);  // here, where it is in cache and in parallel
  });
}

// The sum over all rows of what f folds into a fresh partial per device; make() -> P
// builds it there, for a tree it gives the shape. A device without rows holds an empty
// partial.
template <class Make, class F, class... Args>
auto map_sum(const MapOptions& options, Make&& make, F&& f, Args&&... args) {
  using P = std::decay_t<std::invoke_result_t<Make&>>;
  const ShardLayout layout = detail::common_layout(options.label, args...);
  Unreduced<P> u = detail::UnreducedAccess::make_empty<P>(layout.mesh);
  auto& partials = detail::UnreducedAccess::terms(u)[0].partials;
  layout.mesh.for_each_device([&](const DeviceContext& device) {
    auto partial = std::make_unique<partial_t<P>>(PartialTraits<P>::make(make()));
    detail::for_each_batch(layout, device, options.microbatch, [&](const Batch& batch) {
      f(batch, detail::Argument<Args>::rows_of(args, device, batch.rows)..., *partial);
    });
    detail::canonicalise(*partial);
    partials[static_cast<std::size_t>(device.local_index)] = std::move(partial);
  });
  return u;
}

// Calls f(const Batch&, rows or shared value of each argument...) for each microbatch,
// for what it does to mutable shards: moving walkers, filling an output.
template <class F, class... Args>
void map_each(const MapOptions& options, F&& f, Args&&... args) {
  const ShardLayout layout = detail::common_layout(options.label, args...);
  layout.mesh.for_each_device([&](const DeviceContext& device) {
    detail::for_each_batch(layout, device, options.microbatch, [&](const Batch& batch) {
      f(batch, detail::Argument<Args>::rows_of(args, device, batch.rows)...);
    });
  });
}

// One U per row, in input order, where the rows are: f(const Batch&, rows or shared value
// of each argument..., std::span<U> out), out as long as the microbatch.
template <class U, class F, class... Args>
Sharded<std::vector<U>> map_batches(const MapOptions& options, F&& f, Args&&... args) {
  const ShardLayout layout = detail::common_layout(options.label, args...);
  auto out = make_sharded<std::vector<U>>(
      layout.mesh, layout.rows, layout.grain, [](const DeviceContext&, RowRange range) {
        return std::vector<U>(static_cast<std::size_t>(range.size()));
      });
  map_each(
      options,
      [&](const Batch& batch, std::span<U> rows_out, auto&&... rows) {
        f(batch, std::forward<decltype(rows)>(rows)..., rows_out);
      },
      out, args...);
  return out;
}

namespace detail {
// Row i of what a mapped argument gave; the whole of a shared one.
template <class A, class R>
decltype(auto) row_of(R& rows, std::int64_t i) {
  if constexpr (!Argument<A>::is_mapped) {
    return (rows);
  } else if constexpr (requires { typename R::element_type; }) {
    return (rows[static_cast<std::size_t>(i)]);
  } else {
    static_assert(
        requires { rows[i]; },
        "[map] map() takes a function of single rows: its mapped arguments must be "
        "containers of rows; use map_batches or map_sum for shards of your own");
    return rows[i];
  }
}
template <class A>
using RowsOf = std::remove_reference_t<decltype(Argument<A>::rows_of(
    std::declval<A&>(), std::declval<const DeviceContext&>(), RowRange{}))>;
template <class A>
using RowOf = decltype(row_of<A>(std::declval<RowsOf<A>&>(), 0));
}  // namespace detail

// One value per row: f(a row of each mapped argument, each shared value...) -> U; every
// mapped argument is a container of rows.
template <class F, class... Args>
auto map(const MapOptions& options, F&& f, Args&&... args) {
  using U = std::decay_t<
      std::invoke_result_t<F&, detail::RowOf<std::remove_reference_t<Args>>...>>;
  return map_batches<U>(
      options,
      [&](const Batch& batch, auto&&... rows_and_out) {
        auto rows = std::forward_as_tuple(rows_and_out...);
        auto& out = std::get<sizeof...(Args)>(rows);
        [&]<std::size_t... I>(std::index_sequence<I...>) {
          for (std::int64_t i = 0; i < batch.size(); ++i) {
            out[static_cast<std::size_t>(i)] =
                f(detail::row_of<std::remove_reference_t<Args>>(std::get<I>(rows), i)...);
          }
        }
        (std::index_sequence_for<Args...>{});
      },
      args...);
}

namespace detail {
// How an output is put together: take() on each device, then finish().
template <class Out>
struct ShardMapOutput {
  static_assert(
      always_false<Out>,
      "[shard_map] an output is Sharded<T> or Unreduced<P>, a std::tuple of them, or "
      "void; a function over shards cannot make a Replicated: return the partial as "
      "Unreduced and reduce() it");
};
template <class T>
struct ShardMapOutput<Sharded<T>> {
  explicit ShardMapOutput(const ShardLayout& of)
      : layout(of), shards(static_cast<std::size_t>(of.mesh.local_device_count())) {}
  void take(const DeviceContext& device, T&& shard) {
    shards[static_cast<std::size_t>(device.local_index)] =
        std::make_unique<T>(std::move(shard));
  }
  Sharded<T> finish() { return Sharded<T>::from_shards(layout, std::move(shards)); }
  ShardLayout layout;
  std::vector<std::unique_ptr<T>> shards;
};
template <class P>
struct ShardMapOutput<Unreduced<P>> {
  explicit ShardMapOutput(const ShardLayout& layout)
      : sum(UnreducedAccess::make_empty<P>(layout.mesh)) {}
  void take(const DeviceContext& device, partial_t<P>&& partial) {
    auto& partials = UnreducedAccess::terms(sum)[0].partials;
    partials[static_cast<std::size_t>(device.local_index)] =
        std::make_unique<partial_t<P>>(std::move(partial));
  }
  Unreduced<P> finish() { return std::move(sum); }
  Unreduced<P> sum;
};
template <class... Outs>
struct ShardMapOutput<std::tuple<Outs...>> {
  explicit ShardMapOutput(const ShardLayout& layout)
      : parts(ShardMapOutput<Outs>(layout)...) {}
  template <class Results>
  void take(const DeviceContext& device, Results&& results) {
    static_assert(std::tuple_size_v<std::remove_cvref_t<Results>> == sizeof...(Outs),
                  "[shard_map] the function returns a std::tuple with one part for each "
                  "output");
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (std::get<I>(parts).take(device, std::get<I>(std::forward<Results>(results))), ...);
    }
    (std::index_sequence_for<Outs...>{});
  }
  std::tuple<Outs...> finish() {
    return std::apply([](auto&... part) { return std::tuple<Outs...>(part.finish()...); },
                      parts);
  }
  std::tuple<ShardMapOutput<Outs>...> parts;
};
}  // namespace detail

// The general form: f(const DeviceContext&, shard or shared value of each argument...)
// runs once per device. Its result is placed as Out says: Sharded<T> (f returns the
// device's rows of a T laid out as the mapped arguments are), Unreduced<P> (f returns its
// partial), void, or a std::tuple of the first two (f returns a std::tuple).
template <class Out, class F, class... Args>
Out shard_map(F&& f, Args&&... args) {
  const ShardLayout layout = detail::common_layout("shard_map", args...);
  const auto call = [&](const DeviceContext& device) {
    return f(device, detail::Argument<Args>::shard_of(args, device)...);
  };
  if constexpr (std::is_void_v<Out>) {
    layout.mesh.for_each_device([&](const DeviceContext& device) { call(device); });
  } else {
    detail::ShardMapOutput<Out> out(layout);
    layout.mesh.for_each_device(
        [&](const DeviceContext& device) { out.take(device, call(device)); });
    return out.finish();
  }
}

}  // namespace drover
