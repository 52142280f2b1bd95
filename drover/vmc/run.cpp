#include "drover/vmc/run.hpp"

#include <fmt/format.h>

#include "drover/core/cpu.hpp"
#include "drover/vmc/engine.hpp"
#include "drover/vmc/optimiser.hpp"
#include "drover/wave/molecular_model.hpp"

namespace drover {

Mesh make_mesh(const Settings& settings) {
  return settings.run.devices > 0 ? Mesh::cpu(static_cast<int>(settings.run.devices))
                                  : Mesh::all();
}

RunHeader describe_run(const Model& model, const Settings& settings) {
  const Mesh mesh = current_mesh("describe_run");
  RunHeader h;
  h.electrons = model.electrons();
  h.parameters = static_cast<std::int64_t>(model.parameters().size());
  h.walkers = settings.sampling.walkers;
  h.tiles = tile_count(h.walkers);
  h.devices = mesh.device_count();
  h.ranks = mesh.ranks();
  h.device_kind =
      fmt::format("CPU thread, {}, {} lanes", model.instruction_set(), model.lanes());
  h.places = describe_places(mesh.places());
  h.crowding = crowding(mesh.places());
  const RowRange most = shard_range(h.walkers, tile_walkers, mesh.device_count(), 0);
  h.memory_bytes = tile_count(most.size()) * tile_walkers *
                   Herd::row_width(model.electrons()) *
                   static_cast<std::int64_t>(sizeof(double));
  h.seed = settings.run.seed;
  h.measure_steps = settings.measure.steps;
  h.target_error = settings.measure.steps > 0 ? 0.0 : settings.measure.target_error;
  const bool energy = settings.optimise.objective == "energy";
  if (h.parameters > 0 && settings.optimise.steps > 0)
    h.optimisation_steps =
        settings.optimise.steps + (energy ? settings.optimise.reference_steps : 0);
  // The largest step's message: one all-reduce of everything that it sums.
  SampleSpec spec;
  spec.parameters = h.parameters;
  const auto bytes_of = [&](MomentSet set) {
    spec.moments = set;
    StepSums sums(spec);
    return static_cast<std::int64_t>(sums.words().size() * sizeof(std::int64_t));
  };
  h.collectives_per_step = mesh.device_count() > 1 ? 1 : 0;
  if (h.collectives_per_step == 0) return h;
  const auto add = [&](const char* name, MomentSet set) {
    const std::int64_t bytes = bytes_of(set);
    h.bytes_per_step = std::max(h.bytes_per_step, bytes);
    h.collectives.push_back(fmt::format("{}: 1 all-reduce of {} bytes", name, bytes));
  };
  if (h.optimisation_steps > 0) {
    const auto set_of = [&](Objective objective) {
      return OptimiserSettings::defaults(objective, settings.optimise.method).moments();
    };
    if (!energy || settings.optimise.reference_steps > 0)
      add("reference step", set_of(Objective::reference_variance));
    if (energy) add("optimisation step", set_of(Objective::energy));
  }
  add("measuring step", MomentSet{});
  return h;
}

RunRecord run(Model& model, const Settings& settings, RunObserver& observer,
              RunControl& control) {
  const Mesh mesh = current_mesh("run");
  Engine engine(model, settings, mesh, observer, control);
  return engine.run();
}

RunRecord run(const Molecule& molecule, const Settings& settings, RunObserver& observer,
              RunControl& control) {
  MolecularModel model(molecule, settings.jastrow);
  return run(static_cast<Model&>(model), settings, observer, control);
}

}  // namespace drover
