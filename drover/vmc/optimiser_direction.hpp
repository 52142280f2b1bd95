// The direction of a step p -= rate d, found once for each accepted point: first-order
// methods, conjugate gradients, the N x N form, SPRING.
#pragma once

#include <functional>
#include <vector>

#include "drover/vmc/conjugate_gradients.hpp"
#include "drover/vmc/first_order.hpp"
#include "drover/vmc/optimiser_methods.hpp"

namespace drover {

// O, E and the weight of each sample, on every rank; those left out have weight 0.
struct SampleRows {
  std::vector<double> log_slopes;  // N x P row-major
  std::vector<double> energies, weights;
};

// What can still be asked of a step's samples where they are; each call communicates.
struct StepSamples {
  MetricProduct product;  // <O (O.v)>, not central
  std::function<SampleRows()> rows;
};

struct Direction {
  std::vector<double> step;  // d; exactly 0 for frozen parameters
  // sqrt(d^T S d); first-order methods: the root mean square of d
  double norm = 0.0;
  DirectionMemory memory;

  bool operator==(const Direction&) const = default;
};

struct DirectionSettings {
  OptimiseMethod method = OptimiseMethod::adam;
  bool of_variance = false;  // the gradient of first-order methods
  bool by_samples = false;   // the N x N form
  double momentum = 0.0, beta2 = 0.0;
  double relative = 0.0, absolute = 1e-3;  // on the diagonal of S
  std::int64_t cg_iterations = 20;
};

// `memory` is that of the direction before, empty at the start. Errors: logic, when the
// samples cannot be asked what the method needs; numerical, for numbers that are not
// finite.
Direction next_direction(const DirectionSettings& settings,
                         const OptimiserMoments& moments, const StepSamples& samples,
                         std::span<const std::uint8_t> frozen, DirectionMemory memory);

// -rate d, cut as a whole to the trust radius and to the largest change of any parameter.
// Predicted: gradient . change.
ParameterStep direction_step(const Direction& direction, double rate,
                             std::span<const double> gradient, const StepLimits& limits);

}  // namespace drover
