// What a run is asked to do: the resolved input, every key with its default.
//
// The keys and their meaning are those of the input file (docs/input.md); the app fills
// this struct from TOML and from --set, the engine reads nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drover/wave/jastrow_settings.hpp"
#include "drover/wave/move.hpp"

namespace drover {

// What an optimisation makes small: the energy or the variance of the local energy over
// |psi|^2, or that variance over the determinant's density (the reference).
enum class Objective { energy, variance, reference_variance };
std::string_view name_of(Objective objective);

// How a step is proposed; automatic: linear for the energy, Gauss-Newton for a variance.
enum class OptimiseMethod {
  automatic,
  linear,
  sr,      // stochastic reconfiguration, P x P
  sr_cg,   // the same by conjugate gradients, without a matrix
  min_sr,  // the same by the N x N matrix of the samples
  spring,  // with momentum, in the smaller of the two forms
  gauss_newton,
  adam,
  sgd,
  rmsprop,
  lion
};
std::string_view name_of(OptimiseMethod method);

// Of the learning rate, t accepted updates after the start: 1, 1/(1 + t/T) or
// (1 + cos(pi t/T))/2.
enum class Schedule { constant, inverse, cosine };
std::string_view name_of(Schedule schedule);

struct SystemSettings {
  std::optional<int> charge;  // of the molecule; must be given when the file's electrons
                              // and nuclear charges differ
  std::vector<std::string> excite;  // "up 5 -> 6": electrons moved to other orbitals
};

struct SamplingSettings {
  std::int64_t walkers = 4096;
  Move move = Move::one;
  std::int64_t sweeps = 4;         // of all electrons between energies
  double step_size = 0.0;          // bohr; 0: found during equilibration
  std::int64_t equilibration = 0;  // steps; 0: judged by the energy and variance series
};

// Below 0, a number of a method is the method's own (vmc/optimise_choice.hpp).
struct OptimiseSettings {
  Objective objective = Objective::energy;
  OptimiseMethod method = OptimiseMethod::automatic;
  std::int64_t steps = 8;            // of the objective; 0: none
  std::int64_t reference_steps = 8;  // Gauss-Newton on the reference variance first
  std::int64_t sweeps = 8;           // between the parameter change and its energies
  std::int64_t samples = 8;          // energies a walker gives to each optimisation step
  std::int64_t updates = 1;          // of the parameters for one set of samples
  double effective = 0.5;  // least share of effective samples for a further update
  double clip = 5.0;       // mean absolute deviations, for gradients only; 0: none
  double learning_rate = -1.0;
  double momentum = -1.0, beta2 = -1.0;
  double shift = -1.0;         // on the diagonal: of S, of H in hartree, or the damping
  double trust_radius = -1.0;  // longest first step
  std::int64_t cg_iterations = 0;  // 0: the method's own
  Schedule schedule = Schedule::constant;
  std::int64_t schedule_steps = 0;  // T; 0: optimise.steps
  std::int64_t average = 0;         // last points in the result; 0: those of the flat end
  std::vector<std::string> freeze;  // patterns of parameter names, with * and ?
};

struct MeasureSettings {
  double target_error = 1e-3;  // hartree
  std::int64_t steps = 0;      // wins over target_error when not 0
  std::int64_t max_steps = 1000000;
};

struct RunSettings {
  std::uint64_t seed = 7;
  std::int64_t devices = 0;     // 0: "all"
  std::int64_t microbatch = 0;  // walkers at a time on a device; 0: "auto"
  double checkpoint_seconds = 60.0;
  double time_limit_seconds = 0.0;  // 0: none
  std::string start_from = "none";  // an earlier run's folder
};

struct Settings {
  std::string wavefunction;  // path as given
  JastrowSettings jastrow;
  SystemSettings system;
  SamplingSettings sampling;
  OptimiseSettings optimise;
  MeasureSettings measure;
  RunSettings run;
};

}  // namespace drover
