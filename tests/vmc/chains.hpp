// Synthetic chains of known correlation.
#pragma once

#include <cmath>
#include <random>
#include <vector>

namespace drover::testing {

inline constexpr double one_in_a_million = 4.9;

// Stationary AR(1), x_t = phi x_{t-1} + sqrt(1 - phi^2) normal: unit variance, mean 0,
// tau = (1 + phi)/(1 - phi).
inline std::vector<double> ar1(std::mt19937_64& random, double phi, std::size_t n) {
  std::normal_distribution<double> normal;
  std::vector<double> x(n);
  double value = normal(random);
  for (auto& v : x) {
    v = value;
    value = phi * value + std::sqrt(1.0 - phi * phi) * normal(random);
  }
  return x;
}

}  // namespace drover::testing
