// Arguments of models as trees of leaves (core/tree.hpp), and the same trees with another
// kind of leaf: the Traced that a model is recorded with, the doubles of a gradient.
//
// Sequences of leaves keep their shape (std::vector, std::array); a struct must be a
// template on its leaf type, so that Net<Array<float>> becomes Net<Traced>. std::pair and
// std::tuple of trees are trees here too. Arguments that rows have carry the row axis
// first in every leaf, or are a RowsOf view of any layout.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/ad/tape.hpp"
#include "drover/core/array.hpp"
#include "drover/core/error.hpp"
#include "drover/core/tree.hpp"

namespace drover {

// A view of rows of double or float: component i of row w at
// data[w * row_step + i * component_step]; `shape` is that of one row. A tile of 64
// walkers is {data, walkers, {electrons, 3}, 1, 64}.
template <class T>
struct RowsOf {
  const T* data = nullptr;
  std::int64_t rows = 0;
  std::vector<std::int64_t> shape;
  std::int64_t row_step = 0, component_step = 1;
};

namespace leaves {

// The extents of a leaf, row axis included, in its place in a tree.
struct Extents {
  std::vector<std::int64_t> axes;
  std::int64_t size() const {
    std::int64_t n = 1;
    for (const std::int64_t axis : axes) n *= axis;
    return n;
  }
};
template <class L>
struct to_extents {
  using type = Extents;
};

template <class T>
inline constexpr bool is_rows_of_v = false;
template <class T>
inline constexpr bool is_rows_of_v<RowsOf<T>> = true;
// Opened by what models compute with, so that trees of these can be visited as well.
template <class T>
inline constexpr bool is_model_value_v = false;
template <class T>
inline constexpr bool is_one_v =
    Leaf<T> || is_rows_of_v<T> || std::same_as<T, Extents> || is_model_value_v<T>;

template <class T>
inline constexpr bool is_tuple_v = false;
template <class... T>
inline constexpr bool is_tuple_v<std::tuple<T...>> = true;
template <class A, class B>
inline constexpr bool is_tuple_v<std::pair<A, B>> = true;

// The tree T with every leaf L replaced by Kind<L>.
template <class T, template <class> class Kind>
struct rebind {
  static_assert(
      is_one_v<T>,
      "an argument of a model is a tree of numbers and Arrays; a struct must be "
      "a template on its leaf type");
  using type = typename Kind<T>::type;
};
template <class T, class A, template <class> class Kind>
requires(!is_one_v<std::vector<T, A>>) struct rebind<std::vector<T, A>, Kind> {
  using type = std::vector<typename rebind<T, Kind>::type>;
};
template <class T, std::size_t N, template <class> class Kind>
requires(!is_one_v<std::array<T, N>>) struct rebind<std::array<T, N>, Kind> {
  using type = std::array<typename rebind<T, Kind>::type, N>;
};
template <class... T, template <class> class Kind>
struct rebind<std::tuple<T...>, Kind> {
  using type = std::tuple<typename rebind<T, Kind>::type...>;
};
template <class A, class B, template <class> class Kind>
struct rebind<std::pair<A, B>, Kind> {
  using type = std::pair<typename rebind<A, Kind>::type, typename rebind<B, Kind>::type>;
};
template <template <class...> class S, class... A, template <class> class Kind>
requires HasFields<S<A...>>
struct rebind<S<A...>, Kind> {
  using type = S<typename rebind<A, Kind>::type...>;
};
template <class T, template <class> class Kind>
using rebind_t = typename rebind<std::remove_cvref_t<T>, Kind>::type;

// The double counterpart of a leaf, for gradients.
template <class L>
struct in_double {
  using type = double;
};
template <class T>
struct in_double<Array<T>> {
  using type = Array<double>;
};
template <class T, class A>
struct in_double<std::vector<T, A>> {
  using type = std::vector<double>;
};
template <class T, std::size_t N>
struct in_double<std::array<T, N>> {
  using type = std::array<double, N>;
};
template <class T>
struct in_double<PerWalker<T>> {
  using type = PerWalker<typename in_double<T>::type>;
};
template <class T>
struct in_double<RowsOf<T>> {
  using type = Array<double>;
};

// f(leaf, other leaf) over two trees of the same form; `other` may be being built: its
// sequences take the length of the first tree's.
template <class A, class B, class F>
void zip(const A& a, B& b, const F& f) {
  if constexpr (is_one_v<A>) {
    f(a, b);
  } else if constexpr (HasFields<A>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (zip(a.*std::get<I>(A::fields).member, b.*std::get<I>(B::fields).member, f), ...);
    }
    (std::make_index_sequence<
        std::tuple_size_v<std::remove_cvref_t<decltype(A::fields)>>>());
  } else if constexpr (is_tuple_v<A>) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
      (zip(std::get<I>(a), std::get<I>(b), f), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<A>>());
  } else {
    if constexpr (requires { b.resize(a.size()); }) {
      if (b.size() != a.size()) b.resize(a.size());
    }
    for (std::size_t i = 0; i < a.size(); ++i) zip(a[i], b[i], f);
  }
}
// f(leaf) in the order of zip.
template <class A, class F>
void each(A& a, const F& f) {
  using T = std::remove_const_t<A>;
  if constexpr (is_one_v<T>) {
    f(a);
  } else if constexpr (HasFields<T>) {
    std::apply([&](const auto&... field) { (each(a.*field.member, f), ...); }, T::fields);
  } else if constexpr (is_tuple_v<T>) {
    std::apply([&](auto&... part) { (each(part, f), ...); }, a);
  } else {
    for (auto& part : a) each(part, f);
  }
}

