// Rows of the walker axis: which device owns which, and how a shard's rows are reached.
//
// N rows are placed in grains (64 walkers, a tile; 1 for a user's own samples) that are
// never split: T = ceil(N / grain) grains over D devices, floor(T / D) each and one more
// for the first T mod D devices. Zero rows on a device, or in all, are legal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/core/array.hpp"
#include "drover/core/tree.hpp"

namespace drover {

// Rows [first, last).
struct RowRange {
  std::int64_t first = 0;
  std::int64_t last = 0;

  constexpr std::int64_t size() const { return last - first; }
  constexpr bool empty() const { return last == first; }
  friend constexpr bool operator==(RowRange, RowRange) = default;
};

// The global rows that `device` of `devices` owns. Errors: logic, for a negative count of
// rows, a grain or a device count below one, a device out of range.
RowRange shard_range(std::int64_t rows, std::int64_t grain, int devices, int device);

// Rows that a device takes at a time: the microbatch rounded down to whole grains, at
// least one grain; 0 means "all rows of the shard at once". Errors: logic, for a negative
// microbatch.
std::int64_t batch_rows(std::int64_t microbatch, std::int64_t grain,
                        std::int64_t shard_rows);

// A view of some rows, each `width` values long and one after another.
template <class U>
class RowSpan {
 public:
  RowSpan(U* data, std::int64_t rows, std::int64_t width)
      : data_(data), rows_(rows), width_(width) {}
  std::int64_t size() const { return rows_; }
  std::int64_t width() const { return width_; }
  std::span<U> operator[](std::int64_t row) const {
    return {data_ + row * width_, static_cast<std::size_t>(width_)};
  }
  std::span<U> values() const {
    return {data_, static_cast<std::size_t>(rows_ * width_)};
  }

