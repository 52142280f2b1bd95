#include "drover/vmc/first_order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/core/math.hpp"

namespace drover {

namespace {

// Keeps a division by a curvature that is zero finite; of Kingma and Ba.
constexpr double tiny = 1e-8;

void prepare(std::vector<double>& kept, std::size_t parameters) {
  if (kept.empty()) kept.assign(parameters, 0.0);
  if (kept.size() == parameters) return;
  throw Error(ErrorKind::logic,
              fmt::format("[optimiser] a gradient of {} parameters and a momentum of {}; "
                          "expected as many",
                          parameters, kept.size()));
}

// x <- a x + b g.
void blend(std::vector<double>& x, double a, double b, std::span<const double> g) {
  for (std::size_t k = 0; k < g.size(); ++k) x[k] = a * x[k] + b * g[k];
}
void blend_squares(std::vector<double>& x, double a, double b,
                   std::span<const double> g) {
  for (std::size_t k = 0; k < g.size(); ++k) x[k] = a * x[k] + b * (g[k] * g[k]);
}

double power(double x, std::int64_t n) {
  double result = 1.0;
  for (; n > 0; n /= 2, x *= x)
    if (n % 2 == 1) result *= x;
  return result;
}

}  // namespace

std::vector<double> sgd_direction(std::span<const double> g, double momentum,
                                  DirectionMemory& memory) {
  prepare(memory.first, g.size());
  ++memory.updates;
  blend(memory.first, momentum, 1.0, g);
  return memory.first;
}

std::vector<double> adam_direction(std::span<const double> g, double momentum,
                                   double beta2, DirectionMemory& memory) {
  prepare(memory.first, g.size());
  prepare(memory.second, g.size());
  ++memory.updates;
  blend(memory.first, momentum, 1.0 - momentum, g);
  blend_squares(memory.second, beta2, 1.0 - beta2, g);
  const double c1 = 1.0 - power(momentum, memory.updates);
  const double c2 = 1.0 - power(beta2, memory.updates);
  std::vector<double> d(g.size());
  for (std::size_t k = 0; k < g.size(); ++k)
    d[k] = memory.first[k] / c1 / (std::sqrt(memory.second[k] / c2) + tiny);
  return d;
}

std::vector<double> rmsprop_direction(std::span<const double> g, double beta2,
                                      DirectionMemory& memory) {
  const bool first = memory.second.empty();
  prepare(memory.second, g.size());
  ++memory.updates;
  blend_squares(memory.second, first ? 0.0 : beta2, first ? 1.0 : 1.0 - beta2, g);
  std::vector<double> d(g.size());
  for (std::size_t k = 0; k < g.size(); ++k)
    d[k] = g[k] / (std::sqrt(memory.second[k]) + tiny);
  return d;
}

std::vector<double> lion_direction(std::span<const double> g, double momentum,
                                   double beta2, DirectionMemory& memory) {
  prepare(memory.first, g.size());
  ++memory.updates;
  std::vector<double> d(g.size());
  for (std::size_t k = 0; k < g.size(); ++k) {
    const double x = momentum * memory.first[k] + (1.0 - momentum) * g[k];
    d[k] = x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
  }
  blend(memory.first, beta2, 1.0 - beta2, g);
  return d;
}

double schedule_factor(Schedule schedule, std::int64_t t, std::int64_t T) {
  const double x = static_cast<double>(t) / static_cast<double>(T);
  switch (schedule) {
    case Schedule::constant:
      return 1.0;
    case Schedule::inverse:
      return 1.0 / (1.0 + x);
    case Schedule::cosine:
      break;
  }
  double sine = 0.0, cosine = 0.0;
  sincos_2pi(0.5 * std::min(x, 1.0), sine, cosine);
  return 0.5 * (1.0 + cosine);
}

}  // namespace drover
