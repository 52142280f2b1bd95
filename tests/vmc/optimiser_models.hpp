// Small problems with known minima for the optimiser's tests. Averages are made by exact
// quadrature: weighted points folded into the sums of one "sample".
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "drover/vmc/optimise_choice.hpp"
#include "drover/vmc/optimiser.hpp"

namespace drover {

// One quadrature point: weight times psi^2, energy and slopes.
struct Point {
  double weight;
  double energy;
  std::vector<double> o, de;
};

inline OptimiserMoments average(MomentSet set, const std::vector<Point>& points) {
  const std::size_t p = points[0].o.size();
  double total = 0.0, shift = 0.0;
  for (const auto& q : points) {
    total += q.weight;
    shift += q.weight * q.energy;
  }
  OptimiserSums sums(set, static_cast<std::int64_t>(p), shift / total);
  sums.samples = 1;
  sums.weight = 1.0;
  for (const auto& q : points) {
    OptimiserSums one(set, static_cast<std::int64_t>(p), shift / total);
    one.add(q.energy, q.o, q.de);
    const double w = q.weight / total;
    sums.e += w * one.e;
    sums.e2 += w * one.e2;
    const auto fold = [w](std::vector<double>& into, const std::vector<double>& from) {
      for (std::size_t i = 0; i < into.size(); ++i) into[i] += w * from[i];
    };
    fold(sums.eeo, one.eeo);
    fold(sums.o2, one.o2);
    fold(sums.o, one.o);
    fold(sums.eo, one.eo);
    fold(sums.oo, one.oo);
    fold(sums.eoo, one.eoo);
    fold(sums.de, one.de);
    fold(sums.ode, one.ode);
    fold(sums.ede, one.ede);
    fold(sums.dede, one.dede);
  }
  return central_moments(sums);
}

using Model = std::function<std::vector<Point>(const std::vector<double>&)>;

inline StepFigures figures_of(const OptimiserMoments& m, double error) {
  return {m.energy, error, m.variance, error, 1000, 0};
}

// Independent oscillators psi = prod exp(-a_k x_k^2 / 2): E = sum (a_k +
// omega_k^2/a_k)/4. The trapezoidal rule is exact to rounding for Gaussians.
inline Model oscillators(const std::vector<double>& omega) {
  return [omega](const std::vector<double>& a) {
    std::vector<Point> points(1, Point{1.0, 0.0, {}, {}});
    for (std::size_t k = 0; k < omega.size(); ++k) {
      std::vector<Point> next;
      for (int i = -24; i <= 24; ++i) {
        const double x = 0.25 * i / std::sqrt(a[k]);
        for (Point q : points) {
          q.weight *= std::exp(-a[k] * x * x);
          q.energy += 0.5 * a[k] + 0.5 * (omega[k] * omega[k] - a[k] * a[k]) * x * x;
          q.o.push_back(-0.5 * x * x);
          q.de.push_back(0.5 - a[k] * x * x);
          next.push_back(q);
        }
      }
      points = std::move(next);
    }
    return points;
  };
}

inline OptimiserSettings settings_for(Objective objective, OptimiseMethod method) {
  OptimiseSettings settings;
  settings.objective = objective;
  settings.method = method;
  return OptimiserSettings::of(settings, objective, 8, 4096);
}

}  // namespace drover
