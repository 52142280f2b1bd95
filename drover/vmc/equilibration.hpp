// When the walkers have forgotten where they started, and how long their moves should be.
//
// Stationarity is judged by the series of energies and of variances, never by the
// acceptance. The last third of the series is cut into eight blocks; their means (energy)
// and medians (variance) are ranked in time by Kendall's S = sum_{i<j} sign(x_j - x_i).
// Ranks do not mind the heavy tails that a Gaussian basis without a cusp gives. Source:
// Mann, Econometrica 13, 245 (1945); Kendall, Biometrika 30, 81 (1938).
//
// Everything here is a deterministic function of reduced numbers (only + - * / sqrt), so
// every rank decides the same in the same step.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace drover {

// What a step of equilibration tells: averages over all walkers.
struct EquilibrationStep {
  double energy = 0.0;
  double variance = 0.0;      // clipped or not; only its order matters
  double energy_error = 0.0;  // from the walkers' spread in this step; 0: unknown
  double acceptance = 0.0;
};

enum class EquilibrationState {
  running,        // feed more steps
  equilibrated,   // measure from here
  not_converged,  // the largest number of steps came first; words say what still moves
  failed          // no move accepted or no finite energy: stop the run
};

struct EquilibrationVerdict {
  EquilibrationState state = EquilibrationState::running;
  std::string words;  // for the log, the warning or the error; empty while running
};

struct EquilibrationSettings {
  std::int64_t min_steps = 32;  // at least 24
  std::int64_t max_steps = 4000;
  std::int64_t patience = 20;  // steps without one accepted move before it fails
};

// Kendall's S of a short series in time order: n(n-1)/2 when it always rises.
std::int64_t kendall_s(std::span<const double> series);

// The rule, checked at n = min_steps and then after n/8 more steps each time: with the
// last third of the series in eight blocks,
//   |S| < 18 for the energies' block means and for the variances' block medians (a
//     stationary series fails each of these in 3 % of the checks), or a trend so small
//     that the medians of the window's halves differ by less than a quarter of the
//     steps' scatter; and
//   the last sixth's mean energy differs from that of the sixth before by less than three
//     standard errors, each taken as one fully correlated step (a bound).
// Once it passes at n1 it has to go on passing until 5/4 n1, when most of the window is
// new. Measured: a relaxation of 150 step errors with a time of 20 steps takes 190 steps,
// 1 % of a step error left; a stationary series 40 to 60. No rule sees a drift slower
// than the series is long and smaller than its noise: R-hat and blocking look at that.
class EquilibrationJudge {
 public:
  explicit EquilibrationJudge(EquilibrationSettings settings = {});

  // Judges with one more step. After the first state that is not `running` it repeats it.
  EquilibrationVerdict feed(const EquilibrationStep& step);

  std::int64_t steps() const { return static_cast<std::int64_t>(energies_.size()); }

  // All that the judge knows, as numbers, for the checkpoint; and back. The settings are
  // not part of it. restore throws Error(input) on numbers that no judge wrote.
  std::vector<double> state() const;
  void restore(std::span<const double> numbers);

 private:
  EquilibrationVerdict judge() const;
  bool stationary(std::string* why) const;

  EquilibrationSettings settings_;
  std::vector<double> energies_, variances_, errors_;
  std::int64_t without_moves_ = 0;
  std::int64_t passing_since_ = 0;  // steps when the present run of passes began; 0: none
  EquilibrationVerdict last_;
};

struct StepSizeSettings {
  double target = 0.5;      // acceptance
  std::int64_t steps = 24;  // of adaptation at most, then frozen; at least 4
  double smallest = 1e-6;   // bohr
  double largest = 1e3;
};

// Adapts the step size to the target acceptance, then freezes it: a chain whose step
// follows its acceptance for ever does not sample |psi|^2. One update multiplies the step
// by 1 + gain (r - 1), r = clamp((acceptance + 0.05) / (target + 0.05), 1/2, 2), with
// gain 1 in the first half of the steps and 1/2, 1/3, ... in the second. It freezes early
// after three acceptances in a row within 0.02 of the target.
class StepSizeController {
 public:
  // A start <= 0 or a setting out of range throws Error(logic).
  explicit StepSizeController(double start, StepSizeSettings settings = {});

  // Tells the acceptance of one step; returns the step size for the next. A value that
  // is not in [0, 1] throws Error(numerical). Frozen: changes nothing.
  double feed(double acceptance);

  double step_size() const { return step_size_; }
  bool frozen() const { return frozen_; }
  // Adaptation ended with not one move accepted in its last step: words for the error,
  // empty otherwise.
  std::string failure() const;

  std::vector<double> state() const;
  void restore(std::span<const double> numbers);

 private:
  StepSizeSettings settings_;
  double step_size_;
  double last_acceptance_ = 1.0;
  std::int64_t count_ = 0;
  std::int64_t close_ = 0;  // acceptances in a row near the target
  bool frozen_ = false;
};

}  // namespace drover
