// One visit of a tile: Metropolis sweeps, then the local energy; any wave function.
//
// Psi<R> offers: positions(), electrons(), load(with_jastrow), propose(e, x) -> {ratio,
// jastrow}, accept(e, x, mask), log_value(x, with_jastrow), energy<Derivatives, Logs>()
// and the arrays it fills. Acceptance in logs: ln(ratio^2 / u) + 2 (J' - J) > 0; a NaN is
// a rejection. A sweep is one proposal for every electron. Random numbers depend on
// (seed, walker, sweep, electron) alone.
#pragma once

#include "drover/core/random.hpp"
#include "drover/wave/drift_kernel.hpp"
#include "drover/wave/geometry_kernel.hpp"
#include "drover/wave/model.hpp"

namespace drover {
inline namespace DROVER_ISA {

// Lanes below `active` count.
template <class R>
DROVER_INLINE int count_lanes(mask_t<R> m, int active) {
  int n = 0;
  if constexpr (lanes_v<R> == 1) {
    n = m && active > 0 ? 1 : 0;
  } else {
    for (int i = 0; i < lanes_v<R>; ++i) n += i < active && m[i] ? 1 : 0;
  }
  return n;
}

template <class R, class Psi>
std::int64_t sweep_one(Psi& psi, const VisitPlan& plan, std::int64_t first_walker,
                       std::int64_t sweep, int active) {
  std::int64_t accepted = 0;
  const R step(plan.step_size);
  for (int e = 0; e < psi.electrons(); ++e) {
    const MoveDraw<R> draw =
        draw_move<R>(plan.seed, first_walker, sweep, Purpose::move, e);
    const R* at = psi.positions() + 3 * e;
    const R here = psi.move_scale(at), width = step * here;
    const R x[3] = {fma(width, draw.x, at[0]), fma(width, draw.y, at[1]),
                    fma(width, draw.z, at[2])};
    const auto change = psi.propose(e, x);
    const R q = here / psi.move_scale(x);
    const R z2 = fma(draw.x, draw.x, fma(draw.y, draw.y, draw.z * draw.z));
    const R logs = log(change.ratio * change.ratio * (q * q * q) / draw.uniform);
    const R density = R(0.5) * z2 * (R(1.0) - q * q);
    const auto accept = fma(R(2.0), change.jastrow, logs + density) > R(0.0);
    accepted += count_lanes<R>(accept, active);
    psi.accept(e, x, accept);
  }
  return accepted;
}

// All electrons move at once; current is ln|psi| of positions() and is kept up to date.
template <class R, class Psi>
std::int64_t sweep_all(Psi& psi, R* from, R& current, const VisitPlan& plan,
                       std::int64_t first_walker, std::int64_t sweep, int active,
                       bool with_jastrow) {
  const int n = psi.electrons();
  const R step(plan.step_size);
  R* x = psi.positions();
  R uniform(0.5);
  for (int e = 0; e < n; ++e) {
    const MoveDraw<R> draw =
        draw_move<R>(plan.seed, first_walker, sweep, Purpose::move_all, e);
    if (e == 0) uniform = draw.uniform;
    const R shift[3] = {draw.x, draw.y, draw.z};
    for (int k = 0; k < 3; ++k) {
      from[3 * e + k] = x[3 * e + k];
      x[3 * e + k] = fma(step, shift[k], x[3 * e + k]);
    }
  }
  const R proposed = psi.log_value(x, with_jastrow);
  const auto accept = R(2.0) * (proposed - current) > log(uniform);
  for (int k = 0; k < 3 * n; ++k) x[k] = select(accept, x[k], from[k]);
  current = select(accept, proposed, current);
  return count_lanes<R>(accept, active);
}

template <class R>
DROVER_INLINE void store_rows(const R* from, int rows, double* to, int offset) {
  if (!to) return;
  for (int k = 0; k < rows; ++k) store(to + long(k) * tile_walkers + offset, from[k]);
}

// Workspace of moves of all electrons.
template <class R>
struct MoveWork {
  DriftPoint<R> here, there;

  static MoveWork in(Arena& arena, long electrons) {
    MoveWork work;
    for (DriftPoint<R>* point : {&work.here, &work.there})
      *point = {arena.take<R>(3 * electrons), arena.take<R>(3 * electrons),
                arena.take<R>(electrons), R(0.0)};
    return work;
  }
};

template <class R, class Psi>
void visit_tile(Psi& psi, MoveWork<R>& work, int parameters, const VisitPlan& plan,
                const TileView& tile, TileResult& out) {
  const int n = psi.electrons();
  const bool with_jastrow = plan.target == Target::wave_function;
  for (int w = 0; w < tile_walkers; w += lanes_v<R>) {
    const int active = tile.active - w;
    if (active <= 0) break;
    R* x = psi.positions();
    for (int k = 0; k < 3 * n; ++k) x[k] = load<R>(tile.positions + k * tile_walkers + w);
    const std::int64_t walker = tile.first_walker + w;
    const int counted = active < lanes_v<R> ? active : lanes_v<R>;
    if (plan.sweeps > 0) {
      if (plan.move == Move::drift) {
        look_around(psi, plan, work.here);
        for (std::int64_t s = 0; s < plan.sweeps; ++s)
          out.accepted +=
              count_lanes<R>(sweep_drift<R>(psi, plan, walker, plan.first_sweep + s,
                                            work.here, work.there),
                             active);
        out.proposed += plan.sweeps * counted;
      } else if (plan.move == Move::all) {
        R current = psi.log_value(x, with_jastrow);
        for (std::int64_t s = 0; s < plan.sweeps; ++s)
          out.accepted += sweep_all<R>(psi, work.here.x, current, plan, walker,
                                       plan.first_sweep + s, active, with_jastrow);
        out.proposed += plan.sweeps * counted;
      } else {
        psi.load(with_jastrow);
        for (std::int64_t s = 0; s < plan.sweeps; ++s)
          out.accepted += sweep_one<R>(psi, plan, walker, plan.first_sweep + s, active);
        out.proposed += plan.sweeps * counted * n;
      }
      for (int k = 0; k < 3 * n; ++k) store(tile.positions + k * tile_walkers + w, x[k]);
    }
    if (!plan.energy) continue;
    const auto energy = plan.derivatives
                            ? (plan.logs ? psi.template energy<true, true>()
                                         : psi.template energy<true, false>())
                            : (plan.logs ? psi.template energy<false, true>()
                                         : psi.template energy<false, false>());
    store_rows(&energy.kinetic, 1, out.kinetic, w);
    store_rows(&energy.potential, 1, out.potential, w);
    if (plan.logs) {
      store_rows(&energy.log_abs, 1, out.log_abs, w);
      store_rows(&energy.sign, 1, out.sign, w);
      store_rows(&energy.log_jastrow, 1, out.log_jastrow, w);
      store_rows(psi.gradient(), 3 * n, out.gradient, w);
      store_rows(psi.laplacian(), n, out.laplacian, w);
    }
    if (plan.derivatives) {
      store_rows(psi.by_parameter(), parameters, out.by_parameter, w);
      store_rows(psi.energy_by_parameter(), parameters, out.energy_by_parameter, w);
    }
  }
}

}  // namespace DROVER_ISA
}  // namespace drover
