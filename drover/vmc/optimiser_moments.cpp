#include "drover/vmc/optimiser_moments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "drover/core/error.hpp"

namespace drover {

namespace {

void check(const char* name, const std::vector<double>& sum, std::size_t expected) {
  if (sum.size() != expected) {
    throw Error(ErrorKind::logic,
                fmt::format("[optimiser] the sum {} has {} elements, expected {}", name,
                            sum.size(), expected));
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    if (!std::isfinite(sum[i])) {
      throw Error(
          ErrorKind::numerical,
          fmt::format("[optimiser] element {} of the sum {} is {}; expected a "
                      "finite number: samples whose energy or derivatives are not "
                      "finite must be counted and left out",
                      i, name, sum[i]),
          {"", -1, "", -1, name});
    }
  }
}

void check_all(const OptimiserSums& sums) {
  const auto p = static_cast<std::size_t>(sums.parameters);
  const bool log = sums.set.overlap || sums.set.hamiltonian;
  const bool slopes = sums.set.hamiltonian || sums.set.energy_slopes;
  if (sums.samples < 1) {
    throw Error(ErrorKind::numerical,
                "[optimiser] not one sample was counted: expected at least one finite "
                "local energy with finite derivatives; look at the wave function's "
                "parameters");
  }
  check("E", {sums.e, sums.e2, sums.energy_shift}, 3);
  check("O", sums.o, log ? p : 0);
  check("E O", sums.eo, log ? p : 0);
  check("O O", sums.oo, log ? p * p : 0);
  check("E O O", sums.eoo, sums.set.hamiltonian ? p * p : 0);
  check("dE", sums.de, slopes ? p : 0);
  check("O dE", sums.ode, sums.set.hamiltonian ? p * p : 0);
  check("E dE", sums.ede, sums.set.energy_slopes ? p : 0);
  check("dE dE", sums.dede, sums.set.energy_slopes ? p * p : 0);
}

std::vector<double> scaled(const std::vector<double>& sum, double n) {
  std::vector<double> mean(sum.size());
  for (std::size_t i = 0; i < sum.size(); ++i) mean[i] = sum[i] / n;
  return mean;
}

// <x_k y_l> - <x_k><y_l>.
std::vector<double> covariance(const std::vector<double>& product, double n,
                               const std::vector<double>& x,
                               const std::vector<double>& y) {
  std::vector<double> result(product.size());
  const std::size_t p = x.size();
  for (std::size_t k = 0; k < p; ++k) {
    for (std::size_t l = 0; l < p; ++l) {
      result[k * p + l] = product[k * p + l] / n - x[k] * y[l];
    }
  }
  return result;
}

// A variance that rounding made negative is zero.
void lift_diagonal(std::vector<double>& matrix, std::size_t p) {
  for (std::size_t k = 0; k < p; ++k) {
    matrix[k * p + k] = std::max(matrix[k * p + k], 0.0);
  }
}

}  // namespace

OptimiserSums::OptimiserSums(MomentSet which, std::int64_t parameter_count, double shift)
    : set(which), parameters(parameter_count), energy_shift(shift) {
  const auto p = static_cast<std::size_t>(parameters);
  if (set.overlap || set.hamiltonian) {
    o.assign(p, 0.0);
    eo.assign(p, 0.0);
    oo.assign(p * p, 0.0);
  }
  if (set.hamiltonian) {
    eoo.assign(p * p, 0.0);
    ode.assign(p * p, 0.0);
  }
  if (set.hamiltonian || set.energy_slopes) de.assign(p, 0.0);
  if (set.energy_slopes) {
    ede.assign(p, 0.0);
    dede.assign(p * p, 0.0);
  }
}

void OptimiserSums::add(double energy, std::span<const double> log_slopes,
                        std::span<const double> energy_slopes) {
  const auto p = static_cast<std::size_t>(parameters);
  const bool log = set.overlap || set.hamiltonian;
  const bool slopes = set.hamiltonian || set.energy_slopes;
  if ((log && log_slopes.size() != p) || (slopes && energy_slopes.size() != p)) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[optimiser] a sample has {} derivatives of ln|psi| and {} of "
                    "the energy, expected {}",
                    log_slopes.size(), energy_slopes.size(), p));
  }
  const double x = energy - energy_shift;
  ++samples;
  e += x;
  e2 += x * x;
  for (std::size_t k = 0; k < p; ++k) {
    if (log) {
      o[k] += log_slopes[k];
      eo[k] += x * log_slopes[k];
    }
    if (slopes) de[k] += energy_slopes[k];
    if (set.energy_slopes) ede[k] += x * energy_slopes[k];
    for (std::size_t l = 0; l < p; ++l) {
      if (log) oo[k * p + l] += log_slopes[k] * log_slopes[l];
      if (set.hamiltonian) {
        eoo[k * p + l] += x * log_slopes[k] * log_slopes[l];
        ode[k * p + l] += log_slopes[k] * energy_slopes[l];
      }
      if (set.energy_slopes) dede[k * p + l] += energy_slopes[k] * energy_slopes[l];
    }
  }
}

