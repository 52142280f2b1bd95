// Optimisers led astray on purpose: the run goes on and says what it turned down.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "drover/wave/molecular_model.hpp"
#include "run_fixture.hpp"

namespace drover::testing {
namespace {

// Steps that take parameters far beyond anything sensible give energies that leave the
// sums' window, no numbers at all, or energies below any ground state.
TEST(WildTrials, are_turned_down_and_the_run_goes_on) {
  Settings s = small_settings();
  s.optimise.method = OptimiseMethod::sgd;
  s.optimise.learning_rate = 1e4;
  s.optimise.trust_radius = 1e5;
  s.optimise.reference_steps = 0;
  s.optimise.steps = 6;
  s.optimise.sweeps = 1;
  const RunResult r = run_on(1, molecule_of("H2O_sto-3g.molden"), s).result;
  const auto reverted = std::count_if(r.optimisation.begin(), r.optimisation.end(),
                                      [](const auto& o) { return !o.accepted; });
  EXPECT_GT(reverted, 0);
  // A determinant of sto-3g gives -74.96, the exact energy of water is -76.44: what comes
  // out lies between, with six errors of these few samples to spare.
  EXPECT_GT(r.energy, -76.44 - 6 * r.error);
  EXPECT_LT(r.energy, -74.0 + 6 * r.error);
}

TEST(WildTrials, one_walker_has_an_error_too) {
  Settings s = small_settings();
  s.sampling.walkers = 1;
  const RunResult r = run_on(1, molecule_of("He_cc-pvdz.molden"), s).result;
  for (const OptimisationRecord& o : r.optimisation) EXPECT_GT(o.error, 0.0);
}

TEST(StartFrom, gives_way_to_parameters_that_were_given) {
  const Molecule helium = molecule_of("He_cc-pvdz.molden");
  Settings s = small_settings();
  s.jastrow.terms = {term_named("pade")};
  s.optimise.steps = s.optimise.reference_steps = 0;
  RunControl control;
  control.start = run_on(1, helium, s).final_state;
  EXPECT_EQ(run_on(1, helium, s, control).result.parameters[0], 1.0);
  control.parameters = {3.0};
  EXPECT_EQ(run_on(1, helium, s, control).result.parameters[0], 3.0);
}

}  // namespace
}  // namespace drover::testing
