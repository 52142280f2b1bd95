// Tensor<R>: numbers, vectors and matrices of any scalar, with the functions of Traced.
//
// A model that runs on Traced runs on these as well: on double for one sample, on long
// double or Laplacian for a reference, on Counting to count operations. Plain loops in
// the obvious order; the tape is held equal to them in tests.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/ad/elementary.hpp"
#include "drover/ad/laplacian.hpp"
#include "drover/ad/traced.hpp"
#include "drover/core/error.hpp"

namespace drover {

template <class R>
class Tensor {
  static_assert(lanes_v<R> == 1, "one sample at a time");

 public:
  using scalar = R;

  Tensor() : Tensor(R(0.0)) {}
  Tensor(R number) : shape_(tape::scalar_shape()), values_(1, number) {}
  Tensor(tape::Shape shape, std::vector<R> values)
      : shape_(shape), values_(std::move(values)) {}
  explicit Tensor(std::vector<R> vector)
      : Tensor(tape::vector_shape(static_cast<int>(vector.size())), vector) {}

  const tape::Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank; }
  int rows() const { return shape_.rows; }
  int columns() const { return shape_.columns; }
  int size() const { return shape_.size(); }
  const std::vector<R>& values() const { return values_; }
  const R& at(int i) const { return values_[static_cast<std::size_t>(i)]; }
  R& at(int i) { return values_[static_cast<std::size_t>(i)]; }
  const R& number() const { return values_.front(); }  // of rank 0

  // Element of a vector, row of a matrix; element of a matrix.
  Tensor operator[](int i) const {
    if (rank() == 1) return Tensor(at(i));
    const auto first = values_.begin() + i * columns();
    return Tensor(std::vector<R>(first, first + columns()));
  }
  Tensor operator()(int i, int j) const { return Tensor(at(i * columns() + j)); }

 private:
  tape::Shape shape_;
  std::vector<R> values_;
};

template <class T>
inline constexpr bool is_tensor_v = false;
template <class R>
inline constexpr bool is_tensor_v<Tensor<R>> = true;

// Truth values of a comparison.
struct TensorMask {
  tape::Shape shape;
  std::vector<char> truth;
};

namespace tensors {

// What may be combined with a tensor: another, or a number.
template <class T>
const Tensor<T>& as_tensor(const Tensor<T>& x) {
  return x;
}
template <class S>
requires(!is_tensor_v<S>) Tensor<S> as_tensor(const S& x) {
  return Tensor<S>(x);
}
template <class A, class B>
concept Combination = is_tensor_v<A> || is_tensor_v<B>;

inline int place(const tape::Shape& s, int i, int j) {
  return (s.rows == 1 ? 0 : i) * s.columns + (s.columns == 1 ? 0 : j);
}

// f of two tensors, axes of length 1 stretched.
template <class A, class B, class F>
auto combine(const A& x, const B& y, const F& f) {
  const auto& a = as_tensor(x);
  const auto& b = as_tensor(y);
  using R = decltype(f(a.at(0), b.at(0)));
  const tape::Shape shape = tape::broadcast(a.shape(), b.shape(), "elementwise");
  std::vector<R> values;
  for (int i = 0; i < shape.rows; ++i) {
    for (int j = 0; j < shape.columns; ++j) {
      values.push_back(f(a.at(place(a.shape(), i, j)), b.at(place(b.shape(), i, j))));
    }
  }
  return std::pair(shape, std::move(values));
}
template <class A, class B, class F>
auto arithmetic(const A& a, const B& b, const F& f) {
  auto [shape, values] = combine(a, b, f);
  using R = typename decltype(values)::value_type;
  return Tensor<R>(shape, std::move(values));
}
template <class A, class B, class F>
TensorMask compare(const A& a, const B& b, const F& f) {
  auto [shape, values] = combine(
      a, b, [&](const auto& x, const auto& y) -> char { return f(x, y) ? 1 : 0; });
  return {shape, std::move(values)};
}
template <class R, class F>
Tensor<R> map(const Tensor<R>& x, const F& f) {
  std::vector<R> values;
  for (const R& a : x.values()) values.push_back(f(a));
  return Tensor<R>(x.shape(), std::move(values));
}

}  // namespace tensors

