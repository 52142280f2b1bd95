// A step of a run takes no more from the heap for more walkers: nothing is allocated per
// walker or per tile in the loop.
#include <gtest/gtest.h>

#include "../wave/allocation_counter.hpp"
#include "drover/vmc/sampling.hpp"
#include "drover/wave/molecular_model.hpp"
#include "run_fixture.hpp"

namespace drover::testing {
namespace {

struct Wanted {
  const char* name;
  bool derivatives, walker_sums;
  std::int64_t microbatch;
};

void PrintTo(const Wanted& w, std::ostream* out) {
  *out << w.name;
}

class Allocations : public ::testing::TestWithParam<Wanted> {};

// Of a step (sweeps, energies, sums, reduction) after a first one, which makes what is
// kept.
std::int64_t allocations_of_a_step(const Wanted& wanted, std::int64_t walkers) {
  const auto scope = use_mesh(Mesh::cpu(1));
  const Mesh mesh = current_mesh("test");
  MolecularModel model(molecule_of("He_cc-pvdz.molden"), JastrowSettings{});
  Sharded<Herd> herd = make_herd(mesh, model, walkers, 7);
  SampleSpec spec;
  spec.visit.sweeps = 1;
  spec.visit.step_size = 0.4;
  spec.visit.derivatives = wanted.derivatives;
  spec.shift = -2.9;
  spec.walker_sums = wanted.walker_sums;
  spec.microbatch = wanted.microbatch;
  if (wanted.derivatives) {
    spec.parameters = static_cast<std::int64_t>(model.parameters().size());
    spec.moments = MomentSet::all();
  }
  const auto step = [&] {
    Unreduced<StepSums> sums = make_step_sums(mesh, spec);
    BadWalker bad;
    sample_into(sums, model, herd, spec, bad);
    const StepSample sample = reduce_step(std::move(sums), spec, "step");
    EXPECT_EQ(sample.counted, walkers);
    spec.visit.first_sweep += spec.visit.sweeps;
  };
  step();
  return count_allocations(step);
}

TEST_P(Allocations, OfAStepAreAsManyForOneTileAsForMany) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer owns the allocator";
  const std::int64_t one_tile = allocations_of_a_step(GetParam(), 64);
  EXPECT_GT(one_tile, 0);
  EXPECT_EQ(allocations_of_a_step(GetParam(), 1000), one_tile);  // 16 tiles, one not full
}

INSTANTIATE_TEST_SUITE_P(Steps, Allocations,
                         ::testing::Values(Wanted{"energies", false, true, 0},
                                           Wanted{"derivatives", true, false, 0},
                                           Wanted{"microbatches", true, true, 64}));

}  // namespace
}  // namespace drover::testing
