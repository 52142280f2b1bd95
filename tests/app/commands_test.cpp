// Running and resuming as users meet it: exit codes, folders, what goes to which stream.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "drover/app/hdf5_file.hpp"
#include "drover/app/json_output.hpp"
#include "drover/app/run_contents.hpp"
#include "tests/app/program.hpp"

namespace drover::app {
namespace {

TEST_F(Commands, RunMakesAFolderWithEverythingInIt) {
  const Outcome o = drover(fake, {"run", "water.toml", "--set", "run.seed=11"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_TRUE(has(o.out, "0.9844(12) hartree")) << o.out;
  for (const char* file : {"water-1/run.h5", "water-1/checkpoint.h5", "water-1/log.txt",
                           "water-1/input.toml", "water-1/water.molden"})
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  EXPECT_EQ(fake.seen.run.seed, 11u);
  EXPECT_EQ(fake.seen.sampling.walkers, 64);
  const Checkpoint run = read_hdf5_file("water-1/run.h5");
  EXPECT_EQ(run.real("result/energy"), 0.984375);
  EXPECT_EQ(run.find("result/energy")->unit, "hartree");
  EXPECT_EQ(run.real("state/sum"), 0.984375);
  EXPECT_TRUE(has(content("water-1/log.txt"), "finished energy=0.984375"));
  // The next number, also where an earlier folder is gone.
  EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, 0);
  std::filesystem::remove_all("water-1");
  EXPECT_EQ(drover(fake, {"run", "water.molden"}).code, 0);
  EXPECT_TRUE(std::filesystem::exists("water-3/run.h5"));
}

TEST_F(Commands, JsonIsOneObjectAndNothingElseOnStandardOutput) {
  const Outcome o = drover(fake, {"run", "water.toml", "--json"});
  ASSERT_EQ(o.code, 0);
  EXPECT_EQ(std::count(o.out.begin(), o.out.end(), '\n'), 1);
  const auto object = nlohmann::json::parse(o.out);
  for (const char* key : {"energy",
                          "error",
                          "error_naive",
                          "variance",
                          "tau",
                          "effective_samples",
                          "r_hat",
                          "kinetic",
                          "potential",
                          "acceptance",
                          "nonfinite",
                          "walkers",
                          "steps",
                          "sweeps",
                          "electrons",
                          "parameters",
                          "seed",
                          "devices",
                          "ranks",
                          "collectives_per_step",
                          "bytes_per_step",
                          "seconds",
                          "seconds_to_first_step",
                          "microseconds_per_walker_step",
                          "energy_bits",
                          "state_digest",
                          "optimisation"})
    EXPECT_TRUE(object.contains(key)) << key;
  EXPECT_EQ(object["energy"], 0.984375);
  EXPECT_EQ(std::strtod(object["energy_bits"].get<std::string>().c_str(), nullptr),
            0.984375);
  EXPECT_EQ(object["parameters"], 2);
  EXPECT_EQ(object["optimisation"][0]["accepted"], true);
  EXPECT_EQ(object["folder"], "water-1");
  EXPECT_TRUE(has(o.err, "hartree"));
}

TEST(Json, WritesWhatIsNotFiniteAsNullAndSeedsWhole) {
  RunResult result;
  result.energy = std::nan("");
  result.r_hat = HUGE_VAL;
  result.seed = ~std::uint64_t{0};
  result.warnings = {"\xff is not UTF-8"};
  const auto object = nlohmann::json::parse(result_json(result));
  EXPECT_TRUE(object["energy"].is_null());
  EXPECT_TRUE(object["r_hat"].is_null());
  EXPECT_EQ(object["seed"].get<std::uint64_t>(), ~std::uint64_t{0});
  EXPECT_EQ(hexadecimal(-76.0), "-0x1.3p+6");
}

TEST_F(Commands, JsonOfAFailureSaysSo) {
  fake.fails_later = Error(ErrorKind::numerical, "walker 7: local energy is not finite");
  Outcome o = drover(fake, {"run", "water.toml", "--json"});
  EXPECT_EQ(o.code, 1);
  auto object = nlohmann::json::parse(o.out);
  EXPECT_EQ(object["status"], "failed");
  EXPECT_EQ(object["message"], "walker 7: local energy is not finite");
  EXPECT_EQ(object["folder"], "water-1");
  EXPECT_TRUE(has(o.err, "drover: error: walker 7"));
  o = drover(fake, {"run", "--jsno", "--json"});
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "wrong input");
}

TEST_F(Commands, ErrorsGiveTheirExitCodes) {
  for (const auto& [kind, code] : {std::pair{ErrorKind::input, 2},
                                   {ErrorKind::numerical, 1},
                                   {ErrorKind::system, 1},
                                   {ErrorKind::logic, 1},
                                   {ErrorKind::stopped, 3}}) {
    fake.fails = Error(kind, "as told");
    EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, code);
  }
}

TEST_F(Commands, ARunRefusedBeforeItBeganLeavesNoFolder) {
  fake.fails = Error(ErrorKind::input, "two terms carry the same cusp");
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "mine"}).code, 2);
  EXPECT_FALSE(std::filesystem::exists("mine"));
  fake.fails.reset();
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "mine"}).code, 0);
}

