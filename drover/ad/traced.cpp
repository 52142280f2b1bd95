// The functions of traced values: each records one or two nodes.
#include "drover/ad/traced.hpp"

#include <string>

#include "drover/core/error.hpp"
#include "drover/core/math.hpp"

namespace drover {
namespace {

using tape::BinaryOp;
using tape::Shape;
using tape::Tape;
using tape::UnaryOp;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::logic, message);
}

Tape& tape_of(const Traced& a, const Traced& b) {
  if (!a.is_constant() && !b.is_constant() && &a.tape() != &b.tape()) {
    fail("[model] values of two different recordings were combined");
  }
  return a.is_constant() ? b.tape() : a.tape();
}
int node_on(Tape& tape, const Traced& a) {
  return a.is_constant() ? tape.constant(a.constant()) : a.node();
}
Traced binary(BinaryOp f, const Traced& a, const Traced& b) {
  Tape& tape = tape_of(a, b);
  return {tape, tape.binary(f, node_on(tape, a), node_on(tape, b))};
}
Traced affine(const Traced& x, double scale, double shift) {
  return {x.tape(), x.tape().affine(x.node(), scale, shift)};
}
Traced truth(bool value) {
  return value ? 1.0 : 0.0;
}

template <class F>
Traced unary(UnaryOp op, const Traced& x, const F& f) {
  if (x.is_constant()) return f(x.constant());
  return {x.tape(), x.tape().unary(op, x.node())};
}

Traced view(const Traced& x, int offset, Shape shape) {
  return {x.tape(), x.tape().view(x.node(), offset, shape)};
}
void expect_tensor(const Traced& x, const char* what) {
  if (x.is_constant() || x.rank() == 0) {
    fail(std::string("[") + what + "] needs a vector or a matrix, found a number");
  }
}

}  // namespace

Traced operator+(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return a.constant() + b.constant();
  if (a.is_constant()) return affine(b, 1.0, a.constant());
  if (b.is_constant()) return affine(a, 1.0, b.constant());
  return binary(BinaryOp::add, a, b);
}
Traced operator-(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return a.constant() - b.constant();
  if (a.is_constant()) return affine(b, -1.0, a.constant());
  if (b.is_constant()) return affine(a, 1.0, -b.constant());
  return binary(BinaryOp::subtract, a, b);
}
Traced operator*(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return a.constant() * b.constant();
  if (a.is_constant()) return affine(b, a.constant(), 0.0);
  if (b.is_constant()) return affine(a, b.constant(), 0.0);
  if (&a.tape() == &b.tape() && a.node() == b.node()) return square(a);
  return binary(BinaryOp::multiply, a, b);
}
Traced operator/(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant()) return a.constant() / b.constant();
  return binary(BinaryOp::divide, a, b);
}
Traced operator-(const Traced& a) {
  return a.is_constant() ? Traced(-a.constant()) : affine(a, -1.0, 0.0);
}

TracedMask operator<(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant())
    return TracedMask(truth(a.constant() < b.constant()));
  return TracedMask(binary(BinaryOp::less, a, b));
}
TracedMask operator<=(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant())
    return TracedMask(truth(a.constant() <= b.constant()));
  return TracedMask(binary(BinaryOp::less_equal, a, b));
}
TracedMask operator==(const Traced& a, const Traced& b) {
  if (a.is_constant() && b.is_constant())
    return TracedMask(truth(a.constant() == b.constant()));
  return TracedMask(binary(BinaryOp::equal, a, b));
}
TracedMask operator>(const Traced& a, const Traced& b) {
  return b < a;
}
TracedMask operator>=(const Traced& a, const Traced& b) {
  return b <= a;
}
TracedMask operator!=(const Traced& a, const Traced& b) {
  return !(a == b);
}

TracedMask operator&(const TracedMask& a, const TracedMask& b) {
  return TracedMask(a.truth_ * b.truth_);
}
TracedMask operator|(const TracedMask& a, const TracedMask& b) {
  const Traced neither = (1.0 - a.truth_) * (1.0 - b.truth_);
  return TracedMask(1.0 - neither);
}
TracedMask operator^(const TracedMask& a, const TracedMask& b) {
  return TracedMask(square(a.truth_ - b.truth_));
}
TracedMask operator!(const TracedMask& a) {
  return TracedMask(1.0 - a.truth_);
}

