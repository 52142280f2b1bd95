// `drover bench`: the program's own speed on its built-in systems, one core, per walker.
//
// A walker step is one sweep of one-electron moves over all electrons and one local
// energy. Share of peak = counted operations / time / measured multiply-add peak (an fma
// counts two, an addition, multiplication, comparison, select, division or square root
// one); the peak is taken in turn with the other pieces, so that all meet the same clock.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drover/app/bench_timing.hpp"

namespace drover::app {

struct SystemSpeed {
  std::string system;
  double microseconds_per_walker_step = 0.0;
  double microseconds_per_local_energy = 0.0;
  double microseconds_per_move = 0.0;  // of one electron, sampling |psi|^2
  double share_of_peak = 0.0;          // of the walker step
  int lanes = 0;
  double microseconds_per_local_energy_with_derivatives = 0.0;
  double share_of_peak_local_energy = 0.0;
  double peak_gflops = 0.0;           // of one core at these lanes
  std::string instruction_set = {};   // "x86-64-v3", "x86-64-v4"
  std::int64_t bytes_per_walker = 0;  // that stay between visits
  std::int64_t operations_per_walker_step = 0;
  std::int64_t operations_per_local_energy = 0;
  std::int64_t electrons = 0, basis_functions = 0, parameters = 0;
  double spread = 0.0;  // between quartiles, of the walker step's time, relative
};

// One system, or all. Errors: input, for a name that is not a built-in system.
std::vector<SystemSpeed> measure_speed(const std::optional<std::string>& system,
                                       const TimingPlan& plan = {});

// One JSON object, keyed by system; ends with a newline.
std::string speed_as_json(const std::vector<SystemSpeed>& systems);
// A table for people.
std::string speed_as_table(const std::vector<SystemSpeed>& systems);

}  // namespace drover::app
