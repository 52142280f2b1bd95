#include "drover/vmc/optimiser_algebra.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"

namespace drover::optimiser_detail {

void fix_cache_sizes() {
  static const bool once = [] {
    Eigen::setCpuCacheSizes(32 * 1024, 1024 * 1024, 8 * 1024 * 1024);
    return true;
  }();
  static_cast<void>(once);
}

Matrix whitening(const Matrix& metric) {
  const Eigen::Index n = metric.rows();
  Vector scale(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    scale[k] = metric(k, k) > 0.0 ? 1.0 / std::sqrt(metric(k, k)) : 0.0;
  }
  const Matrix correlation = scale.asDiagonal() * metric * scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(correlation);
  if (solver.info() != Eigen::Success) {
    throw Error(ErrorKind::numerical,
                fmt::format("[optimiser] the eigenvalues of a {} x {} metric did not "
                            "converge; its elements are finite, so this should not "
                            "happen: please report it with the checkpoint",
                            n, n));
  }
  const Vector& values = solver.eigenvalues();
  const double cutoff = 1e-12 * values[n - 1];
  Eigen::Index first = 0;
  while (first < n && !(values[first] > cutoff)) ++first;
  Matrix white = scale.asDiagonal() * solver.eigenvectors().rightCols(n - first);
  for (Eigen::Index k = 0; k < white.cols(); ++k) {
    white.col(k) /= std::sqrt(values[first + k]);
  }
  return white;
}

ActiveSet active_set(std::span<const double> metric, std::span<const double> mean,
                     std::int64_t parameters, const StepLimits& limits) {
  const auto p = static_cast<std::size_t>(parameters);
  const auto is_frozen = [&](std::size_t k) {
    return !limits.frozen.empty() && limits.frozen[k] != 0;
  };
  double largest = 0.0;
  for (std::size_t k = 0; k < p; ++k) {
    if (!is_frozen(k)) largest = std::max(largest, metric[k * p + k]);
  }
  ActiveSet set;
  for (std::size_t k = 0; k < p; ++k) {
    if (is_frozen(k)) continue;
    const double own = metric[k * p + k];
    const double rounding = 1e-13 * mean[k] * mean[k];
    const bool moves = own > limits.hold_below * largest && own > rounding && own > 0.0;
    (moves ? set.active : set.held).push_back(static_cast<std::int64_t>(k));
  }
  return set;
}

Matrix take(std::span<const double> matrix, std::int64_t parameters,
            std::span<const std::int64_t> active) {
  const auto n = static_cast<Eigen::Index>(active.size());
  Matrix result(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) {
      const auto k = active[static_cast<std::size_t>(i)];
      const auto l = active[static_cast<std::size_t>(j)];
      result(i, j) = matrix[static_cast<std::size_t>(k * parameters + l)];
    }
  }
  return result;
}

Vector take(std::span<const double> vector, std::span<const std::int64_t> active) {
  Vector result(static_cast<Eigen::Index>(active.size()));
  for (std::size_t i = 0; i < active.size(); ++i) {
    result[static_cast<Eigen::Index>(i)] = vector[static_cast<std::size_t>(active[i])];
  }
  return result;
}

void check_finite(std::span<const double> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      throw Error(ErrorKind::numerical,
                  fmt::format("[optimiser] element {} of {} is {}; expected a finite "
                              "number: the samples of this step cannot guide the "
                              "parameters",
                              i, name, values[i]),
                  {"", -1, "", -1, name});
    }
  }
}

void check_limits(const StepLimits& limits, std::int64_t parameters) {
  const auto p = static_cast<std::size_t>(parameters);
  const bool sizes = (limits.frozen.empty() || limits.frozen.size() == p) &&
                     (limits.largest_change.empty() || limits.largest_change.size() == p);
  bool positive = limits.relative >= 0.0 && limits.absolute >= 0.0 &&
                  limits.trust_radius >= 0.0 && limits.hold_below >= 0.0;
  for (double x : limits.largest_change) positive = positive && x > 0.0;
  if (!sizes || !positive) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[optimiser] limits of a step: expected non-negative numbers "
                    "and {} entries in frozen and largest_change (or none), found "
                    "relative {}, absolute {}, trust radius {}, {} and {} entries",
                    p, limits.relative, limits.absolute, limits.trust_radius,
                    limits.frozen.size(), limits.largest_change.size()));
  }
}

bool without_variance(const OptimiserMoments& moments) {
  return !(moments.variance > 1e-20 * (1.0 + moments.energy * moments.energy));
}

void scatter(const ActiveSet& set, const Vector& change, ParameterStep& step) {
  for (std::size_t i = 0; i < set.active.size(); ++i) {
    step.change[static_cast<std::size_t>(set.active[i])] =
        change[static_cast<Eigen::Index>(i)];
  }
}

}  // namespace drover::optimiser_detail
