// Samples of one wave function as samples of another (compiled for x86-64-v3: the model
// is instantiated here).
#include <gtest/gtest.h>

#include <cmath>

#include "drover/mesh/mesh.hpp"
#include "drover/vmc/sampling.hpp"
#include "examples/exact_systems.hpp"

namespace drover::testing {
namespace {

constexpr std::int64_t walkers = 4096, visits = 16;

// Helium exp(-z (r1 + r2)), sampled at z = 27/16; E(z) = z^2 - 27 z/8.
class Reweighting : public ::testing::Test {
 protected:
  Reweighting()
      : scope_(use_mesh(Mesh::cpu(2))),
        mesh_(current_mesh("test")),
        model_(systems::Helium{27.0 / 16.0, 0.0, false}),
        herd_(make_herd(mesh_, model_, walkers, 7)) {
    model_.set_parameters({27.0 / 16.0});
    spec_.visit.step_size = 0.6;
    spec_.shift = -2.85;
    spec_.parameters = 1;
    spec_.moments = MomentSet::gradient();
    spec_.visit.sweeps = 200;  // from the start to the density
    visit(1);
    spec_.visit.sweeps = 8;
    spec_.keep_walkers = true;
    fresh_ = visit(visits);
    spec_.keep_walkers = false;
    spec_.reuse = true;
  }

  StepSample visit(std::int64_t count) {
    Unreduced<StepSums> sums = make_step_sums(mesh_, spec_);
    BadWalker bad;
    for (spec_.kept = 0; spec_.kept < count; ++spec_.kept) {
      sample_into(sums, model_, herd_, spec_, bad);
      if (!spec_.reuse) spec_.visit.first_sweep += spec_.visit.sweeps;
    }
    return reduce_step(std::move(sums), spec_, "test");
  }
  StepSample at(double z) {
    model_.set_parameters({z});
    spec_.log_shift = (z - 27.0 / 16.0) * fresh_.moments.o[0] / fresh_.moments.weight;
    return visit(visits);
  }

  MeshScope scope_;
  Mesh mesh_;
  UserModel<systems::Helium> model_;
  Sharded<Herd> herd_;
  SampleSpec spec_;
  StepSample fresh_;
};

TEST_F(Reweighting, OfTheSameWaveFunctionIsTheSameSamples) {
  const StepSample again = at(27.0 / 16.0);
  EXPECT_EQ(again.energy, fresh_.energy);
  EXPECT_EQ(again.variance, fresh_.variance);
  EXPECT_EQ(again.moments.eo, fresh_.moments.eo);
  EXPECT_EQ(again.effective, static_cast<double>(walkers * visits));
  EXPECT_EQ(again.proposed, 0);
}

TEST_F(Reweighting, GivesTheEnergyOfTheOtherWaveFunction) {
  for (const double z : {1.6, 1.8}) {
    const StepSample s = at(z);
    const double samples = static_cast<double>(s.counted);
    EXPECT_EQ(s.counted, walkers * visits);
    EXPECT_GT(s.effective, 0.8 * samples);
    EXPECT_LT(s.effective, 0.99 * samples);
    // 4.9 errors (false alarm 1e-6). Eight sweeps leave the energies of a walker
    // correlated with tau below 4 (two electrons, half of the moves accepted).
    EXPECT_NEAR(s.energy, z * z - 27.0 * z / 8.0,
                4.9 * std::sqrt(4.0 * s.variance / s.effective));
    EXPECT_NE(s.energy, fresh_.energy);
    // dE/dz = 2 cov(E, O) = 2 z - 27/8. The product varies by about Var(E) Var(O),
    // Var(O) = 3/(2 z^2) = 0.5; 1.5 leaves room for their tails.
    const OptimiserMoments m = central_moments(s.moments);
    EXPECT_NEAR(m.gradient(false)[0], 2.0 * z - 27.0 / 8.0,
                4.9 * 2.0 * std::sqrt(4.0 * s.variance * 1.5 / s.effective));
  }
}

TEST_F(Reweighting, OverTheReferenceDensityHasNoWeights) {
  spec_.visit.target = Target::reference;
  const StepSample s = at(1.8);
  EXPECT_EQ(s.effective, static_cast<double>(walkers * visits));
}

TEST_F(Reweighting, CountsSamplesThatWouldOutweighAllOthers) {
  const StepSample s = at(0.3);
  EXPECT_GT(s.overweight, 0);
  EXPECT_EQ(s.counted + s.overweight, walkers * visits);
  EXPECT_LT(s.effective, 0.5 * static_cast<double>(walkers * visits));
}

}  // namespace
}  // namespace drover::testing
