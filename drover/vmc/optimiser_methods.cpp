#include "drover/vmc/optimiser_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"
#include "drover/vmc/optimiser_algebra.hpp"

namespace drover {

using optimiser_detail::active_set;
using optimiser_detail::ActiveSet;
using optimiser_detail::check_finite;
using optimiser_detail::check_limits;
using optimiser_detail::fix_cache_sizes;
using optimiser_detail::Matrix;
using optimiser_detail::scatter;
using optimiser_detail::solve;
using optimiser_detail::take;
using optimiser_detail::Vector;
using optimiser_detail::whitening;
using optimiser_detail::within_largest_change;
using optimiser_detail::without_variance;

namespace {

void require(bool has, const char* method, const char* what) {
  if (has) return;
  throw Error(ErrorKind::logic,
              fmt::format("[optimiser] {} needs the moments of {}, which were not summed",
                          method, what));
}

void check_energy(const OptimiserMoments& m) {
  check_finite(std::vector<double>{m.energy, m.variance}, "energy and variance");
}

void check_overlap(const OptimiserMoments& m) {
  check_energy(m);
  check_finite(m.o_mean, "<O>");
  check_finite(m.energy_log, "cov(E, O)");
  check_finite(m.overlap, "cov(O, O)");
}

ParameterStep no_change(const OptimiserMoments& m) {
  ParameterStep step;
  step.change.assign(static_cast<std::size_t>(m.parameters), 0.0);
  return step;
}

double norm_in(const Matrix& metric, const Vector& change) {
  return std::sqrt(std::max(change.dot(metric * change), 0.0));
}

Vector regularisation(const Matrix& metric, const StepLimits& limits) {
  return (limits.relative * metric.diagonal().array() + limits.absolute).matrix();
}

Matrix with_diagonal(Matrix metric, const Vector& diagonal) {
  metric.diagonal() += diagonal;
  return metric;
}

Vector within_radius(const Matrix& metric, Vector change, double radius) {
  const double norm = norm_in(metric, change);
  if (radius > 0.0 && norm > radius) change *= radius / norm;
  return change;
}

Vector copy(std::span<const double> values) {
  return Eigen::Map<const Vector>(values.data(),
                                  static_cast<Eigen::Index>(values.size()));
}

std::vector<double> copy(const Vector& values) {
  return {values.data(), values.data() + values.size()};
}

void check_momentum(double momentum, std::span<const double> previous, std::int64_t p) {
  if (momentum == 0.0 || static_cast<std::int64_t>(previous.size()) == p) return;
  throw Error(ErrorKind::logic,
              fmt::format("[optimiser] momentum {} needs the previous direction of {} "
                          "parameters, found {}",
                          momentum, p, previous.size()));
}

// The linear method's problem in a basis where the overlap M is one.
struct WhiteProblem {
  Matrix block;   // W^T H_kl W
  Vector column;  // W^T H_k0
  Vector row;     // W^T H_0l

