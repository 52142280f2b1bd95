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
  bool log_slopes = false;     // O, E O
  bool energy_slopes = false;  // E_k, E E_k
  bool squares = false;        // E^2 O; with log_slopes
  bool diagonal = false;       // O_k^2; with log_slopes
  bool overlap = false;        // O O^T; with log_slopes
  bool hamiltonian = false;    // E O O^T, O_k E_l; with overlap and energy_slopes
  bool slope_overlap = false;  // E_k E_l; with energy_slopes

  // P x P sums, whose number grows with the square of the parameters.
  bool matrices() const { return overlap || hamiltonian || slope_overlap; }
  bool any() const { return log_slopes || energy_slopes; }

  static MomentSet gradient() { return {.log_slopes = true}; }
  static MomentSet sr() { return {.log_slopes = true, .overlap = true}; }
  static MomentSet linear_method() {
    return {
        .log_slopes = true, .energy_slopes = true, .overlap = true, .hamiltonian = true};
  }
  static MomentSet gauss_newton() {
    return {.energy_slopes = true, .slope_overlap = true};
  }
  static MomentSet all() { return {true, true, true, true, true, true, true}; }

  bool operator==(const MomentSet&) const = default;
};

// Raw sums over samples, in whatever order they were made (the engine's reduction fills
// them). Sums outside the set stay empty. A sample may carry a weight; then every sum but
// the number of samples is weighted.
struct OptimiserSums {
  MomentSet set;
  std::int64_t parameters = 0;
  std::int64_t samples = 0;
  double weight = 0.0;  // sum of the weights
  double energy_shift = 0.0;
  double e = 0.0, e2 = 0.0;     // sum of E - shift and of its square
  std::vector<double> o, eo;    // P: O_k, (E - shift) O_k
  std::vector<double> eeo, o2;  // P: (E - shift)^2 O_k, O_k^2
  std::vector<double> oo, eoo;  // P x P: O_k O_l, (E - shift) O_k O_l
  std::vector<double> de, ede;  // P: E_k, (E - shift) E_k
  std::vector<double> ode;      // P x P: [k][l] = O_k E_l
  std::vector<double> dede;     // P x P: E_k E_l

  OptimiserSums(MomentSet which, std::int64_t parameter_count, double shift);
  // Adds one sample; the spans have P elements, or none where the set does not ask.
  void add(double energy, std::span<const double> log_slopes,
           std::span<const double> energy_slopes, double sample_weight = 1.0);
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
  std::vector<double> square_log;      // cov((E - <E>)^2, O_k)
  std::vector<double> diagonal;        // cov(O_k, O_k)
  std::vector<double> overlap;         // S = cov(O_k, O_l)
  std::vector<double> energy_overlap;  // <(E - <E>)(O_k - <O_k>)(O_l - <O_l>)>
  std::vector<double> de_mean;         // <E_k>, as summed
  std::vector<double> log_slope;       // [k][l] = cov(O_k, E_l)
  std::vector<double> energy_slope;    // cov(E, E_k)
  std::vector<double> slope_slope;     // G = cov(E_k, E_l)

  // The gradient of the energy 2 cov(E, O_k); of the variance of E over |psi|^2,
  // 2 cov(E, E_k) + 2 cov((E - <E>)^2, O_k); over a fixed density 2 cov(E, E_k).
  std::vector<double> gradient(bool of_variance) const;
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