 private:
  U* data_;
  std::int64_t rows_;
  std::int64_t width_;
};

// How the rows of a container are reached. A std::vector has a row per element, an Array
// (core/array.hpp) a row per index of its leading axis, a tree (core/tree.hpp) those of
// its PerWalker leaves, while its other leaves are the same on every device. Specialise
// it for a container of your own; a type without rows is a shard that only its owner
// understands.
//   rows(x)             their number
//   make_like(x, rows)  as x, with another number of rows, zero-filled
//   visit(x, f)         f(std::span<U>, numbers a row) for each leaf that has rows, in
//   order view(x, range)      some rows, for mapped functions; without it they get the
//   whole shard flat(x)             all numbers as one span, where there is one leaf only
template <class T>
struct RowTraits {
  static constexpr bool has_rows = false;
};

template <class U, class A>
struct RowTraits<std::vector<U, A>> {
  static constexpr bool has_rows =
      std::is_trivially_copyable_v<U> && !std::is_same_v<U, bool>;
  using scalar = U;
  using Rows = std::vector<U, A>;
  static std::int64_t rows(const Rows& x) { return static_cast<std::int64_t>(x.size()); }
  static Rows make_like(const Rows&, std::int64_t rows) {
    return Rows(static_cast<std::size_t>(rows));
  }
  static std::span<U> flat(Rows& x) { return x; }
  static std::span<const U> flat(const Rows& x) { return x; }
  template <class X, class F>
  static void visit(X& x, F&& f) {
    f(flat(x), std::int64_t{1});
  }
  template <class X>
  static auto view(X& x, RowRange r) {
    return flat(x).subspan(static_cast<std::size_t>(r.first),
                           static_cast<std::size_t>(r.size()));
  }
};

template <class U>
struct RowTraits<Array<U>> {
  static constexpr bool has_rows = true;
  using scalar = U;
  static std::int64_t rows(const Array<U>& x) { return x.rows(); }
  static Array<U> make_like(const Array<U>& x, std::int64_t rows) {
    typename Array<U>::Shape shape = x.shape();
    if (shape.empty()) shape.push_back(rows);
    shape[0] = rows;
    return Array<U>(std::move(shape));
  }
  static std::span<U> flat(Array<U>& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }
  static std::span<const U> flat(const Array<U>& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }
  template <class X, class F>
  static void visit(X& x, F&& f) {
    f(flat(x), x.row_size());
  }
  template <class X>
  static auto view(X& x, RowRange r) {
    const std::int64_t width = x.row_size();
    return RowSpan(x.data() + r.first * width, r.size(), width);
  }
};

namespace detail {

[[noreturn]] void throw_unequal_rows(std::string_view leaf, std::int64_t rows,
                                     std::int64_t others);

template <class T>
inline constexpr bool has_per_walker_leaf = false;
template <class T>
inline constexpr bool has_per_walker_leaf<PerWalker<T>> = true;
template <class... F>
constexpr bool any_per_walker(const std::tuple<F...>*);
template <HasFields T>
inline constexpr bool has_per_walker_leaf<T> =
    any_per_walker(static_cast<const std::remove_cvref_t<decltype(T::fields)>*>(nullptr));
template <class S, class T>
constexpr bool field_per_walker(const Field<S, T>*) {
  return has_per_walker_leaf<T>;
}
template <class... F>
constexpr bool any_per_walker(const std::tuple<F...>*) {
  return (field_per_walker(static_cast<const F*>(nullptr)) || ...);
}

}  // namespace detail

template <HasFields T>
struct RowTraits<T> {
  static constexpr bool has_rows = detail::has_per_walker_leaf<T>;
  // Errors: logic, when the leaves that are per walker differ in rows.
  static std::int64_t rows(const T& x) {
    std::int64_t rows = -1;
    for_each_leaf(x, [&](std::string_view name, const auto& leaf) {
      if constexpr (is_per_walker_v<std::remove_cvref_t<decltype(leaf)>>) {
        if (rows >= 0 && leaf_rows(leaf) != rows) {
          detail::throw_unequal_rows(name, leaf_rows(leaf), rows);
        }
        rows = leaf_rows(leaf);
      }
    });
    return rows;
  }
  static T make_like(const T& x, std::int64_t rows) {
    T like = x;
    for_each_leaf(like, [&](std::string_view, auto& leaf) {
      using L = std::remove_cvref_t<decltype(leaf)>;
      if constexpr (is_per_walker_v<L>) {
        leaf.value = RowTraits<decltype(leaf.value)>::make_like(leaf.value, rows);
      }
    });
    return like;
  }
  template <class X, class F>
  static void visit(X& x, F&& f) {
    for_each_leaf(x, [&](std::string_view, auto& leaf) {
      if constexpr (is_per_walker_v<std::remove_cvref_t<decltype(leaf)>>) {
        f(leaf_values(leaf), leaf_row_size(leaf));
      }
    });
  }
};

template <class T>
concept HasRows = RowTraits<T>::has_rows;
template <class T>
concept HasRowViews = HasRows<T> && requires(T& x) {
  RowTraits<T>::view(x, RowRange{});
};
template <class T>
concept HasFlatRows = HasRows<T> && requires(T& x) {
  RowTraits<T>::flat(x);
};

namespace detail {

// The leaves of a container that have rows, as bytes.
struct RowLeaf {
  std::byte* bytes;
  std::int64_t row_bytes;
};
struct ConstRowLeaf {
  const std::byte* bytes;
  std::int64_t row_bytes;
};
template <class T>
std::vector<RowLeaf> row_leaves(T& x) {
  std::vector<RowLeaf> leaves;
  RowTraits<T>::visit(x, [&]<class U>(std::span<U> leaf, std::int64_t width) {
    leaves.push_back({reinterpret_cast<std::byte*>(leaf.data()),
                      width * static_cast<std::int64_t>(sizeof(U))});
  });
  return leaves;
}
template <class T>
std::vector<ConstRowLeaf> row_leaves(const T& x) {
  std::vector<ConstRowLeaf> leaves;
  RowTraits<T>::visit(x, [&]<class U>(std::span<U> leaf, std::int64_t width) {
    leaves.push_back({reinterpret_cast<const std::byte*>(leaf.data()),
                      width * static_cast<std::int64_t>(sizeof(U))});
  });
  return leaves;
}

// Copies rows `range` of `from` to row `first` and on of `to`, leaf by leaf. Errors:
// logic, when the rows differ in size.
void copy_leaf_rows(const std::vector<ConstRowLeaf>& from, RowRange range,
                    const std::vector<RowLeaf>& to, std::int64_t first);

}  // namespace detail

// The rows of `range` as a container of their own.
template <HasRows T>
T copy_rows(const T& from, RowRange range) {
  T rows = RowTraits<T>::make_like(from, range.size());
  detail::copy_leaf_rows(detail::row_leaves(from), range, detail::row_leaves(rows), 0);
  return rows;
}

}  // namespace drover
