#include "drover/ad/transforms.hpp"
#include "drover/core/error.hpp"

namespace drover::tape {

int Forward::add(int a, int b) {
  if (a < 0) return b;
  if (b < 0) return a;
  return tape_.add(a, b);
}
int Forward::times(int a, int b) {
  return a < 0 || b < 0 ? -1 : tape_.multiply(a, b);
}
int Forward::through(int a, const SparseMap& map, Shape shape) {
  return a < 0 ? -1 : tape_.linear(a, map, shape);
}

Tangent Forward::of(int node) {
  const auto found = known_.find(node);
  if (found != known_.end()) return found->second;
  bool moves = false;
  for (const int arg : std::vector<int>(tape_[node].args)) {
    const Tangent t = of(arg);
    moves = moves || t.gradient >= 0 || t.laplacian >= 0;
  }
  const Tangent result = moves ? apply(node) : Tangent{};
  known_[node] = result;
  return result;
}

Tangent Forward::apply(int n) {
  const Node node = tape_[n];
  if (node.shape.channels != 1) {
    throw Error(ErrorKind::logic,
                "[forward] a model that already contains a gradient cannot be "
                "differentiated forward once more; pull it back instead");
  }
  const auto arg = [&](std::size_t i) { return of(node.args[i]); };
  const auto shaped = [&](int a) {
    return a < 0
               ? -1
               : tape_.broadcast_to(a, node.shape.with_channels(tape_.shape(a).channels));
  };
  switch (node.op) {
    case Op::constant:
    case Op::parameter:
    case Op::input:
    case Op::determinant_sign:
      return {};
    case Op::factor:
      return arg(0);  // its parts have rules of their own
    case Op::view: {
      SparseMap map;
      map.columns = tape_.shape(node.args[0]).channel_size();
      for (int i = 0; i < node.shape.size(); ++i) {
        map.add(node.offset + i);
        map.end_row();
      }
      const Tangent x = arg(0);
      return {through(x.gradient, map, node.shape),
              through(x.laplacian, map, node.shape)};
    }
    case Op::unary:
      return unary(n);
    case Op::affine: {
      const Tangent x = arg(0);
      return {x.gradient < 0 ? -1 : tape_.affine(x.gradient, node.scale, 0.0),
              x.laplacian < 0 ? -1 : tape_.affine(x.laplacian, node.scale, 0.0)};
    }
    case Op::binary:
      return binary(n);
    case Op::select: {
      const auto pick = [&](int a, int b) {
        if (a < 0 && b < 0) return -1;
        const int zero = tape_.constant(0.0);
        return shaped(tape_.select(node.args[0], a < 0 ? zero : a, b < 0 ? zero : b));
      };
      const Tangent a = arg(1), b = arg(2);
      return {pick(a.gradient, b.gradient), pick(a.laplacian, b.laplacian)};
    }
    case Op::linear: {
      const Tangent x = arg(0);
      return {through(x.gradient, *node.map, node.shape),
              through(x.laplacian, *node.map, node.shape)};
    }
    case Op::concat:
      return concat(n);
    case Op::dense:
      return dense(n);
    case Op::matmul:
      return matmul(n);
    case Op::channel_dot:
      break;
    case Op::log_determinant:
      return log_determinant(n);
    case Op::inverse:
      return inverse(n);
  }
  throw Error(ErrorKind::logic, "[forward] an operation without a forward rule");
}

// grad y = f' grad x, lap y = f' lap x + f'' |grad x|^2.
Tangent Forward::unary(int n) {
  const Tangent x = of(tape_[n].args[0]);
  const int first = first_derivative(tape_, n);
  Tangent y{times(first, x.gradient), times(first, x.laplacian)};
  if (!second_ || x.gradient < 0) return y;
  const int second = second_derivative(tape_, n);
  if (second < 0) return y;
  y.laplacian =
      add(y.laplacian, times(second, tape_.channel_dot(x.gradient, x.gradient)));
  return y;
}

Tangent Forward::binary(int n) {
  const Node node = tape_[n];
  const int a = node.args[0], b = node.args[1];
  const auto shaped = [&](int x) {
    return x < 0
               ? -1
               : tape_.broadcast_to(x, node.shape.with_channels(tape_.shape(x).channels));
  };
  const auto minus = [&](int x) { return x < 0 ? -1 : tape_.affine(x, -1.0, 0.0); };
  const Tangent x = of(a), y = of(b);
  switch (node.binary()) {
    case BinaryOp::add:
      return {shaped(add(x.gradient, y.gradient)), shaped(add(x.laplacian, y.laplacian))};
    case BinaryOp::subtract:
      return {shaped(add(x.gradient, minus(y.gradient))),
              shaped(add(x.laplacian, minus(y.laplacian)))};
    case BinaryOp::multiply:
      return product(a, b);
    case BinaryOp::divide:
      return quotient(n, a, b);
    case BinaryOp::less:
    case BinaryOp::less_equal:
    case BinaryOp::equal:
      return {};
    case BinaryOp::multiply_one_minus_square:
      break;
  }
  throw Error(ErrorKind::logic, "[forward] a fused operation on the tape");
}

// lap(ab) = a lap b + b lap a + 2 grad a . grad b.
Tangent Forward::product(int a, int b) {
  const Tangent x = of(a), y = of(b);
  Tangent r{add(times(a, y.gradient), times(b, x.gradient)),
            add(times(a, y.laplacian), times(b, x.laplacian))};
  if (second_ && x.gradient >= 0 && y.gradient >= 0) {
    const int cross = tape_.channel_dot(x.gradient, y.gradient);
    r.laplacian = add(r.laplacian, tape_.affine(cross, 2.0, 0.0));
  }
  return r;
}

// q = a/b: grad q = (grad a - q grad b)/b, lap q = (lap a - q lap b - 2 grad q . grad
// b)/b.
Tangent Forward::quotient(int q, int a, int b) {
  const Tangent x = of(a), y = of(b);
  const int over = tape_.unary(UnaryOp::reciprocal, b);
  const int less = tape_.affine(q, -1.0, 0.0);
  Tangent r;
  r.gradient = times(over, add(x.gradient, times(less, y.gradient)));
  int top = add(x.laplacian, times(less, y.laplacian));
  if (second_ && y.gradient >= 0) {
    const int cross = tape_.channel_dot(r.gradient, y.gradient);
    top = add(top, tape_.affine(cross, -2.0, 0.0));
  }
  r.laplacian = times(over, top);
  return r;
}

Tangent Forward::dense(int n) {
  const Node node = tape_[n];
  const int x = node.args[0], w = node.args[1], columns = node.shape.columns;
  const Tangent in = of(x), weights = of(w);
  const auto layer = [&](int a) {
    return a < 0 ? -1 : tape_.dense(a, w, columns, node.transpose_b);
  };
  Tangent y{layer(in.gradient), layer(in.laplacian)};
  if (weights.gradient >= 0) {
    y.gradient =
        add(y.gradient, tape_.dense(x, weights.gradient, columns, node.transpose_b));
  }
  return y;
}

Tangent Forward::matmul(int n) {
  const Node node = tape_[n];
  const int a = node.args[0], b = node.args[1];
  const Tangent x = of(a), y = of(b);
  const auto multiply = [&](int p, int q, bool sum) {
    return p < 0 || q < 0 ? -1
                          : tape_.matmul(p, q, node.transpose_a, node.transpose_b, sum);
  };
  Tangent r{add(multiply(x.gradient, b, false), multiply(a, y.gradient, false)),
            add(multiply(x.laplacian, b, false), multiply(a, y.laplacian, false))};
  if (second_) {
    const int cross = multiply(x.gradient, y.gradient, true);
    if (cross >= 0) r.laplacian = add(r.laplacian, tape_.affine(cross, 2.0, 0.0));
  }
  return r;
}

Tangent Forward::concat(int n) {
  const Node node = tape_[n];
  std::vector<int> gradients, laplacians;
  bool any_gradient = false, any_laplacian = false;
  for (const int part : node.args) {
    const Tangent x = of(part);
    any_gradient = any_gradient || x.gradient >= 0;
    any_laplacian = any_laplacian || x.laplacian >= 0;
    const Shape shape = tape_.shape(part);
    gradients.push_back(x.gradient >= 0 ? x.gradient
                                        : tape_.zeros(shape.with_channels(directions_)));
    laplacians.push_back(x.laplacian >= 0 ? x.laplacian : tape_.zeros(shape));
  }
  return {
      any_gradient ? tape_.concat(gradients, node.shape.with_channels(directions_)) : -1,
      any_laplacian ? tape_.concat(laplacians, node.shape) : -1};
}

// With M = A^-1: grad ln|det A| = tr(M grad A),
// lap ln|det A| = tr(M lap A) - sum_i tr(M d_i A M d_i A).
Tangent Forward::log_determinant(int n) {
  const int factor = tape_[n].args[0];
  const Tangent a = of(tape_[factor].args[0]);
  const int inverse = tape_.inverse(factor);
  const int transposed = tape_.transpose(inverse);
  const auto trace = [&](int x) {  // tr(M x) = sum_ij M^T_ij x_ij
    return x < 0 ? -1
                 : tape_.sum_to(tape_.multiply(transposed, x),
                                scalar_shape().with_channels(tape_.shape(x).channels));
  };
  Tangent y{trace(a.gradient), trace(a.laplacian)};
  if (second_ && a.gradient >= 0) {
    const int turned = tape_.matmul(inverse, a.gradient, false, false, false);
    const int dot = tape_.channel_dot(turned, tape_.transpose(turned));
    y.laplacian =
        add(y.laplacian, tape_.affine(tape_.sum_to(dot, scalar_shape()), -1.0, 0.0));
  }
  return y;
}

// d_i M = -M d_i A M, lap M = -M lap A M + 2 sum_i M d_i A M d_i A M.
Tangent Forward::inverse(int n) {
  const Tangent a = of(tape_[tape_[n].args[0]].args[0]);
  const auto between = [&](int x) {
    if (x < 0) return -1;
    const int left = tape_.matmul(n, x, false, false, false);
    return tape_.affine(tape_.matmul(left, n, false, false, false), -1.0, 0.0);
  };
  Tangent m{between(a.gradient), between(a.laplacian)};
  if (second_ && a.gradient >= 0) {
    const int turned = tape_.matmul(n, a.gradient, false, false, false);
    // sum_i (M d_i A)(M d_i A) M = -sum_i (M d_i A) d_i M
    const int twice = tape_.matmul(turned, m.gradient, false, false, true);
    m.laplacian = add(m.laplacian, tape_.affine(twice, -2.0, 0.0));
  }
  return m;
}

}  // namespace drover::tape
