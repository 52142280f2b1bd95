// Trees: plain aggregates whose named leaves are visited.
//
// A struct lists its fields and their names once:
//   struct Pade {
//     double b = 1.0;
//     Array<double> weights;
//     static constexpr auto fields =
//         tree_fields(field("b", &Pade::b), field("weights", &Pade::weights));
//   };
// A leaf is a number, a vector or Array of numbers, or PerWalker of one of these, whose
// leading axis is the walker axis: that a leaf is per walker is in its type, never
// guessed from a length. Structs with fields, and vectors or std::arrays of such structs
// or of arrays, are trees. Names are dotted: "layers.0.weights". The order is that of the
// list.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/core/array.hpp"

namespace drover {

// Values of which there is one row a walker, in the order of the global walker index.
template <class T>
struct PerWalker {
  T value{};

  T* operator->() { return &value; }
  const T* operator->() const { return &value; }
  T& operator*() { return value; }
  const T& operator*() const { return value; }
  friend bool operator==(const PerWalker&, const PerWalker&) = default;
};

template <class S, class T>
struct Field {
  const char* name;
  T S::*member;
};
template <class S, class T>
constexpr Field<S, T> field(const char* name, T S::*member) {
  return {name, member};
}
template <class... F>
constexpr std::tuple<F...> tree_fields(F... f) {
  return {f...};
}

// --- what is a leaf, what is a tree
// -------------------------------------------------------
template <class T>
concept Number = std::is_arithmetic_v<T>;

template <class T>
inline constexpr bool is_number_sequence_v = false;
template <Number T>
inline constexpr bool is_number_sequence_v<Array<T>> = true;
template <Number T, class A>
inline constexpr bool is_number_sequence_v<std::vector<T, A>> = !std::is_same_v<T, bool>;
template <Number T, std::size_t N>
inline constexpr bool is_number_sequence_v<std::array<T, N>> = true;

template <class T>
inline constexpr bool is_per_walker_v = false;
template <class T>
inline constexpr bool is_per_walker_v<PerWalker<T>> = true;

template <class T>
inline constexpr bool is_leaf_v = Number<T> || is_number_sequence_v<T>;
template <class T>
inline constexpr bool is_leaf_v<PerWalker<T>> = is_number_sequence_v<T>;

template <class T>
concept Leaf = is_leaf_v<std::remove_cvref_t<T>>;

template <class T>
concept HasFields = requires {
  std::remove_cvref_t<T>::fields;
};

template <class T>
inline constexpr bool is_sequence_v = false;
template <class T, class A>
inline constexpr bool is_sequence_v<std::vector<T, A>> = true;
template <class T, std::size_t N>
inline constexpr bool is_sequence_v<std::array<T, N>> = true;

// A sequence of things that are no numbers: its elements are visited by their index.
template <class T>
concept Branches = !Leaf<T> && is_sequence_v<std::remove_cvref_t<T>>;

template <class T>
concept Tree = Leaf<T> || HasFields<T> || Branches<T>;

// --- visiting
// -----------------------------------------------------------------------------
namespace tree_detail {

inline void step_into(std::string& path, std::string_view name) {
  if (!path.empty()) path += '.';
  path += name;
}

// Error (logic) naming the place if two trees differ in the length of a sequence.
void throw_different_length(const std::string& path, std::size_t a, std::size_t b);
template <class... Sizes>
void require_same_length([[maybe_unused]] const std::string& path,
                         [[maybe_unused]] std::size_t first, Sizes... others) {
  ((others != first ? throw_different_length(path, first, others) : void()), ...);
}

template <class F, class First, class... Others>
void visit(std::string& path, F& f, First& first, Others&... others) {
  if constexpr (Leaf<First>) {
    f(std::string_view(path), first, others...);
  } else {
    const std::size_t length = path.size();
    if constexpr (HasFields<First>) {
      std::apply(
          [&](const auto&... fields) {
            (
                [&](const auto& one) {
                  step_into(path, one.name);
                  visit(path, f, first.*one.member, (others.*one.member)...);
                  path.resize(length);
                }(fields),
                ...);
          },
          std::remove_cvref_t<First>::fields);
    } else {
      static_assert(
          Branches<First>,
          "not a tree: list the struct's fields, or use numbers, vectors, Arrays");
      require_same_length(path, first.size(), others.size()...);
      for (std::size_t i = 0; i < first.size(); ++i) {
        step_into(path, std::to_string(i));
        visit(path, f, first[i], others[i]...);
        path.resize(length);
      }
    }
  }
}

}  // namespace tree_detail

// f(name, leaf) for every leaf, in order. `tree` may be const.
template <class T, class F>
requires Tree<T>
void for_each_leaf(T&& tree, F&& f) {
  std::string path;
  tree_detail::visit(path, f, tree);
}

// f(name, leaf of a, leaf of b) for two trees of one type. Error (logic) if sequences of
// branches differ in length; leaves may differ in shape.
template <class A, class B, class F>
requires Tree<A> && std::same_as<std::remove_cvref_t<A>, std::remove_cvref_t<B>>
void for_each_leaf_pair(A&& a, B&& b, F&& f) {
  std::string path;
  tree_detail::visit(path, f, a, b);
}

// --- leaves as flat numbers
// --------------------------------------------------------------- The numbers of a leaf,
// in memory order; const if the leaf is.
template <class L>
requires Leaf<L>
auto leaf_values(L& leaf) {
  if constexpr (Number<std::remove_cv_t<L>>) {
    return std::span<L>(&leaf, 1);
  } else if constexpr (is_per_walker_v<std::remove_cv_t<L>>) {
    return leaf_values(leaf.value);
  } else {
    return std::span(leaf.data(), std::size_t(leaf.size()));
  }
}
template <class L>
using leaf_number_t = std::remove_cv_t<typename decltype(leaf_values(
    std::declval<const std::remove_reference_t<L>&>()))::element_type>;

// Walkers (rows along the leading axis) of a per-walker leaf, and the numbers of one row.
template <class T>
std::int64_t leaf_rows(const PerWalker<Array<T>>& leaf) {
  return leaf->rows();
}
template <class T, class A>
std::int64_t leaf_rows(const PerWalker<std::vector<T, A>>& leaf) {
  return std::int64_t(leaf->size());
}
template <class T>
std::int64_t leaf_row_size(const PerWalker<Array<T>>& leaf) {
  return leaf->row_size();
}
template <class T, class A>
std::int64_t leaf_row_size(const PerWalker<std::vector<T, A>>&) {
  return 1;
}

// Numbers in all leaves, and their bytes.
template <class T>
requires Tree<T> std::int64_t tree_size(const T& tree) {
  std::int64_t n = 0;
  for_each_leaf(tree, [&n](std::string_view, const auto& leaf) {
    n += std::int64_t(leaf_values(leaf).size());
  });
  return n;
}
template <class T>
requires Tree<T> std::int64_t tree_bytes(const T& tree) {
  std::int64_t n = 0;
  for_each_leaf(tree, [&n](std::string_view, const auto& leaf) {
    n += std::int64_t(leaf_values(leaf).size_bytes());
  });
  return n;
}

// "name" for a number, "name[i]" for the elements of a longer leaf: one for each number,
// in the order of flatten.
template <class T>
requires Tree<T> std::vector<std::string> number_names(const T& tree) {
  std::vector<std::string> names;
  for_each_leaf(tree, [&names](std::string_view name, const auto& leaf) {
    if constexpr (Number<std::remove_cvref_t<decltype(leaf)>>) {
      names.emplace_back(name);
    } else {
      for (std::size_t i = 0; i < leaf_values(leaf).size(); ++i)
        names.push_back(std::string(name) + "[" + std::to_string(i) + "]");
    }
  });
  return names;
}

// All numbers one after another as doubles (exact up to 2^53 for integers).
template <class T>
requires Tree<T> std::vector<double> flatten(const T& tree) {
  std::vector<double> flat;
  for_each_leaf(tree, [&flat](std::string_view, const auto& leaf) {
    for (const auto x : leaf_values(leaf)) flat.push_back(double(x));
  });
  return flat;
}
// Error (logic): a flat vector of another length.
[[noreturn]] void throw_wrong_flat_size(std::int64_t expected, std::int64_t found);
// The inverse of flatten, into a tree of the right shape.
template <class T>
requires Tree<T>
void unflatten(std::span<const double> flat, T& tree) {
  const std::int64_t expected = tree_size(tree);
  if (expected != std::int64_t(flat.size()))
    throw_wrong_flat_size(expected, std::int64_t(flat.size()));
  std::size_t next = 0;
  for_each_leaf(tree, [&](std::string_view, auto& leaf) {
    for (auto& x : leaf_values(leaf))
      x = static_cast<std::remove_reference_t<decltype(x)>>(flat[next++]);
  });
}

}  // namespace drover