TEST_F(Commands, AnExistingFolderIsNeverOverwritten) {
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "mine"}).code, 0);
  const std::string before = content("mine/run.h5");
  Outcome o = drover(fake, {"run", "water.toml", "--out", "mine"});
  EXPECT_EQ(o.code, 2);
  EXPECT_EQ(o.err,
            "drover: error: mine: holds a run already; to go on with it: drover resume "
            "mine; for a new run give another folder with --out\n");
  EXPECT_EQ(content("mine/run.h5"), before);
  std::filesystem::create_directory("other");
  write("other/thesis.tex", "");
  o = drover(fake, {"run", "water.toml", "--out", "other"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "other: exists and is not empty"));
  o = drover(fake, {"run", "water.toml", "--out", "water.toml"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "is a file"));
  std::filesystem::create_directory("fresh");
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "fresh"}).code, 0);
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "a/b/c"}).code, 0);
}

TEST_F(Commands, AStoppedRunGoesOnToTheSameResult) {
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "straight"}).code, 0);
  FakeEngine stopping;
  stopping.stop_after = 2;
  const Outcome stopped = drover(stopping, {"run", "water.toml", "--out", "broken"});
  EXPECT_EQ(stopped.code, 3);
  EXPECT_TRUE(has(stopped.err, "drover: stopped: by SIGTERM after step 2\n"));
  EXPECT_TRUE(has(stopped.err, "drover: to go on: drover resume broken\n"));
  EXPECT_FALSE(std::filesystem::exists("broken/run.h5"));

  FakeEngine going_on;
  // The wave function may be gone by then: the folder has its own.
  std::filesystem::remove("water.molden");
  const Outcome done = drover(going_on, {"resume", "broken", "--devices", "3"});
  EXPECT_EQ(done.code, 0) << done.err;
  ASSERT_TRUE(going_on.restart.has_value());
  EXPECT_EQ(going_on.restart->integer("step"), 2);
  EXPECT_EQ(going_on.seen.run.devices, 3);
  EXPECT_EQ(going_on.seen.sampling.walkers, 64);
  EXPECT_TRUE(has(done.out, "goes on from its last checkpoint"));
  EXPECT_EQ(read_hdf5_file("broken/run.h5").real("result/energy"),
            read_hdf5_file("straight/run.h5").real("result/energy"));
}

TEST_F(Commands, ResumingAFinishedRunPrintsItsResultAgain) {
  const Outcome first = drover(fake, {"run", "water.toml", "--json"});
  const Outcome again = drover(fake, {"resume", "water-1/", "--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(again.out, first.out);
  EXPECT_EQ(fake.runs, 1);
  EXPECT_TRUE(has(again.err, "finished before"));
}

TEST_F(Commands, ARunKilledBeforeItsFirstCheckpointStartsOver) {
  EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, 0);
  std::filesystem::remove("water-1/run.h5");
  std::filesystem::remove("water-1/checkpoint.h5");
  const Outcome o = drover(fake, {"resume", "water-1"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_FALSE(fake.restart.has_value());
  EXPECT_TRUE(has(o.out, "water-1 has no checkpoint yet: the run starts over"));
}

TEST_F(Commands, CheckEnergyHoldsTheDeterminantAgainstTheFile) {
  const std::vector<std::string> command = {"check", "water.molden", "--energy"};
  Outcome o = drover(fake, command);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "the file states none")) << o.out;
  EXPECT_TRUE(fake.seen.jastrow.terms.empty());
  EXPECT_EQ(fake.seen.optimise.steps + fake.seen.optimise.reference_steps, 0);
  EXPECT_DOUBLE_EQ(fake.seen.measure.target_error, 1e-4 * (64 + 1 + 1));
  fake.file_energy = 63.0 / 64.0 + 4.0 * 0.0012;
  o = drover(fake, command);
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "0.98917500 hartree, -4.0 standard errors off")) << o.out;
  fake.file_energy = 63.0 / 64.0 + 6.0 * 0.0012;
  o = drover(fake, command);
  EXPECT_EQ(o.code, 1);
  EXPECT_TRUE(has(o.err,
                  "water.molden: the determinant's energy is 0.9844(12) hartree "
                  "and the file says 0.99157500: another wave function"))
      << o.err;
  EXPECT_TRUE(has(o.out, "convention"));  // what was read is shown all the same
  drover(fake, {"check", "water.molden", "--energy", "--set", "measure.target_error=1"});
  EXPECT_EQ(fake.seen.measure.target_error, 1.0);
  // It has no parameters that a pattern could match.
  drover(fake, {"check", "water.molden", "--energy", "--set", "optimise.freeze=['b*']"});
  EXPECT_TRUE(fake.seen.optimise.freeze.empty());
  EXPECT_FALSE(std::filesystem::exists("water-1"));  // nothing is left behind
}

