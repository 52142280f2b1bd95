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
    each_other(*this, [&](auto&) { others_ = true; });
  }

  bool active() const {
    bool any_term = false;
    each(*this, [&](const auto&) { any_term = true; });
    return any_term;
  }

  R body(long slot, const Separation<R>* nuclear, const Radial<R>* radial) {
    R value(0.0);
    each_usual(*this, [&](auto& term) {
      if constexpr (requires { term.body(slot, nuclear, radial); })
        value += term.body(slot, nuclear, radial);
    });
    return others_ ? value + body_of_others(slot, nuclear, radial) : value;
  }

  // Out of line: moves are a percent slower with it inlined into the sweeps.
  [[gnu::noinline]] R pair(long i, long j, R r, bool like) const {
    R value(0.0);
    each_usual(*this, [&](const auto& term) {
      if constexpr (requires { term.pair(i, j, r, like); })
        value += term.pair(i, j, r, like);
    });
    return others_ ? value + pair_of_others(i, j, r, like) : value;
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
  // Every term there is, in the order in which they are added. Those of most runs come
  // first and are inlined into the moves, the others called out of line.
  template <class Self, class Visit>
  static DROVER_INLINE void each_usual(Self& self, const Visit& visit) {
    visit_active(self.boys_handy_, visit);
    visit_active(self.nuclear_cusp_, visit);
  }
  template <class Self, class Visit>
  static DROVER_INLINE void each_other(Self& self, const Visit& visit) {
    visit_active(self.pade_, visit);
    visit_active(self.rexp_, visit);
    visit_active(self.polynomial_, visit);
    visit_active(self.dtn_, visit);
    visit_active(self.pytc_dtn_, visit);
    visit_active(self.neural_ee_, visit);
    visit_active(self.neural_en_, visit);
    visit_active(self.neural_een_, visit);
  }
  template <class Self, class Visit>
  static DROVER_INLINE void each(Self& self, const Visit& visit) {
    each_usual(self, visit);
    each_other(self, visit);
  }
  template <class Term, class Visit>
  static DROVER_INLINE void visit_active(Term& term, const Visit& visit) {
    if (term.active()) visit(term);
  }

  [[gnu::noinline]] R body_of_others(long slot, const Separation<R>* nuclear,
                                     const Radial<R>* radial) {
    R value(0.0);
    each_other(*this, [&](auto& term) {
      if constexpr (requires { term.body(slot, nuclear, radial); })
        value += term.body(slot, nuclear, radial);
    });
    return value;
  }
  [[gnu::noinline]] R pair_of_others(long i, long j, R r, bool like) const {
    R value(0.0);
    each_other(*this, [&](const auto& term) {
      if constexpr (requires { term.pair(i, j, r, like); })
        value += term.pair(i, j, r, like);
    });
    return value;
  }

  BoysHandyTerm<R> boys_handy_;
  NuclearCuspTerm<R> nuclear_cusp_;
  PadeTerm<R> pade_;
  RexpTerm<R> rexp_;
  TruncatedTerm<R> polynomial_, dtn_, pytc_dtn_;
  NeuralTerm<R, NeuralKind::ee> neural_ee_;
  NeuralTerm<R, NeuralKind::en> neural_en_;
  NeuralTerm<R, NeuralKind::een> neural_een_;
  bool others_ = false;
};

}  // namespace DROVER_ISA
}  // namespace drover
