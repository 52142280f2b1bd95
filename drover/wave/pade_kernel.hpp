// pade of a pack of walkers: u(r) = a r/(1 + b r), a the slope at coalescence.
//
// With t = 1/(1 + b r):  u' = a t^2,  u'' = -2 a b t^3;
//   du/db = -a r^2 t^2,  its derivatives -2 a r t^3 and -2 a t^3 (1 - 3 b r t).
#pragma once

#include "drover/wave/radial_functions.hpp"

namespace drover {
inline namespace DROVER_ISA {

struct PadeFunction {
  static const PairPlan& of(const WavePlan& plan) { return plan.pade; }

  template <class R>
  static DROVER_INLINE R u(const PairPlan& p, double a, R r) {
    return R(a) * r / fma(R(p.range), r, R(1.0));
  }

  template <class R>
  static DROVER_INLINE void jets(const PairPlan& p, double a, R r, Radial2<R>& u,
                                 Radial2<R>& by_b) {
    const R b(p.range), t = R(1.0) / fma(b, r, R(1.0));
    const R rt = r * t, at2 = R(a) * t * t, at3 = at2 * t;
    u = {R(a) * rt, at2, R(-2.0) * b * at3};
    by_b = {R(-a) * rt * rt, R(-2.0) * r * at3,
            R(-2.0) * at3 * fnma(R(3.0) * b, rt, R(1.0))};
  }
};

template <class R>
using PadeTerm = PairTerm<R, PadeFunction>;

}  // namespace DROVER_ISA
}  // namespace drover
