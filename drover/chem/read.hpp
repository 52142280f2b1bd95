// Reads a wave function from a file of another program, whatever its format.
//
// The format is told by the content: Molden text; HDF5 with PySCF's `mol` (a checkpoint)
// or with TREXIO's groups; a directory of TREXIO's text back end.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"

namespace drover {

struct ReadOptions {
  // Charge of the molecule; must be given where the file's electrons and nuclear charges
  // differ.
  std::optional<int> charge = {};
  // Electrons moved to other orbitals (excitations.hpp), e.g. "up 5 -> 6".
  std::vector<std::string> excite = {};
};

// Reads, proves the import (C^T S C = 1) and converts. Throws Error (input) with the
// file, the line where there is one, what was expected, what was found and what to do:
// for a file that cannot be read, damaged or unknown content, effective core potentials,
// several determinants, fractional occupations, electrons that contradict the charge, a
// basis not understood.
Molecule read_wavefunction(const std::string& path, const ReadOptions& options = {});

}  // namespace drover
