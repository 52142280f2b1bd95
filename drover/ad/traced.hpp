// Traced: what a model computes with while it is being recorded on a tape.
//
// It stands for one row's number, vector or matrix; every operation is recorded once and
// executed later on whole tiles of rows. A model is any callable that is templated on its
// arguments' types and uses the functions below; tensor.hpp has the same functions on
// plain numbers, for any scalar. A number converts to a Traced constant. Branches on
// values are written with select, since the rows of a tile take different ones. Shapes: a
// matrix has rows and columns, a vector columns; axes of length 1 broadcast, a vector
// against a matrix counts as a row. Misfits throw Error (logic) with both shapes.
#pragma once

#include <span>
#include <vector>

#include "drover/ad/tape.hpp"
#include "drover/core/pack.hpp"

namespace drover {

class Traced;
// The result of comparing; combines with &, |, ^ and ! like the masks of packs.
class TracedMask;

class Traced {
 public:
  Traced() = default;
  Traced(double constant) : constant_(constant) {}
  Traced(tape::Tape& tape, int node) : tape_(&tape), node_(node) {}

  bool is_constant() const { return tape_ == nullptr; }
  double constant() const { return constant_; }
  tape::Tape& tape() const { return *tape_; }
  int node() const { return node_; }
  tape::Shape shape() const {
    return is_constant() ? tape::scalar_shape() : tape_->shape(node_);
  }
  int rank() const { return shape().rank; }
  int rows() const { return shape().rows; }
  int columns() const { return shape().columns; }
  int size() const { return shape().size(); }

  // Element of a vector, row of a matrix; element of a matrix.
  Traced operator[](int i) const;
  Traced operator()(int i, int j) const;

  friend Traced operator+(const Traced& a, const Traced& b);
  friend Traced operator-(const Traced& a, const Traced& b);
  friend Traced operator*(const Traced& a, const Traced& b);
  friend Traced operator/(const Traced& a, const Traced& b);
  friend Traced operator-(const Traced& a);
  Traced& operator+=(const Traced& b) { return *this = *this + b; }
  Traced& operator-=(const Traced& b) { return *this = *this - b; }
  Traced& operator*=(const Traced& b) { return *this = *this * b; }
  Traced& operator/=(const Traced& b) { return *this = *this / b; }

  friend TracedMask operator<(const Traced& a, const Traced& b);
  friend TracedMask operator>(const Traced& a, const Traced& b);
  friend TracedMask operator<=(const Traced& a, const Traced& b);
  friend TracedMask operator>=(const Traced& a, const Traced& b);
  friend TracedMask operator==(const Traced& a, const Traced& b);
  friend TracedMask operator!=(const Traced& a, const Traced& b);

 private:
  tape::Tape* tape_ = nullptr;
  int node_ = -1;
  double constant_ = 0.0;
};

class TracedMask {
 public:
  explicit TracedMask(Traced truth) : truth_(truth) {}
  const Traced& truth() const { return truth_; }  // 1 where true, 0 elsewhere
  friend TracedMask operator&(const TracedMask& a, const TracedMask& b);
  friend TracedMask operator|(const TracedMask& a, const TracedMask& b);
  friend TracedMask operator^(const TracedMask& a, const TracedMask& b);
  friend TracedMask operator!(const TracedMask& a);

 private:
  Traced truth_;
};

inline namespace DROVER_ISA {
template <>
struct mask_of<Traced> {
  using type = TracedMask;
};
}  // namespace DROVER_ISA

// --- componentwise
// ---------------------------------------------------------------------------
Traced exp(const Traced& x);
Traced expm1(const Traced& x);
Traced log(const Traced& x);
Traced log1p(const Traced& x);
Traced sqrt(const Traced& x);
Traced reciprocal(const Traced& x);
Traced tanh(const Traced& x);
Traced sin(const Traced& x);
Traced cos(const Traced& x);
void sincos(const Traced& x, Traced& s, Traced& c);
Traced logistic(const Traced& x);  // 1/(1+exp(-x))
Traced softplus(const Traced& x);  // ln(1+exp(x))
Traced abs(const Traced& x);       // the derivative at 0 is taken as 0
Traced sign(const Traced& x);
Traced square(const Traced& x);
Traced pow(const Traced& x, int n);
Traced fma(const Traced& a, const Traced& b, const Traced& c);   // a b + c, rounded twice
Traced fnma(const Traced& a, const Traced& b, const Traced& c);  // c - a b, rounded twice
Traced min(const Traced& a, const Traced& b);
Traced max(const Traced& a, const Traced& b);
Traced select(const TracedMask& mask, const Traced& a, const Traced& b);

// --- products and sums
// ----------------------------------------------------------------------- Vectors and
// matrices of fitting inner length: vector.vector is a number, vector.matrix and
// matrix.vector a vector. With shared weights on the right it is a layer.
Traced dot(const Traced& a, const Traced& b);
Traced sum(const Traced& x);
// Over the rows (axis 0) or the columns (axis 1) of a matrix; a vector has axis 0 only.
Traced sum(const Traced& x, int axis);
Traced mean(const Traced& x);
// Inverse, ln|det| and sign of det of a square matrix, from one factorisation.
Traced inverse(const Traced& a);
Traced log_abs_determinant(const Traced& a);
Traced determinant_sign(const Traced& a);

// --- shapes
// ----------------------------------------------------------------------------------
Traced transpose(const Traced& x);
Traced reshape(const Traced& x, int rows, int columns);
Traced flatten(const Traced& x);
// Elements of a vector or rows of a matrix, `count` from `first` on, or those listed.
Traced slice(const Traced& x, int first, int count);
Traced slice_columns(const Traced& x, int first, int count);
Traced gather(const Traced& x, std::span<const int> which);
Traced gather(const Traced& x, std::initializer_list<int> which);
// One after another along the last axis (vectors, matrices with equal rows; numbers count
// as vectors of one), or vectors as the rows of a matrix.
Traced concat(const std::vector<Traced>& parts);
Traced stack(const std::vector<Traced>& rows);

// Value, gradient (a vector) and Laplacian of a number in the components of x.
template <class T>
struct LaplacianOf {
  T value, gradient, laplacian;
};
// y must have been computed from x on the same tape.
LaplacianOf<Traced> laplacian_in(const Traced& y, const Traced& x);

// f(x) for any callable that takes x and gives a number; usable inside a model, so that
// what is made of the three can be pulled back (the parameter derivative of a local
// energy).
template <class F>
LaplacianOf<Traced> forward_laplacian(const F& f, const Traced& x) {
  return laplacian_in(f(x), x);
}

// carry = f(carry, layer) over the layers, in order.
template <class F, class Carry, class Layers>
Carry scan(const F& f, Carry carry, const Layers& layers) {
  for (const auto& layer : layers) carry = f(carry, layer);
  return carry;
}

}  // namespace drover
