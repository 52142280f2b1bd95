// The seam between the engine and a wave function: what a tile of walkers can be asked
// for.
//
// A model is visited tile by tile: positions in, some sweeps of Metropolis moves, then
// the local energy and what else is wanted. Implementations: MolecularModel (Gaussian
// orbitals, Jastrow terms) and UserModel (any ln|psi| and potential written in C++).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "drover/core/tile.hpp"
#include "drover/wave/move.hpp"

namespace drover {

// Which density moves sample: |psi|^2, or the determinant's |D|^2 (the reference).
enum class Target { wave_function, reference };

// How a visit moves its walkers.
struct VisitPlan {
  std::uint64_t seed = 0;
  std::int64_t first_sweep = 0;  // global count of sweeps before this visit
  std::int64_t sweeps = 0;
  double step_size = 0.0;  // bohr, standard deviation of a move in each direction
  Move move = Move::one;
  Target target = Target::wave_function;
  bool energy = true;        // local energies after the sweeps
  bool derivatives = false;  // and their parameter derivatives
  bool logs = false;         // and ln|psi|, sign, J, gradients and Laplacians
};

// One tile: positions[3 * electrons][64], walker-innermost, 64-byte aligned.
struct TileView {
  double* positions = nullptr;
  std::int64_t first_walker = 0;  // global index of the tile's first walker
  int active = tile_walkers;      // walkers in use; the rest are weightless
};

// Caller's arrays, each [..][64] and 64-byte aligned; null where not wanted.
struct TileResult {
  double* kinetic = nullptr;              // [64] hartree
  double* potential = nullptr;            // [64]
  double* log_abs = nullptr;              // [64] ln|psi|
  double* sign = nullptr;                 // [64]
  double* log_jastrow = nullptr;          // [64]
  double* gradient = nullptr;             // [3 electrons][64] of ln|psi|
  double* laplacian = nullptr;            // [electrons][64] of ln|psi|
  double* by_parameter = nullptr;         // [parameters][64] d ln psi/dp
  double* energy_by_parameter = nullptr;  // [parameters][64] d E_L/dp
  std::int64_t accepted = 0;              // moves of active walkers, added to
  std::int64_t proposed = 0;
};

// Bounds of a parameter; a proposal beyond them is cut to the nearest.
struct ParameterInfo {
  std::string name;
  double initial = 0.0;
  double lower = 0.0, upper = 0.0;  // no bound where lower >= upper
};

class Model {
 public:
  // Memory that one device needs to visit tiles.
  class Scratch {
   public:
    virtual ~Scratch() = default;
  };

  virtual ~Model() = default;
  virtual int electrons() const = 0;
  virtual const std::vector<ParameterInfo>& parameters() const = 0;
  // Fixes the parameters of the visits that follow. Errors: logic for a wrong length.
  virtual void set_parameters(const std::vector<double>& values) = 0;
  virtual std::unique_ptr<Scratch> make_scratch() const = 0;
  // Walkers' first positions; called once per tile.
  virtual void initial_positions(std::uint64_t seed, const TileView& tile) const = 0;
  // Thread-safe for different scratches.
  virtual void visit(Scratch& scratch, const VisitPlan& plan, const TileView& tile,
                     TileResult& result) const = 0;
  virtual int lanes() const = 0;
  virtual std::string instruction_set() const = 0;
};

}  // namespace drover
