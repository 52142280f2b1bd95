// Products, sums, shapes and determinants of plain tensors, and their forward Laplacian.
#pragma once

#include "drover/ad/tensor.hpp"

namespace drover {

template <class A, class B>
auto dot(const Tensor<A>& a, const Tensor<B>& b) {
  using R = decltype(a.at(0) * b.at(0));
  const int m = a.rows(), k = a.columns();
  const int inner = b.rank() == 1 ? b.columns() : b.rows();
  const int n = b.rank() == 1 ? 1 : b.columns();
  if (k != inner) {
    throw Error(ErrorKind::logic, "[dot] shapes " + to_string(a.shape()) + " and " +
                                      to_string(b.shape()) + " do not fit");
  }
  std::vector<R> values;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      R sum(0.0);
      for (int l = 0; l < k; ++l) sum = sum + a.at(i * k + l) * b.at(l * n + j);
      values.push_back(sum);
    }
  }
  const int rank = a.rank() + b.rank() - 2;
  const tape::Shape shape = rank == 2   ? tape::matrix_shape(m, n)
                            : rank == 1 ? tape::vector_shape(m * n)
                                        : tape::scalar_shape();
  return Tensor<R>(shape, std::move(values));
}
template <class R>
Tensor<R> sum(const Tensor<R>& x) {
  R total(0.0);
  for (const R& a : x.values()) total = total + a;
  return Tensor<R>(total);
}
template <class R>
Tensor<R> sum(const Tensor<R>& x, int axis) {
  if (x.rank() == 1) return sum(x);
  std::vector<R> totals(static_cast<std::size_t>(axis == 0 ? x.columns() : x.rows()),
                        R(0.0));
  for (int i = 0; i < x.rows(); ++i) {
    for (int j = 0; j < x.columns(); ++j) {
      R& total = totals[static_cast<std::size_t>(axis == 0 ? j : i)];
      total = total + x.at(i * x.columns() + j);
    }
  }
  return Tensor<R>(std::move(totals));
}
template <class R>
Tensor<R> mean(const Tensor<R>& x) {
  return sum(x) / static_cast<double>(x.size());
}
template <class R>
Tensor<R> transpose(const Tensor<R>& x) {
  std::vector<R> values;
  for (int j = 0; j < x.columns(); ++j) {
    for (int i = 0; i < x.rows(); ++i) values.push_back(x.at(i * x.columns() + j));
  }
  return Tensor<R>(tape::matrix_shape(x.columns(), x.rows()), std::move(values));
}
template <class R>
Tensor<R> reshape(const Tensor<R>& x, int rows, int columns) {
  return Tensor<R>(tape::matrix_shape(rows, columns), x.values());
}
template <class R>
Tensor<R> flatten(const Tensor<R>& x) {
  return Tensor<R>(x.values());
}
template <class R>
Tensor<R> gather(const Tensor<R>& x, std::span<const int> which) {
  const int width = x.rank() == 1 ? 1 : x.columns();
  std::vector<R> values;
  for (const int i : which) {
    for (int j = 0; j < width; ++j) values.push_back(x.at(i * width + j));
  }
  const int count = static_cast<int>(which.size());
  return Tensor<R>(
      x.rank() == 1 ? tape::vector_shape(count) : tape::matrix_shape(count, width),
      std::move(values));
}
template <class R>
Tensor<R> gather(const Tensor<R>& x, std::initializer_list<int> which) {
  return gather(x, std::span(which.begin(), which.size()));
}
template <class R>
Tensor<R> slice(const Tensor<R>& x, int first, int count) {
  std::vector<int> which;
  for (int i = 0; i < count; ++i) which.push_back(first + i);
  return gather(x, which);
}
template <class R>
Tensor<R> slice_columns(const Tensor<R>& x, int first, int count) {
  return x.rank() == 1 ? slice(x, first, count)
                       : transpose(slice(transpose(x), first, count));
}
template <class R>
Tensor<R> concat(const std::vector<Tensor<R>>& parts) {
  int rank = 1, columns = 0;
  for (const auto& part : parts) {
    rank = std::max(rank, part.rank());
    columns += part.columns();
  }
  const int rows = parts.front().rows();
  std::vector<R> values;
  for (int i = 0; i < rows; ++i) {
    for (const auto& part : parts) {
      for (int j = 0; j < part.columns(); ++j)
        values.push_back(part.at(i * part.columns() + j));
    }
  }
  return Tensor<R>({1, rows, columns, rank}, std::move(values));
}
template <class R>
Tensor<R> stack(const std::vector<Tensor<R>>& rows) {
  const Tensor<R> flat = concat(rows);
  const int count = static_cast<int>(rows.size());
  return reshape(flat, count, flat.size() / count);
}