template <class A, class B>
requires tensors::Combination<A, B>
auto operator+(const A& a, const B& b) {
  return tensors::arithmetic(a, b, std::plus<>());
}
template <class A, class B>
requires tensors::Combination<A, B>
auto operator-(const A& a, const B& b) {
  return tensors::arithmetic(a, b, std::minus<>());
}
template <class A, class B>
requires tensors::Combination<A, B>
auto operator*(const A& a, const B& b) {
  return tensors::arithmetic(a, b, std::multiplies<>());
}
template <class A, class B>
requires tensors::Combination<A, B>
auto operator/(const A& a, const B& b) {
  return tensors::arithmetic(a, b, std::divides<>());
}
template <class R>
Tensor<R> operator-(const Tensor<R>& a) {
  return tensors::map(a, [](const R& x) { return -x; });
}
template <class R, class B>
Tensor<R>& operator+=(Tensor<R>& a, const B& b) {
  return a = a + b;
}
template <class R, class B>
Tensor<R>& operator-=(Tensor<R>& a, const B& b) {
  return a = a - b;
}
template <class R, class B>
Tensor<R>& operator*=(Tensor<R>& a, const B& b) {
  return a = a * b;
}
template <class A, class B>
requires tensors::Combination<A, B> TensorMask operator<(const A& a, const B& b) {
  return tensors::compare(a, b, std::less<>());
}
template <class A, class B>
requires tensors::Combination<A, B> TensorMask operator>(const A& a, const B& b) {
  return tensors::compare(a, b, std::greater<>());
}

template <class A, class B>
requires tensors::Combination<A, B> TensorMask operator<=(const A& a, const B& b) {
  return tensors::compare(a, b, std::less_equal<>());
}
template <class A, class B>
requires tensors::Combination<A, B> TensorMask operator>=(const A& a, const B& b) {
  return tensors::compare(a, b, std::greater_equal<>());
}
inline TensorMask operator&(TensorMask a, const TensorMask& b) {
  for (std::size_t i = 0; i < a.truth.size(); ++i) a.truth[i] = a.truth[i] && b.truth[i];
  return a;
}
inline TensorMask operator!(TensorMask a) {
  for (char& truth : a.truth) truth = !truth;
  return a;
}
inline TensorMask operator|(const TensorMask& a, const TensorMask& b) {
  return !((!a) & (!b));
}

// clang-format off
template <class R> Tensor<R> exp(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Exp::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> expm1(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Expm1::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> log(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Log::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> log1p(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Log1p::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> sqrt(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Sqrt::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> reciprocal(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Reciprocal::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> tanh(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Tanh::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> sin(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Sin::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> cos(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Cos::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> logistic(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Logistic::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> softplus(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Softplus::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> abs(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return Abs::derivatives<0>(a)[0]; }); }
template <class R> Tensor<R> square(const Tensor<R>& x) { return tensors::map(x, [](const R& a) { return a * a; }); }
template <class R> Tensor<R> pow(const Tensor<R>& x, int n) { return tensors::map(x, [n](const R& a) { return pow(a, n); }); }
// clang-format on

template <class A, class B>
requires tensors::Combination<A, B>
auto select(const TensorMask& mask, const A& a, const B& b) {
  const auto both = tensors::arithmetic(a, b, std::plus<>());  // for its type and shape
  using R = typename decltype(both)::scalar;
  const tape::Shape shape = tape::broadcast(mask.shape, both.shape(), "select");
  const auto& x = tensors::as_tensor(a);
  const auto& y = tensors::as_tensor(b);
  std::vector<R> values;
  for (int i = 0; i < shape.rows; ++i) {
    for (int j = 0; j < shape.columns; ++j) {
      const auto at = static_cast<std::size_t>(tensors::place(mask.shape, i, j));
      values.push_back(mask.truth[at] ? R(x.at(tensors::place(x.shape(), i, j)))
                                      : R(y.at(tensors::place(y.shape(), i, j))));
    }
  }
  return Tensor<R>(shape, std::move(values));
}

template <class A, class B>
requires tensors::Combination<A, B>
auto min(const A& a, const B& b) {
  return select(a < b, a, b);
}
template <class A, class B>
requires tensors::Combination<A, B>
auto max(const A& a, const B& b) {
  return select(a > b, a, b);
}

}  // namespace drover