OptimiserMoments central_moments(const OptimiserSums& sums) {
  check_all(sums);
  const auto p = static_cast<std::size_t>(sums.parameters);
  const double n = static_cast<double>(sums.samples);
  OptimiserMoments m;
  m.set = sums.set;
  m.parameters = sums.parameters;
  m.samples = sums.samples;
  const double e = sums.e / n;
  m.energy = sums.energy_shift + e;
  m.variance = std::max(sums.e2 / n - e * e, 0.0);
  m.o_mean = scaled(sums.o, n);
  m.energy_log = scaled(sums.eo, n);
  for (std::size_t k = 0; k < m.o_mean.size(); ++k) m.energy_log[k] -= e * m.o_mean[k];
  m.overlap = covariance(sums.oo, n, m.o_mean, m.o_mean);
  lift_diagonal(m.overlap, m.o_mean.size());
  m.de_mean = scaled(sums.de, n);
  if (sums.set.hamiltonian) {
    m.log_slope = covariance(sums.ode, n, m.o_mean, m.de_mean);
    m.energy_overlap = scaled(sums.eoo, n);
    // <dE dO_k dO_l> = <E O_k O_l> - <O_k> cov(E,O_l) - <O_l> cov(E,O_k)
    //                  - <E> S_kl - <E> <O_k> <O_l>
    for (std::size_t k = 0; k < p; ++k) {
      for (std::size_t l = 0; l < p; ++l) {
        const std::size_t kl = k * p + l;
        m.energy_overlap[kl] -= m.o_mean[k] * m.energy_log[l] +
                                m.o_mean[l] * m.energy_log[k] +
                                e * (m.overlap[kl] + m.o_mean[k] * m.o_mean[l]);
      }
    }
  }
  if (sums.set.energy_slopes) {
    m.energy_slope = scaled(sums.ede, n);
    for (std::size_t k = 0; k < p; ++k) m.energy_slope[k] -= e * m.de_mean[k];
    m.slope_slope = covariance(sums.dede, n, m.de_mean, m.de_mean);
    lift_diagonal(m.slope_slope, p);
  }
  return m;
}

// Layout: P, samples, three flags, energy, variance, then each vector: length, elements.
void append(std::vector<double>& numbers, const OptimiserMoments& moments) {
  numbers.insert(
      numbers.end(),
      {static_cast<double>(moments.parameters), static_cast<double>(moments.samples),
       moments.set.overlap ? 1.0 : 0.0, moments.set.hamiltonian ? 1.0 : 0.0,
       moments.set.energy_slopes ? 1.0 : 0.0, moments.energy, moments.variance});
  for (const auto* v : {&moments.o_mean, &moments.energy_log, &moments.overlap,
                        &moments.energy_overlap, &moments.de_mean, &moments.log_slope,
                        &moments.energy_slope, &moments.slope_slope}) {
    numbers.push_back(static_cast<double>(v->size()));
    numbers.insert(numbers.end(), v->begin(), v->end());
  }
}

OptimiserMoments take_moments(std::span<const double>& numbers) {
  const auto next = [&](std::size_t count) {
    if (numbers.size() < count) {
      throw Error(
          ErrorKind::input,
          fmt::format("[optimiser] the checkpoint's moments end {} numbers early; "
                      "the file is damaged or from another version",
                      count - numbers.size()));
    }
    const auto part = numbers.first(count);
    numbers = numbers.subspan(count);
    return part;
  };
  const auto head = next(7);
  OptimiserMoments m;
  m.parameters = static_cast<std::int64_t>(head[0]);
  m.samples = static_cast<std::int64_t>(head[1]);
  m.set = {head[2] != 0.0, head[3] != 0.0, head[4] != 0.0};
  m.energy = head[5];
  m.variance = head[6];
  const double p = head[0];
  for (auto* v : {&m.o_mean, &m.energy_log, &m.overlap, &m.energy_overlap, &m.de_mean,
                  &m.log_slope, &m.energy_slope, &m.slope_slope}) {
    const double length = next(1)[0];
    if (length != 0.0 && length != p && length != p * p) {
      throw Error(ErrorKind::input,
                  fmt::format("[optimiser] the checkpoint's moments have a block of {} "
                              "numbers for {} parameters; the file is damaged or from "
                              "another version",
                              length, p));
    }
    const auto part = next(static_cast<std::size_t>(length));
    v->assign(part.begin(), part.end());
  }
  return m;
}

}  // namespace drover
