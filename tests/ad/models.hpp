// Small models that the tests of reverse mode and of the forward Laplacian share: a
// neural Jastrow factor, a FermiNet-like wave function, and a function of every
// operation.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "drover/ad/models.hpp"
#include "drover/ad/one_row.hpp"

namespace drover::test {

inline void fill(Array<double>& a, std::mt19937_64& generator, double scale) {
  std::uniform_real_distribution<double> uniform(-scale, scale);
  for (double& x : a) x = uniform(generator);
}

// u(r) for every pair by a tanh network on (r, r/(1+r)), with an exact cusp of its own:
// ln psi = sum_{i<j} r/(2 (1+b r)) + r^2/(1+r^2) net(r).
template <class A>
struct JastrowParams {
  A decay;
  std::vector<A> weights, biases;
  A out;
  static constexpr auto fields = tree_fields(
      field("decay", &JastrowParams::decay), field("weights", &JastrowParams::weights),
      field("biases", &JastrowParams::biases), field("out", &JastrowParams::out));
};
struct NeuralJastrow {
  static constexpr int electrons = 4;
  static constexpr const char* name = "neural Jastrow";

  template <class P, class X>
  auto operator()(const P& p, const X& x) const {
    const auto d = gather(x, {0, 0, 0, 1, 1, 2}) - gather(x, {1, 2, 3, 2, 3, 3});
    const auto r = reshape(sqrt(sum(d * d, 1)), 6, 1);
    const auto cusp = r / (2.0 * (1.0 + softplus(p.decay) * r));
    auto h = concat(std::vector{r, r / (1.0 + r)});
    for (std::size_t l = 0; l < p.weights.size(); ++l) {
      h = tanh(dot(h, p.weights[l]) + p.biases[l]);
    }
    return sum(cusp) + sum(r * r / (1.0 + r * r) * reshape(dot(h, p.out), 6, 1));
  }
  static JastrowParams<Array<double>> params() {
    std::mt19937_64 generator(11);
    JastrowParams<Array<double>> p{Array<double>({1}), {}, {}, Array<double>({5})};
    for (const auto& shape : {std::vector<std::int64_t>{2, 7}, {7, 5}}) {
      p.weights.emplace_back(shape);
      p.biases.emplace_back(std::vector{shape[1]});
      fill(p.weights.back(), generator, 0.7);
      fill(p.biases.back(), generator, 0.5);
    }
    fill(p.decay, generator, 1.0);
    fill(p.out, generator, 0.6);
    return p;
  }
  static Array<double> samples(int rows) {
    std::mt19937_64 generator(12);
    Array<double> x({rows, electrons, 3});
    fill(x, generator, 1.5);
    return x;
  }
};

// Two electrons of each spin about a nucleus: features (x, y, z, |r|) and their mean go
// through a layer; each spin's determinant is of orbitals w_k(h_i) exp(-a_k |r_i|).
template <class A>
struct FermiParams {
  A one, shared, bias, orbitals, decay;
  static constexpr auto fields = tree_fields(
      field("one", &FermiParams::one), field("shared", &FermiParams::shared),
      field("bias", &FermiParams::bias), field("orbitals", &FermiParams::orbitals),
      field("decay", &FermiParams::decay));
};
struct FermiNet {
  static constexpr int electrons = 4;
  static constexpr const char* name = "FermiNet";

  template <class P, class X>
  auto operator()(const P& p, const X& x) const {
    const auto r = reshape(sqrt(sum(x * x, 1)), electrons, 1);
    const auto features = concat(std::vector{x, r});
    const auto common = dot(sum(features, 0) / double{electrons}, p.shared);
    const auto h = tanh(dot(features, p.one) + common + p.bias);
    const auto phi = dot(h, p.orbitals) * exp(-(r * softplus(p.decay)));
    return log_abs_determinant(slice_columns(slice(phi, 0, 2), 0, 2)) +
           log_abs_determinant(slice_columns(slice(phi, 2, 2), 2, 2));
  }
  static FermiParams<Array<double>> params() {
    std::mt19937_64 generator(21);
    FermiParams<Array<double>> p{Array<double>({4, 6}), Array<double>({4, 6}),
                                 Array<double>({6}), Array<double>({6, 4}),
                                 Array<double>({4})};
    leaves::each(p, [&](Array<double>& leaf) { fill(leaf, generator, 0.8); });
    return p;
  }
  static Array<double> samples(int rows) {
    std::mt19937_64 generator(22);
    Array<double> x({rows, electrons, 3});
    fill(x, generator, 1.5);
    return x;
  }
};

// Touches every operation, with parameters in each place where one may stand.
template <class A>
struct EverythingParams {
  A number, vector, matrix;
  static constexpr auto fields = tree_fields(field("number", &EverythingParams::number),
                                             field("vector", &EverythingParams::vector),
                                             field("matrix", &EverythingParams::matrix));
};
struct Everything {
  static constexpr const char* name = "function of every operation";

