// Do error bars hold? The same short run with many seeds, and how far its energies lie
// from the truth in units of their own error bars.
//
//   z_i = (E_i - E) / s_i, E exact;  or  sqrt(n/(n-1)) (E_i - mean) / s_i  over n runs
// If the bars hold, z_i is Student's t with W - 1 degrees of freedom (s_i comes from the
// W walkers' means), and the mean of z_i^2 is (W-1)/(W-3), close to 1. A bar too small by
// f gives f^2 times that. The naive bar, which takes a walker's successive energies for
// independent, gives their statistical inefficiency tau.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "drover/vmc/run.hpp"

namespace errorbars {

struct Interval {
  double low = 0.0, high = 0.0;
  bool contains(double x) const { return low < x && x < high; }
};

// Where the mean of n squares of Student's t lies but for 1e-6 of the times, half of them
// on each side: its mean and variance through Wilson and Hilferty's (1931) cube root.
inline Interval mean_square_bounds(int n, std::int64_t walkers) {
  constexpr double quantile = 4.8916;  // of a normal number, two-sided 1e-6
  const double v = static_cast<double>(walkers - 1);
  const double mean = v / (v - 2), relative_variance = 2 * (v - 1) / (v - 4);
  const double w = relative_variance / (9.0 * n), width = quantile * std::sqrt(w);
  const auto cube = [](double x) { return x * x * x; };
  return {mean * cube(std::max(0.0, 1 - w - width)), mean * cube(1 - w + width)};
}

struct Findings {
  int runs = 0;
  double mean_square = 0.0, mean_square_naive = 0.0;
  double mean_energy = 0.0, mean_error = 0.0, mean_tau = 0.0, mean_steps = 0.0;
  // Of the mean over runs against the exact energy, where there is one; a normal number.
  std::optional<double> mean_deviation;
  Interval allowed;

  bool holds() const { return allowed.contains(mean_square); }
  // Far enough from right that chance cannot have done it.
  bool naive_fails() const { return mean_square_naive > allowed.high; }
};

// Needs a current mesh. Runs settings with the seeds first_seed, first_seed + 1, ...
inline Findings study(const drover::Molecule& molecule, drover::Settings settings,
                      int runs, std::uint64_t first_seed, std::optional<double> exact) {
  struct Energy {
    double value, error, naive;
  };
  Findings f;
  f.runs = runs;
  f.allowed = mean_square_bounds(runs, settings.sampling.walkers);
  std::vector<Energy> energies;
  double squares_of_errors = 0.0;
  for (int k = 0; k < runs; ++k) {
    settings.run.seed = first_seed + static_cast<std::uint64_t>(k);
    drover::RunObserver quiet;
    drover::RunControl control;
    const drover::RunResult r = drover::run(molecule, settings, quiet, control).result;
    energies.push_back({r.energy, r.error, r.error_naive});
    squares_of_errors += r.error * r.error;
    f.mean_energy += r.energy / runs;
    f.mean_error += r.error / runs;
    f.mean_tau += r.tau / runs;
    f.mean_steps += static_cast<double>(r.steps) / runs;
  }
  const double scale = exact ? 1.0 : static_cast<double>(runs) / (runs - 1);
  for (const Energy& e : energies) {
    const double d = e.value - exact.value_or(f.mean_energy);
    f.mean_square += scale * d * d / (e.error * e.error) / runs;
    f.mean_square_naive += scale * d * d / (e.naive * e.naive) / runs;
  }
  if (exact)
    f.mean_deviation = (f.mean_energy - *exact) * runs / std::sqrt(squares_of_errors);
  return f;
}

// A run of fixed parameters that only measures; small steps of one electron with a single
// sweep between energies, so that successive energies are alike.
inline drover::Settings correlated_settings() {
  drover::Settings s;
  s.sampling.walkers = 128;
  s.sampling.sweeps = 1;
  s.sampling.step_size = 0.3;
  s.sampling.equilibration = 200;
  s.optimise.steps = s.optimise.reference_steps = 0;
  s.measure.steps = 100;
  s.run.checkpoint_seconds = 1e9;
  return s;
}

}  // namespace errorbars
