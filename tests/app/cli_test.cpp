// The command line: help, mistakes, the commands that run nothing, streams that fail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/app/program.hpp"

namespace drover::app {
namespace {

TEST_F(Commands, HelpAndVersionAreExitCodeZero) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--help"},
                                                    {"-h"},
                                                    {"run", "--help"},
                                                    {"check", "-h"},
                                                    {"resume", "--help"},
                                                    {"evaluate", "--help"},
                                                    {"devices", "--help"},
                                                    {"bench", "--help"}}) {
    const Outcome o = drover(fake, arguments);
    EXPECT_EQ(o.code, 0);
    EXPECT_TRUE(has(o.out, "Examples:")) << o.out;
    EXPECT_EQ(o.err, "");
  }
  const Outcome version = drover(fake, {"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out.rfind("drover 0.", 0), 0u) << version.out;
  const Outcome nothing = drover(fake, {});
  EXPECT_EQ(nothing.code, 2);
  EXPECT_TRUE(has(nothing.err, "Examples:"));
}

TEST_F(Commands, AWrongCommandLineIsExitCodeTwoAndNamesWhatWasMeant) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"rnu", "water.toml"},
       "drover: error: unknown command 'rnu'; did you mean 'run'?\n"},
      {{"banana"},
       "drover: error: unknown command 'banana'; the commands are check, run, resume, "
       "evaluate, export, devices and bench\n"},
      {{"water.toml"},
       "drover: error: 'water.toml' is not a command; did you mean: drover run "
       "water.toml?\n"},
      {{"run", "water.toml", "--ste", "a=1"},
       "drover: error: drover run: unknown option '--ste'; did you mean '--set'?\n"},
      {{"run", "water.toml", "--jsno"},
       "drover: error: drover run: unknown option '--jsno'; did you mean '--json'?\n"},
      {{"run", "water.toml", "again"},
       "drover: error: drover run: one argument too many: 'again'; see drover run "
       "--help\n"},
      {{"run"}, "drover: error: drover run: FILE is required; see drover run --help\n"},
      {{"evaluate", "water.toml"},
       "drover: error: drover evaluate: --at is required; see drover evaluate --help\n"},
      {{"resume", "water-1", "--set", "a=1"},
       "drover: error: drover resume: unknown option '--set'; see drover resume "
       "--help\n"},
      {{"run", "water.toml", "--set", "walkers"},
       "drover: error: --set walkers: expected key=value, for example --set "
       "sampling.walkers=1024\n"},
      {{"run", "water.toml", "--devices", "x"},
       "drover: error: --devices x: run.devices: expected a whole number from 1 to "
       "65536, "
       "or \"all\", found the text \"x\"\n"},
      {{"run", "water.toml", "--params", "none.json"},
       "drover: error: --params none.json: jastrow.parameters: there is no file " +
           (std::filesystem::path(folder_) / "none.json").string() + "\n"},
      {{"run", "none.toml"},
       "drover: error: none.toml: there is no such file; expected an input file (TOML) "
       "or "
       "a wave function (Molden, TREXIO, PySCF checkpoint)\n"},
  };
  for (const auto& [arguments, text] : cases) {
    const Outcome o = drover(fake, arguments);
    EXPECT_EQ(o.code, 2) << text;
    EXPECT_EQ(o.err, text);
    EXPECT_EQ(o.out, "");
  }
  EXPECT_EQ(drover(fake, {"run", "water.toml", "--set"}).code, 2);
  EXPECT_EQ(drover(fake, {"--banana"}).code, 2);
  EXPECT_EQ(drover(fake, {""}).code, 2);
  EXPECT_EQ(fake.runs, 0);
  EXPECT_FALSE(std::filesystem::exists("water-1"));
}

TEST_F(Commands, CheckProvesTheImportAndPrintsTheInput) {
  const Outcome o = drover(fake, {"check", "water.toml", "--set", "optimise.steps=3"});
  EXPECT_EQ(o.code, 0) << o.err;
  for (const char* part :
       {"4.0e-15", "each contraction renormalised", "9.16714531", "O H2, charge 0",
        "24 functions", "walkers = 64", "steps = 3", "a step sends"})
    EXPECT_TRUE(has(o.out, part)) << part << "\n" << o.out;
  EXPECT_EQ(fake.runs, 0);
  EXPECT_FALSE(std::filesystem::exists("water-1"));
}

TEST_F(Commands, EvaluateAnswersInTheOrderOfThePoints) {
  write("points.json", "{\"positions\": [[[1,2,3],[4,5,6]], [[-1,0,0.5],[1e-3,5,6]]]}");
  Outcome o = drover(fake, {"evaluate", "water.toml", "--at", "points.json", "--json"});
  ASSERT_EQ(o.code, 0) << o.err;
  auto object = nlohmann::json::parse(o.out);
  EXPECT_EQ(object["log_psi"], (std::vector<double>{1, -1}));
  EXPECT_EQ(object["gradient"][1][1][0], 1e-3);
  EXPECT_EQ(object["laplacian"][0][1], 0.25);
  EXPECT_FALSE(object.contains("parameters"));
  o = drover(
      fake, {"evaluate", "water.toml", "--at", "points.json", "--json", "--derivatives"});
  object = nlohmann::json::parse(o.out);
  EXPECT_EQ(object["parameters"][0], "b");
  EXPECT_EQ(object["local_energy_parameter_gradient"][1][0], 2.0);
  o = drover(fake, {"evaluate", "water.toml", "--at", "points.json"});
  EXPECT_EQ(o.code, 0);
  EXPECT_TRUE(has(o.out, "local energy"));
}

