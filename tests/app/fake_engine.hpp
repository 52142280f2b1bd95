// A small engine for tests of the commands: its "energy" is a sum that a checkpoint
// carries on, so that a resumed run can be compared with a straight one.
#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "drover/app/engine_calls.hpp"
#include "drover/core/error.hpp"

namespace drover::app {

struct FakeEngine {
  int steps = 6;                     // of the measuring stage
  int stop_after = 0;                // pretends a signal after this many steps
  std::optional<Error> fails;        // thrown by run before anything else
  std::optional<Error> fails_later;  // thrown after the first checkpoint
  std::optional<double> file_energy;
  Settings seen;  // what run was given
  std::optional<Checkpoint> restart, start_from;
  std::vector<double> parameters;
  std::vector<ParameterInfo> infos = {{"b", 0, 0, 0}, {"c", 0, 0, 0}};
  int runs = 0;

  Molecule molecule() const {
    Molecule m;
    m.name = "water";
    m.atoms = {{"O", 8, {0, 0, 0}}, {"H", 1, {0, 1, 1}}, {"H", 1, {0, -1, 1}}};
    m.up = m.down = 1;
    m.basis.functions = 24;
    m.proof.format = "Molden";
    m.proof.convention = "each contraction renormalised";
    m.proof.worst_overlap_deviation = 4e-15;
    m.proof.nuclear_repulsion = 9.16714531;
    m.proof.has_file_energy = file_energy.has_value();
    m.proof.file_energy = file_energy.value_or(0.0);
    return m;
  }

  RunHeader header(const Settings& settings) const {
    RunHeader h;
    h.system = "water: O H2, 10 electrons (5 up, 5 down)";
    h.wave_function = "determinant in 24 basis functions x nuclear-cusp x boys-handy";
    h.electrons = 10;
    h.parameters = 2;
    h.walkers = settings.sampling.walkers;
    h.tiles = (h.walkers + 63) / 64;
    h.devices = 2;
    h.device_kind = "CPU thread, x86-64-v4, 8 lanes";
    h.memory_bytes = 2100000;
    h.seed = settings.run.seed;
    h.target_error = settings.measure.target_error;
    h.measure_steps = settings.measure.steps;
    h.optimisation_steps = 1;
    return h;
  }

  RunRecord run(const Settings& settings, RunObserver& observer, RunControl& control) {
    ++runs;
    seen = settings;
    restart = control.restart;
    start_from = control.start;
    parameters = control.parameters;
    if (fails) throw *fails;
    RunHeader h = header(settings);
    h.resumed = control.restart.has_value();
    observer.started(h);
    observer.equilibration_step({10, 0, -75.9, 3.0, 0.5, 0.3, 0.1});
    RunResult result;
    OptimisationRecord optimised;
    optimised.step = 1;
    optimised.objective = "energy";
    optimised.energy = -76.3;
    optimised.error = 0.0021;
    optimised.variance = 2.4;
    optimised.accepted = true;
    optimised.parameters = {1.5, -0.5};
    observer.optimisation_step(optimised);
    result.optimisation = {optimised};
    std::int64_t done = restart ? restart->integer("step") : 0;
    double sum = restart ? restart->real("sum") : 0.0;
    const auto state = [&] {
      Checkpoint contents;
      contents.add("step", done);
      contents.add("sum", sum, "hartree");
      contents.add("parameters", std::vector<double>{1.5, -0.5});
      return contents;
    };
    const auto save = [&] {
      if (control.save) control.save(state());
    };
    while (done < steps) {
      ++done;
      sum += std::ldexp(1.0, -static_cast<int>(done));  // exact: 63/64 after 6
      observer.measure_step(done, steps, sum, 0.1, 2.0);
      if (done == 1 && fails_later) {
        save();
        throw *fails_later;
      }
      if ((control.stop_requested && control.stop_requested()) || done == stop_after) {
        save();
        throw Error(ErrorKind::stopped, "by SIGTERM after step " + std::to_string(done));
      }
    }
    save();
    result.energy = sum;
    result.error = 0.0012;
    result.error_naive = 0.0004;
    result.tau = 9.0;
    result.walkers = settings.sampling.walkers;
    result.steps = done;
    result.seed = settings.run.seed;
    result.electrons = 10;
    result.parameter_names = {"b", "c"};
    result.parameters = {1.5, -0.5};
    result.state_digest = "0123456789abcdef";
    result.blocking = {{1, 6, 0.0004, 0.0001}};
    result.warnings = {"an example of a warning"};
    RunRecord record;
    record.measured.resize(static_cast<std::size_t>(done));
    record.final_state = state();
    record.result = result;
    return record;
  }

  Engine engine() {
    Engine e;
    e.on_all_ranks = [](const auto& body, const auto& report) {
      try {
        return body();
      } catch (const std::exception& error) {
        return report(error);
      }
    };
    e.rank = [] { return 0; };
    e.read_wavefunction = [this](const std::string&, const SystemSettings&) {
      return molecule();
    };
    e.parameters = [this](const Settings&, const Molecule&) { return infos; };
    e.pytc_layout = [this](const Settings& settings, const Molecule&) {
      if (settings.jastrow.cusp != "pytc")
        throw Error(ErrorKind::input, "not as in pytc");
      PytcLayout layout;
      layout.parameters = infos;
      layout.factors = {
          {"pade", {"Pade"}, {{"bc", "bc", {3}, {1, -1, 0}, {0, 0.25, 0}, false}}}};
      return layout;
    };
    e.plan = [this](const Settings& settings, const Molecule&) {
      return header(settings);
    };
    e.run = [this](const Settings& settings, const Molecule&, RunObserver& observer,
                   RunControl& control) { return run(settings, observer, control); };
    e.evaluate = [](const Settings&, const Molecule&,
                    const std::vector<Configuration>& points, const std::vector<double>&,
                    bool derivatives) {
      Evaluation answer;
      for (const Configuration& point : points) {
        answer.log_psi.push_back(point[0][0]);
        answer.sign.push_back(-1);
        answer.log_jastrow.push_back(0);
        answer.local_energy.push_back(-2.5);
        answer.kinetic.push_back(2.5);
        answer.potential.push_back(-5.0);
        answer.gradient.push_back(point);
        answer.laplacian.push_back({0.5, 0.25});
        if (derivatives) {
          answer.log_psi_parameter_gradient.push_back({1});
          answer.local_energy_parameter_gradient.push_back({2});
        }
      }
      if (derivatives) answer.parameters = {"b"};
      return answer;
    };
    e.devices = [] {
      return std::vector<std::pair<std::string, std::string>>{{"cores", "2"}};
    };
    e.bench = [](const std::optional<std::string>& system) {
      return std::vector<SystemSpeed>{{system.value_or("be"), 1.5, 0.5, 0.25, 0.2, 8}};
    };
    return e;
  }
};

}  // namespace drover::app