// --- shapes of leaves
// -------------------------------------------------------------------------
template <class L>
std::vector<std::int64_t> extents(const L& leaf) {
  if constexpr (Number<L>) {
    return {};
  } else if constexpr (is_per_walker_v<L>) {
    return extents(leaf.value);
  } else if constexpr (is_rows_of_v<L>) {
    std::vector<std::int64_t> all = {leaf.rows};
    all.insert(all.end(), leaf.shape.begin(), leaf.shape.end());
    return all;
  } else if constexpr (requires { leaf.shape(); }) {
    return leaf.shape();
  } else {
    return {static_cast<std::int64_t>(leaf.size())};
  }
}
tape::Shape shape_of(std::span<const std::int64_t> extents, const char* what);

// An argument shared by all rows.
template <class L>
tape::Shape shared_shape(const L& leaf) {
  return shape_of(extents(leaf), "parameters");
}
// One row of an argument that rows have.
template <class L>
tape::Shape row_shape(const L& leaf) {
  static_assert(!Number<L>, "an argument that rows have needs the row axis first");
  const auto all = extents(leaf);
  return shape_of(std::span(all).subspan(1), "argument of rows");
}
template <class L>
std::int64_t row_count(const L& leaf) {
  return extents(leaf).front();
}

template <class L>
tape::RowsView view_rows(const L& leaf) {
  if constexpr (is_rows_of_v<L>) {
    return {leaf.data, leaf.row_step, leaf.component_step,
            std::is_same_v<std::remove_cvref_t<decltype(*leaf.data)>, float>};
  } else {
    const auto values = leaf_values(leaf);
    using T = leaf_number_t<L>;
    static_assert(std::is_same_v<T, double> || std::is_same_v<T, float>,
                  "rows hold double or float");
    return {values.data(), row_shape(leaf).size(), 1, std::is_same_v<T, float>};
  }
}

// A tree of the extents of all leaves.
template <class T>
rebind_t<T, to_extents> outline(const T& tree) {
  rebind_t<T, to_extents> result;
  zip(tree, result, [](const auto& leaf, Extents& to) { to.axes = extents(leaf); });
  return result;
}
// Makes a leaf zeros of these extents.
template <class D>
void make_zeros(const Extents& from, D& to) {
  if constexpr (Number<D>) {
    to = 0.0;
  } else if constexpr (is_per_walker_v<D>) {
    make_zeros(from, to.value);
  } else if constexpr (requires { to.resize(from.axes); }) {
    to = D(from.axes);
  } else if constexpr (requires { to.assign(std::size_t{0}, 0.0); }) {
    to.assign(static_cast<std::size_t>(from.size()), 0.0);
  } else {
    to.fill(0.0);
  }
}
// A tree of the form of T with zeros of doubles in these extents.
template <class T, class Outline>
std::unique_ptr<rebind_t<T, in_double>> zeros_like(const Outline& outline) {
  auto result = std::make_unique<rebind_t<T, in_double>>();
  zip(outline, *result, [](const Extents& from, auto& to) { make_zeros(from, to); });
  return result;
}
template <class Outline>
std::int64_t outline_size(const Outline& outline) {
  std::int64_t size = 0;
  each(outline, [&](const Extents& leaf) { size += leaf.size(); });
  return size;
}

}  // namespace leaves
}  // namespace drover
