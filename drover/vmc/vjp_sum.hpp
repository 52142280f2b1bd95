// A model's vector-Jacobian product over samples on all devices: sum_i v_i d f(W,
// x_i)/dW, accumulated over microbatches in place and reduced once, by the caller.
//
//   auto model = [](auto const& W, auto x) { for (auto const& w : W) x = dot(x, w);
//                                            return sum(x); };
//   auto g = vjp_sum(model, weights, samples, cotangents, {.microbatch = 7});
//   auto G = reduce(std::move(g));   // the only communication
// Each device holds one buffer, into which it adds what its samples give: for every grain
// of rows that the samples are placed by (1: each row) one vector, rounded there, then
// summed without rounding. So the bits do not depend on devices, ranks or microbatches.
// The model is recorded (ad/recorded.hpp) at every call; in a loop, give keep(model),
// which records once (vjp_devices.hpp). A header alone: it needs the mesh and ad
// libraries, no chemistry.
#pragma once

#include <string>

#include "drover/mesh/linear.hpp"
#include "drover/vmc/vjp_devices.hpp"

namespace drover {

struct VjpOptions {
  // Samples that a device takes at a time, as in MapOptions; never changes a result.
  std::int64_t microbatch = 0;
  std::string_view label = "vjp_sum";  // what errors call the operation
};

template <class W>
struct ValueAndVjpSum {
  Sharded<Array<double>> value;  // [samples], [samples][n] or [samples][m][n]
  Unreduced<W> gradient;
};

template <class W, class X>
struct ValueAndVjp {
  Sharded<Array<double>> value;
  Unreduced<W> gradient;  // of the weights: summed over samples
  Sharded<X> samples;     // of each sample, in the form of the samples, in double
};

namespace vjp_sums {

// Weights are replicated, or a host value that every rank holds: shared(w).
template <class A>
struct WeightsOf {
  static_assert(
      detail::always_false<A>,
      "[vjp_sum] the weights are Replicated, or shared(w) for a value that every "
      "rank holds: the gradient of anything else would not be one sum over all "
      "samples");
};
template <class W>
struct WeightsOf<Replicated<W>> {
  using type = W;
  static const W& of(const Replicated<W>& weights) { return *weights; }
};
template <class W>
struct WeightsOf<Shared<W>> {
  using type = W;
  static const W& of(const Shared<W>& weights) { return weights.value; }
};
template <class A>
using weights_t = typename WeightsOf<A>::type;

[[noreturn]] inline void fail(std::string_view label, const std::string& what) {
  throw Error(ErrorKind::logic, "[" + std::string(label) + "] " + what);
}

[[noreturn]] inline void throw_cotangents(std::string_view label, int device,
                                          std::int64_t rows, std::int64_t numbers,
                                          std::int64_t found) {
  fail(label, "cotangents of device " + std::to_string(device) + ": expected " +
                  std::to_string(rows) + " samples times " + std::to_string(numbers) +
                  " numbers, found " + std::to_string(found) +
                  " numbers; give one for each number of the model's value");
}

[[noreturn]] inline void throw_gradient_size(std::string_view label,
                                             std::int64_t expected, std::int64_t found) {
  fail(label, "the buffer for the gradient has room for " + std::to_string(found) +
                  " numbers: expected the " + std::to_string(expected) +
                  " of the weights; make it in their shape");
}

[[noreturn]] inline void throw_integer_weights(std::string_view label) {
  fail(label,
       "the weights hold integers, in which nothing can be differentiated: give them to "
       "the model by capture, or as floating numbers");
}

[[noreturn]] inline void throw_no_field(std::string_view label) {
  fail(label,
       "the part that the gradient is added to is no field of its struct: expected a "
       "member that its tree_fields list");
}

// Where in a device's buffer the gradient goes: floating numbers, counted in the order of
// the fields.
struct Place {
  std::int64_t first = 0, count = 0;
};
template <class T>
std::int64_t floating_numbers(const T& tree) {
  std::int64_t count = 0;
  for_each_leaf(tree, [&](std::string_view, const auto& leaf) {
    if constexpr (std::is_floating_point_v<leaf_number_t<decltype(leaf)>>) {
      count += static_cast<std::int64_t>(leaf_values(leaf).size());
    }
  });
  return count;
}
template <class P, class W>
Place place_of(const P& whole, W P::*part, std::string_view label) {
  Place place{0, floating_numbers(whole.*part)};
  bool found = false;
  const auto pass = [&](const auto& field) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(field.member)>, W P::*>) {
      found = found || field.member == part;
    }
    if (!found) place.first += floating_numbers(whole.*field.member);
  };
  std::apply([&](const auto&... field) { (pass(field), ...); }, P::fields);
  if (!found) throw_no_field(label);
  return place;
}

