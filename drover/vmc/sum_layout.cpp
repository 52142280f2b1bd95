#include "drover/vmc/sum_layout.hpp"

#include <algorithm>

namespace drover {

namespace {

std::vector<double> block(const ExactSums& sums, std::int64_t first, int from_row,
                          int to_row, int from_column, int to_column) {
  std::vector<double> out;
  for (int a = from_row; a < to_row; ++a)
    for (int b = from_column; b < to_column; ++b)
      out.push_back(sums.value(first + packed_index(std::min(a, b), std::max(a, b))));
  return out;
}

std::vector<double> row(const ExactSums& sums, std::int64_t first, int count) {
  std::vector<double> out;
  for (int k = 0; k < count; ++k) out.push_back(sums.value(first + k));
  return out;
}

}  // namespace

OptimiserSums optimiser_sums(const ExactSums& s, const SampleSpec& spec) {
  OptimiserSums out(spec.moments, spec.parameters, spec.shift);
  const SumLayout at(spec);
  const MomentSet& set = spec.moments;
  if (!set.any()) return out;
  constexpr std::int64_t gram = StepSums::scalars;
  out.samples = s.count(StepSums::counted);
  out.weight = s.value(StepSums::weight);
  out.e = s.value(StepSums::clipped);
  out.e2 = s.value(StepSums::clipped2);
  const int logs = at.first_log(), slopes = at.first_slope(), p = at.parameters;
  // The rows of products are E^2, 1, E.
  std::int64_t next = gram + at.logs;
  if (set.squares) {
    out.eeo = row(s, next, p);
    next += p;
  }
  if (set.log_slopes) {
    out.o = at.log_in_gram ? block(s, gram, 0, 1, logs, logs + p) : row(s, next, p);
    out.eo = at.log_in_gram ? block(s, gram, 1, 2, logs, logs + p) : row(s, next + p, p);
  }
  next = gram + at.slopes;
  if (set.energy_slopes) {
    out.de =
        at.slope_in_gram ? block(s, gram, 0, 1, slopes, slopes + p) : row(s, next, p);
    out.ede =
        at.slope_in_gram ? block(s, gram, 1, 2, slopes, slopes + p) : row(s, next + p, p);
  }
  if (set.diagonal) out.o2 = row(s, gram + at.diagonal, p);
  if (set.overlap) out.oo = block(s, gram, logs, logs + p, logs, logs + p);
  if (set.hamiltonian) {
    out.ode = at.slope_in_gram ? block(s, gram, logs, logs + p, slopes, slopes + p)
                               : row(s, next + 2 * p, p * p);
    out.eoo = block(s, gram + at.weighted, 0, p, 0, p);
  }
  if (set.slope_overlap)
    out.dede = block(s, gram, slopes, slopes + p, slopes, slopes + p);
  return out;
}

}  // namespace drover
