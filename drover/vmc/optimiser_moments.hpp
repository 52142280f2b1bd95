// The averages over samples that an optimisation step needs, from raw sums.
//
// With E the local energy, O_k = d ln|psi| / dp_k and E_k = dE / dp_k per sample, all
// averages are 1/N. Energies are summed less a constant near their mean, so that central
// moments of a small spread on a large energy come out right; any constant may likewise
// be taken off each O_k and E_k, since only their central moments are used.
// Matrices are P x P, row-major, plain vectors of doubles.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace drover {

// What a method needs summed.
struct MomentSet {
  bool overlap = false;        // O, E O, O O^T
  bool hamiltonian = false;    // and E O O^T, E_k, O_k E_l
  bool energy_slopes = false;  // E_k, E E_k, E_k E_l

  static MomentSet sr() { return {true, false, false}; }
  static MomentSet linear_method() { return {true, true, false}; }
  static MomentSet gauss_newton() { return {false, false, true}; }
};

// Raw sums over samples, in whatever order they were made (the engine's reduction fills
// them). Sums outside the set stay empty.
struct OptimiserSums {
  MomentSet set;
  std::int64_t parameters = 0;
  std::int64_t samples = 0;
  double energy_shift = 0.0;
  double e = 0.0, e2 = 0.0;     // sum of E - shift and of its square
  std::vector<double> o, eo;    // P: O_k, (E - shift) O_k
  std::vector<double> oo, eoo;  // P x P: O_k O_l, (E - shift) O_k O_l
  std::vector<double> de, ede;  // P: E_k, (E - shift) E_k
  std::vector<double> ode;      // P x P: [k][l] = O_k E_l
  std::vector<double> dede;     // P x P: E_k E_l

  OptimiserSums(MomentSet which, std::int64_t parameter_count, double shift);
  // Adds one sample; the spans have P elements (slopes may be empty when the set has
  // neither hamiltonian nor energy_slopes, log_slopes when it has only energy_slopes).
  void add(double energy, std::span<const double> log_slopes,
           std::span<const double> energy_slopes);
};

// Central moments.
struct OptimiserMoments {
  MomentSet set;
  std::int64_t parameters = 0;
  std::int64_t samples = 0;
  double energy = 0.0;
  double variance = 0.0;               // <E^2> - <E>^2
  std::vector<double> o_mean;          // <O_k>, as summed
  std::vector<double> energy_log;      // cov(E, O_k): half the energy's gradient
  std::vector<double> overlap;         // S = cov(O_k, O_l)
  std::vector<double> energy_overlap;  // <(E - <E>)(O_k - <O_k>)(O_l - <O_l>)>
  std::vector<double> de_mean;         // <E_k>, as summed
  std::vector<double> log_slope;       // [k][l] = cov(O_k, E_l)
  std::vector<double> energy_slope;    // cov(E, E_k): half the gradient of the variance
  std::vector<double> slope_slope;     // G = cov(E_k, E_l)
};

// Central moments of raw sums. Throws Error(numerical) without a sample or when a sum is
// not finite (says which), Error(logic) when a sum has the wrong length.
// The mean of the E_k is used by the linear method: with a constant taken off them for
// accuracy, add it back to de_mean.
OptimiserMoments central_moments(const OptimiserSums& sums);

// The moments as numbers for a checkpoint, appended; and taken back from the front of
// `numbers`, which is advanced. Throws Error(input) when they do not fit.
void append(std::vector<double>& numbers, const OptimiserMoments& moments);
OptimiserMoments take_moments(std::span<const double>& numbers);

}  // namespace drover