TEST_F(Commands, ResumeRefusesWhatIsNoRunAndWhatWasChanged) {
  EXPECT_TRUE(has(drover(fake, {"resume", "none"}).err, "none: there is no such folder"));
  EXPECT_TRUE(has(drover(fake, {"resume", "water.toml"}).err, "is a file; expected"));
  std::filesystem::create_directory("empty");
  EXPECT_TRUE(has(drover(fake, {"resume", "empty"}).err, "has no input.toml"));

  fake.stop_after = 2;
  EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, 3);
  std::string input = content("water-1/input.toml");
  input.replace(input.find("walkers = 64"), 12, "walkers = 65");
  write("water-1/input.toml", input);
  const Outcome changed = drover(fake, {"resume", "water-1"});
  EXPECT_EQ(changed.code, 2);
  EXPECT_TRUE(has(changed.err, "sampling.walkers was 64 and is now 65")) << changed.err;

  write("water-1/checkpoint.h5", content("water-1/checkpoint.h5").substr(0, 900));
  const Outcome damaged = drover(fake, {"resume", "water-1"});
  EXPECT_EQ(damaged.code, 2);
  EXPECT_TRUE(has(damaged.err, "water-1/checkpoint.h5: is not a file of Drover"));
}

TEST_F(Commands, AnotherProgramInTheFolderIsRefused) {
  fake.stop_after = 2;
  EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, 3);
  const Engine plain = fake.engine();
  Outcome inner;
  Engine nested = fake.engine();
  nested.run = [&](const Settings&, const Molecule&, RunObserver&,
                   RunControl&) -> RunRecord {
    FakeEngine second;
    inner = drover(second, {"resume", "water-1"});
    throw Error(ErrorKind::stopped, "enough");
  };
  const Captured file;
  Output output(file.descriptor());
  EXPECT_EQ(run_program({"resume", "water-1"}, nested, output, output), 3);
  EXPECT_EQ(inner.code, 2);
  EXPECT_TRUE(has(inner.err, "another drover is at work in this folder")) << inner.err;
}

TEST_F(Commands, StartFromBringsTheStateOfAnEarlierRun) {
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--out", "first"}).code, 0);
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--set", "run.start_from=first"}).code, 0);
  ASSERT_TRUE(fake.start_from.has_value());
  EXPECT_EQ(fake.start_from->real("sum"), 0.984375);
  std::filesystem::create_directory("nothing");
  const Outcome o =
      drover(fake, {"run", "water.toml", "--set", "run.start_from=nothing"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "has neither run.h5 nor checkpoint.h5")) << o.err;
}

