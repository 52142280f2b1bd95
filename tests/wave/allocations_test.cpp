// Visiting walkers takes nothing from the heap, and a run's steps take no more of it for
// more walkers.
#include <gtest/gtest.h>

#include <cstdlib>

#include "allocation_counter.hpp"
#include "jastrow_sums.hpp"
#include "wave_fixture.hpp"

namespace drover::testing {
namespace {

TEST(Allocations, AreSeenByTheCounter) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer owns the allocator";
  const std::int64_t found = count_allocations([] {
    std::vector<double> a(100);
    a[1] = 1.0;
    void* volatile b = std::malloc(16);
    std::free(b);
    void* volatile c = std::aligned_alloc(64, 128);
    std::free(c);
  });
  EXPECT_GE(found, 2);  // the compiler may leave out the vector
  EXPECT_EQ(count_allocations([] {}), 0);
}

// Every kind of visit with every term, on both instruction sets, tile after tile.
TEST(Allocations, VisitsMakeNone) {
  if (!allocations_are_counted) GTEST_SKIP() << "a sanitizer owns the allocator";
  const Molecule water = read_wavefunction(data_path("molden/H2O_cc-pvdz.molden"), {});
  for (const InstructionSet set : {InstructionSet::v3, InstructionSet::v4}) {
    if (set == InstructionSet::v4 && !cpu_support().v4) continue;
    for (const Sum& sum : all_sums()) {
      const int lanes = set == InstructionSet::v3 ? 4 : 8;
      const MolecularModel model(water, settings_of(sum), set, lanes);
      Rows x = sample(model, 11, 2);
      Evaluation e(model);
      const auto scratch = model.make_scratch();
      const auto visit = [&](const VisitPlan& plan) {
        TileResult r = result_of(e);
        for (int tile = 0; tile < 4; ++tile)
          model.visit(*scratch, plan, {x.data(), tile * tile_walkers, tile_walkers}, r);
      };
      const std::int64_t found = count_allocations([&] {
        for (const Move move : {Move::one, Move::all, Move::drift})
          for (const bool wanted : {false, true}) {
            VisitPlan plan;
            plan.sweeps = 1;
            plan.step_size = 0.4;
            plan.move = move;
            plan.derivatives = plan.logs = wanted;
            plan.target = wanted ? Target::wave_function : Target::reference;
            visit(plan);
          }
      });
      EXPECT_EQ(found, 0) << name(set) << ", " << name_of(sum);
    }
  }
}

}  // namespace
}  // namespace drover::testing
