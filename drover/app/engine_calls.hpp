// What the app asks of the library, in one place: commands call an Engine, the program
// passes the real one and tests a small one of their own.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/app/bench.hpp"
#include "drover/app/evaluate_io.hpp"
#include "drover/chem/molecule.hpp"
#include "drover/vmc/run.hpp"
#include "drover/vmc/settings.hpp"
#include "drover/wave/model.hpp"
#include "drover/wave/pytc_layout.hpp"

namespace drover::app {

struct Engine {
  // Runs body() on all ranks; report() shows an error and gives the exit code.
  std::function<int(const std::function<int()>& body,
                    const std::function<int(const std::exception&)>& report)>
      on_all_ranks;
  std::function<int()> rank;  // inside body() only
  // On all ranks: Error(input) naming `what` where their texts differ. Not set: one rank.
  std::function<void(std::string_view what, std::string_view text)> agree;

  std::function<Molecule(const std::string& path, const SystemSettings& system)>
      read_wavefunction;
  // What a run would be, without running it.
  std::function<RunHeader(const Settings&, const Molecule&)> plan;
  // Error(stopped) when asked to stop, after control.save; the other arguments as in
  // drover/vmc/run.hpp.
  std::function<RunRecord(const Settings&, const Molecule&, RunObserver&, RunControl&)>
      run;
  // The wave function's parameters with their ranges, in the order of
  // RunControl::parameters.
  std::function<std::vector<ParameterInfo>(const Settings&, const Molecule&)> parameters;
  // Where pytc's parameter files keep them.
  std::function<PytcLayout(const Settings&, const Molecule&)> pytc_layout;
  std::function<Evaluation(const Settings&, const Molecule&,
                           const std::vector<Configuration>&,
                           const std::vector<double>& parameters, bool derivatives)>
      evaluate;
  // Rows of a label and a text.
  std::function<std::vector<std::pair<std::string, std::string>>()> devices;
  // One system, or all of them.
  std::function<std::vector<SystemSpeed>(const std::optional<std::string>& system)> bench;
};

Engine real_engine();

}  // namespace drover::app
