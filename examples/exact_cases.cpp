// Exact cases through the same engine as molecules: potential and wave function in C++.
//
//   exact_cases            prints a line per case: energy, error, exact value
//   exact_cases --optimise helium's z and b by the linear method
#include <cstdio>
#include <cstring>

#include "drover/vmc/run.hpp"
#include "drover/vmc/statistics.hpp"
#include "exact_systems.hpp"

namespace {

template <class F>
drover::RunResult measure(F function, bool optimise) {
  drover::UserModel<F> model(function);
  drover::Settings settings;
  settings.sampling.walkers = 1024;
  settings.optimise.steps = optimise ? 8 : 0;
  settings.optimise.reference_steps = 0;
  settings.measure.steps = 200;
  drover::RunObserver quiet;
  drover::RunControl control;
  return drover::run(model, settings, quiet, control).result;
}

template <class F>
void show(const char* name, F function, double exact, bool optimise = false) {
  const drover::RunResult r = measure(function, optimise);
  std::printf("%-34s %-20s variance %-10.3g exact %.8f\n", name,
              drover::with_error(r.energy, r.error).c_str(), r.variance, exact);
}

}  // namespace

int main(int argc, char** argv) {
  const auto mesh = drover::use_mesh(drover::Mesh::all());
  if (argc > 1 && std::strcmp(argv[1], "--optimise") == 0) {
    show("He Slater x Pade, free z and b", systems::Helium{2.0, 0.5}, -2.8902671381,
         true);
    return 0;
  }
  show("H exp(-r)", systems::Hydrogen{}, -0.5);
  show("H exp(-c r^2), best c", systems::GaussianHydrogen{}, -0.42441318);
  show("oscillator exp(-r^2/2)", systems::Oscillator{}, 1.5);
  show("oscillator exp(-0.7 r^2/2)", systems::Oscillator{0.7}, 0.75 * (0.7 + 1 / 0.7));
  show("four fermions in a trap", systems::Fermions{}, 9.0);
  show("Hooke's atom, w = 1/2", systems::Hooke::half(), 2.0);
  show("Hooke's atom, w = 1/10", systems::Hooke::tenth(), 0.5);
  show("Hooke's atom, w = 1/4, triplet", systems::Hooke::quarter(), 1.25);
  show("He exp(-27/16 (r1 + r2))", systems::Helium{27.0 / 16.0, 0.0, false}, -2.84765625);
  show("He z = 2, Pade b = 0.15", systems::Helium{2.0, 0.15}, -2.878174670);
  show("He z = 2, rexp alpha = 0.2", systems::HeliumRexp{2.0, 0.2}, -2.872741126);
}
