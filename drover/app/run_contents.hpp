// run.h5: a finished run as named arrays, and back. `resume` of a finished run prints its
// result from here, so everything in a RunResult comes back with the same bits.
//
// Names: "version", "input"; "result/<number>"; "result/parameters",
// "result/blocking/..."; "optimisation/<number>" [step], "optimisation/parameters"
// [step][parameter]; and what the engine's last checkpoint holds (walkers, series of the
// measuring stage) under "state/".
#pragma once

#include <string>

#include "drover/vmc/run.hpp"

namespace drover::app {

Checkpoint run_contents(const RunRecord& record, const std::string& input);

// Error(input) naming the entry where the contents are not those of a finished run.
RunResult result_from(const Checkpoint& contents);

// The state of a finished run, under the names that the engine gave.
Checkpoint state_from(const Checkpoint& contents);

}  // namespace drover::app
