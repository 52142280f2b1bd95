#include <algorithm>

#include "drover/ad/transforms.hpp"
#include "drover/core/error.hpp"

namespace drover::tape {

int first_derivative(Tape& tape, int node) {
  const int x = tape[node].args[0], power = tape[node].power;
  switch (tape[node].unary()) {
    case UnaryOp::exp:
      return node;
    case UnaryOp::expm1:
      return tape.affine(node, 1.0, 1.0);
    case UnaryOp::log:
      return tape.unary(UnaryOp::reciprocal, x);
    case UnaryOp::log1p:
      return tape.unary(UnaryOp::reciprocal, tape.affine(x, 1.0, 1.0));
    case UnaryOp::sqrt:
      return tape.affine(tape.unary(UnaryOp::reciprocal, node), 0.5, 0.0);
    case UnaryOp::reciprocal:
      return tape.affine(tape.unary(UnaryOp::square, node), -1.0, 0.0);
    case UnaryOp::tanh:
      return tape.unary(UnaryOp::one_minus_square, node);
    case UnaryOp::sin:
      return tape.unary(UnaryOp::cos, x);
    case UnaryOp::cos:
      return tape.affine(tape.unary(UnaryOp::sin, x), -1.0, 0.0);
    case UnaryOp::logistic:
      return tape.multiply(node, tape.affine(node, -1.0, 1.0));
    case UnaryOp::softplus:
      return tape.unary(UnaryOp::logistic, x);
    case UnaryOp::abs:
      return tape.unary(UnaryOp::sign, x);
    case UnaryOp::sign:
      return -1;
    case UnaryOp::square:
      return tape.affine(x, 2.0, 0.0);
    case UnaryOp::one_minus_square:
      return tape.affine(x, -2.0, 0.0);
    case UnaryOp::power:
      if (power == 0) return -1;
      return tape.affine(tape.unary(UnaryOp::power, x, power - 1), power, 0.0);
  }
  return -1;
}

int second_derivative(Tape& tape, int node) {
  const int x = tape[node].args[0], power = tape[node].power;
  const int first = first_derivative(tape, node);
  const auto minus = [&](int a) { return tape.affine(a, -1.0, 0.0); };
  const auto square = [&](int a) { return tape.unary(UnaryOp::square, a); };
  switch (tape[node].unary()) {
    case UnaryOp::exp:
      return node;
    case UnaryOp::expm1:
      return first;
    case UnaryOp::log:
    case UnaryOp::log1p:
      return minus(square(first));
    case UnaryOp::sqrt:  // -2 f'^3
      return tape.affine(tape.multiply(square(first), first), -2.0, 0.0);
    case UnaryOp::reciprocal:
    case UnaryOp::tanh:
      return tape.affine(tape.multiply(node, first), -2.0, 0.0);
    case UnaryOp::sin:
    case UnaryOp::cos:
      return minus(node);
    case UnaryOp::logistic:
      return tape.multiply(first, tape.affine(node, -2.0, 1.0));
    case UnaryOp::softplus:
      return tape.multiply(first, tape.affine(first, -1.0, 1.0));
    case UnaryOp::abs:
    case UnaryOp::sign:
      return -1;
    case UnaryOp::square:
      return tape.constant(2.0);
    case UnaryOp::one_minus_square:
      return tape.constant(-2.0);
    case UnaryOp::power:
      if (power == 0 || power == 1) return -1;
      return tape.affine(tape.unary(UnaryOp::power, x, power - 2), power * (power - 1.0),
                         0.0);
  }
  return -1;
}

namespace {

class Reverse {
 public:
  Reverse(Tape& tape, const std::vector<bool>& wanted, bool parameters, int output)
      : tape_(tape),
        active_(static_cast<std::size_t>(output) + 1, false),
        adjoint_(static_cast<std::size_t>(output) + 1, -1) {
    result_.inputs.assign(wanted.size(), -1);
    for (int n = 0; n <= output; ++n) {
      const Node& node = tape_[n];
      bool on = node.op == Op::parameter && parameters;
      if (node.op == Op::input) on = wanted[static_cast<std::size_t>(node.offset)];
      for (const int arg : node.args) on = on || active(arg);
      active_[static_cast<std::size_t>(n)] = on;
    }
  }

  Pullback run(int output, int seed) {
    if (active(output)) adjoint_[static_cast<std::size_t>(output)] = seed;
    for (int n = output; n >= 0; --n) {
      const int ybar = adjoint_[static_cast<std::size_t>(n)];
      if (ybar >= 0) visit(n, ybar);
    }
    return std::move(result_);
  }

