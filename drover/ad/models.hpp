// Other things to do with a model over rows: its values, its derivative along a direction
// (J v), the gradient of every row, and its gradient and Laplacian in the rows' numbers.
#pragma once

#include "drover/ad/vjp.hpp"

namespace drover {

// [rows], [rows][n] or [rows][m][n].
template <class Model, class P, class X>
Array<double> evaluate(const Model& model, const P& params, const X& x) {
  Recorded recorded = record(model, params, x);
  const std::vector<double> parameters = leaves::flat(params);
  Recorded::Call call{.parameters = parameters};
  call.inputs = leaves::bind_rows(x, call.rows);
  Array<double> value(recorded.value_extents(call.rows));
  call.value = value.data();
  recorded.evaluate(call);
  return value;
}

struct Jvp {
  Array<double> value, tangent;
  WorkCount work;
};
// J v for v = (direction of params, direction of x); either may be skip. The directions
// have the form of the arguments.
template <class Model, class P, class X, class DP, class DX>
Jvp jvp(const Model& model, const P& params, const X& x, const DP& params_direction,
        const DX& x_direction) {
  Recorded recorded = record(model, params, x);
  std::vector<double> parameters = leaves::flat(params);
  Recorded::Call call;
  call.inputs = leaves::bind_rows(x, call.rows);
  if constexpr (!std::is_same_v<DP, Skip>) {
    const std::vector<double> direction = leaves::flat(params_direction);
    leaves::expect_size("direction of the parameters",
                        static_cast<std::int64_t>(parameters.size()),
                        static_cast<std::int64_t>(direction.size()));
    parameters.insert(parameters.end(), direction.begin(), direction.end());
    call.pull_parameters = true;
  }
  if constexpr (!std::is_same_v<DX, Skip>) {
    std::int64_t rows = 0;
    const auto directions = leaves::bind_rows(x_direction, rows);
    leaves::expect_size("rows of the direction", call.rows, rows);
    leaves::expect_size("arguments in the direction",
                        static_cast<std::int64_t>(call.inputs.size()),
                        static_cast<std::int64_t>(directions.size()));
    call.inputs.insert(call.inputs.end(), directions.begin(), directions.end());
  }
  call.parameters = parameters;
  Jvp result{Array<double>(recorded.value_extents(call.rows)),
             Array<double>(recorded.value_extents(call.rows)),
             {}};
  call.value = result.value.data();
  result.work = recorded.tangent(call, !std::is_same_v<DX, Skip>, result.tangent.data());
  return result;
}

struct JacobianRows {
  Array<double> value;  // [rows]
  Array<double> rows;   // [rows][parameters], leaves in the order of the tree
};
// d value / d parameters of every row, for a model whose value is a number.
template <class Model, class P, class X>
JacobianRows jacobian_rows(const Model& model, const P& params, const X& x) {
  Recorded recorded = record(model, params, x);
  leaves::expect_size("numbers in the value of a model for jacobian_rows", 1,
                      recorded.output().size());
  std::int64_t rows = 0;
  leaves::bind_rows(x, rows);
  Array<double> ones({rows});
  ones.fill(1.0);
  JacobianRows result;
  result.rows = Array<double>({rows, recorded.parameters()});
  auto pulled =
      value_and_pullback(recorded, params, x, ones,
                         rows_into(result.rows.data(), recorded.parameters()), skip);
  result.value = std::move(pulled.value);
  return result;
}

struct LaplacianRows {
  Array<double> value;      // [rows]
  Array<double> gradient;   // [rows][coordinates]
  Array<double> laplacian;  // [rows]
};
// Of a model whose x is one array of coordinates (a vector or a matrix a row) and whose
// value is a number.
template <class Model, class P, class X>
LaplacianRows laplacian_rows(const Model& model, const P& params, const X& x) {
  const auto together = [&](const auto& w, const auto& coordinates) {
    const auto l =
        forward_laplacian([&](const auto& r) { return model(w, r); }, coordinates);
    return concat({l.value, l.gradient, l.laplacian});
  };
  const Array<double> all = evaluate(together, params, x);
  const std::int64_t rows = all.rows(), n = all.row_size() - 2;
  LaplacianRows result{Array<double>({rows}), Array<double>({rows, n}),
                       Array<double>({rows})};
  for (std::int64_t w = 0; w < rows; ++w) {
    const std::span<const double> row = all.row(w);
    result.value[w] = row.front();
    std::copy(row.begin() + 1, row.end() - 1, result.gradient.row(w).begin());
    result.laplacian[w] = row.back();
  }
  return result;
}

}  // namespace drover
