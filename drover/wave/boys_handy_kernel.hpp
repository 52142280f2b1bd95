// boys-handy as a Jastrow term: the sums of een_kernel.hpp and een_derivatives.hpp with
// their tables.
#pragma once

#include "drover/wave/een_derivatives.hpp"
#include "drover/wave/een_kernel.hpp"
#include "drover/wave/orbital_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R>
class BoysHandyTerm {
 public:
  explicit BoysHandyTerm(const WavePlan& plan) : plan_(plan), p_(plan.een) {}
  bool active() const { return p_.active; }
  void allocate(Arena& arena) {
    work_.allocate(p_, plan_.electrons + 1, arena);
    derivative_.allocate(p_, plan_.electrons, arena);
  }

  DROVER_INLINE R body(long slot, const Separation<R>* nuclear, const Radial<R>*) {
    R value(0.0), unused(0.0);
    een_electron<false>(p_, plan_.electrons, nuclear, work_, slot, value,
                        static_cast<R*>(nullptr), unused);
    return value;
  }
  DROVER_INLINE R pair(long i, long j, R r, bool like) const {
    return een_pair_value(p_, work_, i, j, r, like);
  }
  void accept(int e, mask_t<R> accepted) {
    const int n = plan_.electrons;
    take_slot(work_.left, n, p_.atoms * p_.channels, e, accepted);
    take_slot(work_.right, n, p_.atoms * p_.channels, e, accepted);
    take_slot(work_.plain, n, p_.kinds * p_.orders, e, accepted);
  }

  void energy(const Geometry<R>& geometry, const Radial<R>*, R& value, R* grad, R* lap) {
    een_energy(p_, plan_.electrons, plan_.up, geometry, work_, value, grad, lap);
  }
  void derivatives(const Geometry<R>& geometry, const Radial<R>*, const R* drift,
                   R* by_parameter, R* energy_by_parameter) {
    een_derivatives(p_, plan_.electrons, plan_.up, geometry, work_, drift, derivative_,
                    by_parameter, energy_by_parameter);
  }

 private:
  const WavePlan& plan_;
  const EenPlan& p_;
  EenWork<R> work_{};
  EenDerivativeWork<R> derivative_{};
};

}  // namespace DROVER_ISA
}  // namespace drover
