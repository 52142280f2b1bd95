// Every Jastrow term can be optimised: from its own start a few steps lower the variance.
#include <gtest/gtest.h>

#include <algorithm>

#include "drover/wave/term_registry.hpp"
#include "run_fixture.hpp"

namespace drover::testing {
namespace {

Settings few_steps(const std::vector<std::string>& terms) {
  Settings s = small_settings();
  s.jastrow.terms.clear();
  for (const std::string& name : terms) {
    s.jastrow.terms.push_back(term_named(name));
    // Small networks: the linear method's time grows as the third power of the
    // parameters.
    if (name.rfind("neural-", 0) == 0) s.jastrow.terms.back().lists["layers"] = {6, 6};
  }
  s.sampling.walkers = 512;
  s.optimise.steps = 4;
  s.optimise.reference_steps = 4;
  s.optimise.sweeps = 4;
  s.measure.steps = 40;
  return s;
}

class TermOptimisation : public ::testing::TestWithParam<std::string> {};

// Beryllium with the term added to the nuclear cusp (with pade where it brings no
// electron-electron cusp of its own), clipped variances: 3.6 to 4.0 hartree^2 before,
// with an error of a tenth, and 0.1 to 0.5 after, so that half cannot be missed by
// chance.
TEST_P(TermOptimisation, lowers_the_variance) {
  std::vector<std::string> terms = {GetParam()};
  if (!find_jastrow_term(GetParam())->electron_cusp) terms.push_back("pade");
  if (GetParam() != "nuclear-cusp") terms.push_back("nuclear-cusp");
  const Molecule be = molecule_of("Be_cc-pvdz.molden");
  Settings as_it_starts = few_steps(terms);
  as_it_starts.optimise.steps = as_it_starts.optimise.reference_steps = 0;
  const RunResult before = run_on(1, be, as_it_starts).result;
  const RunResult after = run_on(1, be, few_steps(terms)).result;
  RecordProperty("before", std::to_string(before.variance_clipped));
  RecordProperty("after", std::to_string(after.variance_clipped));
  EXPECT_LT(after.variance_clipped, 0.5 * before.variance_clipped);
  EXPECT_EQ(after.nonfinite, 0);
}

std::string identifier(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Terms, TermOptimisation,
                         ::testing::ValuesIn(jastrow_term_names()),
                         [](const auto& term) { return identifier(term.param); });

// Helium has no two like electrons: dtn's like-spin coefficients have no variance there,
// stay where they are and disturb nothing.
TEST(TermsWithoutVariance, are_held) {
  const RunResult r =
      run_on(1, molecule_of("He_cc-pvtz.molden"), few_steps({"dtn", "nuclear-cusp"}))
          .result;
  int like = 0, moved = 0;
  for (std::size_t k = 0; k < r.parameters.size(); ++k) {
    if (r.parameter_names[k].rfind("dtn.u_like", 0) == 0) {
      ++like;
      EXPECT_EQ(r.parameters[k], 0.0) << r.parameter_names[k];
    } else if (r.parameter_names[k].rfind("dtn.u_unlike", 0) == 0) {
      moved += r.parameters[k] != 0.0 ? 1 : 0;
    }
  }
  EXPECT_EQ(like, 6);
  EXPECT_EQ(moved, 6);
}

}  // namespace
}  // namespace drover::testing
