#include "drover/app/session.hpp"

#include "drover/app/crash_guard.hpp"
#include "drover/app/json_output.hpp"
#include "drover/app/parameters_file.hpp"

namespace drover::app {

namespace {

// For a file that a library reads which may not survive damage.
CrashGuard guard_reading(const Session& session, const std::string& path) {
  const std::string message =
      path +
      ": reading it crashed: it is damaged in a way that the library for its format does "
      "not survive; write it again";
  return CrashGuard("drover: error: " + message + "\n",
                    session.line.json ? failure_json("wrong input", message, "") : "",
                    !session.first_rank());
}

}  // namespace

Molecule read_molecule(const Session& session, const Settings& settings) {
  const CrashGuard guard = guard_reading(session, settings.wavefunction);
  return session.engine.read_wavefunction(settings.wavefunction, settings.system);
}

std::vector<double> load_parameters(const Session& session, const Settings& settings,
                                    const Molecule& molecule) {
  if (settings.jastrow.parameters == "none") return {};
  const CrashGuard guard = guard_reading(session, settings.jastrow.parameters);
  return read_parameters(settings.jastrow.parameters,
                         session.engine.parameters(settings, molecule),
                         [&] { return session.engine.pytc_layout(settings, molecule); });
}

}  // namespace drover::app
