// One step of each optimisation method: pure functions of central moments.
//
//   stochastic reconfiguration  dp = -eta d,  (S + shift) d = g/2,  g = 2 cov(E, O)
//   linear method               H c = E S c in the basis (psi, dpsi/dp_k), dp = c_k/c_0
//   Gauss-Newton                (G + damping) dp = -v/2,  G = cov(E_k, E_l), v the
//                               gradient of the variance
//
// Sources: Sorella, Phys. Rev. B 64, 024512 (2001); Umrigar, Toulouse, Filippi, Sorella,
// Hennig, Phys. Rev. Lett. 98, 110201 (2007); Toulouse and Umrigar, J. Chem. Phys. 126,
// 084102 (2007); Goldshlager, Abrahamsen, Lin, J. Comput. Phys. 516, 113351 (2024) for
// SPRING; Chen and Heyl, Nat. Phys. 20, 1476 (2024) for the N x N form.
// Eigen on one thread with fixed cache sizes; no libm, so every CPU gets the same bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "drover/vmc/optimiser_moments.hpp"

namespace drover {

// What every method regularises and limits. The metric M is the method's own (S or G)
// plus, on its diagonal, relative * M_kk + absolute.
struct StepLimits {
  double relative = 1e-3;
  double absolute = 1e-3;
  double trust_radius = 0.3;  // largest sqrt(dp^T S dp); Gauss-Newton: see there; 0: none
  // A parameter whose own metric is below this fraction of the largest is held for the
  // step: it would follow noise. Rounding (1e-13 of its mean square) counts as zero.
  double hold_below = 1e-8;
  std::vector<std::uint8_t> frozen;    // P of 0 or 1, or empty: none; 1 keeps its bits
  std::vector<double> largest_change;  // P, in the parameter's unit, or empty: no limit
};

struct ParameterStep {
  std::vector<double> change;         // P; exactly 0 for frozen and held parameters
  double norm = 0.0;                  // sqrt(dp^T S dp), or Gauss-Newton's
  double predicted = 0.0;             // change of the energy, or of the variance
  double shift = 0.0;                 // linear method: the shift that was used in the end
  std::vector<std::int64_t> held;     // without variance in this step
  std::vector<std::int64_t> limited;  // would have moved further than largest_change
};

// d of (S + relative diag(S) + absolute) d = cov(E, O). With SPRING's momentum mu and the
// previous direction: ... = cov(E, O) + (relative diag(S) + absolute) mu d_previous.
// Directions whose scaled eigenvalue is below 1e-12 of the largest are left out, so a
// singular S without shift gives the solution of least norm.
std::vector<double> sr_direction(const OptimiserMoments& moments, double relative,
                                 double absolute, double momentum = 0.0,
                                 std::span<const double> previous = {});

// The same for relative = 0 from the samples themselves by an N x N system, for more
// parameters than samples (minSR): log_slopes is N x P row-major, energies N.
//   d = mu d_prev + X^T (X X^T + absolute)^-1 (e - mu X d_prev),
// X = (O - <O>) sqrt(w/W), e = (E - <E>) sqrt(w/W) with the samples' weights w, W their
// sum; no weights: all 1. Cost N^2 P + N^3/3.
std::vector<double> min_sr_direction(std::span<const double> log_slopes,
                                     std::span<const double> energies,
                                     std::int64_t parameters, double absolute,
                                     double momentum = 0.0,
                                     std::span<const double> previous = {},
                                     std::span<const double> weights = {});

// dp = -rate d within the limits. Needs MomentSet::sr(). Predicted: the linear term
// 2 cov(E, O) dp of the energy's change.
ParameterStep sr_step(const OptimiserMoments& moments, double rate,
                      const StepLimits& limits);

// The linear method. Energies are taken relative to <E>, so H_00 = 0 and
//   H_k0 = cov(O_k, E),  H_0l = cov(O_l, E) + <E_l>,
//   H_kl = <(E - <E>)(O_k - <O_k>)(O_l - <O_l>)> + cov(O_k, E_l),
// not symmetrised, so that an exact wave function within reach is found from any finite
// sample (strong zero variance). shift * M is added to the block H_kl; M is the overlap.
// Of the real eigenvectors, normalised in M, with c_0^2 >= 1/2 the one of lowest
// eigenvalue is taken, and its change rescaled to dp / sqrt(1 + dp^T S dp): the form for
// non-linear parameters with xi = 1/2. A step beyond the trust radius, or no such vector,
// multiplies the shift by 4 and tries again (a large shift is SR with rate 1/shift); what
// is still too long after 25 tries is scaled.
// Predicted: the Rayleigh quotient of the change. Needs MomentSet::linear_method().
ParameterStep linear_step(const OptimiserMoments& moments, double shift,
                          const StepLimits& limits);

// Gauss-Newton with Levenberg's damping for the variance of E. Over |psi|^2 the gradient
// v has the terms of the changing density, which decide where the minimum lies; G is that
// of fixed samples in either case, since the terms that it lacks vanish with the variance
// and need third moments (Umrigar and Filippi, Phys. Rev. Lett. 94, 150201 (2005), who
// leave them out). The diagonal of G grows by damping * (G_kk + 1e-3 median G);
// limits.relative and absolute are not used. The norm is sqrt(dp^T G dp / variance): one
// means that the linear change of the energies is as wide as the energies are. Needs
// MomentSet::gauss_newton(). Predicted: v dp + dp^T G dp, the change of the variance.
ParameterStep gauss_newton_step(const OptimiserMoments& moments, double damping,
                                const StepLimits& limits);

// All steps throw Error(numerical) when a moment is not finite, Error(logic) when the
// moments lack what the method needs or a limit is out of range. With P = 0 or without
// variance (below 1e-20 (1 + E^2)) they propose no change.

}  // namespace drover
