// The run: equilibrate, optimise, measure; from a wave function to an energy with its
// error.
//
// Stages, in order (those without work are left out):
//   equilibrate the determinant's density     walkers forget where they began
//   reference   Gauss-Newton on the variance of the local energy over that density
//   equilibrate |psi|^2
//   optimise    the energy (linear method or SR), each step proposed, sampled, judged
//   equilibrate |psi|^2 of the best parameters
//   measure     to the target error
// A step is the unit of everything: between steps a run can be saved, stopped and taken
// up again on other devices with the same bits.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "drover/chem/molecule.hpp"
#include "drover/core/array.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/vmc/checkpoint.hpp"
#include "drover/vmc/observer.hpp"
#include "drover/vmc/result.hpp"
#include "drover/vmc/settings.hpp"
#include "drover/wave/model.hpp"

namespace drover {

struct RunControl {
  // Asked between steps; true ends the run with a checkpoint and Error(stopped).
  std::function<bool()> stop_requested;
  // Keeps a checkpoint; called on rank 0.
  std::function<void(const Checkpoint&)> save;
  // What a stopped run left; the run goes on from there.
  std::optional<Checkpoint> restart;
  // Another run's last state: its walkers and parameters are where this one begins.
  std::optional<Checkpoint> start;
  // Where the walkers begin, [walkers][electrons][3] in bohr, up electrons first, the
  // same on every rank; empty: drawn from the seed. `restart` and `start` win over it.
  Array<double> positions;
  // Parameters to begin with, by the model's order; empty: the model's own.
  std::vector<double> parameters;
  // When the process started, for seconds_to_first_step; the default: now.
  std::optional<double> seconds_since_start;
};

// Everything a run leaves behind.
struct RunRecord {
  RunResult result;
  std::vector<MeasureRecord> measured;
  Checkpoint final_state;  // walkers and parameters, to start another run from; rank 0
};

// Runs a model on the current mesh. Errors: stopped, after a checkpoint; numerical, when
// no move is accepted or no energy is a number; input, for a checkpoint of another run.
RunRecord run(Model& model, const Settings& settings, RunObserver& observer,
              RunControl& control);

// The same for a molecule, with its Jastrow factor.
RunRecord run(const Molecule& molecule, const Settings& settings, RunObserver& observer,
              RunControl& control);

// What a run will be, for its header and for `check`. Needs a current mesh.
RunHeader describe_run(const Model& model, const Settings& settings);

// Devices that run.devices asks for: 0 means every core this process may use.
Mesh make_mesh(const Settings& settings);

}  // namespace drover
