// Positions in and numbers out of `drover evaluate`, as JSON.
//
// In: an object with "positions", a list of configurations, each a list of [x, y, z] in
// bohr, spin-up electrons first; or an object with "configurations", a list of objects
// that each have the "positions" of one. Other keys are not read, so that files with
// another program's values will do; one that looks like a mistyped one of these is an
// error. Out: an object of arrays in the same order.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace drover::app {

using Configuration = std::vector<std::array<double, 3>>;  // [electron], bohr

struct Evaluation {
  std::vector<double> log_psi, sign, log_jastrow;        // [configuration]
  std::vector<double> local_energy, kinetic, potential;  // [configuration], hartree
  std::vector<std::vector<std::array<double, 3>>>
      gradient;                                // of ln|psi| [conf.][electron]
  std::vector<std::vector<double>> laplacian;  // of ln|psi| [conf.][electron]
  std::vector<std::string> parameters;         // names, with derivatives
  std::vector<std::vector<double>> log_psi_parameter_gradient;       // [conf.][parameter]
  std::vector<std::vector<double>> local_energy_parameter_gradient;  // [conf.][parameter]
};

// Error(input) that names the element with the wrong shape: "points.json:
// positions[2][5]: expected three numbers ...". `up`, `down`: electrons of the wave
// function.
std::vector<Configuration> read_points(const std::string& path, int up, int down);
std::vector<Configuration> parse_points(const std::string& text, const std::string& name,
                                        int up, int down);

// One line. The three keys of derivatives only where they were asked for.
std::string evaluation_json(const Evaluation& evaluation, bool derivatives);

// A table for people: a line a configuration.
std::string evaluation_text(const Evaluation& evaluation);

}  // namespace drover::app
