// Conjugate gradients with a diagonal preconditioner, for (S + diag(shift)) d = b where
// only products S v are known. Source: Hestenes and Stiefel, J. Res. NBS 49, 409 (1952).
//
// For stochastic reconfiguration S v is one sum over the samples, so an iteration is one
// reduction of P numbers and no P x P matrix is ever formed (Neuscamman, Umrigar and
// Chan, Phys. Rev. B 85, 045103 (2012)).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace drover {

using MetricProduct = std::function<std::vector<double>(std::span<const double>)>;

struct ConjugateGradients {
  std::vector<double> solution;
  std::int64_t iterations = 0;  // products that were asked for
  double norm = 0.0;            // sqrt(d^T S d), without another product
};

// Ends when the residual, in the norm of the inverse preconditioner S_kk + shift_k, is
// `tolerance` times that of b, or after `iterations`. Entries whose preconditioner is 0
// stay 0. Errors: logic, for lengths that differ; numerical, when a product is not
// finite.
ConjugateGradients conjugate_gradients(const MetricProduct& product,
                                       std::span<const double> diagonal,
                                       std::span<const double> shift,
                                       std::span<const double> right, double tolerance,
                                       std::int64_t iterations);

}  // namespace drover
