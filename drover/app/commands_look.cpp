// The commands that look and do not run: check, evaluate, export, devices, bench.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "drover/app/cautions.hpp"
#include "drover/app/describe.hpp"
#include "drover/app/input.hpp"
#include "drover/app/input_keys.hpp"
#include "drover/app/json_output.hpp"
#include "drover/app/numbers.hpp"
#include "drover/app/pytc_parameters.hpp"
#include "drover/app/run_contents.hpp"
#include "drover/app/run_folder.hpp"
#include "drover/app/session.hpp"
#include "drover/app/table.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/core/error.hpp"

namespace drover::app {
namespace {

// The determinant's own energy beside the file's, in rows. Throws Error (numerical) when
// they differ: five standard errors, false alarm 6e-7.
std::vector<std::pair<std::string, std::string>> check_energy(Session& session,
                                                              Settings settings,
                                                              const Molecule& molecule) {
  settings.jastrow.terms.clear();
  settings.jastrow.parameters = settings.run.start_from = "none";
  // Nothing of [optimise] is kept: without parameters a pattern to freeze matches none.
  settings.optimise = OptimiseSettings{};
  settings.optimise.steps = settings.optimise.reference_steps = 0;
  settings.measure.steps = 0;
  // An error of 1e-4 of the energy, unless --set says another: without a Jastrow factor
  // local energies vary by a tenth of it. The sum of Z^2 is within a third of it.
  double scale = 0.0;
  for (const Atom& atom : molecule.atoms) scale += atom.charge * atom.charge;
  const auto& overrides = session.line.overrides;
  if (std::none_of(overrides.begin(), overrides.end(),
                   [](const Override& o) { return o.key == "measure.target_error"; }))
    settings.measure.target_error = std::max(1e-3, 1e-4 * scale);
  RunObserver silent;
  RunControl control;
  const RunResult found = session.engine.run(settings, molecule, silent, control).result;
  const std::string measured = with_error(found.energy, found.error) + " hartree";
  const ImportProof& proof = molecule.proof;
  if (!proof.has_file_energy)
    return {{"measured", measured}, {"file's", "the file states none"}};
  const double errors = (found.energy - proof.file_energy) / found.error;
  if (!(std::fabs(errors) <= 5.0))
    throw Error(ErrorKind::numerical,
                fmt::format("{}: the determinant's energy is {} and the file says "
                            "{:.8f}: another wave function, unless the file's energy is "
                            "that of a density functional or of a correlated method",
                            settings.wavefunction, measured, proof.file_energy));
  return {{"measured", measured},
          {"file's", fmt::format("{:.8f} hartree, {:.1f} standard errors off",
                                 proof.file_energy, errors)}};
}

void show_check(const Session& session, const Settings& settings,
                const Molecule& molecule, RunHeader header) {
  header.system = describe_system(molecule);
  header.wave_function = describe_wave_function(molecule, settings);
  Table table(session.out, "");
  table.section("import");
  for (const auto& [label, text] : import_rows(molecule, settings.wavefunction))
    table.row(label, text);
  table.section("a run would be");
  for (const auto& [label, text] : header_rows(header, session.out.utf8()))
    table.row(label, text);
  table.section("resolved input");
  std::string resolved = "\n" + print_settings(settings);
  for (std::size_t at = 0; (at = resolved.find('\n', at)) != std::string::npos; ++at)
    if (at + 1 < resolved.size() && resolved[at + 1] != '\n')
      resolved.insert(at + 1, "  ");
  session.out.write(resolved.substr(1) + "\n");
}

}  // namespace

int check_command(Session& session) {
  const Input input = read_input(session.line.input, session.line.overrides);
  const Molecule molecule = read_molecule(session, input.settings);
  const RunHeader header = session.engine.plan(input.settings, molecule);
  refuse_too_large(header, session.first_rank(), usable_memory());
  load_parameters(session, input.settings, molecule);  // a wrong file is told here too
  if (session.first_rank()) show_check(session, input.settings, molecule, header);
  if (!session.line.energy) return 0;
  const auto rows = check_energy(session, input.settings, molecule);
  if (!session.first_rank()) return 0;
  Table table(session.out, "");
  table.section("energy of the determinant");
  for (const auto& [label, text] : rows) table.row(label, text);
  return 0;
}

int evaluate_command(Session& session) {
  const Input input = read_input(session.line.input, session.line.overrides);
  const Molecule molecule = read_molecule(session, input.settings);
  const std::vector<Configuration> points =
      read_points(session.line.points, molecule.up, molecule.down);
  const Evaluation evaluation = session.engine.evaluate(
      input.settings, molecule, points,
      load_parameters(session, input.settings, molecule), session.line.derivatives);
  if (!session.first_rank()) return 0;
  session.out.write(session.line.json
                        ? evaluation_json(evaluation, session.line.derivatives)
                        : evaluation_text(evaluation));
  return 0;
}

// The parameters of a run as a file for another program; of a run that goes on, those of
// its last checkpoint.
int export_command(Session& session) {
  if (!session.first_rank()) return 0;
  const Settings settings = RunFolder::open(session.line.input, false).settings();
  const Checkpoint state = state_of_run(session.line.input);
  const Molecule molecule = read_molecule(session, settings);
  const PytcLayout layout = session.engine.pytc_layout(settings, molecule);
  const std::string text = pytc_json(layout, state.reals("parameters"));
  if (std::filesystem::exists(session.line.pytc))
    throw Error(ErrorKind::input, session.line.pytc +
                                      ": is there already; remove it or choose another "
                                      "name");
  write_whole_file(session.line.pytc, text);
  session.out.write(fmt::format("  {} parameters of {} factors: {}\n",
                                layout.parameters.size(), layout.factors.size(),
                                session.line.pytc));
  return 0;
}

int devices_command(Session& session) {
  const auto rows = session.engine.devices();
  if (!session.first_rank()) return 0;
  Table table(session.out, "");
  for (const auto& [label, text] : rows) table.row(label, text);
  return 0;
}

int bench_command(Session& session) {
  if (!session.engine.bench)
    throw Error(ErrorKind::system,
                "this build of drover has no built-in systems to measure itself on");
  const std::vector<SystemSpeed> systems = session.engine.bench(session.line.system);
  if (!session.first_rank()) return 0;
  session.out.write(session.line.json ? speed_as_json(systems) : speed_as_table(systems));
  return 0;
}

}  // namespace drover::app
