// What a run is asked to do: the resolved input, every key with its default.
//
// The keys and their meaning are those of the input file (docs/input.md); the app fills
// this struct from TOML and from --set, the engine reads nothing else.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drover/wave/jastrow_settings.hpp"
#include "drover/wave/move.hpp"

namespace drover {

enum class OptimiseMethod { linear, sr };

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

struct OptimiseSettings {
  std::string objective = "energy";  // "energy" or "reference-variance"
  OptimiseMethod method = OptimiseMethod::linear;
  std::int64_t steps = 8;  // of the objective; 0: none
  std::int64_t reference_steps =
      8;                     // Gauss-Newton updates on the reference variance first
  std::int64_t sweeps = 8;   // between the parameter change and its energies
  std::int64_t samples = 8;  // energies a walker gives to each optimisation step
  double clip = 5.0;         // mean absolute deviations, for gradients only; 0: none
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