TEST_F(Commands, EvaluateReadsPositionsBesideOtherValues) {
  for (const char* text :
       {"{\"name\": \"H2\", \"positions\": [[[0,0,0],[0,0,1]]], \"units\": \"Bohr\"}",
        "{\"n_positions\": 1, \"positions\": [[[0,0,0],[0,0,1]]]}",
        "{\"seed\": 1, \"configurations\": [{\"E_L\": 1, \"positions\": "
        "[[0,0,0],[0,0,1]]}, "
        "{\"E_L\": 2, \"positions\": [[0,0,0],[0,0,2]]}]}"}) {
    write("p.json", text);
    EXPECT_EQ(drover(fake, {"evaluate", "water.toml", "--at", "p.json"}).code, 0) << text;
  }
}

TEST_F(Commands, EvaluateNamesTheElementWithTheWrongShape) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"[", "p.json: is not JSON: parse error at line 1"},
      {"[]", "p.json: expected an object {\"positions\""},
      {"{}", "found an object without \"positions\""},
      {"{\"positions\": []}", "p.json: positions: expected a list of one or more"},
      {"{\"positions\": [1]}", "p.json: positions[0]: expected a list of 2 electrons"},
      {"{\"positions\": [[[0,0,0]]]}",
       "p.json: positions[0]: expected 2 electrons (1 up, then 1 down), found 1"},
      {"{\"positions\": [[[0,0,0],[0,0]]]}",
       "p.json: positions[0][1]: expected three numbers [x, y, z] in bohr, found a list "
       "of 2"},
      {"{\"positions\": [[[0,0,0],[0,0,null]]]}",
       "p.json: positions[0][1][2]: expected a number in bohr, found null"},
      {"{\"configurations\": [{\"positions\": [[0,0,0],[0,0,\"1\"]]}]}",
       "p.json: configurations[0].positions[1][2]: expected a number"},
      {"{\"positions\": [[[0,0,0],[0,0,1e999]]]}", "p.json: holds a number that is too"},
      {"{\"positions\": 1, \"configurations\": 2}", "found both"},
      {"{\"positions\": [[[0,0,0],[0,0,1]]], \"positions\": [[[0,0,0],[0,0,2]]]}",
       "p.json: the key \"positions\" is there twice; keep one of the two"},
      {"{\"configurations\": [{\"positions\": 1, \"x\": 1}, {\"x\": 1, \"x\": 2}]}",
       "p.json: the key \"x\" is there twice"},
      {"{\"positions\": [[[0,0,0],[0,0,1]]], \"postions\": []}",
       "p.json: unknown key \"postions\"; did you mean \"positions\"?"},
      {"{\"configuration\": []}",
       "p.json: unknown key \"configuration\"; did you mean \"configurations\"?"},
      {"{\"configurations\": [{\"position\": [[0,0,0],[0,0,1]]}]}",
       "p.json: configurations[0]: unknown key \"position\"; did you mean"},
      {"{\"units\": \"angstrom\", \"positions\": [[[0,0,0],[0,0,1]]]}",
       "p.json: units: positions are in bohr, found \"angstrom\""},
      {"{\"configurations\": [{\"unit\": 1, \"positions\": [[0,0,0],[0,0,1]]}]}",
       "p.json: configurations[0].unit: positions are in bohr, found 1"},
  };
  for (const auto& [text, error] : cases) {
    write("p.json", text);
    const Outcome o =
        drover(fake, {"evaluate", "water.toml", "--at", "p.json", "--json"});
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, error)) << text << "\n" << o.err;
    EXPECT_EQ(nlohmann::json::parse(o.out)["status"], "wrong input");
  }
}

TEST_F(Commands, DevicesAndBenchPrintWhatTheEngineSays) {
  EXPECT_TRUE(has(drover(fake, {"devices"}).out, "cores"));
  EXPECT_TRUE(has(drover(fake, {"bench"}).out, "us/move"));
  const auto object =
      nlohmann::json::parse(drover(fake, {"bench", "--system", "water", "--json"}).out);
  EXPECT_EQ(object["water"]["microseconds_per_move"], 0.25);
  EXPECT_EQ(object["water"]["lanes"], 8);
}

TEST_F(Commands, AFullDiskBehindStandardOutputIsAFailure) {
  const int full = ::open("/dev/full", O_WRONLY);
  ASSERT_GE(full, 0);
  const Captured err_file;
  Output out(full), err(err_file.descriptor());
  EXPECT_EQ(run_program({"check", "water.toml"}, fake.engine(), out, err), 1);
  EXPECT_TRUE(has(err_file.text(), "standard output could not be written: No space"));
  ::close(full);
}

TEST_F(Commands, AReaderThatWentAwayMattersOnlyForJson) {
  ::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const Captured err_file;
  Output err(err_file.descriptor());
  {
    Output out(ends[1]);
    EXPECT_EQ(run_program({"run", "water.toml"}, fake.engine(), out, err), 0);
  }
  EXPECT_EQ(err_file.text(), "");
  EXPECT_TRUE(std::filesystem::exists("water-1/run.h5"));
  {
    Output out(ends[1]);
    EXPECT_EQ(run_program({"run", "water.toml", "--json"}, fake.engine(), out, err), 1);
  }
  EXPECT_TRUE(has(err_file.text(), "its reader went away"));
  ::close(ends[1]);
  ::signal(SIGPIPE, SIG_DFL);
}

}  // namespace
}  // namespace drover::app