  template <class P, class X>
  auto operator()(const P& p, const X& x) const {
    const auto row = x[1];
    const auto left = dot(p.matrix, row);                              // matrix . vector
    const auto both = dot(transpose(x), dot(x, p.matrix) * p.vector);  // per-row matrices
    const auto left_matrix = dot(p.matrix, transpose(x));
    const auto y = exp(-0.3 * square(row)) / (1.5 + cos(left)) + sin(row * p.number) -
                   log(1.2 + square(left)) * log1p(square(p.vector));
    const auto z = expm1(0.2 * y) * logistic(row) -
                   abs(left - 0.1) * reciprocal(2.0 + y * y) + pow(1.1 + 0.1 * left, -3) +
                   pow(y, 3) - softplus(p.vector * y);
    const auto clipped =
        select(row > p.vector, sqrt(1.0 + square(row)), 0.5 * left + 1.0);
    const auto inner = dot(row, dot(both, p.vector)) + dot(x[0], p.vector) * p.number;
    return sum(z * clipped) + inner + x(0, 2) * mean(both) +
           sum(slice_columns(left_matrix, 0, 1)) * sum(slice(row, 1, 2)) +
           sum(sum(both, 1) * sum(both, 0)) - dot(left, row) / (3.0 + square(p.number));
  }
  static EverythingParams<Array<double>> params() {
    std::mt19937_64 generator(31);
    EverythingParams<Array<double>> p{Array<double>(std::vector<std::int64_t>{}),
                                      Array<double>({3}), Array<double>({3, 3})};
    leaves::each(p, [&](Array<double>& leaf) { fill(leaf, generator, 0.9); });
    return p;
  }
  static Array<double> samples(int rows) {
    std::mt19937_64 generator(32);
    Array<double> x({rows, 2, 3});
    fill(x, generator, 1.2);
    return x;
  }
};

// Inverses, determinants and masks of matrices that depend on rows and parameters. (No
// sample lies within the step of a finite difference of a jump.)
struct MatrixFunctions {
  static constexpr const char* name = "function of matrices";

  template <class P, class X>
  auto operator()(const P& p, const X& x) const {
    const auto a = dot(transpose(x), x) + p.matrix;
    const auto m = inverse(a);
    const auto rows =
        stack(std::vector{x[0], min(x[1], p.vector), max(x[0], 0.3 * x[1])});
    const auto inside = (x > -0.7) & !(x > 0.45 * p.number);
    const auto mixed = select(inside | (x <= -1.1), x * x, tanh(x));
    return sum(m * rows) + sum(dot(m, p.vector)) * determinant_sign(a) +
           log_abs_determinant(a) * p.number + sum(mixed) + dot(x[0], dot(m, x[1]));
  }
  static EverythingParams<Array<double>> params() {
    auto p = Everything::params();
    for (int i = 0; i < 3; ++i) p.matrix(i, i) += 1.5;
    return p;
  }
  static Array<double> samples(int rows) { return Everything::samples(rows); }
};

// -1/2 (lap ln psi + |grad ln psi|^2) + 1/2 sum x^2: a local energy of a model of ln psi.
template <class Model>
struct LocalEnergy {
  Model model;
  template <class P, class X>
  auto operator()(const P& p, const X& x) const {
    const auto l = forward_laplacian([&](const auto& r) { return model(p, r); }, x);
    return -0.5 * (l.laplacian + dot(l.gradient, l.gradient)) + 0.5 * sum(x * x);
  }
};

// d f / d t at 0 by nine points of step 0.002 in long double.
template <class F>
long double derivative(const F& f) {
  const long double h = 0.002L;
  const long double weight[4] = {4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
  long double d = 0;
  for (int k = 1; k <= 4; ++k) {
    const long double t = static_cast<long double>(k) * h;
    d += weight[k - 1] * (f(t) - f(-t));
  }
  return d / h;
}
// The number i of all leaves of a tree of tensors.
template <class Tree>
long double& number(Tree& tree, int i) {
  long double* found = nullptr;
  leaves::each(tree, [&](auto& leaf) {
    if (!found && i < leaf.size()) found = &leaf.at(i);
    i -= leaf.size();
  });
  return *found;
}

}  // namespace drover::test
