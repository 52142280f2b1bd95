#include "drover/app/cli.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "drover/core/error.hpp"
#include "drover/core/nearest.hpp"
#include "drover/core/version.hpp"

namespace drover::app {
namespace {

struct Given {
  CommandLine line;
  std::vector<std::string> sets;
  std::string devices, params, out, system;
};

std::string examples(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::string text = "Examples:\n";
  for (const auto& [command, meaning] : rows)
    text += fmt::format("  {}\n      {}\n", command, meaning);
  return text;
}

void add_input(CLI::App& command, Given& given) {
  command
      .add_option("FILE", given.line.input,
                  "an input file (TOML), or a wave function (Molden, TREXIO, PySCF "
                  "checkpoint), told apart by content")
      ->required();
}

void add_set(CLI::App& command, Given& given) {
  command
      .add_option("--set", given.sets,
                  "change a key of the input, for example sampling.walkers=1024; may be "
                  "given again")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_devices(CLI::App& command, Given& given) {
  command
      .add_option("--devices", given.devices,
                  "devices per rank (run.devices): a number, or all")
      ->type_name("N");
}

void add_params(CLI::App& command, Given& given) {
  command
      .add_option("--params", given.params,
                  "file of parameters to start from (jastrow.parameters)")
      ->type_name("FILE");
}

void add_json(CLI::App& command, Given& given) {
  command.add_flag("--json", given.line.json,
                   "one JSON object on standard output, all else on standard error");
}

std::unique_ptr<CLI::App> make_parser(Given& given) {
  auto app = std::make_unique<CLI::App>(
      "Variational Monte Carlo for molecules: a Jastrow factor and an energy with an "
      "honest error bar.",
      "drover");
  app->set_help_flag("-h,--help", "print this help");
  app->set_version_flag("--version", std::string("drover ") + version(),
                        "print the version");
  app->require_subcommand(1);
  app->footer(
      examples({{"drover run water.molden",
                 "optimise a Jastrow factor and measure the energy to 1 mHa"},
                {"drover check water.toml", "prove the import and show every setting"},
                {"drover resume water-1", "go on where a run stopped"}}) +
      "\nExit codes: 0 done; 1 the run failed; 2 the input or the command line is "
      "wrong;\n3 stopped by a signal or the time limit, checkpoint saved.");
  const auto add = [&](const char* name, const char* meaning) {
    CLI::App* command = app->add_subcommand(name, meaning);
    command->set_help_flag("-h,--help", "print this help");
    return command;
  };

  CLI::App* check =
      add("check", "read everything, prove the import, show what a run would be");
  add_input(*check, given);
  add_set(*check, given);
  add_devices(*check, given);
  add_params(*check, given);
  check->footer(examples(
      {{"drover check water.molden", "electrons, charge, orthonormality, resolved input"},
       {"drover check water.toml --set sampling.walkers=16384",
        "memory and communication with more walkers"}}));

  CLI::App* run = add("run", "equilibrate, optimise, measure: the main job");
  add_input(*run, given);
  add_set(*run, given);
  run->add_option("--out", given.out,
                  "the run's folder; without it the input's name and the next number")
      ->type_name("DIR");
  add_devices(*run, given);
  add_params(*run, given);
  add_json(*run, given);
  run->footer(examples(
      {{"drover run water.molden", "everything at its default, to 1 mHa"},
       {"drover run water.toml --set measure.target_error=2e-4 --out precise",
        "one key changed, in a folder of this name"},
       {"mpirun -n 4 drover run water.toml --devices 8", "four ranks of eight devices"},
       {"drover run water.molden --json > energy.json", "for a program to read"}}));

  CLI::App* resume = add("resume", "go on where a run stopped");
  resume->add_option("DIR", given.line.input, "the folder of a run")->required();
  add_devices(*resume, given);
  add_json(*resume, given);
  resume->footer(
      examples({{"drover resume water-1", "on whatever devices there are now"},
                {"drover resume water-1 --devices 4", "the same bits on four"}}));

  CLI::App* evaluate =
      add("evaluate", "ln|psi|, its derivatives and the local energy at given positions");
  add_input(*evaluate, given);
  evaluate
      ->add_option("--at", given.line.points,
                   "JSON file with \"positions\": configurations of [x, y, z] in bohr, "
                   "spin-up electrons first")
      ->type_name("POINTS.json")
      ->required();
  add_set(*evaluate, given);
  add_params(*evaluate, given);
  evaluate->add_flag("--derivatives", given.line.derivatives,
                     "with the gradients in the parameters");
  add_json(*evaluate, given);
  evaluate->footer(examples({{"drover evaluate water.toml --at points.json --json",
                              "to hold another program's numbers against it"}}));

  CLI::App* devices = add("devices", "what this machine and this job have");
  devices->footer(examples({{"drover devices", "cores and instruction set"},
                            {"mpirun -n 2 drover devices", "and the ranks of a job"}}));

  CLI::App* bench = add("bench", "this program's own speed on its built-in systems");
  bench->add_option("--system", given.system, "one of them; without it all")
      ->type_name("NAME");
  add_json(*bench, given);
  bench->footer(examples({{"drover bench --system water", "one system"},
                          {"drover bench --json", "for a program to read"}}));
  return app;
}

std::vector<std::string> commands_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({}))
    names.push_back(command->get_name());
  return names;
}

[[noreturn]] void refuse(const std::string& text) {
  throw Error(ErrorKind::input, text);
}

void refuse_unknown_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = commands_of(app);
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  std::error_code error;
  if (std::filesystem::exists(word, error))
    refuse(
        fmt::format("'{}' is not a command; did you mean: drover run {}?", word, word));
  if (const std::optional<std::string> meant = nearest(word, names))
    refuse(fmt::format("unknown command '{}'; did you mean '{}'?", word, *meant));
  refuse(fmt::format("unknown command '{}'; the commands are {}", word, listed(names)));
}

