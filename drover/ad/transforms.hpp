// Derivatives of a tape, as further nodes on the same tape.
//
// Reverse (pull_back): with ybar = d(sum_i seed_i output_i)/dy, each operation y = f(u)
// adds ubar += (df/du)^T ybar, from the output back to the arguments. Work for arguments
// that nobody wants is never recorded. Parameters are shared by all rows, so their
// cotangents end in terminals: sums over rows, done by the executor. Forward (Forward):
// the rule of laplacian.hpp on tensors; the gradient of a node is the same tensor with
// one channel a coordinate. All of its nodes can be pulled back again, which gives the
// parameter derivative of a local energy.
#pragma once

#include <map>
#include <vector>

#include "drover/ad/tape.hpp"

namespace drover::tape {

// f'(x) and f''(x) of a unary node, or -1 where they vanish identically.
int first_derivative(Tape& tape, int node);
int second_derivative(Tape& tape, int node);

// The end of a pullback at parameters [offset, ...): the sum over rows of y itself, or of
// the products x[v][k] y[v][j] over the vectors v of each row.
struct Terminal {
  int x = -1;  // -1: the sum of y
  int y = -1;
  int offset = 0;
  int inner = 1, columns = 1;

  int size() const { return inner * columns; }
};

struct Pullback {
  std::vector<int> inputs;  // cotangent of each input, -1 where unwanted or zero
  std::vector<Terminal> terminals;
};
Pullback pull_back(Tape& tape, int output, int seed,
                   const std::vector<bool>& wanted_inputs, bool parameters);

struct Tangent {
  int gradient = -1;   // a node with `directions` channels, -1 where zero
  int laplacian = -1;  // -1 where zero
};

class Forward {
 public:
  // Without `second` only gradients are carried.
  Forward(Tape& tape, int directions, bool second)
      : tape_(tape), directions_(directions), second_(second) {}

  void seed(int node, int gradient) { known_[node] = {gradient, -1}; }
  // The tangent of a node from those of what it reads. Throws Error (logic) on a node
  // that is itself a gradient.
  Tangent of(int node);

 private:
  Tangent apply(int node);
  Tangent unary(int node);
  Tangent binary(int node);
  Tangent product(int a, int b);
  Tangent quotient(int node, int a, int b);
  Tangent dense(int node);
  Tangent matmul(int node);
  Tangent concat(int node);
  Tangent log_determinant(int node);
  Tangent inverse(int node);
  int add(int a, int b);
  int times(int a, int b);
  int through(int a, const SparseMap& map, Shape shape);

  Tape& tape_;
  int directions_;
  bool second_;
  std::map<int, Tangent> known_;
};

}  // namespace drover::tape
