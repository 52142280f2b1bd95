// Reader of Molden files: [Atoms], [GTO], [MO] and the lines that say which shells are
// spherical, in any order and case. www.theochem.ru.nl/molden/molden_format.html
//
// Shells s to i (i and h only spherical: Molden names no Cartesian order for them), sp
// shells, D exponents, repeated [MO] headers, keys of an orbital in any order, missing
// zero coefficients, Windows line ends. Anything that does not fit is an Error with file
// and line.
#pragma once

#include <string>
#include <string_view>

#include "drover/chem/file_wavefunction.hpp"

namespace drover {

// Whether the beginning of a file is that of a Molden file.
bool looks_like_molden(std::string_view text);

// What the text says; `path` is for messages. Memory is proportional to the text. Throws
// Error (input). The proof and the check of the charge come later, in import_molecule.
FileWavefunction read_molden(const std::string& path, std::string_view text,
                             KeepEmpty keep_empty = KeepEmpty::some);

}  // namespace drover
