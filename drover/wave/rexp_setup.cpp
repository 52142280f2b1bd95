// rexp on the host: u = a r exp(-alpha r); the parameter is alpha.
#include "drover/wave/term_setup.hpp"

namespace drover::term_setup {

void build_rexp(TermBuild& build) {
  PairPlan& p = build.plan.rexp;
  p.active = 1;
  p.unlike = build.slope(false);
  p.like = build.slope(true);
  p.parameter = build.next_parameter();
  build.parameters.push_back({"rexp.alpha", build.number("alpha"), 1e-3, 1e3});
}

void set_rexp(const std::vector<double>& values, MolecularTables&, WavePlan& plan) {
  plan.rexp.range = values[static_cast<std::size_t>(plan.rexp.parameter)];
}

}  // namespace drover::term_setup