 private:
  std::vector<bool>::reference flag(int n) {
    return active_[static_cast<std::size_t>(n)];
  }
  bool active(int n) const { return active_[static_cast<std::size_t>(n)]; }

  void add(int n, int cotangent) {
    int& known = adjoint_[static_cast<std::size_t>(n)];
    // Channels along which n was broadcast have been summed; those along which n itself
    // was summed are put back.
    const Shape& shape = tape_.shape(n);
    if (tape_.shape(cotangent).channels != shape.channels) {
      cotangent = tape_.add(cotangent, tape_.zeros(shape));
    }
    known = known < 0 ? cotangent : tape_.add(known, cotangent);
  }
  // ybar * b, summed over the axes along which the argument was broadcast.
  int product_to(int ybar, int b, const Shape& shape) {
    const bool channels = shape.channels == 1 && std::max(tape_.shape(ybar).channels,
                                                          tape_.shape(b).channels) > 1;
    const int product = channels ? tape_.channel_dot(ybar, b) : tape_.multiply(ybar, b);
    return tape_.sum_to(product, shape);
  }

  // The pullback of a sum is the same number everywhere: it stays one number until an
  // operation needs it in full.
  bool is_sum(const Node& node) const {
    const SparseMap& map = *node.map;
    if (map.rows() != 1 || static_cast<int>(map.index.size()) != map.columns)
      return false;
    for (int i = 0; i < map.columns; ++i) {
      const auto e = static_cast<std::size_t>(i);
      if (map.index[e] != i || map.coefficient[e] != 1.0) return false;
    }
    return true;
  }

  void visit(int n, int ybar) {
    const Node node = tape_[n];
    if (node.op != Op::unary && node.op != Op::affine) {
      ybar =
          tape_.broadcast_to(ybar, node.shape.with_channels(tape_.shape(ybar).channels));
    }
    const auto arg = [&](std::size_t i) { return node.args[i]; };
    const auto on = [&](std::size_t i) { return active(node.args[i]); };
    const auto shape = [&](std::size_t i) { return tape_.shape(node.args[i]); };
    switch (node.op) {
      case Op::constant:
      case Op::determinant_sign:
        return;
      case Op::parameter:
        result_.terminals.push_back(
            {.y = ybar, .offset = node.offset, .columns = node.shape.size()});
        return;
      case Op::input:
        result_.inputs[static_cast<std::size_t>(node.offset)] = ybar;
        return;
      case Op::view:
        return add(arg(0), unview(ybar, node.offset, shape(0)));
      case Op::unary: {
        const int slope = first_derivative(tape_, n);
        if (slope >= 0) add(arg(0), tape_.multiply(ybar, slope));
        return;
      }
      case Op::affine:
        return add(arg(0), tape_.affine(ybar, node.scale, 0.0));
      case Op::binary:
        return binary(n, ybar);
      case Op::select: {
        const int zero = tape_.constant(0.0);
        if (on(1)) add(arg(1), tape_.sum_to(tape_.select(arg(0), ybar, zero), shape(1)));
        if (on(2)) add(arg(2), tape_.sum_to(tape_.select(arg(0), zero, ybar), shape(2)));
        return;
      }
      case Op::linear:
        if (is_sum(node)) return add(arg(0), ybar);
        return add(arg(0),
                   tape_.linear(ybar, node.map->transposed(), shape(0).with_channels(1)));
      case Op::concat:
        return concat(node, ybar);
      case Op::dense:
        return dense(node, ybar);
      case Op::matmul:
        return matmul(node, ybar);
      case Op::channel_dot:
        if (on(0)) add(arg(0), product_to(ybar, arg(1), shape(0)));
        if (on(1)) add(arg(1), product_to(ybar, arg(0), shape(1)));
        return;
      case Op::factor:
        throw Error(ErrorKind::logic, "[pull_back] a factorisation has no cotangent");
      case Op::log_determinant: {  // d ln|det A| = tr(A^-1 dA)
        const int inverse = tape_.inverse(arg(0));
        return add(tape_[arg(0)].args[0], tape_.multiply(ybar, tape_.transpose(inverse)));
      }
      case Op::inverse: {  // Abar = -A^-T ybar A^-T
        const int right = tape_.matmul(ybar, n, false, true, false);
        const int both = tape_.matmul(n, right, true, false, false);
        return add(tape_[arg(0)].args[0], tape_.affine(both, -1.0, 0.0));
      }
    }
  }

