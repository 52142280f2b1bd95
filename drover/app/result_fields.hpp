// The numbers of a RunResult, each with its name and unit, in one list that the JSON
// object and the HDF5 file share.
#pragma once

#include "drover/vmc/result.hpp"

namespace drover::app {

// Calls visit(name, unit, member) for every number of a result; Result is RunResult or
// const RunResult. "seed" is unsigned, the others are double or int64.
template <typename Result, typename Visit>
void visit_numbers(Result& r, Visit&& visit) {
  visit("energy", "hartree", r.energy);
  visit("error", "hartree", r.error);
  visit("error_naive", "hartree", r.error_naive);
  visit("error_blocking", "hartree", r.error_blocking);
  visit("variance", "hartree^2", r.variance);
  visit("variance_clipped", "hartree^2", r.variance_clipped);
  visit("tau", "steps", r.tau);
  visit("effective_samples", "", r.effective_samples);
  visit("r_hat", "", r.r_hat);
  visit("kinetic", "hartree", r.kinetic);
  visit("kinetic_error", "hartree", r.kinetic_error);
  visit("potential", "hartree", r.potential);
  visit("potential_error", "hartree", r.potential_error);
  visit("acceptance", "", r.acceptance);
  visit("step_size", "bohr", r.step_size);
  visit("nonfinite", "", r.nonfinite);
  visit("walkers", "", r.walkers);
  visit("steps", "", r.steps);
  visit("sweeps", "", r.sweeps);
  visit("electrons", "", r.electrons);
  visit("equilibration_steps", "", r.equilibration_steps);
  visit("seed", "", r.seed);
  visit("devices", "", r.devices);
  visit("ranks", "", r.ranks);
  visit("collectives_per_step", "", r.collectives_per_step);
  visit("bytes_per_step", "bytes", r.bytes_per_step);
  visit("seconds", "s", r.seconds);
  visit("seconds_to_first_step", "s", r.seconds_to_first_step);
  visit("microseconds_per_walker_step", "us", r.microseconds_per_walker_step);
}

// The same for one step of the optimisation; its text and flag come on top.
template <typename Record, typename Visit>
void visit_numbers_of_step(Record&& r, Visit&& visit) {
  visit("step", "", r.step);
  visit("energy", "hartree", r.energy);
  visit("error", "hartree", r.error);
  visit("variance", "hartree^2", r.variance);
  visit("acceptance", "", r.acceptance);
  visit("step_norm", "", r.step_norm);
  visit("clipped", "", r.clipped);
  visit("nonfinite", "", r.nonfinite);
  visit("seconds", "s", r.seconds);
}

}  // namespace drover::app
