#include "drover/vmc/run.hpp"

#include <fmt/format.h>

#include "drover/core/cpu.hpp"
#include "drover/mesh/collectives.hpp"
#include "drover/vmc/engine.hpp"
#include "drover/vmc/optimise_choice.hpp"
#include "drover/wave/molecular_model.hpp"

namespace drover {

Mesh make_mesh(const Settings& settings) {
  return settings.run.devices > 0 ? Mesh::cpu(static_cast<int>(settings.run.devices))
                                  : Mesh::all();
}

namespace {

// What an optimisation keeps of its samples on a device with so many walkers, and, for
// the N x N form, on every rank.
std::int64_t kept_bytes(const OptimiseSettings& o, const Model& model, std::int64_t most,
                        std::int64_t walkers) {
  const auto parameters = static_cast<std::int64_t>(model.parameters().size());
  const OptimiseMethod method = method_of(o, o.objective);
  const std::int64_t samples = walkers * o.samples;
  const std::int64_t own = tile_count(most) * tile_walkers * o.samples;
  std::int64_t numbers = 0;
  if (o.updates > 1) numbers += own * (3 * model.electrons() + 1);
  if (keeps_slopes(method, parameters, samples))
    numbers += own * (Herd::block_head + parameters);
  if (by_samples(method, parameters, samples))
    numbers += samples * (2 * (2 + parameters) + 2 * samples);
  return numbers * static_cast<std::int64_t>(sizeof(double));
}

}  // namespace

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
  const OptimiseSettings& o = settings.optimise;
  check_samples(o, h.parameters, h.walkers);
  std::vector<Objective> stages;
  if (h.parameters > 0 && o.steps > 0) {
    if (o.objective != Objective::reference_variance && o.reference_steps > 0) {
      stages.push_back(Objective::reference_variance);
      h.optimisation_steps += o.reference_steps;
    }
    stages.push_back(o.objective);
    h.optimisation_steps += o.steps;
    h.memory_bytes += kept_bytes(o, model, most.size(), h.walkers);
  }
  if (mesh.device_count() == 1) return h;
  const auto add = [&](const Plan& plan) {
    h.collectives_per_step = std::max(h.collectives_per_step, plan.count());
    h.bytes_per_step = std::max(h.bytes_per_step, plan.bytes());
    for (const PlannedCollective& c : plan.collectives)
      h.collectives.push_back(fmt::format(
          "{}: {}{} {}{}{}", c.label,
          c.label == StepLabels::product || c.label == StepLabels::update ? "at most "
                                                                          : "",
          c.count, name_of(c.kind), c.count == 1 ? "" : "s",
          c.bytes < 0
              ? fmt::format(" of {} numbers", h.walkers * o.samples * (2 + h.parameters))
              : fmt::format(" of {} bytes", c.bytes)));
  };
  for (const Objective stage : stages)
    add(plan_of_step(o, stage, h.parameters, h.walkers));
  const std::int64_t bytes = message_bytes(StepSums(SampleSpec{}));
  add({{{CollectiveKind::all_reduce, "measuring step", 1, bytes}}});
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
