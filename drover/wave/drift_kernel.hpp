// Moves of all electrons along the drift of ln|psi|, with Metropolis acceptance.
//
//   x' = x + shift(x) + w(x) z,   shift_i = v_i tau_i 2/(1 + sqrt(1 + 2 a v_i^2 tau_i)),
// v_i = grad_i ln|psi|, tau_i = w_i^2, w_i = step size * move_scale(x_i), a = 1/2: the
// limiter of Umrigar, Nightingale and Runge, J. Chem. Phys. 99, 2865 (1993), written so
// that a vanishing drift divides nothing. Shift and width belong to the point a move
// starts from, on the way back too, and the acceptance is
//   |psi'/psi|^2 prod_i (w_i/w'_i)^3 exp(z_i^2/2 - |x_i - x'_i - shift'_i|^2/(2 w'_i^2)).
// Sampling the determinant alone keeps the drift of the whole wave function: any drift
// is right as long as both directions use the same.
#pragma once

#include "drover/core/random.hpp"
#include "drover/wave/model.hpp"

namespace drover {
inline namespace DROVER_ISA {

// A point of the walk and what a move from there needs.
template <class R>
struct DriftPoint {
  R *x, *shift, *width;  // [3 N], [3 N], [N]
  R logs;                // ln|psi|, or ln|D| for the reference
};

// Fills `point` for psi's present positions.
template <class R, class Psi>
void look_around(Psi& psi, const VisitPlan& plan, DriftPoint<R>& point) {
  const int n = psi.electrons();
  const auto energy = psi.template energy<false, true>();
  point.logs = plan.target == Target::wave_function ? energy.log_abs
                                                    : energy.log_abs - energy.log_jastrow;
  const R *x = psi.positions(), *drift = psi.gradient();
  for (int e = 0; e < n; ++e) {
    const R* v = drift + 3 * e;
    const R width = R(plan.step_size) * psi.move_scale(x + 3 * e), tau = width * width;
    const R v2 = fma(v[0], v[0], fma(v[1], v[1], v[2] * v[2]));
    const R stretch = R(2.0) * tau / (R(1.0) + sqrt(fma(v2, tau, R(1.0))));
    point.width[e] = width;
    for (int k = 0; k < 3; ++k) {
      point.x[3 * e + k] = x[3 * e + k];
      point.shift[3 * e + k] = stretch * v[k];
    }
  }
}

// One move of all electrons from `here`, which follows the walker; `there` is workspace.
// Returns which lanes moved.
template <class R, class Psi>
mask_t<R> sweep_drift(Psi& psi, const VisitPlan& plan, std::int64_t first_walker,
                      std::int64_t sweep, DriftPoint<R>& here, DriftPoint<R>& there) {
  const int n = psi.electrons();
  R* x = psi.positions();
  R uniform(0.5), logs(0.0);
  for (int e = 0; e < n; ++e) {
    const MoveDraw<R> draw =
        draw_move<R>(plan.seed, first_walker, sweep, Purpose::move_drift, e);
    if (e == 0) uniform = draw.uniform;
    const R z[3] = {draw.x, draw.y, draw.z};
    logs = fma(R(0.5), fma(z[0], z[0], fma(z[1], z[1], z[2] * z[2])), logs);
    for (int k = 3 * e; k < 3 * e + 3; ++k)
      x[k] = fma(here.width[e], z[k - 3 * e], here.x[k] + here.shift[k]);
  }
  look_around(psi, plan, there);
  for (int e = 0; e < n; ++e) {
    R back2(0.0);
    for (int k = 3 * e; k < 3 * e + 3; ++k) {
      const R d = here.x[k] - there.x[k] - there.shift[k];
      back2 = fma(d, d, back2);
    }
    const R q = here.width[e] / there.width[e];
    const R w2 = there.width[e] * there.width[e];
    logs = fnma(R(0.5), back2 / w2, logs) + log(q * q * q);
  }
  const auto accept = fma(R(2.0), there.logs - here.logs, logs) > log(uniform);
  for (int k = 0; k < 3 * n; ++k) {
    here.x[k] = select(accept, there.x[k], here.x[k]);
    here.shift[k] = select(accept, there.shift[k], here.shift[k]);
    x[k] = here.x[k];
  }
  for (int e = 0; e < n; ++e)
    here.width[e] = select(accept, there.width[e], here.width[e]);
  here.logs = select(accept, there.logs, here.logs);
  return accept;
}

}  // namespace DROVER_ISA
}  // namespace drover
