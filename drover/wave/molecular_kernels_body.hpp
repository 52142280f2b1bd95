// What molecular_kernels_v3.cpp and _v4.cpp share: the kernels of one lane count. It must
// be compiled once per instruction set, so it lives in that set's namespace.
#pragma once

#include "drover/wave/molecular_kernels.hpp"
#include "drover/wave/slater_jastrow.hpp"
#include "drover/wave/visit_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <int W>
long molecular_workspace(const WavePlan& plan) {
  using R = Pack<W>;
  Arena count(nullptr);
  MoveWork<R>::in(count, plan.electrons);
  return count.used() + SlaterJastrow<R>::workspace_bytes(plan);
}

template <int W>
void molecular_visit(const WavePlan& plan, char* workspace, const VisitPlan& visit,
                     const TileView& tile, TileResult& result) {
  using R = Pack<W>;
  Arena arena(workspace);
  MoveWork<R> work = MoveWork<R>::in(arena, plan.electrons);
  SlaterJastrow<R> psi(plan, arena);
  visit_tile<R>(psi, work, plan.parameters, visit, tile, result);
}

}  // namespace DROVER_ISA
}  // namespace drover
