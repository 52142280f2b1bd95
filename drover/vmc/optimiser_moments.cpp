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
  const MomentSet& set = sums.set;
  const bool log = set.log_slopes, slopes = set.energy_slopes;
  if (sums.samples < 1 || !(sums.weight > 0.0)) {
    throw Error(ErrorKind::numerical,
                "[optimiser] not one sample was counted: expected at least one finite "
                "local energy with finite derivatives; look at the wave function's "
                "parameters");
  }
  check("E", {sums.e, sums.e2, sums.energy_shift}, 3);
  check("O", sums.o, log ? p : 0);
  check("E O", sums.eo, log ? p : 0);
  check("E^2 O", sums.eeo, set.squares ? p : 0);
  check("O^2", sums.o2, set.diagonal ? p : 0);
  check("O O", sums.oo, set.overlap ? p * p : 0);
  check("E O O", sums.eoo, set.hamiltonian ? p * p : 0);
  check("dE", sums.de, slopes ? p : 0);
  check("O dE", sums.ode, set.hamiltonian ? p * p : 0);
  check("E dE", sums.ede, slopes ? p : 0);
  check("dE dE", sums.dede, set.slope_overlap ? p * p : 0);
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
  if (set.log_slopes) {
    o.assign(p, 0.0);
    eo.assign(p, 0.0);
  }
  if (set.squares) eeo.assign(p, 0.0);
  if (set.diagonal) o2.assign(p, 0.0);
  if (set.overlap) oo.assign(p * p, 0.0);
  if (set.hamiltonian) {
    eoo.assign(p * p, 0.0);
    ode.assign(p * p, 0.0);
  }
  if (set.energy_slopes) {
    de.assign(p, 0.0);
    ede.assign(p, 0.0);
  }
  if (set.slope_overlap) dede.assign(p * p, 0.0);
}

void OptimiserSums::add(double energy, std::span<const double> log_slopes,
                        std::span<const double> energy_slopes, double sample_weight) {
  const auto p = static_cast<std::size_t>(parameters);
  const bool log = set.log_slopes, slopes = set.energy_slopes;
  if ((log && log_slopes.size() != p) || (slopes && energy_slopes.size() != p)) {
    throw Error(
        ErrorKind::logic,
        fmt::format("[optimiser] a sample has {} derivatives of ln|psi| and {} of "
                    "the energy, expected {}",
                    log_slopes.size(), energy_slopes.size(), p));
  }
  const double x = energy - energy_shift, w = sample_weight;
  ++samples;
  weight += w;
  e += w * x;
  e2 += w * x * x;
  for (std::size_t k = 0; k < p; ++k) {
    const double ok = log ? w * log_slopes[k] : 0.0;
    const double ek = slopes ? w * energy_slopes[k] : 0.0;
    if (log) {
      o[k] += ok;
      eo[k] += x * ok;
    }
    if (set.squares) eeo[k] += x * x * ok;
    if (set.diagonal) o2[k] += ok * log_slopes[k];
    if (slopes) {
      de[k] += ek;
      ede[k] += x * ek;
    }
    for (std::size_t l = 0; l < p; ++l) {
      if (set.overlap) oo[k * p + l] += ok * log_slopes[l];
      if (set.hamiltonian) {
        eoo[k * p + l] += x * ok * log_slopes[l];
        ode[k * p + l] += ok * energy_slopes[l];
      }
      if (set.slope_overlap) dede[k * p + l] += ek * energy_slopes[l];
    }
  }
}

OptimiserMoments central_moments(const OptimiserSums& sums) {
  check_all(sums);
  const auto p = static_cast<std::size_t>(sums.parameters);
  const double n = sums.weight;
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
  if (sums.set.squares) {
    // <(E - <E>)^2 O_k> - variance <O_k>
    m.square_log = scaled(sums.eeo, n);
    for (std::size_t k = 0; k < p; ++k) {
      const double eo = sums.eo[k] / n;
      m.square_log[k] += m.o_mean[k] * (e * e - m.variance) - 2.0 * e * eo;
    }
  }
  if (sums.set.diagonal) {
    m.diagonal = scaled(sums.o2, n);
    for (std::size_t k = 0; k < p; ++k)
      m.diagonal[k] = std::max(m.diagonal[k] - m.o_mean[k] * m.o_mean[k], 0.0);
  }
  if (sums.set.overlap) {
    m.overlap = covariance(sums.oo, n, m.o_mean, m.o_mean);
    lift_diagonal(m.overlap, p);
  }
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
  m.energy_slope = scaled(sums.ede, n);
  for (std::size_t k = 0; k < m.de_mean.size(); ++k)
    m.energy_slope[k] -= e * m.de_mean[k];
  if (sums.set.slope_overlap) {
    m.slope_slope = covariance(sums.dede, n, m.de_mean, m.de_mean);
    lift_diagonal(m.slope_slope, p);
  }
  return m;
}

std::vector<double> OptimiserMoments::gradient(bool of_variance) const {
  const auto p = static_cast<std::size_t>(parameters);
  std::vector<double> g(p);
  for (std::size_t k = 0; k < p; ++k) {
    g[k] = 2.0 * (of_variance ? energy_slope[k] : energy_log[k]);
    if (of_variance && set.squares) g[k] += 2.0 * square_log[k];
  }
  return g;
}

namespace {

// In the order of the checkpoint.
template <class Moments, class F>
void visit_vectors(Moments& m, F&& f) {
  for (auto* v :
       {&m.o_mean, &m.energy_log, &m.square_log, &m.diagonal, &m.overlap,
        &m.energy_overlap, &m.de_mean, &m.log_slope, &m.energy_slope, &m.slope_slope})
    f(*v);
}
template <class Set, class F>
void visit_flags(Set& set, F&& f) {
  for (auto* flag : {&set.log_slopes, &set.energy_slopes, &set.squares, &set.diagonal,
                     &set.overlap, &set.hamiltonian, &set.slope_overlap})
    f(*flag);
}

}  // namespace

// Layout: P, samples, flags, energy, variance, then each vector: length, elements.
void append(std::vector<double>& numbers, const OptimiserMoments& moments) {
  numbers.push_back(static_cast<double>(moments.parameters));
  numbers.push_back(static_cast<double>(moments.samples));
  visit_flags(moments.set, [&](bool flag) { numbers.push_back(flag ? 1.0 : 0.0); });
  numbers.push_back(moments.energy);
  numbers.push_back(moments.variance);
  visit_vectors(moments, [&](const std::vector<double>& v) {
    numbers.push_back(static_cast<double>(v.size()));
    numbers.insert(numbers.end(), v.begin(), v.end());
  });
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
  OptimiserMoments m;
  const double p = next(1)[0];
  m.parameters = static_cast<std::int64_t>(p);
  m.samples = static_cast<std::int64_t>(next(1)[0]);
  visit_flags(m.set, [&](bool& flag) { flag = next(1)[0] != 0.0; });
  m.energy = next(1)[0];
  m.variance = next(1)[0];
  visit_vectors(m, [&](std::vector<double>& v) {
    const double length = next(1)[0];
    if (length != 0.0 && length != p && length != p * p) {
      throw Error(ErrorKind::input,
                  fmt::format("[optimiser] the checkpoint's moments have a block of {} "
                              "numbers for {} parameters; the file is damaged or from "
                              "another version",
                              length, p));
    }
    const auto part = next(static_cast<std::size_t>(length));
    v.assign(part.begin(), part.end());
  });
  return m;
}

}  // namespace drover
