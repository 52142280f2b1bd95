// Error bars of a correlated average, from small reduced data.
//
// The first error bar is the spread of the walkers' own means (the walkers are
// independent, their energies along time are not); Flyvbjerg-Petersen blocking of the
// series of step averages is the check. Statistical inefficiency
//   tau = (error / error_naive)^2 = 1 + 2 sum_t rho(t),
// one for independent numbers. Sources: Flyvbjerg and Petersen, J. Chem. Phys. 91, 461
// (1989); Lee, Kent, Towler, Needs, Lopez Rios, Phys. Rev. E 83, 066706 (2011); Geyer,
// Stat. Sci. 7, 473 (1992); Vehtari and others, Bayesian Anal. 16, 667 (2021).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drover/core/moments.hpp"
#include "drover/vmc/result.hpp"

namespace drover {

// Flyvbjerg-Petersen: level l averages the series in blocks of 2^l, dropping a tail that
// does not fill a block, and states sqrt(c0 / (n' - 1)) with the error of that error,
// error / sqrt(2 (n' - 1)), for the n' >= 2 blocks left. Empty for fewer than two values.
// The input must be finite.
std::vector<BlockingLevel> blocking(std::span<const double> series);

struct Plateau {
  bool reached = false;
  std::int64_t level = 0;  // into the vector of levels
  double error = 0.0;      // of the mean; meaningless when there are no levels
  double error_of_error = 0.0;
};

// The smallest block length B with B^3 > 2 n tau(B)^2, tau(B) = (error(B)/error(1))^2:
// there the bias left by correlation between blocks and the noise of the error balance
// (Wolff; Lee and others 2011). Not reached: the level whose error less
// its own error is largest is given, which is still too small when the series is shorter
// than its correlations.
Plateau plateau(std::span<const BlockingLevel> levels);

// tau = 1 + 2 sum_t rho(t) of a series by Geyer's initial monotone sequence: pairs
// rho(2k) + rho(2k+1), which a reversible chain keeps positive and falling, are summed
// until one is not positive. 1 for a constant series or fewer than four values; never
// below 0.01. Cost n times the window.
double autocorrelation_time(std::span<const double> series);

// Sums over walkers of a walker's own sum s_i of (energy - shift) over its n_i counted
// energies. Walkers with n_i = 0 are not counted. A shift near the mean keeps accuracy.
struct WalkerSums {
  std::int64_t walkers = 0;  // with n_i > 0
  double shift = 0.0;
  double counted = 0.0;    // sum n_i
  double sum = 0.0;        // sum s_i
  double sum2 = 0.0;       // sum s_i^2
  double sum_count = 0.0;  // sum s_i n_i
  double counted2 = 0.0;   // sum n_i^2

  void add(double walker_sum, double walker_count);
};

struct MeanAndError {
  double mean = 0.0;
  double error = 0.0;
};

// Mean R = sum s_i / sum n_i and its error from the spread of the walkers,
//   error^2 = W/(W-1) sum_i (s_i - n_i R)^2 / (sum n_i)^2,
// the ratio estimator; with equal n_i it is the error of the mean of the walkers' means.
// Nothing for fewer than two walkers: one walker has no spread.
std::optional<MeanAndError> walker_spread(const WalkerSums& sums);

// Sums over half chains (two per walker; the halves may differ in length).
struct HalfChainSums {
  std::int64_t chains = 0;          // half chains with at least two energies
  double samples = 0.0;             // sum n_j
  double sum_inverse_length = 0.0;  // sum 1/n_j
  double shift = 0.0;               // taken off the energies, near their mean
  double sum_means = 0.0;           // sum mean_j
  double sum_means2 = 0.0;          // sum mean_j^2
  double within = 0.0;              // sum_j sum_t (x_jt - mean_j)^2

  // A half chain given by its length, its mean less the shift, and its own M2. One with
  // fewer than two energies has no inner spread and is left out.
  void add(double length, double shifted_mean, double m2);
};

// R-hat = sqrt((W - W <1/n> + V) / W): W = within / sum (n_j - 1), V the sample variance
// of the half chains' means. Equal lengths: sqrt(((n-1)/n W + B/n) / W), the standard
// form. Nothing for fewer than two half chains. 1 when nothing varies at all; at most
// 1e12, its value for chains that are constant but differ.
std::optional<double> split_r_hat(const HalfChainSums& sums);

// The same from chains of any lengths; each is cut in two, the middle element of an odd
// one left out. Nothing when no chain has four elements.
std::optional<double> split_r_hat(std::span<const std::vector<double>> chains);

// What a measuring stage knows at its end (or at any step before).
struct MeasuredEnergies {
  std::vector<double> series;  // average over walkers of each step, in order
  WalkerSums walkers;
  HalfChainSums half_chains;
  double variance = 0.0;  // of all energies, unclipped
};

struct EnergyStatistics {
  double energy = 0.0;
  double error = 0.0;           // the one to quote
  double error_naive = 0.0;     // as if all energies were independent
  double error_blocking = 0.0;  // of the series' plateau; 0 when the series has one step
  double tau = 1.0;             // (error / error_naive)^2
  double effective_samples = 0.0;
  double r_hat = 1.0;        // 1 and a warning when it is not known
  bool error_known = false;  // false: no error bar can be given yet
  bool plateau_reached = false;
  std::vector<BlockingLevel> levels;
  std::vector<std::string> warnings;
};

// Puts the pieces together. The quoted error is the walkers' spread when there are 32
// walkers or more (its own relative error 1/sqrt(2W) is then below 13 %); with fewer the
// larger of spread and blocking; with one walker blocking alone. Warns in words when the
// two disagree by more than four standard deviations of the ratio of their squares (at
// any block length when blocking is above: a false alarm in about 3000 runs of 1000
// steps), when blocking had to be used before its plateau, and when R-hat exceeds 1.1.
// Throws Error(numerical) when no energy was counted or an input is not a number.
EnergyStatistics combine(const MeasuredEnergies& measured);

// Writes the statistics into a run's result (energy, errors, tau, effective samples,
// R-hat, blocking) and appends the warnings.
void fill(RunResult& result, const EnergyStatistics& statistics);

// "-76.0267(12)": the value with one standard error on its last digits, two of them when
// the first is a one. A non-finite or zero error is written out in full.
std::string with_error(double value, double error);

}  // namespace drover
