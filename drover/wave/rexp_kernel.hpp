// rexp of a pack of walkers: u(r) = a r exp(-alpha r), a the slope at coalescence.
//
// With e = a exp(-alpha r):  u' = e (1 - alpha r),  u'' = -e alpha (2 - alpha r);
//   du/dalpha = -e r^2, its derivatives -e r (2 - alpha r) and
//   -e (2 - 4 alpha r + alpha^2 r^2).
#pragma once

#include "drover/core/math.hpp"
#include "drover/wave/radial_functions.hpp"

namespace drover {
inline namespace DROVER_ISA {

struct RexpFunction {
  static const PairPlan& of(const WavePlan& plan) { return plan.rexp; }

  template <class R>
  static DROVER_INLINE R u(const PairPlan& p, double a, R r) {
    return R(a) * r * exp_negative(R(-p.range) * r);
  }

  template <class R>
  static DROVER_INLINE void jets(const PairPlan& p, double a, R r, Radial2<R>& u,
                                 Radial2<R>& by_alpha) {
    const R alpha(p.range), y = alpha * r, two(2.0);
    const R e = R(a) * exp_negative(-y);
    u = {e * r, e * (R(1.0) - y), e * alpha * (y - two)};
    by_alpha = {-e * r * r, e * r * (y - two), -e * fma(y - R(4.0), y, two)};
  }
};

template <class R>
using RexpTerm = PairTerm<R, RexpFunction>;

}  // namespace DROVER_ISA
}  // namespace drover
