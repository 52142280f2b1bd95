// Arguments of a model for one row as Tensor<R>: model(params_as<R>(params), row_as<R>(x,
// w)) is the model's value for row w in the scalar R, without any tape.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "drover/ad/leaves.hpp"
#include "drover/ad/tensor_algebra.hpp"

namespace drover {
namespace leaves {

template <class R>
inline constexpr bool is_model_value_v<Tensor<R>> = true;

template <class R>
struct tensors_of {
  template <class L>
  struct kind {
    using type = Tensor<R>;
  };
};
template <class T, class R>
using as_tensors_t = rebind_t<T, tensors_of<R>::template kind>;

}  // namespace leaves

template <class R, class Params>
leaves::as_tensors_t<Params, R> params_as(const Params& params) {
  leaves::as_tensors_t<Params, R> result;
  leaves::zip(params, result, [](const auto& leaf, Tensor<R>& to) {
    std::vector<R> values;
    for (const auto x : leaf_values(leaf)) values.push_back(R(x));
    to = Tensor<R>(leaves::shared_shape(leaf), std::move(values));
  });
  return result;
}

template <class R, class X>
leaves::as_tensors_t<X, R> row_as(const X& x, std::int64_t row) {
  leaves::as_tensors_t<X, R> result;
  leaves::zip(x, result, [row](const auto& leaf, Tensor<R>& to) {
    const tape::Shape shape = leaves::row_shape(leaf);
    const tape::RowsView view = leaves::view_rows(leaf);
    std::vector<R> values;
    for (int i = 0; i < shape.size(); ++i) {
      const std::int64_t at = row * view.row_step + i * view.component_step;
      values.push_back(view.is_float ? R(static_cast<const float*>(view.data)[at])
                                     : R(static_cast<const double*>(view.data)[at]));
    }
    to = Tensor<R>(shape, std::move(values));
  });
  return result;
}

}  // namespace drover