// Inverse, ln|det| and sign of det by Gauss-Jordan elimination with partial pivoting.
template <class R>
struct Elimination {
  Tensor<R> inverse;
  R log_determinant = R(0.0);
  double determinant_sign = 1.0;
};
template <class R>
Elimination<R> eliminate(const Tensor<R>& matrix) {
  const int n = matrix.rows();
  Tensor<R> a = matrix;
  Elimination<R> e{a};
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) e.inverse.at(i * n + j) = R(i == j ? 1.0 : 0.0);
  }
  const auto size = [](const R& x) { return Abs::derivatives<0>(x)[0]; };
  for (int k = 0; k < n; ++k) {
    int pivot = k;
    for (int i = k + 1; i < n; ++i) {
      if (size(a.at(i * n + k)) > size(a.at(pivot * n + k))) pivot = i;
    }
    const R diagonal = a.at(pivot * n + k);
    if ((pivot != k) != (diagonal < R(0.0))) e.determinant_sign = -e.determinant_sign;
    e.log_determinant = e.log_determinant + Log::derivatives<0>(size(diagonal))[0];
    for (int j = 0; j < n; ++j) {
      std::swap(a.at(k * n + j), a.at(pivot * n + j));
      std::swap(e.inverse.at(k * n + j), e.inverse.at(pivot * n + j));
      a.at(k * n + j) = a.at(k * n + j) / diagonal;
      e.inverse.at(k * n + j) = e.inverse.at(k * n + j) / diagonal;
    }
    for (int i = 0; i < n; ++i) {
      const R factor = a.at(i * n + k);
      for (int j = 0; i != k && j < n; ++j) {
        a.at(i * n + j) = a.at(i * n + j) - factor * a.at(k * n + j);
        e.inverse.at(i * n + j) =
            e.inverse.at(i * n + j) - factor * e.inverse.at(k * n + j);
      }
    }
  }
  return e;
}
template <class R>
Tensor<R> inverse(const Tensor<R>& matrix) {
  return eliminate(matrix).inverse;
}
template <class R>
Tensor<R> log_abs_determinant(const Tensor<R>& matrix) {
  return Tensor<R>(eliminate(matrix).log_determinant);
}
template <class R>
Tensor<R> determinant_sign(const Tensor<R>& matrix) {
  return Tensor<R>(R(eliminate(matrix).determinant_sign));
}

// One coordinate at a time; f must accept Tensor<Laplacian<R, 1>> beside its Tensor<R>s.
template <class F, class R>
LaplacianOf<Tensor<R>> forward_laplacian(const F& f, const Tensor<R>& x) {
  using L = Laplacian<R, 1>;
  std::vector<R> gradient;
  R value(0.0), laplacian(0.0);
  for (int i = 0; i < x.size(); ++i) {
    std::vector<L> seeded;
    for (const R& a : x.values()) seeded.push_back(L(a));
    seeded[static_cast<std::size_t>(i)] = L::coordinate(x.at(i), 0);
    const Tensor<L> y = f(Tensor<L>(x.shape(), std::move(seeded)));
    value = y.number().value;
    gradient.push_back(y.number().gradient[0]);
    laplacian = laplacian + y.number().laplacian;
  }
  return {Tensor<R>(value), Tensor<R>(std::move(gradient)), Tensor<R>(laplacian)};
}

}  // namespace drover
