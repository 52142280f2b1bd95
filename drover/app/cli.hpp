// The command line: which command, with what. Nothing is read or run here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drover/app/overrides.hpp"

namespace drover::app {

struct CommandLine {
  std::string command;              // "run"; "" when `print` says everything
  std::string input;                // FILE, INPUT or, for resume and export, DIR
  std::vector<Override> overrides;  // of --set, --devices and --params
  std::optional<std::string> out;
  std::string points;  // --at
  std::string pytc;    // --pytc
  std::optional<std::string> system;
  bool json = false, derivatives = false;
  bool energy = false;  // check: measure the determinant's energy too
  std::string print;    // help or version: for standard output, then done
};

// Error(input) for anything that is not understood, with the nearest command or option.
CommandLine parse_command_line(const std::vector<std::string>& arguments);

// Help of the whole program.
std::string program_help();

}  // namespace drover::app
