// Small runs for the tests of the engine.
#pragma once

#include <string>

#include "drover/chem/read.hpp"
#include "drover/core/error.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/vmc/run.hpp"

namespace drover::testing {

inline Molecule molecule_of(const std::string& file) {
  return read_wavefunction(std::string(DROVER_SOURCE_DIR) + "/tests/data/molden/" + file,
                           {});
}

inline Settings small_settings() {
  Settings s;
  s.sampling.walkers = 200;  // not whole tiles
  s.sampling.sweeps = 2;
  s.sampling.equilibration = 20;
  s.optimise.steps = 2;
  s.optimise.reference_steps = 2;
  s.optimise.sweeps = 2;
  s.optimise.samples = 2;
  s.measure.steps = 10;
  s.run.checkpoint_seconds = 1e9;
  return s;
}

inline RunRecord run_on(int devices, const Molecule& molecule, const Settings& settings,
                        RunControl control = {}) {
  const auto scope = use_mesh(Mesh::cpu(devices));
  RunObserver quiet;
  return run(molecule, settings, quiet, control);
}

// Bits, not values: a NaN equals itself, -0 differs from 0.
inline std::string bits_of(const RunRecord& r) {
  char text[64];
  std::string all;
  const auto add = [&](double x) {
    std::snprintf(text, sizeof text, "%a ", x);
    all += text;
  };
  add(r.result.energy);
  add(r.result.error);
  add(r.result.variance);
  add(r.result.kinetic);
  add(r.result.kinetic_error);
  add(r.result.r_hat);
  for (const double p : r.result.parameters) add(p);
  for (const OptimisationRecord& o : r.result.optimisation) {
    for (const double x : {o.energy, o.error, o.variance, o.step_norm, o.acceptance})
      add(x);
    for (const double p : o.parameters) add(p);
    all += (o.accepted ? "accepted " : "reverted ") + o.reason + " ";
  }
  for (const double e : r.result.parameter_errors) add(e);
  return all + r.result.state_digest;
}

}  // namespace drover::testing
