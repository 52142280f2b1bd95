// A small program on top of an installed Drover: reads a wave function, runs some steps.
#include <cstdio>
#include <drover/drover.hpp>

int main(int, char** argv) {
  const drover::Molecule molecule = drover::read_wavefunction(argv[1]);
  const auto scope = drover::use_mesh(drover::Mesh::cpu(2));
  drover::Settings settings;
  settings.sampling.walkers = 128;
  settings.sampling.equilibration = 8;
  settings.optimise.steps = settings.optimise.reference_steps = 0;
  settings.measure.steps = 8;
  drover::RunObserver quiet;
  drover::RunControl control;
  const auto result = drover::run(molecule, settings, quiet, control).result;
  std::printf("drover %s: %lld walkers, %.2f hartree\n", drover::version(),
              static_cast<long long>(result.walkers), result.energy);
}
