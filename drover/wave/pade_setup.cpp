// pade on the host: u = a r/(1 + b r); the parameter is b.
#include "drover/wave/term_setup.hpp"

namespace drover::term_setup {

void build_pade(TermBuild& build) {
  PairPlan& p = build.plan.pade;
  p.active = 1;
  p.unlike = build.slope(false);
  p.like = build.slope(true);
  p.parameter = build.next_parameter();
  build.parameters.push_back({"pade.b", build.number("b"), 1e-3, 1e3});
}

void set_pade(const std::vector<double>& values, MolecularTables&, WavePlan& plan) {
  plan.pade.range = values[static_cast<std::size_t>(plan.pade.parameter)];
}

}  // namespace drover::term_setup
