// Reverse mode of a model over rows: value, and a pullback with a sink for each argument.
//
//   auto model = [](auto const& W, auto x) { for (auto const& w : W) x = dot(x, w);
//                                            return sum(x); };
//   auto [value, pullback] = vjp(model, weights, samples);
//   pullback(cotangents, accumulate(gradient), skip);
// The first argument is shared by all rows, the second has one row a sample. A sink says
// what becomes of an argument's cotangent: give returns it, accumulate(buffer) adds it to
// what the buffer holds, skip does not compute it (the work is not recorded, so it is not
// done). The cotangent of the shared argument is a sum over rows, made for groups of
// `grain` rows counted from the first row of the call (see program.hpp): per_group hands
// each group's sum to the caller; rows_into writes the gradient of every single row.
// Arithmetic is in double, whatever the arguments hold.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drover/ad/recorded.hpp"
#include "drover/core/exact_sums.hpp"

namespace drover {

// --- sinks
// -----------------------------------------------------------------------------------
struct Skip {};
struct Give {};
template <class Buffer>
struct Accumulate {
  Buffer& buffer;
  std::int64_t grain;
};
struct PerGroup {
  std::int64_t grain;
  tape::DeliverGroup deliver;
};
inline constexpr Skip skip;
inline constexpr Give give;
// Adds to a tree of the argument's form (any floating leaves for the shared argument,
// double for the other), group by group in row order, or to ExactSums of as many sums as
// parameters: then the bits do not depend on who holds which groups.
template <class Buffer>
Accumulate<Buffer> accumulate(Buffer& buffer, std::int64_t grain = 64) {
  return {buffer, grain};
}
inline PerGroup per_group(std::int64_t grain, tape::DeliverGroup deliver) {
  return {grain, std::move(deliver)};
}
// The gradient of row w to data[w * row_step + parameter].
inline PerGroup rows_into(double* data, std::int64_t row_step) {
  return {1, [=](std::int64_t row, std::span<const double> gradient) {
            std::copy(gradient.begin(), gradient.end(), data + row * row_step);
          }};
}

struct Nothing {};
template <class P, class X>
struct Pulled {
  P params;  // Nothing, or the cotangent as a tree of doubles
  X x;
  WorkCount work;
};

namespace leaves {

[[noreturn]] void throw_size(const char* what, std::int64_t expected, std::int64_t found);
inline void expect_size(const char* what, std::int64_t expected, std::int64_t found) {
  if (expected != found) throw_size(what, expected, found);
}

// Adds flat sums to the leaves of a tree, in order.
template <class Tree>
void add_flat(std::span<const double> sums, Tree& tree) {
  const double* next = sums.data();
  each(tree, [&](auto& leaf) {
    const auto values = leaf_values(leaf);
    using T = leaf_number_t<decltype(leaf)>;
    T* const to = values.data();
    const auto size = static_cast<std::int64_t>(values.size());
    if constexpr (std::is_same_v<T, double>) {
      tape::tile_kernels().add(next, to, size);
    } else {
      for (std::int64_t i = 0; i < size; ++i) {
        to[i] = static_cast<T>(static_cast<double>(to[i]) + next[i]);
      }
    }
    next += values.size();
  });
}
template <class Tree>
std::int64_t flat_size(const Tree& tree) {
  std::int64_t size = 0;
  each(tree, [&](const auto& leaf) {
    size += static_cast<std::int64_t>(leaf_values(leaf).size());
  });
  return size;
}

// Sets up one argument's part of a call; what is returned is filled while it runs. P and
// X are the arguments' types, the outlines their extents.
template <class P, class Outline>
auto begin_params(const Outline&, Skip, Recorded::Call&) {
  return Nothing{};
}
template <class P, class Outline>
auto begin_params(const Outline&, const PerGroup& sink, Recorded::Call& call) {
  call.pull_parameters = true;
  call.grain = sink.grain;
  call.deliver = sink.deliver;
  return Nothing{};
}
template <class P, class Outline, class Buffer>
auto begin_params(const Outline& outline, Accumulate<Buffer> sink, Recorded::Call& call) {
  call.pull_parameters = true;
  call.grain = sink.grain;
  Buffer* const buffer = &sink.buffer;
  if constexpr (std::is_same_v<Buffer, ExactSums>) {
    expect_size("ExactSums for the gradient", outline_size(outline), buffer->size());
    call.deliver = [buffer](std::int64_t, std::span<const double> sums) {
      buffer->deposit(sums.data(), static_cast<std::int64_t>(sums.size()));
    };
  } else {
    expect_size("a buffer for the gradient", outline_size(outline), flat_size(*buffer));
    call.deliver = [buffer](std::int64_t, std::span<const double> sums) {
      add_flat(sums, *buffer);
    };
  }
  return Nothing{};
}
template <class P, class Outline>
auto begin_params(const Outline& outline, Give, Recorded::Call& call) {
  auto result = zeros_like<P>(outline);
  call.pull_parameters = true;
  call.deliver = [tree = result.get()](std::int64_t, std::span<const double> sums) {
    add_flat(sums, *tree);
  };
  return result;
}

template <class Tree>
void store_to(Tree& tree, bool add, Recorded::Call& call) {
  if (call.rows == 0) return;
  each(tree, [&](auto& leaf) {
    const auto values = leaf_values(leaf);
    static_assert(std::is_same_v<leaf_number_t<decltype(leaf)>, double>,
                  "cotangents of rows accumulate in double");
    call.input_stores.push_back(
        {values.data(), static_cast<std::int64_t>(values.size()) / call.rows, 1, add});
  });
}
template <class X, class Outline>
auto begin_x(const Outline&, Skip, Recorded::Call&) {
  return Nothing{};
}
template <class X, class Outline>
auto begin_x(const Outline& outline, Give, Recorded::Call& call) {
  auto result = zeros_like<X>(outline);
  store_to(*result, false, call);
  return result;
}
template <class X, class Outline, class Buffer>
auto begin_x(const Outline& outline, Accumulate<Buffer> sink, Recorded::Call& call) {
  expect_size("a buffer for the rows' cotangents", outline_size(outline),
              flat_size(sink.buffer));
  store_to(sink.buffer, true, call);
  return Nothing{};
}

inline Nothing finish(Nothing) {
  return {};
}
template <class T>
T finish(std::unique_ptr<T> result) {
  return std::move(*result);
}

}  // namespace leaves

// The second half of vjp: holds the recording and every value that a pullback reads.
template <class P, class X>
class VectorJacobianProduct {
 public:
  // cotangents: [rows][output], as many numbers as the value has. Throws Error (logic)
  // where lengths do not fit.
  template <class Cotangents, class ParamSink, class XSink>
  auto operator()(const Cotangents& cotangents, const ParamSink& param_sink,
                  const XSink& x_sink) {
    const std::span<const double> seeds(cotangents.data(),
                                        static_cast<std::size_t>(cotangents.size()));
    leaves::expect_size("cotangents", rows_ * recorded_->output().size(),
                        static_cast<std::int64_t>(seeds.size()));
    Recorded::Call call{
        .rows = rows_, .parameters = parameters_, .cotangent = seeds.data()};
    auto params = leaves::begin_params<P>(params_, param_sink, call);
    auto x = leaves::begin_x<X>(x_, x_sink, call);
    const WorkCount work = recorded_->pull(call, kept_);
    return Pulled<decltype(leaves::finish(std::move(params))),
                  decltype(leaves::finish(std::move(x)))>{
        leaves::finish(std::move(params)), leaves::finish(std::move(x)), work};
  }

