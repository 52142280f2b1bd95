// The commands of the program, from a parsed command line to an exit code.
//
// With --json standard output gets exactly one JSON object, also when the command fails,
// and everything else goes to standard error. Exit codes: 0 done; 1 the run failed; 2 the
// input or the command line is wrong; 3 stopped with a checkpoint.
#pragma once

#include <string>
#include <vector>

#include "drover/app/engine_calls.hpp"
#include "drover/app/output.hpp"

namespace drover::app {

// The whole program but main(): arguments without the program's name. Never throws.
int run_program(const std::vector<std::string>& arguments, const Engine& engine,
                Output& out, Output& err);

}  // namespace drover::app
