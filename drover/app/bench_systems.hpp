// The systems that `drover bench` measures, inside the program, so that an installed one
// needs no files: He, Be, Ne, LiH, water and N2, restricted Hartree-Fock in cc-pVDZ.
#pragma once

#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"

namespace drover::app {

// Molden texts, in bench_atoms.cpp and bench_molecules.cpp.
extern const char bench_he[], bench_be[], bench_ne[];
extern const char bench_lih[], bench_water[], bench_n2[];

// "he", "be", "lih", "water", "ne", "n2": by the work that they are.
std::vector<std::string> bench_system_names();

// Reads and proves it as any file. Errors: input, for a name that is not among them.
Molecule bench_system(const std::string& name);

}  // namespace drover::app
