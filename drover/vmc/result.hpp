// What a run tells: a record per optimisation step, a record per measuring step, and the
// final statistics. Energies in hartree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover {

// One proposed change of the parameters and what became of it.
struct OptimisationRecord {
  std::int64_t step = 0;
  std::string objective;  // as in the input
  double energy = 0.0;    // of the parameters the step started from
  double error = 0.0;
  double variance = 0.0;  // of clipped energies
  double acceptance = 0.0;
  double step_norm = 0.0;  // of the change, in the metric of the method
  bool accepted = false;
  std::string reason;        // why accepted or not, in words
  std::int64_t clipped = 0;  // energies that were limited, for the gradient alone
  std::int64_t nonfinite = 0;
  double seconds = 0.0;
  std::vector<double> parameters;  // after the step
};

// One measuring step: averages over all walkers.
struct MeasureRecord {
  double energy = 0.0, kinetic = 0.0, potential = 0.0;
  double variance = 0.0;          // of the energies of this step
  double clipped_variance = 0.0;  // of its energies limited to 5 mean absolute deviations
  double acceptance = 0.0;
  std::int64_t counted = 0, nonfinite = 0;
};

// One level of Flyvbjerg-Petersen blocking.
struct BlockingLevel {
  std::int64_t block_length = 1;  // steps
  std::int64_t blocks = 0;
  double error = 0.0;  // of the mean
  double error_of_error = 0.0;
};

struct RunResult {
  double energy = 0.0, error = 0.0, error_naive = 0.0, error_blocking = 0.0;
  double variance = 0.0, variance_clipped = 0.0;
  double tau = 1.0;  // (error / error_naive)^2, in steps
  double effective_samples = 0.0, r_hat = 1.0;
  double kinetic = 0.0, kinetic_error = 0.0, potential = 0.0, potential_error = 0.0;
  double acceptance = 0.0, step_size = 0.0;
  std::int64_t nonfinite = 0, walkers = 0, steps = 0, sweeps = 0, electrons = 0;
  std::int64_t equilibration_steps = 0;
  std::uint64_t seed = 0;
  std::int64_t devices = 1, ranks = 1;
  double collectives_per_step = 0.0, bytes_per_step = 0.0;
  double seconds = 0.0, seconds_to_first_step = 0.0, microseconds_per_walker_step = 0.0;
  std::string state_digest;  // of all positions by global index and of the parameters
  std::vector<std::string> parameter_names;
  std::vector<double> parameters;
  // One standard error each, where they are an average of iterates; else empty.
  std::vector<double> parameter_errors;
  std::vector<OptimisationRecord> optimisation;
  std::vector<BlockingLevel> blocking;
  std::vector<std::string> warnings;
};

}  // namespace drover
