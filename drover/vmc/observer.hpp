// RunObserver: what a run tells while it runs. The engine calls, someone listens: the
// live table of the app, a log, a test. Nothing that a listener does may change a result.
//
// Energies in hartree, times in seconds. Under several ranks only rank 0's is called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "drover/vmc/result.hpp"

namespace drover {

// What is known before the first step; `check` prints the same.
struct RunHeader {
  std::string system;         // "water: O H2, 10 electrons (5 up, 5 down)"
  std::string wave_function;  // "determinant in 24 basis functions x nuclear-cusp"
  std::int64_t electrons = 0, parameters = 0;
  std::int64_t walkers = 0, tiles = 0;
  std::int64_t devices = 1, ranks = 1;  // devices of all ranks together
  std::string device_kind;              // "CPU thread, x86-64-v4, 8 lanes"
  std::vector<std::string> places;      // where devices run, a line a rank
  std::vector<std::string> crowding;    // why they are slower than they could be
  std::int64_t memory_bytes = 0;        // on the fullest device; 0: not known
  std::int64_t collectives_per_step = 0;
  std::int64_t bytes_per_step = 0;       // sent by one rank
  std::vector<std::string> collectives;  // one line each, "all-reduce of 1512 numbers"
  std::uint64_t seed = 0;
  double target_error = 0.0;            // of the measuring stage; 0: fixed steps
  std::int64_t measure_steps = 0;       // fixed steps; 0: until target_error
  std::int64_t optimisation_steps = 0;  // of all objectives together
  bool resumed = false;                 // goes on from a checkpoint
};

struct EquilibrationRecord {
  std::int64_t step = 0;     // done so far
  std::int64_t planned = 0;  // 0: judged by the series, not known
  double energy = 0.0, variance = 0.0, acceptance = 0.0;
  double step_size = 0.0;  // bohr
  double seconds = 0.0;    // since the stage began
};

class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void started(const RunHeader&) {}
  virtual void equilibration_step(const EquilibrationRecord&) {}
  virtual void optimisation_step(const OptimisationRecord&) {}
  // After `done` of about `planned` steps: the mean so far and its error; seconds_left
  // below 0: not known yet.
  virtual void measure_step(std::int64_t /*done*/, std::int64_t /*planned*/,
                            double /*energy*/, double /*error*/,
                            double /*seconds_left*/) {}
  virtual void finished(const RunResult&) {}
  // Something the user should know, in words: a warning deserves attention, a note
  // explains.
  virtual void warning(std::string_view) {}
  virtual void note(std::string_view) {}
};

}  // namespace drover
