// Norms of Gaussian functions about one centre (see gaussian.hpp).
#include "drover/chem/gaussian.hpp"

#include <cmath>
#include <numbers>

namespace drover {

double double_factorial(int n) {
  double product = 1.0;
  for (; n > 1; n -= 2) product *= n;
  return product;
}

double primitive_norm(int l, double exponent) {
  const double root = std::sqrt(2.0 * exponent / std::numbers::pi);  // (2a/pi)^(1/2)
  double norm = root * std::sqrt(root);                              // (2a/pi)^(3/4)
  const double step = std::sqrt(4.0 * exponent);
  for (int i = 0; i < l; ++i) norm *= step;
  return norm / std::sqrt(double_factorial(2 * l - 1));
}

double monomial_norm_factor(const Monomial& monomial) {
  const int l = monomial.i + monomial.j + monomial.k;
  return std::sqrt(double_factorial(2 * l - 1) / (double_factorial(2 * monomial.i - 1) *
                                                  double_factorial(2 * monomial.j - 1) *
                                                  double_factorial(2 * monomial.k - 1)));
}

double contraction_norm(int l, const std::vector<double>& exponents,
                        const std::vector<double>& coefficients) {
  // <a|b> of x^l is (pi/p)^(3/2) (2l-1)!! / (2p)^l with p = a + b.
  double sum = 0.0;
  for (std::size_t a = 0; a < exponents.size(); ++a)
    for (std::size_t b = 0; b < exponents.size(); ++b) {
      const double p = exponents[a] + exponents[b];
      double overlap = (std::numbers::pi / p) * std::sqrt(std::numbers::pi / p) *
                       double_factorial(2 * l - 1);
      for (int i = 0; i < l; ++i) overlap /= 2.0 * p;
      sum += coefficients[a] * coefficients[b] * overlap;
    }
  return std::sqrt(sum);
}

}  // namespace drover
