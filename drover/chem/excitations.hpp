// Excited determinants: electrons of the file's determinant moved to other orbitals.
#pragma once

#include <string>
#include <vector>

#include "drover/chem/file_wavefunction.hpp"

namespace drover {

// Moves electrons one after another, each told as "up 5 -> 6", "down 4 -> 7" or, with a
// spin flipped, "down 5 -> up 6". Orbitals are counted from 1 within their spin, in the
// file's order; a file whose spins share orbitals counts them alike for both. Throws
// Error (input, key system.excite) for what cannot be read, an orbital that is empty or
// not in the file, and one that is taken.
void excite(FileWavefunction& file, const std::vector<std::string>& moves);

}  // namespace drover