// Values, and cotangents of the samples, are stored where they are not null.
template <class P, class W, class X, class C>
void run(Unreduced<P>& into, const Place& place, const W& weights, DeviceVjps& devices,
         const Sharded<X>& samples, const Sharded<C>& cotangents,
         Sharded<Array<double>>* values, const VjpOptions& options,
         Sharded<row_cotangents_t<X>>* pulled_samples = nullptr) {
  static_assert(
      SummableTree<P>,
      "[vjp_sum] the gradient is added to a tree of numbers (mesh/accumulator)");
  static_assert(Leaf<C>,
                "[vjp_sum] cotangents are an Array or a std::vector of double or float");
  const std::int64_t parameters = floating_numbers(weights);
  if (parameters != tree_size(weights)) throw_integer_weights(options.label);
  if (parameters != place.count) {
    throw_gradient_size(options.label, parameters, place.count);
  }
  map_sum_into(
      into, {.microbatch = options.microbatch, .label = options.label},
      [&](const Batch& batch, const auto&, const auto&, Accumulator<P>& sum) {
        const int local = batch.device.local_index;
        DeviceVjp& own = of_device(devices, batch.device);
        const C& seeds = cotangents.shard(local);
        if (const auto found = static_cast<std::int64_t>(leaf_values(seeds).size());
            found != own.rows() * own.value_size()) {
          throw_cotangents(options.label, batch.device.index, own.rows(),
                           own.value_size(), found);
        }
        Recorded::Call call =
            own.call(batch.rows, values ? &values->shard(local) : nullptr);
        call.cotangent = own.cotangents(seeds, batch.rows);
        if (pulled_samples) {
          call.input_stores = stores_into(pulled_samples->shard(local), batch.rows.first);
        }
        call.pull_parameters = true;
        call.grain = samples.grain();
        call.deliver = [&](std::int64_t, std::span<const double> gradient) {
          sum.add(place.first, gradient);
        };
        own.recorded().evaluate_and_pull(call);
      },
      samples, cotangents);
}

// Samples and cotangents must be laid out alike; the model is recorded after that is
// known.
template <class Model, class Weights, class X, class C>
DeviceVjps& prepare(const Model& model, const Weights& weights, const Sharded<X>& samples,
                    const Sharded<C>& cotangents, const VjpOptions& options,
                    DeviceVjps& of_this_call) {
  detail::common_layout(options.label, samples, cotangents, weights);
  return bind_on_devices(model, WeightsOf<Weights>::of(weights), samples, of_this_call);
}

}  // namespace vjp_sums

// The sum over all samples, in a fresh buffer on every device: sum_i v_i df(W, x_i)/dW in
// the form of the weights (floating numbers, core/tree.hpp). weights: Replicated, or
// shared(w). samples: a container of rows, the sample axis first in every leaf.
// cotangents: for each sample one number for each number of the model's value, double or
// float. Nothing communicates. Errors: logic, for layouts or lengths that do not fit.
template <class Model, class Weights, class X, class C>
Unreduced<vjp_sums::weights_t<Weights>> vjp_sum(const Model& model,
                                                const Weights& weights,
                                                const Sharded<X>& samples,
                                                const Sharded<C>& cotangents,
                                                const VjpOptions& options = {}) {
  const auto& w = vjp_sums::WeightsOf<Weights>::of(weights);
  vjp_sums::DeviceVjps fresh;
  auto& devices = vjp_sums::prepare(model, weights, samples, cotangents, options, fresh);
  auto gradient = make_unreduced(samples.mesh(), [&] { return w; });
  vjp_sums::run(gradient, {0, vjp_sums::floating_numbers(w)}, w, devices, samples,
                cotangents, nullptr, options);
  return gradient;
}

