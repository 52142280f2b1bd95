#include "drover/vmc/optimiser_direction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/vmc/optimise_choice.hpp"
#include "drover/vmc/optimiser_algebra.hpp"

namespace drover {

using optimiser_detail::check_finite;
using optimiser_detail::check_limits;
using optimiser_detail::without_variance;

namespace {

// Residual at which more conjugate gradients would only follow the samples' noise.
constexpr double cg_tolerance = 1e-6;

using Places = std::vector<std::size_t>;

Places free_parameters(std::int64_t parameters, std::span<const std::uint8_t> frozen) {
  Places free;
  for (std::size_t k = 0; k < static_cast<std::size_t>(parameters); ++k)
    if (frozen.empty() || frozen[k] == 0) free.push_back(k);
  return free;
}

std::vector<double> pick(std::span<const double> all, const Places& places) {
  std::vector<double> some;
  for (const std::size_t k : places) some.push_back(all[k]);
  return some;
}
std::vector<double> spread(std::span<const double> some, const Places& places,
                           std::int64_t parameters) {
  std::vector<double> all(static_cast<std::size_t>(parameters), 0.0);
  for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = some[i];
  return all;
}

[[noreturn]] void fail(OptimiseMethod method, const char* what) {
  throw Error(ErrorKind::logic, fmt::format("[optimiser] {} needs {} of the samples",
                                            name_of(method), what));
}

Direction first_order(const DirectionSettings& s, const OptimiserMoments& m,
                      const Places& free, DirectionMemory memory) {
  std::vector<double> g = m.gradient(s.of_variance);
  check_finite(g, "the gradient");
  g = spread(pick(g, free), free, m.parameters);
  Direction d;
  d.memory = std::move(memory);
  switch (s.method) {
    case OptimiseMethod::sgd:
      d.step = sgd_direction(g, s.momentum, d.memory);
      break;
    case OptimiseMethod::rmsprop:
      d.step = rmsprop_direction(g, s.beta2, d.memory);
      break;
    case OptimiseMethod::lion:
      d.step = lion_direction(g, s.momentum, s.beta2, d.memory);
      break;
    default:
      d.step = adam_direction(g, s.momentum, s.beta2, d.memory);
  }
  double squares = 0.0;
  for (const double x : d.step) squares += x * x;
  if (!free.empty()) d.norm = std::sqrt(squares / static_cast<double>(free.size()));
  return d;
}

// Of (S + relative diag(S) + absolute) d = cov(E, O).
Direction by_products(const DirectionSettings& s, const OptimiserMoments& m,
                      const StepSamples& samples, const Places& free) {
  if (!samples.product) fail(s.method, "products with the overlap");
  check_finite(m.diagonal, "var(O)");
  check_finite(m.energy_log, "cov(E, O)");
  const std::vector<double> diagonal = pick(m.diagonal, free),
                            mean = pick(m.o_mean, free);
  std::vector<double> shift;
  for (const double x : diagonal) shift.push_back(s.relative * x + s.absolute);
  const MetricProduct central = [&](std::span<const double> v) {
    std::vector<double> sv = pick(samples.product(spread(v, free, m.parameters)), free);
    double along = 0.0;
    for (std::size_t k = 0; k < v.size(); ++k) along += mean[k] * v[k];
    for (std::size_t k = 0; k < v.size(); ++k) sv[k] -= mean[k] * along;
    return sv;
  };
  const ConjugateGradients solved = conjugate_gradients(
      central, diagonal, shift, pick(m.energy_log, free), cg_tolerance, s.cg_iterations);
  return {spread(solved.solution, free, m.parameters), solved.norm, {}};
}

// sqrt(d^T S d) = sqrt(<((O - <O>) . d)^2>).
double norm_by_samples(const SampleRows& rows, std::span<const double> mean,
                       std::span<const double> d) {
  const std::size_t p = d.size();
  double sum = 0.0, weight = 0.0;
  for (std::size_t i = 0; i < rows.weights.size(); ++i) {
    double along = 0.0;
    for (std::size_t k = 0; k < p; ++k)
      along += (rows.log_slopes[i * p + k] - mean[k]) * d[k];
    sum += rows.weights[i] * along * along;
    weight += rows.weights[i];
  }
  return std::sqrt(sum / weight);
}

Direction by_rows(const DirectionSettings& s, const OptimiserMoments& m,
                  const StepSamples& samples, const Places& free,
                  std::span<const double> previous) {
  if (!samples.rows) fail(s.method, "the derivatives");
  SampleRows rows = samples.rows();
  const auto p = static_cast<std::size_t>(m.parameters);
  if (free.size() < p) {
    std::vector<double> some;
    some.reserve(rows.weights.size() * free.size());
    for (std::size_t i = 0; i < rows.weights.size(); ++i)
      for (const std::size_t k : free) some.push_back(rows.log_slopes[i * p + k]);
    rows.log_slopes = std::move(some);
  }
  const std::vector<double> d = min_sr_direction(
      rows.log_slopes, rows.energies, static_cast<std::int64_t>(free.size()), s.absolute,
      previous.empty() ? 0.0 : s.momentum, previous, rows.weights);
  return {
      spread(d, free, m.parameters), norm_by_samples(rows, pick(m.o_mean, free), d), {}};
}

Direction by_matrix(const DirectionSettings& s, const OptimiserMoments& m,
                    const Places& free, std::span<const double> previous) {
  OptimiserMoments some;
  some.set = m.set;
  some.parameters = static_cast<std::int64_t>(free.size());
  some.samples = m.samples;
  some.energy = m.energy;
  some.variance = m.variance;
  some.o_mean = pick(m.o_mean, free);
  some.energy_log = pick(m.energy_log, free);
  const auto p = static_cast<std::size_t>(m.parameters);
  for (const std::size_t k : free)
    for (const std::size_t l : free) some.overlap.push_back(m.overlap[k * p + l]);
  const std::vector<double> d = sr_direction(
      some, s.relative, s.absolute, previous.empty() ? 0.0 : s.momentum, previous);
  double norm2 = 0.0;
  for (std::size_t k = 0; k < d.size(); ++k)
    for (std::size_t l = 0; l < d.size(); ++l)
      norm2 += d[k] * some.overlap[k * d.size() + l] * d[l];
  return {spread(d, free, m.parameters), std::sqrt(std::max(norm2, 0.0)), {}};
}

}  // namespace

Direction next_direction(const DirectionSettings& s, const OptimiserMoments& m,
                         const StepSamples& samples, std::span<const std::uint8_t> frozen,
                         DirectionMemory memory) {
  const Places free = free_parameters(m.parameters, frozen);
  if (free.empty() || without_variance(m)) {
    Direction none;
    none.step.assign(static_cast<std::size_t>(m.parameters), 0.0);
    none.memory = std::move(memory);
    return none;
  }
  if (is_first_order(s.method)) return first_order(s, m, free, std::move(memory));
  std::vector<double> previous;
  if (s.momentum != 0.0 && !memory.first.empty()) previous = pick(memory.first, free);
  Direction d = s.method == OptimiseMethod::sr_cg ? by_products(s, m, samples, free)
                : s.by_samples                    ? by_rows(s, m, samples, free, previous)
                                                  : by_matrix(s, m, free, previous);
  d.memory.updates = memory.updates + 1;
  if (s.method == OptimiseMethod::spring) d.memory.first = d.step;
  return d;
}

ParameterStep direction_step(const Direction& direction, double rate,
                             std::span<const double> gradient, const StepLimits& limits) {
  const std::size_t p = direction.step.size();
  check_finite(direction.step, "the direction");
  check_limits(limits, static_cast<std::int64_t>(p));
  ParameterStep step;
  step.change.assign(p, 0.0);
  const double norm = rate * direction.norm;
  double scale = rate;
  if (limits.trust_radius > 0.0 && norm > limits.trust_radius)
    scale *= limits.trust_radius / norm;
  for (std::size_t k = 0; k < p && !limits.largest_change.empty(); ++k) {
    if (!limits.frozen.empty() && limits.frozen[k] != 0) continue;
    const double own = std::abs(direction.step[k]);
    if (own * scale > limits.largest_change[k]) {
      scale = limits.largest_change[k] / own;
      step.limited.push_back(static_cast<std::int64_t>(k));
    }
  }
  for (std::size_t k = 0; k < p; ++k) {
    if (!limits.frozen.empty() && limits.frozen[k] != 0) continue;
    step.change[k] = -scale * direction.step[k];
    step.predicted += gradient[k] * step.change[k];
  }
  step.norm = scale * direction.norm;
  return step;
}

}  // namespace drover
