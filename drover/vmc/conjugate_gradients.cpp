#include "drover/vmc/conjugate_gradients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "drover/core/error.hpp"

namespace drover {

namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

}  // namespace

ConjugateGradients conjugate_gradients(const MetricProduct& product,
                                       std::span<const double> diagonal,
                                       std::span<const double> shift,
                                       std::span<const double> right, double tolerance,
                                       std::int64_t iterations) {
  const std::size_t n = right.size();
  if (diagonal.size() != n || shift.size() != n)
    throw Error(ErrorKind::logic,
                fmt::format("[conjugate gradients] {} numbers on the right, {} on the "
                            "diagonal, {} shifts; expected as many",
                            n, diagonal.size(), shift.size()));
  ConjugateGradients out;
  out.solution.assign(n, 0.0);
  std::vector<double> r(right.begin(), right.end()), z(n), p(n);
  const auto precondition = [&] {
    for (std::size_t k = 0; k < n; ++k) {
      const double m = diagonal[k] + shift[k];
      if (!(m > 0.0)) r[k] = 0.0;
      z[k] = m > 0.0 ? r[k] / m : 0.0;
    }
  };
  precondition();
  const std::vector<double> b = r;
  p = z;
  double rz = dot(r, z);
  const double enough = tolerance * tolerance * rz;
  while (out.iterations < iterations && rz > enough) {
    std::vector<double> a = product(p);
    ++out.iterations;
    for (std::size_t k = 0; k < n; ++k) {
      if (k >= a.size() || !std::isfinite(a[k]))
        throw Error(ErrorKind::numerical,
                    fmt::format("[conjugate gradients] element {} of a product is not a "
                                "finite number; the samples of this step cannot guide "
                                "the parameters",
                                k));
      a[k] += shift[k] * p[k];
    }
    const double curvature = dot(p, a);
    // Rounding has eaten the rest of a singular matrix.
    if (!(curvature > 0.0)) break;
    const double alpha = rz / curvature;
    for (std::size_t k = 0; k < n; ++k) {
      out.solution[k] += alpha * p[k];
      r[k] -= alpha * a[k];
    }
    precondition();
    const double before = rz;
    rz = dot(r, z);
    for (std::size_t k = 0; k < n; ++k) p[k] = z[k] + rz / before * p[k];
  }
  // S d = b - r - shift d.
  double norm2 = 0.0;
  for (std::size_t k = 0; k < n; ++k) {
    const double d = out.solution[k];
    norm2 += d * (b[k] - r[k] - shift[k] * d);
  }
  out.norm = std::sqrt(std::max(norm2, 0.0));
  return out;
}

}  // namespace drover
