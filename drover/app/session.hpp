// What one call of the program has at hand, and the commands by themselves.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "drover/app/cli.hpp"
#include "drover/app/engine_calls.hpp"
#include "drover/app/output.hpp"

namespace drover::app {

struct Session {
  const CommandLine& line;
  const Engine& engine;
  Output& out;
  Output& err;
  std::string folder;  // once there is one, for messages
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
        .count();
  }

  bool first_rank() const { return engine.rank() == 0; }
  // Where people read: with --json standard output is the program's alone.
  Output& screen() { return line.json ? err : out; }
};

Molecule read_molecule(const Session& session, const Settings& settings);

// The parameters of jastrow.parameters in the model's order; empty: the model's own.
std::vector<double> load_parameters(const Session& session, const Settings& settings,
                                    const Molecule& molecule);

// Each does its work on every rank and returns the exit code; errors are thrown.
int run_command(Session& session);
int resume_command(Session& session);
int check_command(Session& session);
int evaluate_command(Session& session);
int export_command(Session& session);
int devices_command(Session& session);
int bench_command(Session& session);

}  // namespace drover::app
