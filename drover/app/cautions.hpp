// What deserves a word before a run begins: a request that the machine serves badly, and
// one that it cannot serve at all.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "drover/chem/molecule.hpp"
#include "drover/vmc/observer.hpp"
#include "drover/vmc/settings.hpp"

namespace drover::app {

// Bytes of memory that this process may have: the machine's, or less where its control
// group allows less.
std::int64_t usable_memory();

// Sentences for the table, the log and the result's warnings: devices that share cores,
// devices without walkers, a tile that is mostly empty, a wave function without one of
// the cusps, orbitals that are hardly orthonormal.
std::vector<std::string> cautions(const RunHeader& header, const Settings& settings,
                                  const Molecule& molecule);

// Bytes that a rank needs at its peak, which is when a checkpoint is written: its own
// walkers, and on rank 0 three copies of everybody's (gathered, in the checkpoint, in the
// image of the file; measured as a peak of 3.96 times the walkers on one rank).
double peak_memory(const RunHeader& header, bool first_rank);

// Error(input) where that is more than `memory` bytes. Linux hands out memory that it
// does not have and kills the program later, without a word.
void refuse_too_large(const RunHeader& header, bool first_rank, std::int64_t memory);

}  // namespace drover::app
