// What one tile adds to the sums of a step; internal to sampling.
#pragma once

#include <cmath>

#include "drover/vmc/sum_layout.hpp"

namespace drover {

class TileFold {
 public:
  TileFold(Herd& herd, const SampleSpec& spec, StepSums& into, BadWalker& bad);
  // Moves and measures tile t of the device, spec.visits times, or measures its kept
  // walkers. Products with parameters are added up over the visits and deposited once.
  void visit(Model& model, std::int64_t t);

 private:
  void visit_once(Model& model, std::int64_t t);
  bool first_visit() const { return visit_ == 0; }
  bool last_visit() const { return visit_ == spec_.visits - 1; }
  void fold(std::int64_t t, const TileView& tile);
  void add_matrices();
  void add_walkers(std::int64_t t, const TileView& tile, double* scalar);
  double weight_of(int w) const;
  bool slopes_finite(int w) const;
  void drop(int w);
  double clip(double e) const;
  void note(std::int64_t walker, bool kinetic);

  Herd& herd_;
  const SampleSpec& spec_;
  SumLayout layout_;
  StepSums& into_;
  BadWalker& bad_;
  std::int64_t visit_ = 0;
  // Rows of 64 numbers: energies and ln|psi| of the tile; then, in one block, weight,
  // E^2, 1, E (clipped), O, E_k; E_k first where it is in the Gram matrix alone.
  double *kinetic_, *potential_, *log_abs_, *block_, *scratch_;
  double *weight_, *squares_, *ones_, *clipped_, *log_, *slope_;
  const double* log_then_ = nullptr;  // ln|psi| of kept walkers when they were kept
};

}  // namespace drover