// The same added to what `gradient` holds, for loops: it is carried from call to call and
// reduced after the last. Returns the model's values, in input order, where the samples
// are. Errors: as vjp_sum; logic, when `gradient` was reduced or scaled or has another
// shape than the weights.
template <class Model, class W, class Weights, class X, class C>
Sharded<Array<double>> vjp_sum_into(Unreduced<W>& gradient, const Model& model,
                                    const Weights& weights, const Sharded<X>& samples,
                                    const Sharded<C>& cotangents,
                                    const VjpOptions& options = {}) {
  const auto& w = vjp_sums::WeightsOf<Weights>::of(weights);
  static_assert(
      std::is_same_v<W, vjp_sums::weights_t<Weights>>,
      "[vjp_sum_into] the gradient has the type of the weights; for a struct "
      "that holds more, name its member: vjp_sum_into(u, &Sums::gradient, ...)");
  vjp_sums::DeviceVjps fresh;
  auto& devices = vjp_sums::prepare(model, weights, samples, cotangents, options, fresh);
  auto values = vjp_sums::empty_values(samples.layout(), devices);
  const auto room = device_partial(gradient, 0).sums().size();
  vjp_sums::run(gradient, {0, room}, w, devices, samples, cotangents, &values, options);
  return values;
}

// The same for a struct of several sums, of which `part` is the gradient: then one
// reduction carries the gradient and, say, the statistics of the step.
template <class Model, class P, class W, class Weights, class X, class C>
Sharded<Array<double>> vjp_sum_into(Unreduced<P>& sums, W P::*part, const Model& model,
                                    const Weights& weights, const Sharded<X>& samples,
                                    const Sharded<C>& cotangents,
                                    const VjpOptions& options = {}) {
  const auto& w = vjp_sums::WeightsOf<Weights>::of(weights);
  const auto place =
      vjp_sums::place_of(device_partial(sums, 0).shape(), part, options.label);
  vjp_sums::DeviceVjps fresh;
  auto& devices = vjp_sums::prepare(model, weights, samples, cotangents, options, fresh);
  auto values = vjp_sums::empty_values(samples.layout(), devices);
  vjp_sums::run(sums, place, w, devices, samples, cotangents, &values, options);
  return values;
}

// Values and sum together.
template <class Model, class Weights, class X, class C>
auto value_and_vjp_sum(const Model& model, const Weights& weights,
                       const Sharded<X>& samples, const Sharded<C>& cotangents,
                       const VjpOptions& options = {}) {
  using W = vjp_sums::weights_t<Weights>;
  auto gradient = make_unreduced(
      samples.mesh(), [&] { return vjp_sums::WeightsOf<Weights>::of(weights); });
  auto value = vjp_sum_into(gradient, model, weights, samples, cotangents, options);
  return ValueAndVjpSum<W>{std::move(value), std::move(gradient)};
}

// Both cotangents: the weights' as above, and each sample's own, v_i d f(W, x_i)/dx_i, in
// double, in the form of the samples and where they are.
template <class Model, class Weights, class X, class C>
auto value_and_vjp(const Model& model, const Weights& weights, const Sharded<X>& samples,
                   const Sharded<C>& cotangents, const VjpOptions& options = {}) {
  using W = vjp_sums::weights_t<Weights>;
  const W& w = vjp_sums::WeightsOf<Weights>::of(weights);
  vjp_sums::DeviceVjps fresh;
  auto& devices = vjp_sums::prepare(model, weights, samples, cotangents, options, fresh);
  ValueAndVjp<W, vjp_sums::row_cotangents_t<X>> out{
      vjp_sums::empty_values(samples.layout(), devices),
      make_unreduced(samples.mesh(), [&] { return w; }),
      vjp_sums::empty_cotangents(samples)};
  vjp_sums::run(out.gradient, {0, vjp_sums::floating_numbers(w)}, w, devices, samples,
                cotangents, &out.value, options, &out.samples);
  return out;
}

// The model's values alone, in input order, where the samples are; for cotangents that
// depend on them.
template <class Model, class Weights, class X>
Sharded<Array<double>> map_model(const Model& model, const Weights& weights,
                                 const Sharded<X>& samples,
                                 const VjpOptions& options = {.label = "map_model"}) {
  detail::common_layout(options.label, samples, weights);
  vjp_sums::DeviceVjps fresh;
  auto& devices = vjp_sums::bind_on_devices(
      model, vjp_sums::WeightsOf<Weights>::of(weights), samples, fresh);
  auto values = vjp_sums::empty_values(samples.layout(), devices);
  map_each(
      {.microbatch = options.microbatch, .label = options.label},
      [&](const Batch& batch, const auto&) {
        auto& own = vjp_sums::of_device(devices, batch.device);
        own.recorded().evaluate(
            own.call(batch.rows, &values.shard(batch.device.local_index)));
      },
      samples);
  return values;
}

}  // namespace drover
