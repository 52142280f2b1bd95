// Placement is part of the type: Sharded, Replicated, Unreduced.
//
//   Sharded<T>     device d owns its rows of T, contiguous rows of the walker axis
//   Replicated<T>  the same bits on every device
//   Unreduced<P>   every device holds a partial of the full shape; the value is their sum
//
// An Unreduced has no value: reduce() (collectives.hpp) is the only way to one, and what
// would read it, branch on it or reduce something twice does not compile (misuse.hpp).
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/mesh/mesh.hpp"
#include "drover/mesh/partial.hpp"
#include "drover/mesh/rows.hpp"

namespace drover {

// Where the rows of a sharded value are.
struct ShardLayout {
  Mesh mesh;
  std::int64_t rows = 0;
  std::int64_t grain = 1;

  // Global rows of a device, counted over all ranks.
  RowRange range_of(int device) const {
    return shard_range(rows, grain, mesh.device_count(), device);
  }
  RowRange local_range(int local_device) const {
    return range_of(mesh.first_local_device() + local_device);
  }
  // Of all devices of a rank, which are neighbours.
  RowRange rank_range(int rank) const {
    return {range_of(mesh.first_device_of_rank(rank)).first,
            range_of(mesh.first_device_of_rank(rank + 1) - 1).last};
  }
  friend bool operator==(const ShardLayout&, const ShardLayout&) = default;
};

namespace detail {
[[noreturn]] void throw_layout_mismatch(std::string_view operation, const ShardLayout& a,
                                        const ShardLayout& b);
[[noreturn]] void throw_mesh_mismatch(std::string_view operation);
[[noreturn]] void throw_shard_rows(std::string_view operation, int device,
                                   std::int64_t expected, std::int64_t found);
[[noreturn]] void throw_shard_count(std::int64_t expected, std::int64_t found);
[[noreturn]] void throw_used_up(std::string_view operation);
[[noreturn]] void throw_moved_from(std::string_view operation);
[[noreturn]] void throw_shape_mismatch(std::string_view operation);
struct UnreducedAccess;
}  // namespace detail

// T is a container of rows (rows.hpp) or a struct of the user's that holds a device's
// rows in its own way, such as tiles of walkers. The shards of this rank's devices are
// here. Copies are deep and made by the devices.
template <class T>
class Sharded {
 public:
  using value_type = T;

  // Takes one shard per device of this rank, built elsewhere. Errors: logic, for another
  // number of shards, or of rows where T has rows.
  static Sharded from_shards(ShardLayout layout, std::vector<std::unique_ptr<T>> shards) {
    const int local = layout.mesh.local_device_count();
    if (static_cast<int>(shards.size()) != local) {
      detail::throw_shard_count(local, static_cast<std::int64_t>(shards.size()));
    }
    if constexpr (HasRows<T>) {
      for (int d = 0; d < local; ++d) {
        const std::int64_t expected = layout.local_range(d).size();
        const std::int64_t found =
            RowTraits<T>::rows(*shards[static_cast<std::size_t>(d)]);
        if (found != expected) detail::throw_shard_rows("shard", d, expected, found);
      }
    }
    return Sharded(std::move(layout), std::move(shards));
  }

  Sharded(Sharded&&) noexcept = default;
  Sharded& operator=(Sharded&&) noexcept = default;
  Sharded(const Sharded& other) requires std::is_copy_constructible_v<T>
      : layout_(other.layout_), shards_(other.shards_.size()) {
    mesh().for_each_device([&](const DeviceContext& device) {
      const auto d = static_cast<std::size_t>(device.local_index);
      shards_[d] = std::make_unique<T>(*other.shards_[d]);
    });
  }
  Sharded& operator=(const Sharded& other) requires std::is_copy_constructible_v<T> {
    return *this = Sharded(other);
  }

  const ShardLayout& layout() const { return layout_; }
  const Mesh& mesh() const { return layout_.mesh; }
  std::int64_t rows() const { return layout_.rows; }
  std::int64_t grain() const { return layout_.grain; }
  // Global rows of the shard of one of this rank's devices.
  RowRange local_range(int local_device) const {
    return layout_.local_range(local_device);
  }

  // Whether it was moved from.
  bool used_up() const { return shards_.empty(); }

  T& shard(int local_device) { return *shards_[static_cast<std::size_t>(local_device)]; }
  const T& shard(int local_device) const {
    return *shards_[static_cast<std::size_t>(local_device)];
  }

