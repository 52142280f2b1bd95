// Shapes of traced values, and the forward Laplacian as a model's own function.
#include <string>

#include "drover/ad/traced.hpp"
#include "drover/ad/transforms.hpp"
#include "drover/core/error.hpp"

namespace drover {
namespace {

using tape::Shape;
using tape::SparseMap;
using tape::Tape;

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::logic, message);
}

int node_on(Tape& tape, const Traced& a) {
  return a.is_constant() ? tape.constant(a.constant()) : a.node();
}
Traced view(const Traced& x, int offset, Shape shape) {
  return {x.tape(), x.tape().view(x.node(), offset, shape)};
}
void expect_tensor(const Traced& x, const char* what) {
  if (x.is_constant() || x.rank() == 0) {
    fail(std::string("[") + what + "] needs a vector or a matrix, found a number");
  }
}
// A map that picks components.
template <class Where>
Traced pick(const Traced& x, Shape shape, const Where& where) {
  SparseMap map;
  map.columns = x.size();
  for (int i = 0; i < shape.rows; ++i) {
    for (int j = 0; j < shape.columns; ++j) {
      map.add(where(i, j));
      map.end_row();
    }
  }
  return {x.tape(), x.tape().linear(x.node(), std::move(map), shape)};
}

}  // namespace

Traced Traced::operator[](int i) const {
  expect_tensor(*this, "element");
  const int length = rank() == 1 ? columns() : rows();
  if (i < 0 || i >= length) {
    fail("[element] index " + std::to_string(i) + " of a tensor of shape " +
         to_string(shape()));
  }
  if (rank() == 1) return view(*this, i, tape::scalar_shape());
  return view(*this, i * columns(), tape::vector_shape(columns()));
}
Traced Traced::operator()(int i, int j) const {
  return (*this)[i][j];
}

Traced transpose(const Traced& x) {
  expect_tensor(x, "transpose");
  return {x.tape(), x.tape().transpose(x.node())};
}
Traced reshape(const Traced& x, int rows, int columns) {
  expect_tensor(x, "reshape");
  if (rows * columns != x.size()) {
    fail("[reshape] " + to_string(x.shape()) + " does not have " + std::to_string(rows) +
         " x " + std::to_string(columns) + " numbers");
  }
  return view(x, 0, tape::matrix_shape(rows, columns));
}
Traced flatten(const Traced& x) {
  return view(x, 0, tape::vector_shape(x.size()));
}
Traced slice(const Traced& x, int first, int count) {
  expect_tensor(x, "slice");
  if (x.rank() == 1) return view(x, first, tape::vector_shape(count));
  return view(x, first * x.columns(), tape::matrix_shape(count, x.columns()));
}
Traced slice_columns(const Traced& x, int first, int count) {
  expect_tensor(x, "slice_columns");
  if (x.rank() == 1) return slice(x, first, count);
  if (first < 0 || count < 0 || first + count > x.columns()) {
    fail("[slice_columns] columns " + std::to_string(first) + " to " +
         std::to_string(first + count) + " of a tensor of shape " + to_string(x.shape()));
  }
  const int width = x.columns();
  return pick(x, tape::matrix_shape(x.rows(), count),
              [=](int i, int j) { return i * width + first + j; });
}
Traced gather(const Traced& x, std::span<const int> which) {
  expect_tensor(x, "gather");
  const int length = x.rank() == 1 ? x.columns() : x.rows(), width = x.columns();
  for (const int i : which) {
    if (i < 0 || i >= length) {
      fail("[gather] index " + std::to_string(i) + " of a tensor of shape " +
           to_string(x.shape()));
    }
  }
  const int count = static_cast<int>(which.size());
  const auto at = [&](int i) { return which[static_cast<std::size_t>(i)]; };
  if (x.rank() == 1) {
    return pick(x, tape::vector_shape(count), [&](int, int j) { return at(j); });
  }
  return pick(x, tape::matrix_shape(count, width),
              [&](int i, int j) { return at(i) * width + j; });
}
Traced gather(const Traced& x, std::initializer_list<int> which) {
  return gather(x, std::span(which.begin(), which.size()));
}

Traced concat(const std::vector<Traced>& parts) {
  Tape* tape = nullptr;
  int rows = 1, rank = 1, columns = 0;
  for (const Traced& part : parts) {
    if (!part.is_constant()) tape = &part.tape();
    if (part.rank() == 2) {
      rank = 2;
      rows = part.rows();
    }
    columns += part.columns();
  }
  if (!tape) fail("[concat] needs at least one traced part");
  std::vector<int> nodes;
  std::vector<int> widths;
  for (const Traced& part : parts) {
    if (part.rows() != rows) {
      fail("[concat] parts with " + std::to_string(part.rows()) + " and with " +
           std::to_string(rows) + " rows");
    }
    nodes.push_back(node_on(*tape, part));
    widths.push_back(part.columns());
  }
  if (rank == 1 || rows == 1) {
    const Shape shape{1, 1, columns, rank};
    return {*tape, tape->concat(nodes, shape)};
  }
  // Parts follow one another as wholes; then each row's pieces are brought together.
  const Traced flat(*tape, tape->concat(nodes, tape::vector_shape(rows * columns)));
  std::vector<int> where;
  for (int i = 0; i < rows; ++i) {
    int first = 0;
    for (const int width : widths) {
      for (int j = 0; j < width; ++j) where.push_back(first + i * width + j);
      first += rows * width;
    }
  }
  return reshape(gather(flat, where), rows, columns);
}
Traced stack(const std::vector<Traced>& rows) {
  const Traced flat = concat(rows);
  const int count = static_cast<int>(rows.size());
  return reshape(flat, count, flat.size() / count);
}

LaplacianOf<Traced> laplacian_in(const Traced& y, const Traced& x) {
  if (y.is_constant() || y.size() != 1) {
    fail(
        "[forward_laplacian] needs a function whose value is one traced number, found "
        "shape " +
        to_string(y.shape()));
  }
  if (x.is_constant() || x.tape()[x.node()].shared) {
    fail(
        "[forward_laplacian] the coordinates must be an argument that rows have, not a "
        "parameter or a constant");
  }
  Tape& tape = x.tape();
  const int n = x.size();
  std::vector<double> identity(static_cast<std::size_t>(n * n), 0.0);
  for (int i = 0; i < n; ++i) identity[static_cast<std::size_t>(i * n + i)] = 1.0;
  tape::Forward forward(tape, n, true);
  forward.seed(x.node(), tape.constant(std::move(identity), x.shape().with_channels(n)));
  const tape::Tangent t = forward.of(y.node());
  const int gradient =
      t.gradient >= 0 ? t.gradient : tape.zeros(y.shape().with_channels(n));
  const int laplacian = t.laplacian >= 0 ? t.laplacian : tape.constant(0.0);
  return {view(y, 0, tape::scalar_shape()),
          view({tape, gradient}, 0, tape::vector_shape(n)),
          view({tape, laplacian}, 0, tape::scalar_shape())};
}

}  // namespace drover
