// One walker through the kernels' templates in a scalar of one's choice, on a plan of
// one's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "drover/wave/slater_jastrow.hpp"

namespace drover::testing {

template <class Real>
class OneWalker {
 public:
  explicit OneWalker(const WavePlan& plan)
      : memory_(static_cast<std::size_t>(SlaterJastrow<Real>::workspace_bytes(plan)) +
                64),
        arena_(memory_.data() +
               (64 - reinterpret_cast<std::uintptr_t>(memory_.data()) % 64)),
        psi_(plan, arena_) {}

  SlaterJastrow<Real>& at(const std::vector<Real>& x) {
    std::copy(x.begin(), x.end(), psi_.positions());
    return psi_;
  }
  Real log_abs(const std::vector<Real>& x) {
    return at(x).template energy<false, true>().log_abs;
  }
  Real local_energy(const std::vector<Real>& x) {
    const auto e = at(x).template energy<false, false>();
    return e.kinetic + e.potential;
  }

 private:
  std::vector<char> memory_;
  Arena arena_;
  SlaterJastrow<Real> psi_;
};

}  // namespace drover::testing