  // W dp before rescaling for one shift; false when no eigenvector will do.
  bool solve(double shift, Vector& change) const {
    const Eigen::Index n = column.size();
    Matrix a = Matrix::Zero(n + 1, n + 1);
    a.block(1, 1, n, n) = block;
    a.block(1, 1, n, n).diagonal().array() += shift;
    a.block(1, 0, n, 1) = column;
    a.block(0, 1, 1, n) = row.transpose();
    const Eigen::EigenSolver<Matrix> solver(a);
    if (solver.info() != Eigen::Success) return false;
    const double scale = a.cwiseAbs().maxCoeff();
    bool found = false;
    double lowest = 0.0;
    for (Eigen::Index k = 0; k <= n; ++k) {
      const auto value = solver.eigenvalues()[k];
      if (std::abs(value.imag()) > 1e-12 * scale) continue;
      const Vector c = solver.eigenvectors().col(k).real();
      // c_0^2 >= 1/2: a change of psi no larger than psi itself. Lower eigenvalues with
      // little of psi are the noise of the largest directions.
      if (!(c[0] * c[0] >= 0.5 * c.squaredNorm())) continue;
      if (found && !(value.real() < lowest)) continue;
      found = true;
      lowest = value.real();
      change = c.tail(n) / c[0];
    }
    return found;
  }
};

}  // namespace

std::vector<double> sr_direction(const OptimiserMoments& moments, double relative,
                                 double absolute, double momentum,
                                 std::span<const double> previous) {
  fix_cache_sizes();
  require(moments.set.overlap, "stochastic reconfiguration", "O and O O^T");
  check_overlap(moments);
  check_momentum(momentum, previous, moments.parameters);
  if (moments.parameters == 0) return {};
  StepLimits limits;
  limits.relative = relative;
  limits.absolute = absolute;
  check_limits(limits, moments.parameters);
  const Eigen::Index p = static_cast<Eigen::Index>(moments.parameters);
  const Matrix s = Eigen::Map<const Matrix>(moments.overlap.data(), p, p);
  const Vector shift = regularisation(s, limits);
  Vector right = copy(moments.energy_log);
  if (momentum != 0.0) right += momentum * shift.cwiseProduct(copy(previous));
  return copy(solve(whitening(with_diagonal(s, shift)), right));
}

std::vector<double> min_sr_direction(std::span<const double> log_slopes,
                                     std::span<const double> energies,
                                     std::int64_t parameters, double absolute,
                                     double momentum, std::span<const double> previous,
                                     std::span<const double> weights) {
  fix_cache_sizes();
  check_momentum(momentum, previous, parameters);
  const Eigen::Index n = static_cast<Eigen::Index>(energies.size());
  const Eigen::Index p = static_cast<Eigen::Index>(parameters);
  if (n < 1 || p < 0 || static_cast<Eigen::Index>(log_slopes.size()) != n * p ||
      !(weights.empty() || weights.size() == energies.size()) || !(absolute >= 0.0)) {
    throw Error(ErrorKind::logic,
                fmt::format("[optimiser] minSR got {} energies, {} parameters, {} "
                            "slopes, {} weights and shift {}; expected samples x "
                            "parameters slopes, a weight for each sample or none, and a "
                            "shift that is not negative",
                            n, p, log_slopes.size(), weights.size(), absolute));
  }
  if (p == 0) return {};
  check_finite(log_slopes, "O");
  check_finite(energies, "E");
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Matrix x = Eigen::Map<const RowMajor>(log_slopes.data(), n, p);
  Vector e = copy(energies);
  const Vector w = weights.empty() ? Vector::Ones(n) : copy(weights);
  const Vector share = w / w.sum(), root = share.cwiseSqrt();
  x.rowwise() -= (share.transpose() * x).eval();
  x = root.asDiagonal() * x;
  e = ((e.array() - share.dot(e)) * root.array()).matrix();
  Vector start = Vector::Zero(p);
  if (momentum != 0.0) start = momentum * copy(previous);
  const Matrix t = with_diagonal(x * x.transpose(), Vector::Constant(n, absolute));
  const Vector right = e - x * start;
  if (absolute > 0.0) {
    const Eigen::LLT<Matrix> positive(t);
    if (positive.info() == Eigen::Success)
      return copy(start + x.transpose() * positive.solve(right));
  }
  return copy(start + x.transpose() * solve(whitening(t), right));
}

ParameterStep sr_step(const OptimiserMoments& moments, double rate,
                      const StepLimits& limits) {
  fix_cache_sizes();
  require(moments.set.overlap, "stochastic reconfiguration", "O and O O^T");
  check_overlap(moments);
  check_limits(limits, moments.parameters);
  ParameterStep step = no_change(moments);
  if (moments.parameters == 0 || without_variance(moments)) return step;
  const ActiveSet set =
      active_set(moments.overlap, moments.o_mean, moments.parameters, limits);
  step.held = set.held;
  if (set.active.empty()) return step;
  const Matrix s = take(moments.overlap, moments.parameters, set.active);
  const Vector g = take(moments.energy_log, set.active);
  const Vector shift = regularisation(s, limits);
  const Vector diagonal = s.diagonal() + shift;
  const Vector change =
      within_largest_change(set, diagonal, limits, step, [&](const Vector& extra) {
        const Matrix white = whitening(with_diagonal(s, shift + extra));
        return within_radius(s, -rate * solve(white, g), limits.trust_radius);
      });
  step.norm = norm_in(s, change);
  step.predicted = 2.0 * g.dot(change);
  scatter(set, change, step);
  return step;
}

ParameterStep linear_step(const OptimiserMoments& moments, double shift,
                          const StepLimits& limits) {
  fix_cache_sizes();
  require(moments.set.overlap && moments.set.hamiltonian, "the linear method",
          "O, E O O^T and O dE^T");
  check_overlap(moments);
  check_finite(moments.energy_overlap, "cov(E, O, O)");
  check_finite(moments.log_slope, "cov(O, dE)");
  check_finite(moments.de_mean, "<dE>");
  check_limits(limits, moments.parameters);
  ParameterStep step = no_change(moments);
  step.shift = shift;
  if (moments.parameters == 0 || without_variance(moments)) return step;
  const ActiveSet set =
      active_set(moments.overlap, moments.o_mean, moments.parameters, limits);
  step.held = set.held;
  if (set.active.empty()) return step;
  const Matrix s = take(moments.overlap, moments.parameters, set.active);
  const Matrix h = take(moments.energy_overlap, moments.parameters, set.active) +
                   take(moments.log_slope, moments.parameters, set.active);
  const Vector column = take(moments.energy_log, set.active);
  const Vector row = column + take(moments.de_mean, set.active);
  const Vector regular = regularisation(s, limits);
  const Vector diagonal = s.diagonal() + regular;
  const double radius = limits.trust_radius;
  const auto propose = [&](const Vector& extra) -> Vector {
    const Matrix white = whitening(with_diagonal(s, regular + extra));
    const WhiteProblem problem = {white.transpose() * h * white,
                                  white.transpose() * column, white.transpose() * row};
    Vector change = Vector::Zero(column.size());
    // A shift of zero cannot be multiplied up; the diagonal's size sets the scale.
    const double smallest = 1e-3 * (1e-3 + problem.block.diagonal().cwiseAbs().mean());
    step.shift = shift;
    for (int attempt = 0; attempt < 25; ++attempt) {
      Vector whitened;
      if (problem.solve(step.shift, whitened)) {
        change = white * whitened;
        const double q = std::max(change.dot(s * change), 0.0);
        change /= std::sqrt(1.0 + q);
        if (!(radius > 0.0) || norm_in(s, change) <= radius) return change;
      }
      step.shift = std::max(4.0 * step.shift, smallest);
    }
    return within_radius(s, change, radius);
  };
  const Vector change = within_largest_change(set, diagonal, limits, step, propose);
  step.norm = norm_in(s, change);
  // Both off-diagonal blocks by the column: their averages are equal, its noise is less.
  step.predicted =
      (2.0 * column.dot(change) + change.dot(h * change)) / (1.0 + step.norm * step.norm);
  scatter(set, change, step);
  return step;
}

ParameterStep gauss_newton_step(const OptimiserMoments& moments, double damping,
                                const StepLimits& limits) {
  fix_cache_sizes();
  require(moments.set.energy_slopes && moments.set.slope_overlap, "Gauss-Newton",
          "E dE and dE dE^T");
  check_energy(moments);
  check_finite(moments.de_mean, "<dE>");
  check_finite(moments.energy_slope, "cov(E, dE)");
  check_finite(moments.slope_slope, "cov(dE, dE)");
  check_limits(limits, moments.parameters);
  ParameterStep step = no_change(moments);
  if (moments.parameters == 0 || without_variance(moments)) return step;
  const ActiveSet set =
      active_set(moments.slope_slope, moments.de_mean, moments.parameters, limits);
  step.held = set.held;
  if (set.active.empty()) return step;
  const Matrix g2 = take(moments.slope_slope, moments.parameters, set.active);
  Vector g = take(moments.energy_slope, set.active);
  if (moments.set.squares) {
    check_finite(moments.square_log, "cov((E - <E>)^2, O)");
    g += take(moments.square_log, set.active);
  }
  std::vector<double> sorted = copy(g2.diagonal());
  std::sort(sorted.begin(), sorted.end());
  const double floor = 1e-3 * sorted[sorted.size() / 2];
  const Vector damp = (damping * (g2.diagonal().array() + floor)).matrix();
  const Vector diagonal = g2.diagonal() + damp;
  const double width = std::sqrt(moments.variance);
  const Vector change =
      within_largest_change(set, diagonal, limits, step, [&](const Vector& extra) {
        const Vector raw = -solve(whitening(with_diagonal(g2, damp + extra)), g);
        return within_radius(g2, raw, limits.trust_radius * width);
      });
  step.norm = norm_in(g2, change) / width;
  step.predicted = 2.0 * g.dot(change) + change.dot(g2 * change);
  scatter(set, change, step);
  return step;
}

}  // namespace drover
