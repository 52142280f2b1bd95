// Dense algebra behind the optimisation methods: a regularised metric on the parameters
// that take part in a step. Internal to the optimiser; the only header of it with Eigen.
//
// M = A + diag(d) is scaled to unit diagonal, C = s M s with s_k = 1/sqrt(M_kk), so that
// parameters of any unit meet on equal terms, then diagonalised; directions with
// eigenvalues below 1e-12 of the largest are left out.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "drover/vmc/optimiser_methods.hpp"

namespace drover::optimiser_detail {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

// Eigen sizes its blocks, and so rounds, by the CPU's caches unless told; called first by
// every public function. Affects the whole program, which wants it too.
void fix_cache_sizes();

// W with W^T M W = 1 on the kept directions (P x kept).
Matrix whitening(const Matrix& metric);

// M^+ b through the whitening.
inline Vector solve(const Matrix& white, const Vector& b) {
  return white * (white.transpose() * b);
}

// The parameters that move in this step: not frozen, and with a metric (diagonal of S or
// G) above limits.hold_below times the largest and above rounding.
struct ActiveSet {
  std::vector<std::int64_t> active;
  std::vector<std::int64_t> held;  // neither frozen nor active
};
ActiveSet active_set(std::span<const double> metric, std::span<const double> mean,
                     std::int64_t parameters, const StepLimits& limits);

Matrix take(std::span<const double> matrix, std::int64_t parameters,
            std::span<const std::int64_t> active);
Vector take(std::span<const double> vector, std::span<const std::int64_t> active);

// Throws unless all are finite; `name` goes into the message.
void check_finite(std::span<const double> values, const char* name);
void check_limits(const StepLimits& limits, std::int64_t parameters);

// True when there is nothing to gain: the energy does not vary.
bool without_variance(const OptimiserMoments& moments);

// Finds a change within largest_change: `propose(extra)` answers the change of the active
// parameters for an extra diagonal of the metric. Where a parameter would move too far
// its own diagonal grows and all is solved again, so that the others can adapt; what
// still is too long after ten rounds scales the whole change.
template <class Propose>
Vector within_largest_change(const ActiveSet& set, const Vector& diagonal,
                             const StepLimits& limits, ParameterStep& step,
                             Propose propose) {
  Vector extra = Vector::Zero(diagonal.size());
  Vector change = propose(extra);
  if (limits.largest_change.empty()) return change;
  const Vector largest = take(limits.largest_change, set.active);
  std::vector<std::uint8_t> limited(set.active.size(), 0);
  for (int round = 0; round < 10; ++round) {
    bool again = false;
    for (Eigen::Index k = 0; k < change.size(); ++k) {
      const double ratio = std::abs(change[k]) / largest[k];
      if (!(ratio > 1.0)) continue;
      again = true;
      limited[static_cast<std::size_t>(k)] = 1;
      extra[k] += (diagonal[k] + extra[k]) * ratio;
    }
    if (!again) break;
    change = propose(extra);
  }
  double scale = 1.0;
  for (Eigen::Index k = 0; k < change.size(); ++k) {
    if (std::abs(change[k]) * scale > largest[k])
      scale = largest[k] / std::abs(change[k]);
  }
  for (std::size_t k = 0; k < limited.size(); ++k) {
    if (limited[k] != 0) step.limited.push_back(set.active[k]);
  }
  return change * scale;
}

// Writes the active parameters' change into step.change.
void scatter(const ActiveSet& set, const Vector& change, ParameterStep& step);

}  // namespace drover::optimiser_detail
