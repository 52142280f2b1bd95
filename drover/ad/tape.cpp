#include "drover/ad/tape.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "drover/core/error.hpp"

namespace drover::tape {
namespace {

[[noreturn]] void fail(const std::string& message) {
  throw Error(ErrorKind::logic, message);
}

void expect_size(const Shape& shape, std::size_t size, const char* what) {
  if (static_cast<std::size_t>(shape.size()) != size) {
    fail(std::string("[") + what + "] a tensor of shape " + to_string(shape) + " needs " +
         std::to_string(shape.size()) + " numbers, found " + std::to_string(size));
  }
}

}  // namespace

Shape scalar_shape() {
  return {1, 1, 1, 0};
}
Shape vector_shape(int columns) {
  return {1, 1, columns, 1};
}
Shape matrix_shape(int rows, int columns) {
  return {1, rows, columns, 2};
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  if (shape.rank == 2) text += std::to_string(shape.rows) + " x ";
  if (shape.rank >= 1) text += std::to_string(shape.columns);
  text += ")";
  if (shape.channels != 1)
    text += " in " + std::to_string(shape.channels) + " directions";
  return text;
}

void SparseMap::add(int from, double factor) {
  index.push_back(from);
  coefficient.push_back(factor);
}
void SparseMap::end_row() {
  start.push_back(static_cast<std::int32_t>(index.size()));
}

SparseMap SparseMap::transposed() const {
  SparseMap t;
  t.columns = rows();
  std::vector<std::int32_t> next(static_cast<std::size_t>(columns) + 1, 0);
  for (const std::int32_t i : index) ++next[static_cast<std::size_t>(i) + 1];
  for (std::size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  t.start = next;
  t.index.resize(index.size());
  t.coefficient.resize(index.size());
  for (int row = 0; row < rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    for (auto e = static_cast<std::size_t>(start[r]);
         e < static_cast<std::size_t>(start[r + 1]); ++e) {
      const auto at =
          static_cast<std::size_t>(next[static_cast<std::size_t>(index[e])]++);
      t.index[at] = row;
      t.coefficient[at] = coefficient[e];
    }
  }
  return t;
}

Shape broadcast(const Shape& a, const Shape& b, const char* what) {
  const auto axis = [&](int x, int y) {
    if (x != y && x != 1 && y != 1) {
      fail(std::string("[") + what + "] shapes " + to_string(a) + " and " + to_string(b) +
           " do not fit: axes must be equal or 1; reshape or transpose one of them");
    }
    return x == 1 ? y : x;
  };
  return {axis(a.channels, b.channels), axis(a.rows, b.rows), axis(a.columns, b.columns),
          std::max(a.rank, b.rank)};
}

int Tape::record(Node node) {
  const auto found = known_.find(node);
  if (found != known_.end()) return found->second;
  nodes_.push_back(node);
  known_.emplace(std::move(node), size() - 1);
  return size() - 1;
}

int Tape::parameter(int offset, Shape shape) {
  return record({.op = Op::parameter, .shape = shape, .offset = offset, .shared = true});
}
int Tape::input(Shape shape) {
  return record({.op = Op::input, .shape = shape, .offset = inputs_++});
}
int Tape::constant(std::vector<double> values, Shape shape) {
  expect_size(shape, values.size(), "constant");
  const auto key = std::pair(std::move(values), shape);
  const auto found = known_constants_.find(key);
  if (found != known_constants_.end()) return found->second;
  const int offset = static_cast<int>(constants_.size());
  constants_.insert(constants_.end(), key.first.begin(), key.first.end());
  const int node =
      record({.op = Op::constant, .shape = shape, .offset = offset, .shared = true});
  known_constants_.emplace(key, node);
  return node;
}
int Tape::zeros(Shape shape) {
  return constant(std::vector<double>(static_cast<std::size_t>(shape.size()), 0.0),
                  shape);
}

int Tape::view(int x, int offset, Shape shape) {
  const Node source = (*this)[x];
  if (offset < 0 || offset + shape.size() > source.shape.size()) {
    fail("[view] " + std::to_string(shape.size()) + " components from " +
         std::to_string(offset) + " on are not inside a tensor of shape " +
         to_string(source.shape));
  }
  if (offset == 0 && shape == source.shape) return x;
  if (source.op == Op::view) return view(source.args[0], offset + source.offset, shape);
  if (source.op == Op::parameter) return parameter(source.offset + offset, shape);
  return record({.op = Op::view,
                 .shape = shape,
                 .args = {x},
                 .offset = offset,
                 .shared = source.shared});
}

int Tape::unary(UnaryOp f, int x, int power) {
  return record({.op = Op::unary,
                 .shape = shape(x),
                 .args = {x},
                 .function = static_cast<std::uint8_t>(f),
                 .power = power});
}
int Tape::affine(int x, double scale, double shift) {
  if (scale == 1.0 && shift == 0.0) return x;
  return record(
      {.op = Op::affine, .shape = shape(x), .args = {x}, .scale = scale, .shift = shift});
}
int Tape::materialise(int x) {
  if (!(*this)[x].shared) return x;
  return record({.op = Op::affine, .shape = shape(x), .args = {x}});
}

int Tape::binary(BinaryOp f, int a, int b) {
  return record({.op = Op::binary,
                 .shape = broadcast(shape(a), shape(b), "elementwise"),
                 .args = {a, b},
                 .function = static_cast<std::uint8_t>(f)});
}
int Tape::select(int mask, int a, int b) {
  const Shape values = broadcast(shape(a), shape(b), "select");
  return record({.op = Op::select,
                 .shape = broadcast(shape(mask), values, "select"),
                 .args = {mask, a, b}});
}

int Tape::linear(int x, SparseMap map, Shape channel) {
  const Shape from = shape(x);
  if (map.columns != from.channel_size() || map.rows() != channel.channel_size()) {
    fail("[linear] a map of " + std::to_string(map.rows()) + " x " +
         std::to_string(map.columns) + " does not take " + to_string(from) + " to " +
         to_string(channel));
  }
  const Shape result = channel.with_channels(from.channels);
  if ((*this)[x].op ==
      Op::constant) {  // folded: the directions of coordinates are constants
    std::vector<double> values;
    const auto at = static_cast<std::size_t>((*this)[x].offset);
    for (int c = 0; c < from.channels; ++c) {
      for (std::size_t row = 0; row + 1 < map.start.size(); ++row) {
        double sum = 0.0;
        for (int e = map.start[row]; e < map.start[row + 1]; ++e) {
          const auto k = static_cast<std::size_t>(e);
          sum +=
              map.coefficient[k] *
              constants_[at + static_cast<std::size_t>(c * map.columns + map.index[k])];
        }
        values.push_back(sum);
      }
    }
    return constant(std::move(values), result);
  }
  auto found = maps_.find(map);
  if (found == maps_.end()) {
    auto kept = std::make_shared<const SparseMap>(map);
    found = maps_.emplace(std::move(map), std::move(kept)).first;
  }
  return record({.op = Op::linear, .shape = result, .args = {x}, .map = found->second});
}

int Tape::concat(std::vector<int> parts, Shape result) {
  int total = 0;
  for (const int part : parts) {
    total += shape(part).channel_size();
    if (shape(part).channels != result.channels) {
      fail("[concat] parts with different directions of differentiation");
    }
  }
  if (parts.empty() || total != result.channel_size()) {
    fail("[concat] " + std::to_string(parts.size()) + " parts with " +
         std::to_string(total) + " components do not make a tensor of shape " +
         to_string(result));
  }
  if (parts.size() == 1) return view(parts[0], 0, result);
  return record({.op = Op::concat, .shape = result, .args = std::move(parts)});
}

int Tape::dense(int x, int w, int columns, bool transposed) {
  x = materialise(x);
  const Shape in = shape(x);
  if (!(*this)[w].shared || shape(w).size() != in.columns * columns) {
    fail("[dot] a layer from " + std::to_string(in.columns) + " to " +
         std::to_string(columns) + " columns does not take weights of shape " +
         to_string(shape(w)));
  }
  return record({.op = Op::dense,
                 .shape = {in.channels, in.rows, columns, in.rank},
                 .args = {x, w},
                 .transpose_b = transposed});
}

int Tape::matmul(int a, int b, bool transpose_a, bool transpose_b, bool sum_channels) {
  const Shape x = shape(a), y = shape(b);
  const int m = transpose_a ? x.columns : x.rows;
  const int inner = transpose_a ? x.rows : x.columns;
  const int inner_b = transpose_b ? y.columns : y.rows;
  const int n = transpose_b ? y.rows : y.columns;
  if (inner != inner_b ||
      (x.channels != y.channels && x.channels != 1 && y.channels != 1)) {
    fail("[dot] shapes " + to_string(x) + (transpose_a ? " transposed" : "") + " and " +
         to_string(y) + (transpose_b ? " transposed" : "") +
         " do not fit: the inner lengths " + std::to_string(inner) + " and " +
         std::to_string(inner_b) + " differ");
  }
  const int channels = sum_channels ? 1 : std::max(x.channels, y.channels);
  return record({.op = Op::matmul,
                 .shape = {channels, m, n, 2},
                 .args = {a, b},
                 .transpose_a = transpose_a,
                 .transpose_b = transpose_b,
                 .sum_channels = sum_channels});
}

int Tape::channel_dot(int a, int b) {
  const Shape both = broadcast(shape(a), shape(b), "channel_dot");
  return record({.op = Op::channel_dot, .shape = both.with_channels(1), .args = {a, b}});
}

int Tape::factor(int a) {
  a = materialise(a);
  const Shape in = shape(a);
  if (in.rank != 2 || in.rows != in.columns || in.channels != 1) {
    fail("[determinant] needs a square matrix, found shape " + to_string(in));
  }
  return record(
      {.op = Op::factor, .shape = vector_shape(in.rows * in.columns + 2), .args = {a}});
}
int Tape::inverse(int factor) {
  const Shape matrix = shape((*this)[factor].args[0]);
  return record({.op = Op::inverse, .shape = matrix, .args = {factor}});
}
int Tape::log_determinant(int factor) {
  return record({.op = Op::log_determinant,
                 .shape = scalar_shape(),
                 .args = {factor},
                 .offset = shape(factor).size() - 2});
}
int Tape::determinant_sign(int factor) {
  return record({.op = Op::determinant_sign,
                 .shape = scalar_shape(),
                 .args = {factor},
                 .offset = shape(factor).size() - 1});
}

int Tape::sum_to(int x, Shape to) {
  const Shape from = shape(x);
  const bool channels = to.channels == 1 && from.channels > 1;
  if (from.rows == to.rows && from.columns == to.columns && !channels) {
    return view(x, 0, to.with_channels(from.channels));
  }
  SparseMap map;
  // Summed over channels, the whole tensor counts as one channel.
  const int copies = channels ? from.channels : 1;
  map.columns = copies * from.channel_size();
  for (int i = 0; i < to.rows; ++i) {
    for (int j = 0; j < to.columns; ++j) {
      for (int c = 0; c < copies; ++c) {
        for (int p = 0; p < (to.rows == 1 ? from.rows : 1); ++p) {
          for (int q = 0; q < (to.columns == 1 ? from.columns : 1); ++q) {
            map.add(c * from.channel_size() + (i + p) * from.columns + j + q);
          }
        }
      }
      map.end_row();
    }
  }
  if (channels) x = view(x, 0, {1, 1, from.size(), 1});
  return linear(x, std::move(map), to.with_channels(1));
}

int Tape::broadcast_to(int x, Shape to) {
  const Shape from = shape(x);
  if (from.rows == to.rows && from.columns == to.columns) {
    return view(x, 0, to.with_channels(from.channels));
  }
  SparseMap map;
  map.columns = from.channel_size();
  for (int i = 0; i < to.rows; ++i) {
    for (int j = 0; j < to.columns; ++j) {
      map.add((from.rows == 1 ? 0 : i) * from.columns + (from.columns == 1 ? 0 : j));
      map.end_row();
    }
  }
  return linear(x, std::move(map), to);
}

int Tape::transpose(int x) {
  const Shape from = shape(x);
  SparseMap map;
  map.columns = from.channel_size();
  for (int j = 0; j < from.columns; ++j) {
    for (int i = 0; i < from.rows; ++i) {
      map.add(i * from.columns + j);
      map.end_row();
    }
  }
  return linear(x, std::move(map), {1, from.columns, from.rows, 2});
}

}  // namespace drover::tape