TEST_F(Commands, ParametersComeFromTheObjectThatRunPrints) {
  const Outcome first = drover(fake, {"run", "water.toml", "--json"});
  write("p.json", first.out);
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--params", "p.json"}).code, 0);
  EXPECT_EQ(fake.parameters, (std::vector<double>{1.5, -0.5}));
  EXPECT_TRUE(std::filesystem::exists("water-2/p.json"));
  write("swapped.json", "{\"parameter_names\":[\"c\",\"b\"],\"parameter_values\":[1,2]}");
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--params", "swapped.json"}).code, 0);
  EXPECT_EQ(fake.parameters, (std::vector<double>{2, 1}));
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[1, 2]", "expected a JSON object"},
      {"nonsense", "expected a JSON object"},
      {"{\"parameter_names\":[\"b\"],\"parameter_values\":[1]}", "'c' is missing"},
      {"{\"parameter_names\":[\"b\"],\"parameter_values\":[1,2]}",
       "has 1 parameter_names"},
      {"{\"parameter_names\":[\"b\",\"z\"],\"parameter_values\":[1,2]}",
       "no parameter 'z'"},
      {"{\"parameter_names\":[\"b\",\"b\"],\"parameter_values\":[1,2]}", "twice"},
      {"{\"parameter_names\":[\"b\",\"c\"],\"parameter_values\":[1,null]}",
       "parameter_values[1] ('c'): expected a finite number"}};
  for (const auto& [text, error] : cases) {
    write("p.json", text);
    const Outcome o = drover(fake, {"run", "water.toml", "--params", "p.json"});
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, error)) << text << "\n" << o.err;
  }
}

TEST_F(Commands, ParametersOutsideOfTheirRangeAreRefusedByEveryCommandThatReadsThem) {
  fake.infos = {{"b", 1, 0.25, 4}, {"c", 0, 0, 0}};
  write("x.json", "{\"positions\": [[[0,0,0],[0,0,1]]]}");
  const auto all = [&](const std::string& values) {
    write("p.json",
          "{\"parameter_names\":[\"b\",\"c\"],\"parameter_values\":[" + values + "]}");
    std::vector<Outcome> outcomes;
    for (std::vector<std::string> command :
         {std::vector<std::string>{"run", "water.toml"},
          {"check", "water.toml"},
          {"evaluate", "water.toml", "--at", "x.json"}}) {
      command.insert(command.end(), {"--params", "p.json"});
      outcomes.push_back(drover(fake, command));
    }
    return outcomes;
  };
  for (const char* values : {"0, 1", "-1e6, 1", "4.00001, 1"}) {
    for (const Outcome& o : all(values)) {
      EXPECT_EQ(o.code, 2) << values;
      EXPECT_TRUE(has(o.err, "p.json: the parameter 'b' is ")) << o.err;
      EXPECT_TRUE(has(o.err, "allowed is 0.25 to 4; was the file made for another"))
          << o.err;
    }
  }
  // On a bound, or a rounding beyond it.
  for (const char* values : {"0.25, 1e9", "4.0000000000000009, -1e9"})
    for (const Outcome& o : all(values)) EXPECT_EQ(o.code, 0) << values << o.err;
  EXPECT_EQ(fake.parameters, (std::vector<double>{4.0, -1e9}));
}

TEST_F(Commands, ASignalStopsARunWithACheckpoint) {
  Engine engine = fake.engine();
  engine.run = [&](const Settings& settings, const Molecule&, RunObserver& observer,
                   RunControl& control) {
    EXPECT_FALSE(control.stop_requested());
    ::raise(SIGTERM);
    EXPECT_TRUE(control.stop_requested());
    return fake.run(settings, observer, control);
  };
  const Captured file;
  Output output(file.descriptor());
  EXPECT_EQ(run_program({"run", "water.toml"}, engine, output, output), 3);
  EXPECT_EQ(read_hdf5_file("water-1/checkpoint.h5").integer("step"), 1);
}

TEST(RunContents, GiveBackTheWholeResult) {
  FakeEngine fake;
  RunObserver observer;
  RunControl control;
  control.stop_requested = [] { return false; };
  control.save = [](const Checkpoint&) {};
  RunRecord record = fake.run(Settings{}, observer, control);
  RunResult& result = record.result;
  result.seed = ~std::uint64_t{0};
  result.optimisation.push_back(result.optimisation.front());
  result.optimisation.back().parameters = {7.0};
  result.optimisation.back().reason = "";
  const Checkpoint contents = run_contents(record, "input");
  const RunResult back = result_from(contents);
  EXPECT_EQ(result_json(back), result_json(result));
  EXPECT_EQ(back.optimisation[0].parameters, result.optimisation[0].parameters);
  EXPECT_EQ(back.optimisation[1].parameters, result.optimisation[1].parameters);
  EXPECT_EQ(state_from(contents), record.final_state);
  EXPECT_EQ(contents.reals("measured/energy").size(), record.measured.size());
}

}  // namespace
}  // namespace drover::app