 private:
  template <class Model, class A, class B>
  friend auto vjp(const Model& model, const A& params, const B& x);

  std::unique_ptr<Recorded> recorded_;
  leaves::rebind_t<P, leaves::to_extents> params_;
  leaves::rebind_t<X, leaves::to_extents> x_;
  std::int64_t rows_ = 0;
  std::vector<double> parameters_;
  tape::Doubles kept_;
};

template <class P, class X>
struct Vjp {
  Array<double> value;  // [rows], [rows][n] or [rows][m][n]
  VectorJacobianProduct<P, X> pullback;
};

// Memory grows with the rows: the values of every operation are kept for the pullback.
template <class Model, class P, class X>
auto vjp(const Model& model, const P& params, const X& x) {
  VectorJacobianProduct<P, X> pullback;
  pullback.recorded_ = std::make_unique<Recorded>(record(model, params, x));
  pullback.params_ = leaves::outline(params);
  pullback.x_ = leaves::outline(x);
  pullback.parameters_ = leaves::flat(params);
  Recorded::Call call{.parameters = pullback.parameters_};
  call.inputs = leaves::bind_rows(x, call.rows);
  pullback.rows_ = call.rows;
  Array<double> value(pullback.recorded_->value_extents(call.rows));
  call.value = value.data();
  pullback.recorded_->evaluate_keeping(call, pullback.kept_);
  return Vjp<P, X>{std::move(value), std::move(pullback)};
}

template <class P, class X>
struct ValueAndPulled : Pulled<P, X> {
  Array<double> value;
};

// Value and pullback in one sweep over the rows, for cotangents that are known
// beforehand; memory does not grow with the rows. `recorded` must come from record() with
// arguments of the same shapes (the number of rows may differ).
template <class P, class X, class Cotangents, class ParamSink, class XSink>
auto value_and_pullback(Recorded& recorded, const P& params, const X& x,
                        const Cotangents& cotangents, const ParamSink& param_sink,
                        const XSink& x_sink) {
  const std::vector<double> parameters = leaves::flat(params);
  Recorded::Call call{.parameters = parameters, .cotangent = cotangents.data()};
  call.inputs = leaves::bind_rows(x, call.rows);
  leaves::expect_size("parameters", recorded.parameters(),
                      static_cast<std::int64_t>(parameters.size()));
  leaves::expect_size("cotangents", call.rows * recorded.output().size(),
                      static_cast<std::int64_t>(cotangents.size()));
  Array<double> value(recorded.value_extents(call.rows));
  call.value = value.data();
  auto param_result = leaves::begin_params<P>(leaves::outline(params), param_sink, call);
  auto x_result = leaves::begin_x<X>(leaves::outline(x), x_sink, call);
  const WorkCount work = recorded.evaluate_and_pull(call);
  return ValueAndPulled<decltype(leaves::finish(std::move(param_result))),
                        decltype(leaves::finish(std::move(x_result)))>{
      {leaves::finish(std::move(param_result)), leaves::finish(std::move(x_result)),
       work},
      std::move(value)};
}
template <class Model, class P, class X, class Cotangents, class ParamSink, class XSink>
requires std::invocable < const Model&, const leaves::rebind_t<P, leaves::to_traced>
&, leaves::rebind_t<X, leaves::to_traced>& >
       auto value_and_pullback(const Model& model, const P& params, const X& x,
                               const Cotangents& cotangents, const ParamSink& param_sink,
                               const XSink& x_sink) {
  Recorded recorded = record(model, params, x);
  return value_and_pullback(recorded, params, x, cotangents, param_sink, x_sink);
}

}  // namespace drover
