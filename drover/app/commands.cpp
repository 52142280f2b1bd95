#include "drover/app/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "drover/app/cautions.hpp"
#include "drover/app/cli.hpp"
#include "drover/app/crash_guard.hpp"
#include "drover/app/describe.hpp"
#include "drover/app/input.hpp"
#include "drover/app/input_keys.hpp"
#include "drover/app/json_output.hpp"
#include "drover/app/numbers.hpp"
#include "drover/app/parameters_file.hpp"
#include "drover/app/run_contents.hpp"
#include "drover/app/run_folder.hpp"
#include "drover/app/run_log.hpp"
#include "drover/app/signals.hpp"
#include "drover/app/table.hpp"
#include "drover/app/whole_file.hpp"
#include "drover/core/error.hpp"
#include "drover/core/version.hpp"

namespace drover::app {
namespace {

// What one call of the program has at hand.
struct Session {
  const CommandLine& line;
  const Engine& engine;
  Output& out;
  Output& err;
  std::string folder;  // once there is one, for messages
  std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now();

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
        .count();
  }

  bool first_rank() const { return engine.rank() == 0; }
  // Where people read: with --json standard output is the program's alone.
  Output& screen() { return line.json ? err : out; }
};

Molecule read_molecule(const Session& session, const Settings& settings) {
  const std::string message =
      settings.wavefunction +
      ": reading it crashed: it is damaged in a way that the library for its format does "
      "not survive; write it again";
  const CrashGuard guard(
      "drover: error: " + message + "\n",
      session.line.json ? failure_json("wrong input", message, "") : "",
      !session.first_rank());
  return session.engine.read_wavefunction(settings.wavefunction, settings.system.charge);
}

// The parameters of jastrow.parameters in the model's order; empty: the model's own.
std::vector<double> load_parameters(const Session& session, const Settings& settings,
                                    const Molecule& molecule) {
  if (settings.jastrow.parameters == "none") return {};
  return read_parameters(settings.jastrow.parameters,
                         session.engine.parameter_names(settings, molecule));
}

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

int print_finished(Session& session, const RunFolder& folder) {
  if (!session.first_rank()) return 0;
  const RunResult result = result_from(folder.finished_contents());
  Table table(session.screen(), folder.path());
  table.note("this run was finished before; nothing was run");
  table.finished(result);
  if (session.line.json) session.out.write(result_json(result, folder.path()));
  return 0;
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

int check_command(Session& session) {
  const Input input = read_input(session.line.input, session.line.overrides);
  const Molecule molecule = read_molecule(session, input.settings);
  RunHeader header = session.engine.plan(input.settings, molecule);
  refuse_too_large(header, session.first_rank(), usable_memory());
  header.system = describe_system(molecule);
  header.wave_function = describe_wave_function(molecule, input.settings);
  load_parameters(session, input.settings, molecule);  // a wrong file is told here too
  if (!session.first_rank()) return 0;
  Table table(session.out, "");
  table.section("import");
  for (const auto& [label, text] : import_rows(molecule, input.settings.wavefunction))
    table.row(label, text);
  table.section("a run would be");
  for (const auto& [label, text] : header_rows(header, session.out.utf8()))
    table.row(label, text);
  table.section("resolved input");
  std::string settings = "\n" + print_settings(input.settings);
  for (std::size_t at = 0; (at = settings.find('\n', at)) != std::string::npos; ++at)
    if (at + 1 < settings.size() && settings[at + 1] != '\n')
      settings.insert(at + 1, "  ");
  session.out.write(settings.substr(1) + "\n");
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

int dispatch(Session& session) {
  const std::string& command = session.line.command;
  if (session.engine.agree) session.engine.agree("the command", command);
  if (command == "run") return run_command(session);
  if (command == "resume") return resume_command(session);
  if (command == "check") return check_command(session);
  if (command == "evaluate") return evaluate_command(session);
  if (command == "devices") return devices_command(session);
  if (command == "bench") return bench_command(session);
  throw Error(ErrorKind::logic, "the command '" + command + "' has no code behind it");
}

int exit_code(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours == nullptr) return 1;
  switch (ours->kind()) {
    case ErrorKind::input:
      return 2;
    case ErrorKind::stopped:
      return 3;
    default:
      return 1;
  }
}

// Shows what ended the command and gives its exit code.
int report(const std::exception& error, bool json, const std::string& folder, int rank,
           Output& out, Output& err) {
  const int code = exit_code(error);
  std::string message = error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    message = "out of memory; fewer walkers or a smaller run.microbatch need less";
  const std::string who = rank > 0 ? fmt::format("drover: rank {}: ", rank) : "drover: ";
  if (code == 3) {
    const bool said = message.rfind("stopped", 0) == 0;
    err.write(fmt::format("{}{}{}\n", who, said ? "" : "stopped: ", message));
    if (!folder.empty())
      err.write(fmt::format("drover: to go on: drover resume {}\n", folder));
  } else {
    err.write(fmt::format("{}error: {}\n", who, message));
    if (code == 1 && !folder.empty())
      err.write(fmt::format("drover: what there is lies in {}\n", folder));
  }
  // A rank above 0 speaks only where rank 0 had nothing to say.
  if (json)
    out.write(failure_json(code == 3   ? "stopped"
                           : code == 2 ? "wrong input"
                                       : "failed",
                           message, folder));
  return code;
}

// Nobody reads a closed pipe: no failure of a command whose output was for people. Lost
// JSON, or a disk that is full, is one.
int check_output(int code, bool json, const Output& out, Output& err) {
  const bool lost = !out.failure().empty() || (json && out.closed());
  if (!lost) return code;
  err.write(fmt::format("drover: error: standard output could not be written: {}\n",
                        out.closed() ? "its reader went away" : out.failure()));
  return code == 0 ? 1 : code;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const Engine& engine,
                Output& out, Output& err) {
  const auto began = std::chrono::steady_clock::now();
  const bool json =
      std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  CommandLine line;
  std::exception_ptr wrong;  // thrown again where the ranks speak with one voice
  try {
    if (arguments.empty()) {
      err.write(program_help());
      return 2;
    }
    line = parse_command_line(arguments);
  } catch (...) {
    wrong = std::current_exception();
  }
  if (!line.print.empty()) {
    out.write(line.print);
    return check_output(0, false, out, err);
  }
  Session session{line, engine, out, err, "", {}};
  session.began = began;
  int rank = 0;
  const int code = engine.on_all_ranks(
      [&] {
        rank = engine.rank();
        if (wrong) std::rethrow_exception(wrong);
        return dispatch(session);
      },
      [&](const std::exception& error) {
        return report(error, json, session.folder, rank, out, err);
      });
  return rank == 0 ? check_output(code, json, out, err) : code;
}

}  // namespace drover::app