  int unview(int ybar, int offset, const Shape& whole) {
    const int size = tape_.shape(ybar).size();
    if (size == whole.size()) return tape_.view(ybar, 0, whole);
    SparseMap map;
    map.columns = size;
    for (int i = 0; i < whole.size(); ++i) {
      if (i >= offset && i < offset + size) map.add(i - offset);
      map.end_row();
    }
    const int flat = tape_.view(ybar, 0, vector_shape(size));
    return tape_.view(tape_.linear(flat, std::move(map), vector_shape(whole.size())), 0,
                      whole);
  }

  void binary(int n, int ybar) {
    const Node node = tape_[n];
    const int a = node.args[0], b = node.args[1];
    const Shape in_a = tape_.shape(a), in_b = tape_.shape(b);
    switch (node.binary()) {
      case BinaryOp::add:
      case BinaryOp::subtract: {
        const double factor = node.binary() == BinaryOp::add ? 1.0 : -1.0;
        if (active(a)) add(a, tape_.sum_to(ybar, in_a));
        if (active(b)) add(b, tape_.sum_to(tape_.affine(ybar, factor, 0.0), in_b));
        return;
      }
      case BinaryOp::multiply:
        if (active(a)) add(a, product_to(ybar, b, in_a));
        if (active(b)) add(b, product_to(ybar, a, in_b));
        return;
      case BinaryOp::divide: {  // q = a/b: abar = ybar/b, bbar = -q ybar/b
        const int over = tape_.divide(ybar, b);
        if (active(a)) add(a, tape_.sum_to(over, in_a));
        if (active(b)) add(b, tape_.affine(product_to(over, n, in_b), -1.0, 0.0));
        return;
      }
      case BinaryOp::less:
      case BinaryOp::less_equal:
      case BinaryOp::equal:
        return;
      case BinaryOp::multiply_one_minus_square:  // made by the executor only
        throw Error(ErrorKind::logic, "[pull_back] a fused operation on the tape");
    }
  }

  void concat(const Node& node, int ybar) {
    const int whole = node.shape.channel_size();
    int first = 0;
    for (const int part : node.args) {
      const Shape shape = tape_.shape(part);
      if (active(part)) {
        SparseMap map;
        map.columns = whole;
        for (int i = 0; i < shape.channel_size(); ++i) {
          map.add(first + i);
          map.end_row();
        }
        add(part, shape.channels == 1 ? tape_.view(ybar, first, shape)
                                      : tape_.linear(ybar, std::move(map), shape));
      }
      first += shape.channel_size();
    }
  }

  void dense(const Node& node, int ybar) {
    const int x = node.args[0], w = node.args[1];
    const int inner = tape_.shape(x).columns, columns = node.shape.columns;
    if (active(x)) {
      const int back = tape_.dense(ybar, w, inner, !node.transpose_b);
      add(x, tape_.view(back, 0, tape_.shape(x)));
    }
    if (!active(w)) return;
    const int at = tape_[w].offset;
    result_.terminals.push_back(
        node.transpose_b
            ? Terminal{.x = ybar,
                       .y = x,
                       .offset = at,
                       .inner = columns,
                       .columns = inner}
            : Terminal{
                  .x = x, .y = ybar, .offset = at, .inner = inner, .columns = columns});
  }

  void matmul(const Node& node, int ybar) {
    const int a = node.args[0], b = node.args[1];
    const bool ta = node.transpose_a, tb = node.transpose_b;
    const auto summed = [&](int target, int other) {
      return tape_.shape(target).channels == 1 &&
             std::max(tape_.shape(ybar).channels, tape_.shape(other).channels) > 1;
    };
    const auto restore = [&](int target, int product) {
      add(target,
          tape_.view(product, 0,
                     tape_.shape(target).with_channels(tape_.shape(product).channels)));
    };
    if (active(a)) {
      restore(a, ta ? tape_.matmul(b, ybar, tb, true, summed(a, b))
                    : tape_.matmul(ybar, b, false, !tb, summed(a, b)));
    }
    if (active(b)) {
      restore(b, tb ? tape_.matmul(ybar, a, true, ta, summed(b, a))
                    : tape_.matmul(a, ybar, !ta, false, summed(b, a)));
    }
  }

  Tape& tape_;
  std::vector<bool> active_;
  std::vector<int> adjoint_;
  Pullback result_;
};

}  // namespace

Pullback pull_back(Tape& tape, int output, int seed,
                   const std::vector<bool>& wanted_inputs, bool parameters) {
  return Reverse(tape, wanted_inputs, parameters, output).run(output, seed);
}

}  // namespace drover::tape
