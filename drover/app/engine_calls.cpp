#include "drover/app/engine_calls.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <new>

#include "drover/chem/read.hpp"
#include "drover/core/cpu.hpp"
#include "drover/core/error.hpp"
#include "drover/core/tile.hpp"
#include "drover/mesh/communicator.hpp"
#include "drover/mesh/mesh.hpp"
#include "drover/wave/molecular_model.hpp"

namespace drover::app {
namespace {

// Rows of 64 numbers at the alignment that the kernels ask for.
class Rows {
 public:
  explicit Rows(std::size_t rows)
      : values_(static_cast<double*>(::operator new(bytes(rows), alignment))) {
    std::fill_n(values_, rows * tile_walkers, 0.0);
  }
  ~Rows() { ::operator delete(values_, alignment); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  double* data() { return values_; }
  double& at(std::size_t row, std::size_t walker) {
    return values_[row * tile_walkers + walker];
  }

 private:
  static constexpr std::align_val_t alignment{64};
  static std::size_t bytes(std::size_t rows) {
    return std::max<std::size_t>(rows, 1) * tile_walkers * sizeof(double);
  }
  double* values_;
};

// Tile by tile, without moves: each configuration is a walker.
Evaluation evaluate(const Settings& settings, const Molecule& molecule,
                    const std::vector<Configuration>& points,
                    const std::vector<double>& parameters, bool derivatives) {
  MolecularModel model(molecule, settings.jastrow);
  if (!parameters.empty()) model.set_parameters(parameters);
  const auto electrons = static_cast<std::size_t>(model.electrons());
  const std::size_t width = derivatives ? model.parameters().size() : 0;
  const std::unique_ptr<Model::Scratch> scratch = model.make_scratch();
  Rows positions(3 * electrons), gradient(3 * electrons), laplacian(electrons);
  Rows kinetic(1), potential(1), log_abs(1), sign(1), log_jastrow(1);
  Rows by_parameter(width), energy_by_parameter(width);
  Evaluation answer;
  if (derivatives)
    for (const ParameterInfo& p : model.parameters()) answer.parameters.push_back(p.name);

  for (std::size_t first = 0; first < points.size(); first += tile_walkers) {
    const std::size_t active = std::min<std::size_t>(tile_walkers, points.size() - first);
    // Weightless walkers repeat the last one, so that they meet no special place.
    for (std::size_t w = 0; w < tile_walkers; ++w)
      for (std::size_t e = 0; e < electrons; ++e)
        for (std::size_t k = 0; k < 3; ++k)
          positions.at(3 * e + k, w) = points[first + std::min(w, active - 1)][e][k];
    VisitPlan plan;
    plan.seed = settings.run.seed;
    plan.derivatives = derivatives;
    plan.logs = true;
    const TileView tile{positions.data(), static_cast<std::int64_t>(first),
                        static_cast<int>(active)};
    TileResult result;
    result.kinetic = kinetic.data();
    result.potential = potential.data();
    result.log_abs = log_abs.data();
    result.sign = sign.data();
    result.log_jastrow = log_jastrow.data();
    result.gradient = gradient.data();
    result.laplacian = laplacian.data();
    if (derivatives) {
      result.by_parameter = by_parameter.data();
      result.energy_by_parameter = energy_by_parameter.data();
    }
    model.visit(*scratch, plan, tile, result);
    for (std::size_t w = 0; w < active; ++w) {
      answer.log_psi.push_back(log_abs.at(0, w));
      answer.sign.push_back(sign.at(0, w));
      answer.log_jastrow.push_back(log_jastrow.at(0, w));
      answer.kinetic.push_back(kinetic.at(0, w));
      answer.potential.push_back(potential.at(0, w));
      answer.local_energy.push_back(kinetic.at(0, w) + potential.at(0, w));
      answer.gradient.emplace_back();
      answer.laplacian.emplace_back();
      for (std::size_t e = 0; e < electrons; ++e) {
        answer.gradient.back().push_back({gradient.at(3 * e, w),
                                          gradient.at(3 * e + 1, w),
                                          gradient.at(3 * e + 2, w)});
        answer.laplacian.back().push_back(laplacian.at(e, w));
      }
      if (!derivatives) continue;
      answer.log_psi_parameter_gradient.emplace_back();
      answer.local_energy_parameter_gradient.emplace_back();
      for (std::size_t p = 0; p < width; ++p) {
        answer.log_psi_parameter_gradient.back().push_back(by_parameter.at(p, w));
        answer.local_energy_parameter_gradient.back().push_back(
            energy_by_parameter.at(p, w));
      }
    }
  }
  return answer;
}

RunHeader plan(const Settings& settings, const Molecule& molecule) {
  const MolecularModel model(molecule, settings.jastrow);
  const MeshScope scope = use_mesh(make_mesh(settings));
  return describe_run(model, settings);
}

std::vector<ParameterInfo> parameters(const Settings& settings,
                                      const Molecule& molecule) {
  return MolecularModel(molecule, settings.jastrow).parameters();
}

// Before main(): when the process began, but for loading it.
const auto process_start = std::chrono::steady_clock::now();

RunRecord run_here(const Settings& settings, const Molecule& molecule,
                   RunObserver& observer, RunControl& control) {
  const std::chrono::duration<double> before =
      std::chrono::steady_clock::now() - process_start;
  control.seconds_since_start = before.count();
  const MeshScope scope = use_mesh(make_mesh(settings));
  return run(molecule, settings, observer, control);
}

std::vector<std::pair<std::string, std::string>> devices() {
  const Mesh mesh = Mesh::all();
  std::vector<std::pair<std::string, std::string>> rows;
  rows.emplace_back("devices", std::to_string(mesh.device_count()));
  rows.emplace_back("instructions", fmt::format("x86-64-{}, {} walkers at a time",
                                                name(instruction_set()), lanes()));
  rows.emplace_back("ranks", mesh.ranks() > 1 ? std::to_string(mesh.ranks())
                                              : "one: not started by mpirun");
  for (const std::string& place : describe_places(mesh.places()))
    rows.emplace_back("place", place);
  for (const std::string& text : crowding(mesh.places()))
    rows.emplace_back("caution", text);
  return rows;
}

}  // namespace

Engine real_engine() {
  Engine engine;
  engine.on_all_ranks = run_on_all_ranks;
  engine.rank = [] { return world_communicator()->rank(); };
  engine.agree = [](std::string_view what, std::string_view text) {
    agree(*world_communicator(), what, text);
  };
  engine.read_wavefunction = [](const std::string& path, const SystemSettings& system) {
    return read_wavefunction(path, {system.charge, system.excite});
  };
  engine.plan = plan;
  engine.run = run_here;
  engine.parameters = parameters;
  engine.pytc_layout = [](const Settings& settings, const Molecule& molecule) {
    return pytc_layout(molecule, settings.jastrow);
  };
  engine.evaluate = evaluate;
  engine.devices = devices;
  engine.bench = [](const std::optional<std::string>& system) {
    return measure_speed(system);
  };
  return engine;
}

}  // namespace drover::app