// The first argument that no option of the command takes.
void refuse_unknown_option(const CLI::App& command, const std::string& word) {
  const std::string help = fmt::format("; see drover {} --help", command.get_name());
  if (word.empty() || word.front() != '-')
    refuse(fmt::format("drover {}: one argument too many: '{}'{}", command.get_name(),
                       word, help));
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options({}))
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  const std::string bare = word.substr(0, word.find('='));
  const std::optional<std::string> meant = nearest(bare, known);
  refuse(fmt::format("drover {}: unknown option '{}'{}", command.get_name(), bare,
                     meant ? fmt::format("; did you mean '{}'?", *meant) : help));
}

// --out "$FOLDER" of a shell variable that is not set must not mean "no --out".
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options({}))
    for (const std::string& value : option->results())
      if (value.empty())
        refuse(fmt::format("drover {}: {}: the value is empty; see drover {} --help",
                           command.get_name(), option->get_name(), command.get_name()));
}

CommandLine finished(Given& given, const CLI::App& command) {
  refuse_empty_values(command);
  CommandLine line = std::move(given.line);
  line.command = command.get_name();
  for (const std::string& text : given.sets) line.overrides.push_back(parse_set(text));
  if (!given.devices.empty())
    line.overrides.push_back(
        {"--devices " + given.devices, "run.devices", given.devices, false});
  if (!given.params.empty())
    line.overrides.push_back(
        {"--params " + given.params, "jastrow.parameters", given.params, true});
  if (!given.out.empty()) line.out = given.out;
  if (!given.system.empty()) line.system = given.system;
  return line;
}

}  // namespace

std::string program_help() {
  Given given;
  return make_parser(given)->help();
}

CommandLine parse_command_line(const std::vector<std::string>& arguments) {
  Given given;
  const std::unique_ptr<CLI::App> app = make_parser(given);
  if (arguments.empty()) refuse("no command is given; see drover --help");
  if (arguments.front().empty() || arguments.front().front() != '-')
    refuse_unknown_command(*app, arguments.front());
  const auto command = [&]() -> const CLI::App* {
    const std::vector<CLI::App*> chosen = app->get_subcommands();
    return chosen.empty() ? nullptr : chosen.front();
  };
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app->parse(reversed);
    return finished(given, *command());
  } catch (const CLI::CallForHelp&) {
    CommandLine line;
    line.print = command() == nullptr ? app->help() : command()->help();
    return line;
  } catch (const CLI::CallForVersion& version_text) {
    CommandLine line;
    line.print = std::string(version_text.what()) + "\n";
    return line;
  } catch (const CLI::ExtrasError&) {
    const CLI::App& asked = command() == nullptr ? *app : *command();
    std::vector<std::string> extras = asked.remaining();
    if (extras.empty()) extras = app->remaining();
    refuse_unknown_option(asked, extras.empty() ? "" : extras.front());
  } catch (const CLI::ParseError& error) {
    const std::string name = command() == nullptr ? "" : " " + command()->get_name();
    refuse(fmt::format("drover{}: {}; see drover{} --help", name, error.what(), name));
  }
  refuse("the command line was not understood; see drover --help");
}

}  // namespace drover::app
