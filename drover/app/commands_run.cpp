// The commands that run: run and resume.
#include <fmt/format.h>

#include <utility>

#include "drover/app/cautions.hpp"
#include "drover/app/describe.hpp"
#include "drover/app/input.hpp"
#include "drover/app/input_keys.hpp"
#include "drover/app/json_output.hpp"
#include "drover/app/run_contents.hpp"
#include "drover/app/run_folder.hpp"
#include "drover/app/run_log.hpp"
#include "drover/app/session.hpp"
#include "drover/app/signals.hpp"
#include "drover/app/table.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/core/error.hpp"

namespace drover::app {
namespace {

// What can differ from rank to rank is looked at before it can do harm: other input, or
// another version of a file on another machine's disk. Devices and microbatches may
// differ. Nothing goes on before all ranks have read what rank 0 may soon replace.
void require_agreement(const Session& session, Settings settings,
                       const std::string& checkpoint) {
  if (!session.engine.agree) return;
  settings.run.devices = settings.run.microbatch = 0;
  for (const InputKey& key : input_keys())
    session.engine.agree(key.name, key.print(settings).value_or("its default"));
  session.engine.agree("the wave function", content_digest(settings.wavefunction));
  if (settings.jastrow.parameters != "none")
    session.engine.agree("the parameters", content_digest(settings.jastrow.parameters));
  session.engine.agree("the checkpoint", checkpoint);
}

// Only large requests are worth a second model and mesh.
void require_memory(const Session& session, const Settings& settings,
                    const Molecule& molecule) {
  constexpr double worth_a_look = 1e9;                      // bytes
  const double numbers = 3.0 * molecule.electrons() + 4.0;  // of a walker
  const auto walkers = static_cast<double>(settings.sampling.walkers);
  if (sizeof(double) * numbers * walkers < worth_a_look) return;
  refuse_too_large(session.engine.plan(settings, molecule), session.first_rank(),
                   usable_memory());
}

// A run, new or resumed, on every rank; `folder` on rank 0 alone.
int run_in(Session& session, const Settings& settings, const Molecule& molecule,
           const std::optional<RunFolder>& folder, std::optional<Checkpoint> restart) {
  require_memory(session, settings, molecule);
  RunControl control;
  control.seconds_since_start = session.seconds();
  control.stop_requested = stop_requested;
  control.restart = std::move(restart);
  if (settings.run.start_from != "none" && !control.restart)
    control.start = state_of_run(settings.run.start_from);
  if (!control.restart) control.parameters = load_parameters(session, settings, molecule);

  RunObserver silent;
  if (!folder) {
    session.engine.run(settings, molecule, silent, control);
    return 0;
  }
  session.folder = folder->path();
  control.save = [&](const Checkpoint& state) { folder->save(state); };
  Table table(session.screen(), folder->path());
  bool log_failed = false;
  RunLog log([&](std::string_view text) {
    const std::string failure = folder->log(text);
    // Once: a full disk must not fill the screen; the checkpoint will say more.
    if (!failure.empty() && !std::exchange(log_failed, true)) table.warning(failure);
  });
  Observers observers(
      {&table, &log}, describe_system(molecule),
      describe_wave_function(molecule, settings),
      [&](const RunHeader& header) { return cautions(header, settings, molecule); });
  try {
    RunRecord record = session.engine.run(settings, molecule, observers, control);
    const std::vector<std::string>& given = observers.given_cautions();
    record.result.warnings.insert(record.result.warnings.end(), given.begin(),
                                  given.end());
    folder->finish(record);
    observers.finished(record.result);
    if (session.line.json) session.out.write(result_json(record.result, folder->path()));
    return 0;
  } catch (const std::exception& error) {
    folder->log(fmt::format("ended {}", error.what()));
    throw;
  }
}

int print_finished(Session& session, const RunFolder& folder) {
  if (!session.first_rank()) return 0;
  const RunResult result = result_from(folder.finished_contents());
  Table table(session.screen(), folder.path());
  table.note("this run was finished before; nothing was run");
  table.finished(result);
  if (session.line.json) session.out.write(result_json(result, folder.path()));
  return 0;
}

}  // namespace

int run_command(Session& session) {
  const Input input = read_input(session.line.input, session.line.overrides);
  const Molecule molecule = read_molecule(session, input.settings);
  require_agreement(session, input.settings, "");
  const SignalScope signals;
  std::optional<RunFolder> folder;
  if (session.first_rank()) folder.emplace(RunFolder::create(input, session.line.out));
  try {
    return run_in(session, input.settings, molecule, folder, std::nullopt);
  } catch (const Error& error) {
    // Refused before it began: the corrected input may use the same folder again.
    if (error.kind() == ErrorKind::input && folder && !folder->has_checkpoint()) {
      folder->discard();
      session.folder.clear();
    }
    throw;
  }
}

int resume_command(Session& session) {
  std::optional<RunFolder> folder(
      RunFolder::open(session.line.input, session.first_rank()));
  session.folder = folder->path();
  if (folder->finished()) return print_finished(session, *folder);
  const Settings settings = override_settings(folder->settings(), session.line.overrides);
  std::optional<Checkpoint> restart = folder->checkpoint();
  const Molecule molecule = read_molecule(session, settings);
  require_agreement(session, settings,
                    restart ? content_digest(folder->checkpoint_path()) : "none");
  const SignalScope signals;
  if (!session.first_rank()) folder.reset();
  if (folder && !restart)
    session.screen().write(
        fmt::format("  {} has no checkpoint yet: the run starts over\n", folder->path()));
  return run_in(session, settings, molecule, folder, std::move(restart));
}

}  // namespace drover::app
