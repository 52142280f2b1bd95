#include "drover/ad/recorded.hpp"

#include <utility>

#include "drover/ad/transforms.hpp"

namespace drover {

using tape::Bindings;
using tape::Program;
using tape::RowsView;
using tape::Tape;

Recorded::Recorded(Tape tape, int output, int parameters, std::vector<tape::Shape> inputs)
    : tape_(std::move(tape)),
      output_(output),
      parameters_(parameters),
      inputs_(std::move(inputs)) {}

std::vector<std::int64_t> Recorded::value_extents(std::int64_t rows) const {
  const tape::Shape& shape = output();
  std::vector<std::int64_t> extents = {rows};
  if (shape.rank == 2) extents.push_back(shape.rows);
  if (shape.rank >= 1) extents.push_back(shape.columns);
  return extents;
}

std::int64_t Recorded::working_bytes() const {
  std::int64_t bytes = 0;
  const auto add = [&](const Program* program) {
    if (program) bytes += program->working_bytes();
  };
  add(values_.get());
  add(keeping_.get());
  for (const auto& [key, pulling] : pulling_) add(pulling.program.get());
  for (const auto& [key, program] : tangents_) add(program.get());
  return bytes;
}

Bindings Recorded::bind(const Call& call) const {
  return {.rows = call.rows,
          .parameters = call.parameters,
          .inputs = call.inputs,
          .stores = {{call.value, output().size()}},
          .grain = call.grain,
          .deliver = call.deliver,
          .kernels = call.kernels};
}

WorkCount Recorded::evaluate(const Call& call) {
  if (!values_) {
    values_ = std::make_unique<Program>(tape_, std::vector{output_},
                                        std::vector<tape::Terminal>{}, parameters_);
  }
  return values_->run(bind(call));
}

WorkCount Recorded::evaluate_keeping(const Call& call, tape::Doubles& kept) {
  if (!keeping_) {
    keeping_ = std::make_unique<Program>(Program::keeping(tape_, {output_}, parameters_));
  }
  kept.reserve(keeping_->kept_size(call.rows));
  return keeping_->run(bind(call), kept.data());
}

Recorded::Pulling Recorded::make(const Call& call, bool fused) const {
  Tape tape = tape_;
  std::vector<bool> wanted(inputs_.size() + 1, false);  // the last input is the cotangent
  for (std::size_t i = 0; i < call.input_stores.size(); ++i) {
    wanted[i] = call.input_stores[i].data != nullptr;
  }
  const int seed = tape.input(output());
  tape::Pullback pullback =
      tape::pull_back(tape, output_, seed, wanted, call.pull_parameters);
  std::vector<int> stored;
  if (fused) stored.push_back(output_);
  Pulling result;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (pullback.inputs[i] < 0) continue;
    stored.push_back(tape.materialise(pullback.inputs[i]));
    result.stored_inputs.push_back(i);
  }
  result.program = std::make_unique<Program>(
      fused ? Program(tape, stored, pullback.terminals, parameters_)
            : Program::continuing(*keeping_, tape, stored, pullback.terminals));
  return result;
}

Recorded::Pulling& Recorded::find(const Call& call, bool fused) {
  std::vector<bool> key = {fused, call.pull_parameters};
  for (const auto& store : call.input_stores) key.push_back(store.data != nullptr);
  auto found = pulling_.find(key);
  if (found == pulling_.end()) {
    found = pulling_.emplace(std::move(key), make(call, fused)).first;
  }
  return found->second;
}

WorkCount Recorded::evaluate_and_pull(const Call& call) {
  Pulling& pulling = find(call, true);
  Bindings bindings = bind(call);
  bindings.inputs.push_back({call.cotangent, output().size()});
  for (const std::size_t i : pulling.stored_inputs) {
    bindings.stores.push_back(call.input_stores[i]);
  }
  return pulling.program->run(bindings);
}

WorkCount Recorded::pull(const Call& call, const tape::Doubles& kept) {
  Pulling& pulling = find(call, false);
  Bindings bindings = bind(call);
  bindings.inputs.assign(inputs_.size(), RowsView{});  // kept, not read again
  bindings.inputs.push_back({call.cotangent, output().size()});
  bindings.stores.clear();
  for (const std::size_t i : pulling.stored_inputs) {
    bindings.stores.push_back(call.input_stores[i]);
  }
  return pulling.program->run(bindings, kept.data());
}

WorkCount Recorded::tangent(const Call& call, bool tangent_inputs, double* tangent) {
  auto& program = tangents_[{call.pull_parameters, tangent_inputs}];
  if (!program) {
    Tape tape = tape_;
    tape::Forward forward(tape, 1, false);
    for (int n = 0; n < tape_.size(); ++n) {
      const tape::Node node = tape_[n];
      if (node.op == tape::Op::parameter && call.pull_parameters) {
        forward.seed(n, tape.parameter(parameters_ + node.offset, node.shape));
      }
    }
    if (tangent_inputs) {
      std::vector<int> seeds;
      for (const tape::Shape& shape : inputs_) seeds.push_back(tape.input(shape));
      for (int n = 0; n < tape_.size(); ++n) {
        const tape::Node node = tape_[n];
        if (node.op == tape::Op::input) {
          forward.seed(n, seeds[static_cast<std::size_t>(node.offset)]);
        }
      }
    }
    const int gradient = forward.of(output_).gradient;
    const int stored = gradient < 0 ? tape.zeros(output()) : gradient;
    program = std::make_unique<Program>(
        tape, std::vector{output_, tape.materialise(stored)},
        std::vector<tape::Terminal>{}, parameters_ * (call.pull_parameters ? 2 : 1));
  }
  Bindings bindings = bind(call);
  bindings.stores.push_back({tangent, output().size()});
  return program->run(bindings);
}

}  // namespace drover
