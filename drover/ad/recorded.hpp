// A model recorded for arguments of given shapes, with the programs made from it so far.
//
// Recording costs microseconds, and so does making a program; a loop over microbatches
// keeps one Recorded for each device (it holds working memory, so threads must not share
// it).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "drover/ad/leaves.hpp"
#include "drover/ad/program.hpp"
#include "drover/ad/traced.hpp"

namespace drover {

using tape::WorkCount;

namespace leaves {
template <class L>
struct to_traced {
  using type = Traced;
};
}  // namespace leaves

class Recorded {
 public:
  Recorded(tape::Tape tape, int output, int parameters, std::vector<tape::Shape> inputs);

  int parameters() const { return parameters_; }
  const tape::Shape& output() const { return tape_.shape(output_); }
  std::vector<std::int64_t> value_extents(std::int64_t rows) const;
  // Memory that its programs hold, in bytes.
  std::int64_t working_bytes() const;

  // One call over rows. Unwanted parts are left empty.
  struct Call {
    std::int64_t rows = 0;
    std::span<const double> parameters{};
    std::vector<tape::RowsView> inputs{};
    double* value = nullptr;            // [rows][output]
    const double* cotangent = nullptr;  // [rows][output]
    bool pull_parameters = false;
    std::int64_t grain = 64;
    tape::DeliverGroup deliver{};  // sums over groups of `grain` rows
    // Where `data` is set: cotangents of inputs.
    std::vector<tape::StoreView> input_stores{};
    const tape::TileKernels* kernels = nullptr;  // null: those of this process
  };

  WorkCount evaluate(const Call& call);
  // Values and pullback in one sweep; memory does not grow with the rows.
  WorkCount evaluate_and_pull(const Call& call);
  // Values, and everything that a pullback will read, kept in `kept`.
  WorkCount evaluate_keeping(const Call& call, tape::Doubles& kept);
  WorkCount pull(const Call& call, const tape::Doubles& kept);
  // Values and derivative along a direction: `parameters` holds the parameters and then
  // their direction (where pull_parameters), `inputs` all inputs and then the directions
  // of all (where tangent_inputs).
  WorkCount tangent(const Call& call, bool tangent_inputs, double* tangent);

 private:
  struct Pulling {
    std::unique_ptr<tape::Program> program;
    std::vector<std::size_t> stored_inputs;
  };
  Pulling make(const Call& call, bool fused) const;
  Pulling& find(const Call& call, bool fused);
  tape::Bindings bind(const Call& call) const;

  tape::Tape tape_;
  int output_, parameters_;
  std::vector<tape::Shape> inputs_;
  std::unique_ptr<tape::Program> values_, keeping_;
  std::map<std::vector<bool>, Pulling> pulling_;
  std::map<std::vector<bool>, std::unique_ptr<tape::Program>> tangents_;
};

// Calls the model once, with Traced arguments of the shapes of params (shared by all
// rows) and of one row of x. Throws Error (logic) where shapes do not fit.
template <class Model, class Params, class X>
Recorded record(const Model& model, const Params& params, const X& x) {
  tape::Tape tape;
  leaves::rebind_t<Params, leaves::to_traced> traced_params;
  leaves::rebind_t<X, leaves::to_traced> traced_x;
  int offset = 0;
  leaves::zip(params, traced_params, [&](const auto& leaf, Traced& traced) {
    const tape::Shape shape = leaves::shared_shape(leaf);
    traced = Traced(tape, tape.parameter(offset, shape));
    offset += shape.size();
  });
  std::vector<tape::Shape> inputs;
  leaves::zip(x, traced_x, [&](const auto& leaf, Traced& traced) {
    inputs.push_back(leaves::row_shape(leaf));
    traced = Traced(tape, tape.input(inputs.back()));
  });
  const Traced value = model(std::as_const(traced_params), traced_x);
  const int node = value.is_constant() ? tape.constant(value.constant()) : value.node();
  const int output = tape.materialise(node);
  return Recorded(std::move(tape), output, offset, std::move(inputs));
}

namespace leaves {

// The rows of all leaves of x, which must agree. Throws Error (logic).
template <class X>
std::vector<tape::RowsView> bind_rows(const X& x, std::int64_t& rows) {
  std::vector<tape::RowsView> views;
  rows = -1;
  each(x, [&](const auto& leaf) {
    const std::int64_t count = row_count(leaf);
    if (rows >= 0 && rows != count) {
      throw Error(ErrorKind::logic, "[model] arguments with " + std::to_string(rows) +
                                        " and with " + std::to_string(count) + " rows");
    }
    rows = count;
    views.push_back(view_rows(leaf));
  });
  if (rows < 0) {
    throw Error(ErrorKind::logic, "[model] needs at least one argument that has rows");
  }
  return views;
}

template <class Params>
std::vector<double> flat(const Params& params) {
  std::vector<double> all;
  each(params, [&](const auto& leaf) {
    for (const auto x : leaf_values(leaf)) all.push_back(static_cast<double>(x));
  });
  return all;
}

}  // namespace leaves
}  // namespace drover
