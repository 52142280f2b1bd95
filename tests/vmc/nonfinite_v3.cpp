// Energies that are no numbers: counted, named, never in a mean; too many end the run.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "drover/core/error.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/vmc/run.hpp"
#include "examples/exact_systems.hpp"

namespace drover::testing {
namespace {

// An oscillator whose potential is not a number where x > edge.
struct Holed : systems::Oscillator {
  double edge = 1.8;
  template <class T>
  T potential(const T* x) const {
    const T v = systems::Oscillator::potential(x);
    return select(x[0] > T(edge), T(std::numeric_limits<double>::quiet_NaN()), v);
  }
};

struct Listener : RunObserver {
  std::vector<std::string> warnings;
  void warning(std::string_view text) override { warnings.emplace_back(text); }
};

RunResult measure(const Holed& function, Listener& listener, int devices = 2) {
  UserModel<Holed> model(function);
  Settings settings;
  settings.sampling.walkers = 200;
  settings.sampling.equilibration = 10;
  settings.optimise.steps = 0;
  settings.measure.steps = 50;
  RunControl control;
  const auto scope = use_mesh(Mesh::cpu(devices));
  return run(model, settings, listener, control).result;
}

TEST(NonFinite, energies_are_counted_named_and_left_out) {
  Listener listener;
  const RunResult r = measure({}, listener);
  EXPECT_GT(r.nonfinite, 0);
  // Every counted energy is 3/2; a single NaN in a mean would show.
  EXPECT_NEAR(r.energy, 1.5, 1e-12);
  EXPECT_LT(r.variance, 1e-18);
  ASSERT_EQ(listener.warnings.size(), 1u);  // said once, not every step
  EXPECT_NE(listener.warnings[0].find("walker "), std::string::npos);
  EXPECT_NE(listener.warnings[0].find("potential"), std::string::npos);
  EXPECT_FALSE(r.warnings.empty());
}

TEST(NonFinite, the_walker_named_does_not_depend_on_devices) {
  Listener one, seven;
  const RunResult a = measure({}, one, 1), b = measure({}, seven, 7);
  EXPECT_EQ(a.nonfinite, b.nonfinite);
  EXPECT_EQ(one.warnings, seven.warnings);
  EXPECT_EQ(a.energy, b.energy);
}

TEST(NonFinite, a_run_without_numbers_stops_and_says_so) {
  Holed broken;
  broken.edge = -5.0;
  Listener listener;
  try {
    measure(broken, listener);
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::numerical);
    EXPECT_NE(std::string(e.what()).find("are not numbers"), std::string::npos)
        << e.what();
    EXPECT_GE(e.where().walker, 0);
    EXPECT_EQ(e.where().component, "potential");
  }
}

}  // namespace
}  // namespace drover::testing