Traced exp(const Traced& x) {
  return unary(UnaryOp::exp, x, [](double a) { return drover::exp(a); });
}
Traced expm1(const Traced& x) {
  return unary(UnaryOp::expm1, x, [](double a) { return drover::expm1(a); });
}
Traced log(const Traced& x) {
  return unary(UnaryOp::log, x, [](double a) { return drover::log(a); });
}
Traced log1p(const Traced& x) {
  return unary(UnaryOp::log1p, x, [](double a) { return drover::log1p(a); });
}
Traced sqrt(const Traced& x) {
  return unary(UnaryOp::sqrt, x, [](double a) { return drover::sqrt(a); });
}
Traced reciprocal(const Traced& x) {
  return unary(UnaryOp::reciprocal, x, [](double a) { return 1.0 / a; });
}
Traced tanh(const Traced& x) {
  return unary(UnaryOp::tanh, x, [](double a) { return drover::tanh(a); });
}
Traced sin(const Traced& x) {
  return unary(UnaryOp::sin, x, [](double a) {
    double s, c;
    drover::sincos(a, s, c);
    return s;
  });
}
Traced cos(const Traced& x) {
  return unary(UnaryOp::cos, x, [](double a) {
    double s, c;
    drover::sincos(a, s, c);
    return c;
  });
}
void sincos(const Traced& x, Traced& s, Traced& c) {
  const Traced angle = x;  // s or c may be x itself
  s = sin(angle);
  c = cos(angle);
}
Traced logistic(const Traced& x) {
  return unary(UnaryOp::logistic, x, [](double a) { return drover::logistic(a); });
}
Traced softplus(const Traced& x) {
  return unary(UnaryOp::softplus, x, [](double a) { return drover::softplus(a); });
}
Traced abs(const Traced& x) {
  return unary(UnaryOp::abs, x, [](double a) { return drover::abs(a); });
}
Traced sign(const Traced& x) {
  return unary(UnaryOp::sign, x,
               [](double a) { return a > 0 ? 1.0 : (a < 0 ? -1.0 : 0.0); });
}
Traced square(const Traced& x) {
  return unary(UnaryOp::square, x, [](double a) { return a * a; });
}
Traced pow(const Traced& x, int n) {
  if (x.is_constant()) {
    double power = 1.0;
    for (int i = 0; i < (n < 0 ? -n : n); ++i) power *= x.constant();
    return n < 0 ? 1.0 / power : power;
  }
  return {x.tape(), x.tape().unary(UnaryOp::power, x.node(), n)};
}
Traced fma(const Traced& a, const Traced& b, const Traced& c) {
  return a * b + c;
}
Traced fnma(const Traced& a, const Traced& b, const Traced& c) {
  return c - a * b;
}
Traced min(const Traced& a, const Traced& b) {
  return select(a < b, a, b);
}
Traced max(const Traced& a, const Traced& b) {
  return select(a > b, a, b);
}
Traced select(const TracedMask& mask, const Traced& a, const Traced& b) {
  if (mask.truth().is_constant()) return mask.truth().constant() != 0.0 ? a : b;
  Tape& tape = mask.truth().tape();
  return {tape, tape.select(mask.truth().node(), node_on(tape, a), node_on(tape, b))};
}

Traced dot(const Traced& a, const Traced& b) {
  expect_tensor(a, "dot");
  expect_tensor(b, "dot");
  Tape& tape = tape_of(a, b);
  const int inner = b.rank() == 1 ? b.columns() : b.rows();
  if (a.columns() != inner) {
    fail("[dot] shapes " + to_string(a.shape()) + " and " + to_string(b.shape()) +
         " do not fit: the inner lengths are " + std::to_string(a.columns()) + " and " +
         std::to_string(inner));
  }
  const int columns = b.rank() == 1 ? 1 : b.columns();
  const int rows = a.rank() == 1 ? 1 : a.rows();
  Shape shape = tape::matrix_shape(rows, columns);
  if (a.rank() == 1 && b.rank() == 1) {
    shape = tape::scalar_shape();
  } else if (a.rank() == 1 || b.rank() == 1) {
    shape = tape::vector_shape(rows * columns);
  }
  int product;
  if (tape[b.node()].shared) {
    product = tape.dense(a.node(), b.node(), columns, false);
  } else if (tape[a.node()].shared && b.rank() == 1) {
    product = tape.dense(b.node(), a.node(), rows, true);
  } else {
    product = tape.matmul(a.node(), b.node(), false, b.rank() == 1, false);
  }
  return view({tape, product}, 0, shape);
}

Traced sum(const Traced& x) {
  if (x.is_constant() || x.rank() == 0) return x;
  return {x.tape(), x.tape().sum_to(x.node(), tape::scalar_shape())};
}
Traced sum(const Traced& x, int axis) {
  expect_tensor(x, "sum");
  if (axis < 0 || axis >= x.rank()) {
    fail("[sum] axis " + std::to_string(axis) + " of a tensor of shape " +
         to_string(x.shape()) + "; axes count from 0");
  }
  if (x.rank() == 1) return sum(x);
  const Shape kept =
      axis == 0 ? tape::matrix_shape(1, x.columns()) : tape::matrix_shape(x.rows(), 1);
  const Traced summed(x.tape(), x.tape().sum_to(x.node(), kept));
  return view(summed, 0, tape::vector_shape(kept.size()));
}
Traced mean(const Traced& x) {
  return sum(x) / static_cast<double>(x.size());
}

Traced inverse(const Traced& a) {
  expect_tensor(a, "inverse");
  return {a.tape(), a.tape().inverse(a.tape().factor(a.node()))};
}
Traced log_abs_determinant(const Traced& a) {
  expect_tensor(a, "log_abs_determinant");
  return {a.tape(), a.tape().log_determinant(a.tape().factor(a.node()))};
}
Traced determinant_sign(const Traced& a) {
  expect_tensor(a, "determinant_sign");
  return {a.tape(), a.tape().determinant_sign(a.tape().factor(a.node()))};
}

}  // namespace drover
