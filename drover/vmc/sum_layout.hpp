// Where the sums of a step stand: after the scalars, first what grows with the square of
// the parameters, then what grows with their number.
//
//   Gram     upper triangle over the rows 1, E, then O and E_k as the method asks
//   E Gram   that over O, weighted with E
//   O        E^2, 1 and E times each O, as far as they are not in the Gram matrix
//   E_k      1 and E times each E_k, likewise, and O_k E_l for the linear method
//   O^2      O_k O_k
#pragma once

#include "drover/core/tile_sums.hpp"
#include "drover/vmc/sampling.hpp"

namespace drover {

struct SumLayout {
  explicit SumLayout(const SampleSpec& spec)
      : set(spec.moments),
        parameters(static_cast<int>(spec.parameters)),
        log_rows(set.log_slopes ? parameters : 0),
        slope_rows(set.energy_slopes ? parameters : 0),
        log_in_gram(set.overlap || set.hamiltonian),
        slope_in_gram(set.slope_overlap),
        gram_rows(set.matrices() ? 2 + (log_in_gram ? log_rows : 0) +
                                       (slope_in_gram ? slope_rows : 0)
                                 : 0),
        log_products((log_in_gram ? 0 : 2) + (set.squares ? 1 : 0)),
        slope_products(slope_in_gram     ? 0
                       : set.hamiltonian ? 2 + log_rows
                                         : 2),
        weighted(packed_size(gram_rows)),
        logs(weighted + (set.hamiltonian ? packed_size(log_rows) : 0)),
        slopes(logs + std::int64_t(log_products) * log_rows),
        diagonal(slopes + std::int64_t(slope_products) * slope_rows),
        size(diagonal + (set.diagonal ? parameters : 0)) {}

  // The first column of the Gram matrix that belongs to O or E_k.
  int first_log() const { return 2; }
  int first_slope() const { return 2 + (log_in_gram ? log_rows : 0); }

  MomentSet set;
  int parameters, log_rows, slope_rows;
  bool log_in_gram, slope_in_gram;
  int gram_rows;                     // 0: no Gram matrix
  int log_products, slope_products;  // rows that O and E_k are multiplied with
  // Places; the Gram matrix is at 0.
  std::int64_t weighted, logs, slopes, diagonal, size;
};

// Reduced sums as the optimiser takes them.
OptimiserSums optimiser_sums(const ExactSums& sums, const SampleSpec& spec);

}  // namespace drover
