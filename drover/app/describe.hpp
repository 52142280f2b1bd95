// A molecule and its wave function in a line each, and the proof of its import in rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/vmc/settings.hpp"

namespace drover::app {

// "water: O H2, 10 electrons (5 up, 5 down)"
std::string describe_system(const Molecule& molecule);

// "one determinant in 24 basis functions x nuclear-cusp x boys-handy"
std::string describe_wave_function(const Molecule& molecule, const Settings& settings);

// Label and text: what was read and what shows that it was read right.
std::vector<std::pair<std::string, std::string>> import_rows(const Molecule& molecule,
                                                             const std::string& file);

}  // namespace drover::app
