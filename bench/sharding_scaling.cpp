// What a second device brings.
#include <algorithm>
#include <cstdio>
#include <drover/drover.hpp>

#include "bench/sharding_bench.hpp"
#include "drover/app/bench_systems.hpp"
#include "drover/vmc/sampling.hpp"

using namespace drover;

// A measuring step of water, on one device and on two in turn, and what it is made of
// without any sum: how much two cores of this machine bring at the most.
void strong_scaling() {
  constexpr std::int64_t walkers = 4096;
  constexpr int steps = 15;
  MolecularModel model(app::bench_system("water"), JastrowSettings{});
  SampleSpec spec;
  spec.visit.sweeps = 4;
  spec.visit.step_size = 0.3;
  spec.shift = -76.0;
  const Mesh meshes[2] = {Mesh::cpu(1), Mesh::cpu(2)};
  std::vector<Sharded<Herd>> herds;
  for (const Mesh& mesh : meshes) herds.push_back(make_herd(mesh, model, walkers, 7));
  const auto take_step = [&](std::size_t k) {
    Unreduced<StepSums> sums = make_step_sums(meshes[k], spec);
    BadWalker bad;
    sample_into(sums, model, herds[k], spec, bad);
    reduce_step(std::move(sums), spec, "step");
  };
  std::vector<double> whole[2], visits[2];
  for (int i = 0; i < steps + 2; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      take_step(k);  // wakes a core that was idle
      const double start = seconds_now(Clock::wall);
      take_step(k);
      const double middle = seconds_now(Clock::wall);
      meshes[k].for_each_device([&](const DeviceContext& device) {
        Herd& herd = herds[k].shard(device.local_index);
        AlignedVector<double> numbers(2 * tile_walkers);
        TileResult result;
        result.kinetic = numbers.data();
        result.potential = numbers.data() + tile_walkers;
        const RowRange rows = herds[k].local_range(device.local_index);
        for (std::int64_t t = 0; t < tile_count(rows.size()); ++t)
          model.visit(herd.scratch(), spec.visit, herd.tile(t), result);
      });
      if (i < 2) continue;
      whole[k].push_back(middle - start);
      visits[k].push_back(seconds_now(Clock::wall) - middle);
    }
    spec.visit.first_sweep += spec.visit.sweeps;
  }
  const auto line = [&](const char* what, std::vector<double>* times) {
    for (int k = 0; k < 2; ++k) {
      std::nth_element(times[k].begin(), times[k].begin() + steps / 2, times[k].end());
    }
    const double one = times[0][steps / 2], two = times[1][steps / 2];
    std::printf("  %-28s %.1f ms on one device, %.1f ms on two, %.2f times as fast\n",
                what, 1e3 * one, 1e3 * two, one / two);
    return one / two;
  };
  std::printf("water, %lld walkers, a measuring step\n", static_cast<long long>(walkers));
  const double step = line("the step", whole);
  const double most = line("its visits, nothing shared", visits);
  std::printf("  the step keeps %.1f %% of what these cores can bring\n",
              100.0 * step / most);
}
