// A built-in system made ready to be measured: some tiles of its walkers, spread over
// |psi|^2, with the visits whose time or whose operations are asked for.
#pragma once

#include <cstdint>
#include <memory>

#include "drover/chem/molecule.hpp"
#include "drover/core/array.hpp"
#include "drover/core/counting.hpp"
#include "drover/wave/molecular_model.hpp"

namespace drover::app {

enum class Visit {
  walker_step,              // one sweep of all electrons and one local energy
  local_energy,             // of resting walkers
  energy_with_derivatives,  // and d ln psi / dp, dE_L / dp
  moves                     // `sweeps_of_moves` sweeps of one-electron moves alone
};

// As many as a visit of a run does by default; a visit's preparation is shared by them.
inline constexpr std::int64_t sweeps_of_moves = 4;

class SystemWork {
 public:
  // With the Jastrow factor that a run has by default, at its first parameters. The
  // walkers have made `sweeps` sweeps from where a run would begin.
  SystemWork(const Molecule& molecule, int tiles, std::int64_t sweeps);

  const MolecularModel& model() const { return model_; }
  std::int64_t walkers() const;
  // What the times of a visit to all walkers are divided by: walkers, or moves.
  double units(Visit what) const;
  // Visits all walkers `times` times. Touches no heap.
  void run(Visit what, std::int64_t times);
  // Operations of one walker's visit, the average over the first tile, which stays where
  // it is. A primitive that is dropped far from its nucleus is not counted.
  OperationCounts count(Visit what) const;
  // The last tile's energies are numbers, and some moves were accepted, not all.
  bool is_sane() const;

 private:
  VisitPlan plan(Visit what) const;
  double* tile(int t) { return positions_.data() + t * rows_ * tile_walkers; }

  MolecularModel model_;
  int tiles_;
  std::int64_t rows_;
  AlignedVector<double> positions_;  // [tile][3 electrons][64]
  AlignedVector<double> numbers_;    // kinetic, potential, derivatives of one tile
  std::unique_ptr<Model::Scratch> scratch_;
  TileResult result_;
  std::int64_t sweep_ = 0;
};

}  // namespace drover::app
