// The Jastrow factor of a pack of walkers: the sum of its terms.
//
//   J = sum_i body(i) + sum_{i<j} pair(i, j)
// A term is a class constructed from the WavePlan. It offers active() and any of
//   allocate(arena)                   tables, with one slot more than there are electrons
//   body(slot, nuclear, radial) -> R  its one-body part for the electron in a slot,
//   filling
//                                     the slot's tables (slot `electrons`: a proposal)
//   pair(i, j, r, like) -> R          its part for the electrons in slots i and j
//   accept(e, mask)                   the proposal's tables become those of electron e
//   energy(geometry, radial, J, grad, lap)           adds its part
//   derivatives(geometry, radial, drift, by, e_by)   adds d ln psi/dp and d E_L/dp;
//   called
//                                     after energy on the same positions
// nuclear and radial: distances from every nucleus and the s orbitals there; drift: grad
// ln|psi|, [3 N].
#pragma once

#include "drover/wave/boys_handy_kernel.hpp"
#include "drover/wave/neural_kernel.hpp"
#include "drover/wave/nuclear_cusp_kernel.hpp"
#include "drover/wave/pade_kernel.hpp"
#include "drover/wave/rexp_kernel.hpp"
#include "drover/wave/truncated_kernel.hpp"

namespace drover {
inline namespace DROVER_ISA {

template <class R>
class Jastrow {
 public:
  Jastrow(const WavePlan& plan, Arena& arena)
      : boys_handy_(plan),
        nuclear_cusp_(plan),
        pade_(plan),
        rexp_(plan),
        polynomial_(plan, plan.polynomial),
        dtn_(plan, plan.dtn),
        pytc_dtn_(plan, plan.pytc_dtn),
        neural_ee_(plan),
        neural_en_(plan),
        neural_een_(plan) {
    each(*this, [&](auto& term) {
      if constexpr (requires { term.allocate(arena); }) term.allocate(arena);
    });
  }

  bool active() const {
    bool any_term = false;
    each(*this, [&](const auto&) { any_term = true; });
    return any_term;
  }

  DROVER_INLINE R body(long slot, const Separation<R>* nuclear, const Radial<R>* radial) {
    R value(0.0);
    each(*this, [&](auto& term) {
      if constexpr (requires { term.body(slot, nuclear, radial); })
        value += term.body(slot, nuclear, radial);
    });
    return value;
  }

  DROVER_INLINE R pair(long i, long j, R r, bool like) const {
    R value(0.0);
    each(*this, [&](const auto& term) {
      if constexpr (requires { term.pair(i, j, r, like); })
        value += term.pair(i, j, r, like);
    });
    return value;
  }

  void accept(int e, mask_t<R> accepted) {
    each(*this, [&](auto& term) {
      if constexpr (requires { term.accept(e, accepted); }) term.accept(e, accepted);
    });
  }

  void energy(const Geometry<R>& geometry, const Radial<R>* radial, R& value, R* grad,
              R* lap) {
    each(*this, [&](auto& term) { term.energy(geometry, radial, value, grad, lap); });
  }

  void derivatives(const Geometry<R>& geometry, const Radial<R>* radial, const R* drift,
                   R* by_parameter, R* energy_by_parameter) {
    each(*this, [&](auto& term) {
      term.derivatives(geometry, radial, drift, by_parameter, energy_by_parameter);
    });
  }

 private:
  // Every term there is, in the order in which they are added.
  template <class Self, class Visit>
  static DROVER_INLINE void each(Self& self, const Visit& visit) {
    const auto visit_active = [&](auto& term) {
      if (term.active()) visit(term);
    };
    visit_active(self.boys_handy_);
    visit_active(self.nuclear_cusp_);
    visit_active(self.pade_);
    visit_active(self.rexp_);
    visit_active(self.polynomial_);
    visit_active(self.dtn_);
    visit_active(self.pytc_dtn_);
    visit_active(self.neural_ee_);
    visit_active(self.neural_en_);
    visit_active(self.neural_een_);
  }

  BoysHandyTerm<R> boys_handy_;
  NuclearCuspTerm<R> nuclear_cusp_;
  PadeTerm<R> pade_;
  RexpTerm<R> rexp_;
  TruncatedTerm<R> polynomial_, dtn_, pytc_dtn_;
  NeuralTerm<R, NeuralKind::ee> neural_ee_;
  NeuralTerm<R, NeuralKind::en> neural_en_;
  NeuralTerm<R, NeuralKind::een> neural_een_;
};

}  // namespace DROVER_ISA
}  // namespace drover
