// Where walkers start: electrons around the atoms, alternating spins, in random
// directions.
#pragma once

#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/wave/model.hpp"

namespace drover {

// The atom of each electron, spin up first: as many electrons as its charge where the
// molecule is neutral, spins alternating on each atom.
std::vector<int> electron_homes(const Molecule& molecule);

// Fills the tile: distance from the home atom 0.5(0.1) bohr for up, 1.0(0.3) for down. A
// pure function of (seed, global walker index).
void place_electrons(const Molecule& molecule, std::uint64_t seed, const TileView& tile);

}  // namespace drover
