// The one JSON object of --json: keys in plain words, energies in hartree, a number that
// is not finite as null, and the energy once more as a hexadecimal float (every bit of
// it).
#pragma once

#include <string>

#include "drover/vmc/result.hpp"

namespace drover::app {

// One line, ending in a line feed. `folder` is where the run's files are; "" leaves it
// out.
std::string result_json(const RunResult& result, const std::string& folder = "");

// What --json prints when there is no result: "status" ("stopped", "failed" or
// "wrong input"), "message", and the folder where there is one.
std::string failure_json(const std::string& status, const std::string& message,
                         const std::string& folder = "");

// A double as C's %a writes it: "-0x1.301bd70a3d70ap+6".
std::string hexadecimal(double value);

}  // namespace drover::app