 private:
  Sharded(ShardLayout layout, std::vector<std::unique_ptr<T>> shards)
      : layout_(std::move(layout)), shards_(std::move(shards)) {}
  ShardLayout layout_;
  std::vector<std::unique_ptr<T>> shards_;
};

// Devices of a rank share memory, so a rank holds the value once. Reading is all one can
// do; a temporary gives its value away, so that `for (double x : *reduce(u))` does not
// dangle.
template <class T>
class Replicated {
 public:
  using value_type = T;
  Replicated(const Mesh& mesh, T value)
      : mesh_(mesh), value_(std::make_shared<T>(std::move(value))) {}
  const T& value() const& { return *value_; }
  const T& operator*() const& { return *value_; }
  const T* operator->() const { return value_.get(); }
  T value() && requires std::is_copy_constructible_v<T> {
    if (value_.use_count() == 1) return std::move(*value_);
    return *value_;
  }
  T operator*() && requires std::is_copy_constructible_v<T> {
    return std::move(*this).value();
  }
  const Mesh& mesh() const { return mesh_; }

 private:
  Mesh mesh_;
  std::shared_ptr<T> value_;
};

// A sum of terms, each a factor and one partial per device of this rank. The factors are
// applied after the reduction, or bits would depend on the number of devices.
template <class P>
class Unreduced {
 public:
  using value_type = P;
  using partial_type = partial_t<P>;
  Unreduced(Unreduced&&) noexcept = default;
  Unreduced& operator=(Unreduced&&) noexcept = default;
  Unreduced(const Unreduced& other) requires std::is_copy_constructible_v<partial_type>
      : mesh_(other.mesh_), terms_(other.terms_.size()) {
    for (std::size_t t = 0; t < terms_.size(); ++t) {
      terms_[t].factor = other.terms_[t].factor;
      terms_[t].partials.resize(other.terms_[t].partials.size());
    }
    mesh_.for_each_device([&](const DeviceContext& device) {
      const auto d = static_cast<std::size_t>(device.local_index);
      for (std::size_t t = 0; t < terms_.size(); ++t) {
        terms_[t].partials[d] =
            std::make_unique<partial_type>(*other.terms_[t].partials[d]);
      }
    });
  }
  Unreduced& operator=(
      const Unreduced& other) requires std::is_copy_constructible_v<partial_type> {
    return *this = Unreduced(other);
  }

  const Mesh& mesh() const { return mesh_; }

  // There is nothing to read: these say so at compile time.
  template <class Q = P>
  const Q& value() const {
    static_assert(detail::always_false<Q>,
                  "[Unreduced] has no value to read, only partials on every device: call "
                  "reduce() once and read the Replicated that it returns");
    __builtin_unreachable();
  }
  template <class Q = P>
  const Q& operator*() const {
    return value<Q>();
  }
  template <class Q = P>
  const Q* operator->() const {
    return &value<Q>();
  }
  template <class Q = P>
  explicit operator bool() const {
    static_assert(
        detail::always_false<Q>,
        "[Unreduced] cannot be branched on: each device holds a part of the value "
        "only; reduce() first and branch on the value");
    return false;
  }

 private:
  friend struct detail::UnreducedAccess;
  struct Term {
    double factor = 1.0;
    std::vector<std::unique_ptr<partial_type>> partials;
  };
  Unreduced(const Mesh& mesh, std::vector<Term> terms)
      : mesh_(mesh), terms_(std::move(terms)) {}
  Mesh mesh_;
  std::vector<Term> terms_;
};

// f(const DeviceContext&, RowRange of global rows) -> T builds each shard on its device,
// so the whole herd is never in one place.
template <class T, class F>
Sharded<T> make_sharded(const Mesh& mesh, std::int64_t rows, std::int64_t grain, F&& f) {
  require_host_code("make_sharded");
  const ShardLayout layout{mesh, rows, grain};
  std::vector<std::unique_ptr<T>> shards(
      static_cast<std::size_t>(mesh.local_device_count()));
  mesh.for_each_device([&](const DeviceContext& device) {
    shards[static_cast<std::size_t>(device.local_index)] =
        std::make_unique<T>(f(device, layout.range_of(device.index)));
  });
  return Sharded<T>::from_shards(layout, std::move(shards));
}
template <class T, class F>
Sharded<T> make_sharded(std::int64_t rows, std::int64_t grain, F&& f) {
  return make_sharded<T>(current_mesh("make_sharded"), rows, grain, std::forward<F>(f));
}

// Cuts host rows, which every rank holds, into shards; grain 1 for a user's own samples.
template <HasRows T>
Sharded<T> shard(const Mesh& mesh, const T& host, std::int64_t grain = 1) {
  return make_sharded<T>(
      mesh, RowTraits<T>::rows(host), grain,
      [&](const DeviceContext&, RowRange range) { return copy_rows(host, range); });
}
template <HasRows T>
Sharded<T> shard(const T& host, std::int64_t grain = 1) {
  return shard(current_mesh("shard"), host, grain);
}

// The same value on every device; every rank must bring the same bits (agree() checks).
template <class T>
Replicated<std::decay_t<T>> replicate(T&& value) {
  return {current_mesh("replicate"), std::forward<T>(value)};
}

}  // namespace drover
