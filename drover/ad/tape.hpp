// Tape: the operations that a model performs on one row (walker or sample), recorded once
// and executed on whole tiles of rows.
//
// A node is a tensor [channels][rows][columns] for each row of the tile; it names its
// operation and the earlier nodes that it reads, so the tape is a program in single
// assignment form. Every derivative (transforms.hpp) is further nodes on the same tape:
// what nobody reads is never executed. Equal nodes are recorded once.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "drover/ad/tile_kernels.hpp"

namespace drover::tape {

// The channel axis holds directions of differentiation; models see rows and columns, or
// columns alone (rank 1), or one number (rank 0).
struct Shape {
  int channels = 1, rows = 1, columns = 1;
  int rank = 0;

  int size() const { return channels * rows * columns; }
  int channel_size() const { return rows * columns; }
  Shape with_channels(int count) const { return {count, rows, columns, rank}; }
  auto operator<=>(const Shape&) const = default;  // NOLINT(modernize-use-nullptr)
};
Shape scalar_shape();
Shape vector_shape(int columns);
Shape matrix_shape(int rows, int columns);
std::string to_string(const Shape& shape);

// A sparse constant matrix that acts on the components of a channel: sums, slices,
// transpositions, broadcasts, differences of pairs.
struct SparseMap {
  std::vector<std::int32_t> start = {0};
  std::vector<std::int32_t> index;
  std::vector<double> coefficient;
  int columns = 0;  // components of the argument

  int rows() const { return static_cast<int>(start.size()) - 1; }
  void add(int from, double factor = 1.0);  // to the row being built
  void end_row();
  SparseMap transposed() const;
  auto operator<=>(const SparseMap&) const = default;  // NOLINT(modernize-use-nullptr)
};

enum class Op : std::uint8_t {
  parameter,  // shared; at `offset` in the flat parameters
  constant,   // shared; at `offset` in the tape's constants
  input,      // row by row; argument number `offset`
  view,       // components of argument 0 from `offset` on
  unary,
  affine,  // scale x + shift
  binary,
  select,       // argument 1 where argument 0 is not 0, argument 2 elsewhere
  linear,       // a sparse map on each channel
  concat,       // arguments one after another within each channel
  dense,        // x [..][k] times shared w [k][n], or its transpose; with a bias
  matmul,       // op(a) op(b) per row, perhaps summed over channels
  channel_dot,  // sum over channels of a b
  factor,       // inverse, ln|det| and sign of a square matrix
  inverse,      // the parts of a factor: views with pullbacks of their own
  log_determinant,
  determinant_sign
};

struct Node {
  Op op = Op::constant;
  Shape shape;
  std::vector<int> args{};
  std::uint8_t function = 0;  // UnaryOp or BinaryOp
  int power = 0;
  int offset = 0;
  bool transpose_a = false, transpose_b = false, sum_channels = false;
  double scale = 1.0, shift = 0.0;
  std::shared_ptr<const SparseMap> map{};
  bool shared = false;  // the same for all rows

  UnaryOp unary() const { return static_cast<UnaryOp>(function); }
  BinaryOp binary() const { return static_cast<BinaryOp>(function); }
  auto operator<=>(const Node&) const = default;  // NOLINT(modernize-use-nullptr)
};

class Tape {
 public:
  int parameter(int offset, Shape shape);
  int input(Shape shape);
  int constant(std::vector<double> values, Shape shape);
  int constant(double value) { return constant({value}, scalar_shape()); }

  int view(int x, int offset, Shape shape);
  int unary(UnaryOp f, int x, int power = 0);
  int affine(int x, double scale, double shift);
  // Broadcasts axes of length 1; throws Error (logic) where the shapes do not fit.
  int binary(BinaryOp f, int a, int b);
  int select(int mask, int a, int b);
  int linear(int x, SparseMap map, Shape channel);  // `channel`: the result, per channel
  int concat(std::vector<int> parts, Shape shape);
  int dense(int x, int w, int columns, bool transposed);
  int matmul(int a, int b, bool transpose_a, bool transpose_b, bool sum_channels);
  int channel_dot(int a, int b);
  int factor(int a);
  int inverse(int factor);
  int log_determinant(int factor);
  int determinant_sign(int factor);

  // Shorthands made of the above.
  int materialise(int x);  // a copy with its own rows, if x is shared
  int add(int a, int b) { return binary(BinaryOp::add, a, b); }
  int subtract(int a, int b) { return binary(BinaryOp::subtract, a, b); }
  int multiply(int a, int b) { return binary(BinaryOp::multiply, a, b); }
  int divide(int a, int b) { return binary(BinaryOp::divide, a, b); }
  int sum_to(int x, Shape shape);  // over the axes where `shape` has length 1
  int broadcast_to(int x, Shape shape);
  int transpose(int x);  // rows and columns
  int zeros(Shape shape);

  const Node& operator[](int node) const {
    return nodes_[static_cast<std::size_t>(node)];
  }
  const Shape& shape(int node) const { return (*this)[node].shape; }
  int size() const { return static_cast<int>(nodes_.size()); }
  int inputs() const { return inputs_; }
  std::span<const double> constants() const { return constants_; }

 private:
  int record(Node node);

  std::vector<Node> nodes_;
  std::map<Node, int> known_;
  std::map<SparseMap, std::shared_ptr<const SparseMap>> maps_;
  std::map<std::pair<std::vector<double>, Shape>, int> known_constants_;
  std::vector<double> constants_;
  int inputs_ = 0;
};

// The shape of a op b with axes of length 1 stretched; throws Error (logic) naming
// `what`.
Shape broadcast(const Shape& a, const Shape& b, const char* what);

}  // namespace drover::tape
