// Herd: the walkers of one device, tile by tile, where they live.
//
// A walker is its positions and, for the error bar, two running sums of its energy (the
// two halves of its chain) with the counts of energies that went in. Beside them the
// device's own scratch; nothing else stays between visits.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "drover/core/array.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/mesh/placement.hpp"
#include "drover/mesh/rows.hpp"
#include "drover/wave/model.hpp"

namespace drover {

class Herd {
 public:
  // Space for these global rows, which begin a tile.
  Herd(const Model& model, RowRange rows);

  RowRange rows() const { return rows_; }
  std::int64_t tiles() const { return tile_count(rows_.size()); }
  int electrons() const { return electrons_; }
  TileView tile(std::int64_t t);
  // Running sums [64] and energies counted [64] of a tile; half 0 or 1.
  double* sum(std::int64_t t, int half);
  double* counted(std::int64_t t, int half);
  Model::Scratch& scratch() { return *scratch_; }
  // Rows [count][64] for the numbers of one tile, kept from visit to visit.
  double* buffer(std::int64_t rows);
  // Doubles for one tile's sums.
  double* sums_buffer(std::int64_t count);

  // Samples that stay until the next set, by visit and tile. Walkers: positions
  // [3 electrons][64] and ln|psi| [64]. Slopes: rows of 64: weight, E^2, 1, E, then O.
  static constexpr std::int64_t block_head = 4;
  void reserve_walkers(std::int64_t visits);
  void reserve_slopes(std::int64_t visits, std::int64_t parameters);
  double* kept_positions(std::int64_t visit, std::int64_t t);
  double* kept_logs(std::int64_t visit, std::int64_t t);
  double* kept_slopes(std::int64_t visit, std::int64_t t);

  // A walker as one row: positions (3 electrons), then sum and count of each half.
  static std::int64_t row_width(int electrons) { return 3 * electrons + 4; }
  void write_row(std::int64_t local_walker, std::span<double> out) const;
  void read_row(std::int64_t local_walker, std::span<const double> in);

 private:
  RowRange rows_;
  int electrons_;
  AlignedVector<double> positions_;  // [tile][3 electrons][64]
  AlignedVector<double> sums_;       // [tile][sum 0, sum 1, count 0, count 1][64]
  AlignedVector<double> buffer_, sums_buffer_;
  AlignedVector<double> kept_positions_, kept_logs_, kept_slopes_;  // [visit][tile]...
  std::int64_t slope_rows_ = 0;  // of a tile's kept slopes
  std::unique_ptr<Model::Scratch> scratch_;
};

// Walkers at the model's first positions, each made on the device that will own it.
Sharded<Herd> make_herd(const Mesh& mesh, const Model& model, std::int64_t walkers,
                        std::uint64_t seed);
// From rows of every walker in global order (a checkpoint), whatever devices wrote them.
// Errors: input, for rows of another width.
Sharded<Herd> make_herd(const Mesh& mesh, const Model& model, const Array<double>& rows);
// Walkers where the caller wants them: positions [walkers][electrons][3] in bohr, held by
// every rank. Errors: input, for other numbers of walkers, electrons or axes, or a
// position that is not finite.
Sharded<Herd> make_herd_at(const Mesh& mesh, const Model& model, std::int64_t walkers,
                           const Array<double>& positions);
// Every walker's row on rank 0: one gather.
Array<double> gather_rows(const Sharded<Herd>& herd, int electrons);

}  // namespace drover
