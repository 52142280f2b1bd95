// Running a program: passes, instructions, sums over rows.
#include <algorithm>
#include <string>

#include "drover/ad/program.hpp"
#include "drover/core/error.hpp"

namespace drover::tape {
namespace {

std::size_t index(int n) {
  return static_cast<std::size_t>(n);
}

void expect_bound(const char* what, std::size_t expected, std::size_t found) {
  if (expected == found) return;
  throw Error(ErrorKind::logic, std::string("[run] ") + what + ": expected " +
                                    std::to_string(expected) + ", found " +
                                    std::to_string(found));
}

}  // namespace

const double* Program::at(const Pass& pass, int n) const {
  const Place& place = places_[index(n)];
  switch (place.base) {
    case Base::parameter:
      return pass.bindings.parameters.data() + place.offset;
    case Base::constant:
      return tape_.constants().data() + place.offset;
    default:
      return out(pass, n);
  }
}

double* Program::out(const Pass& pass, int n) const {
  const Place& place = places_[index(n)];
  double* const base = place.base == Base::kept ? pass.kept : temporary_.data();
  return base + place.offset * pass.stride;
}

Operand Program::operand(const Pass& pass, int n) const {
  const Shape& s = tape_.shape(n);
  return {at(pass, n),
          {s.channels == 1 ? 0 : s.channel_size(), s.rows == 1 ? 0 : s.columns,
           s.columns == 1 ? 0 : 1},
          places_[index(n)].shared()};
}

std::int64_t Program::matmul(const Pass& pass, int n) const {
  const Node& node = tape_[n];
  const auto side = [&](int arg, bool transposed) {
    const Shape& s = tape_.shape(arg);
    Operand o = operand(pass, arg);
    o.step[1] = transposed ? 1 : s.columns;
    o.step[2] = transposed ? s.columns : 1;
    return o;
  };
  const Shape &a = tape_.shape(node.args[0]), &b = tape_.shape(node.args[1]);
  const std::int64_t inner = node.transpose_a ? a.rows : a.columns;
  const std::int64_t channels = std::max(a.channels, b.channels);
  kernels_->matmul(side(node.args[0], node.transpose_a),
                   side(node.args[1], node.transpose_b), out(pass, n), channels,
                   node.shape.rows, inner, node.shape.columns, node.sum_channels,
                   pass.stride);
  return channels * node.shape.channel_size() * inner;
}

Weights Program::layer_weights(const Pass& pass, const Node& layer) const {
  const std::int64_t inner = tape_.shape(layer.args[0]).columns;
  const std::int64_t columns = layer.shape.columns;
  return {at(pass, layer.args[1]), layer.transpose_b ? 1 : columns,
          layer.transpose_b ? inner : 1, false};
}

// Parameters do not change during a run: for more than a few rows each layer's weights
// are packed once.
void Program::pack(const Bindings& bindings) {
  const bool worth = bindings.rows >= 2 * rows_per_pass_;
  const Pass pass{bindings, 0, 0, 0, nullptr};
  std::int64_t next = 0;
  for (Instruction& instruction : instructions_) {
    instruction.packed_at = -1;
    if (!worth || instruction.dense < 0) continue;
    const Node& layer = tape_[instruction.dense];
    const std::int64_t inner = tape_.shape(layer.args[0]).columns;
    packed_.reserve(packed_size_);
    kernels_->pack_weights(layer_weights(pass, layer), packed_.data() + next, inner,
                           layer.shape.columns);
    instruction.packed_at = next;
    next += inner * layer.shape.columns;
  }
}

void Program::execute(const Pass& pass, const Instruction& instruction) {
  const int n = instruction.node;
  const Node& node = tape_[n];
  const auto arg = [&](std::size_t i) { return operand(pass, node.args[i]); };
  const std::int64_t extent[3] = {node.shape.channels, node.shape.rows,
                                  node.shape.columns};
  const std::int64_t size = node.shape.size(), stride = pass.stride;
  double* const to = out(pass, n);
  const auto product = [&](std::int64_t multiply_adds) {
    ++count_.products;
    count_.multiply_adds += multiply_adds * pass.rows;
  };
  if (node.op != Op::input && instruction.dense < 0 && node.op != Op::matmul) {
    count_.elementwise += size * pass.rows;
  }
  if (instruction.dense >= 0) {
    const Node& layer = tape_[instruction.dense];
    const Shape& x = tape_.shape(layer.args[0]);
    const std::int64_t inner = x.columns, columns = layer.shape.columns;
    const Weights weights =
        instruction.packed_at >= 0
            ? Weights{packed_.data() + instruction.packed_at, 0, 1, true}
            : layer_weights(pass, layer);
    kernels_->dense(at(pass, layer.args[0]), weights,
                    instruction.bias >= 0 ? at(pass, instruction.bias) : nullptr, to,
                    x.channels * x.rows, inner, columns, stride);
    return product(x.channels * x.rows * inner * columns);
  }
  if (node.op == Op::matmul) return product(matmul(pass, n));
  if (instruction.slope_of >= 0) {
    return kernels_->binary(BinaryOp::multiply_one_minus_square,
                            operand(pass, instruction.factor),
                            operand(pass, instruction.slope_of), to, extent, stride);
  }
  switch (node.op) {
    case Op::input: {
      RowsView from = pass.bindings.inputs[index(node.offset)];
      const std::int64_t skip = pass.first * from.row_step;
      from.data =
          from.is_float
              ? static_cast<const void*>(static_cast<const float*>(from.data) + skip)
              : static_cast<const double*>(from.data) + skip;
      return kernels_->load_rows(from, to, size, pass.rows, stride);
    }
    case Op::unary:
      return kernels_->unary(node.unary(), node.power, arg(0), to, size, stride);
    case Op::affine:
      return kernels_->affine(node.scale, node.shift, arg(0), to, size, stride);
    case Op::binary:
      return kernels_->binary(node.binary(), arg(0), arg(1), to, extent, stride);
    case Op::select:
      return kernels_->select(arg(0), arg(1), arg(2), to, extent, stride);
    case Op::channel_dot: {
      const int channels = std::max(tape_.shape(node.args[0]).channels,
                                    tape_.shape(node.args[1]).channels);
      const std::int64_t all[3] = {channels, extent[1], extent[2]};
      return kernels_->channel_dot(arg(0), arg(1), to, all, stride);
    }
    case Op::linear: {
      const SparseMap& map = *node.map;
      return kernels_->linear({map.start.data(), map.index.data(), map.coefficient.data(),
                               map.rows(), map.columns},
                              arg(0), to, node.shape.channels, stride);
    }
    case Op::concat: {
      const std::int64_t whole = node.shape.channel_size();
      std::int64_t first = 0;
      for (const int part : node.args) {
        const std::int64_t length = tape_.shape(part).channel_size();
        Operand from = operand(pass, part);
        for (int c = 0; c < node.shape.channels; ++c) {
          kernels_->affine(1.0, 0.0, from, to + (c * whole + first) * stride, length,
                           stride);
          from.data += from.shared ? length : length * stride;
        }
        first += length;
      }
      return;
    }
    case Op::factor:
      return kernels_->factor(at(pass, node.args[0]), to, work_.data(),
                              tape_.shape(node.args[0]).rows, stride);
    default:
      throw Error(ErrorKind::logic, "[run] a node that cannot be executed");
  }
}

void Program::sum_rows(const Pass& pass) {
  const Bindings& bindings = pass.bindings;
  const std::int64_t end = pass.first + pass.rows;
  double* const sums = sums_.data();
  for (std::int64_t group = pass.first / bindings.grain; group * bindings.grain < end;
       ++group) {
    const std::int64_t start = group * bindings.grain;
    const bool fresh = start >= pass.first;  // the group's first rows
    const std::int64_t first = std::max(start, pass.first) - pass.first;
    const std::int64_t last = std::min(start + bindings.grain, end) - pass.first;
    int turned = -1;
    for (const std::size_t t : terminal_order_) {
      const Terminal& terminal = terminals_[t];
      const std::int64_t size = tape_.shape(terminal.y).size(), rows = last - first;
      if (turned != terminal.y) {
        kernels_->transpose_rows(at(pass, terminal.y), work_.data(), size, first, last,
                                 pass.stride);
        turned = terminal.y;
      }
      double* const to = sums + sums_at_[t];
      if (terminal.x < 0) {
        kernels_->row_sum(work_.data(), to, fresh, size, rows);
        count_.elementwise += size * rows;
      } else {
        kernels_->row_outer(at(pass, terminal.x), work_.data(), to, fresh,
                            size / terminal.columns, terminal.inner, terminal.columns,
                            first, rows, pass.stride);
        ++count_.products;
        count_.multiply_adds += size * terminal.inner * rows;
      }
    }
    if (pass.first + last < std::min(start + bindings.grain, bindings.rows)) return;
    for (std::size_t t = 0; t < terminals_.size(); ++t) {
      if (sums_at_[t] == terminals_[t].offset) continue;
      kernels_->add(sums + sums_at_[t], sums + terminals_[t].offset,
                    terminals_[t].size());
    }
    bindings.deliver(group, {sums, index(parameters_)});
  }
}

WorkCount Program::run(const Bindings& bindings, double* kept) {
  expect_bound("inputs", index(tape_.inputs()), bindings.inputs.size());
  expect_bound("stores", stored_.size(), bindings.stores.size());
  expect_bound("parameters", index(parameters_),
               std::min(bindings.parameters.size(), index(parameters_)));
  if (!terminals_.empty() && (!bindings.deliver || bindings.grain < 1)) {
    throw Error(ErrorKind::logic,
                "[run] sums over rows need a grain of at least one row and a receiver");
  }
  kernels_ = bindings.kernels ? bindings.kernels : &tile_kernels();
  count_ = {};
  temporary_.reserve(temporary_components_ * rows_per_pass_);
  work_.reserve(work_size_);
  sums_.reserve(sums_size_);
  std::fill_n(sums_.data(), sums_size_, 0.0);  // parameters that nobody uses stay at 0
  pack(bindings);
  for (std::int64_t first = 0; first < bindings.rows; first += rows_per_pass_) {
    const std::int64_t rows = std::min(rows_per_pass_, bindings.rows - first);
    const Pass pass{bindings, first, rows, (rows + 7) / 8 * 8,
                    kept ? kept + first * kept_components_ : nullptr};
    ++count_.passes;
    for (const Instruction& instruction : instructions_) execute(pass, instruction);
    for (std::size_t s = 0; s < stored_.size(); ++s) {
      const StoreView& to = bindings.stores[s];
      if (!to.data) continue;
      if (places_[index(stored_[s])].shared()) {
        throw Error(ErrorKind::logic, "[run] a stored node needs rows of its own");
      }
      kernels_->store_rows(at(pass, stored_[s]), to.data + first * to.row_step,
                           to.row_step, to.component_step, to.add,
                           tape_.shape(stored_[s]).size(), rows, pass.stride);
    }
    if (!terminals_.empty()) sum_rows(pass);
  }
  return count_;
}

}  // namespace drover::tape
