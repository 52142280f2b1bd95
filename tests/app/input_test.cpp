// The input file: every key read, every mistake named with its place.
#include "drover/app/input.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "drover/app/input_keys.hpp"
#include "drover/core/nearest.hpp"
#include "drover/wave/term_registry.hpp"
#include "tests/app/scratch.hpp"

namespace drover::app {
namespace {

const InputOrigin origin{"water.toml", true, "/data"};

Settings parse(const std::string& text, const std::vector<std::string>& sets = {}) {
  std::vector<Override> overrides;
  for (const std::string& set : sets) overrides.push_back(parse_set(set));
  return parse_settings(text, origin, overrides);
}

std::string error_in(const std::string& text, const std::vector<std::string>& sets = {}) {
  return error_of([&] { parse(text, sets); });
}

constexpr const char* every_key = R"(
wavefunction = "water.molden"
[jastrow]
terms = ["pade", "boys-handy", "rexp", "polynomial", "dtn", "neural-ee", "neural-en",
         "neural-een"]
cusp = "pytc"
parameters = "start.json"
[jastrow.pade]
b = 0.35
[jastrow.boys-handy]
terms = [[0, 0, 1], [2, 0, 0], [2, 2, 2]]
[jastrow.dtn]
u_order = 5
chi_cutoff = 3.5
[jastrow.neural-en]
layers = [8, 4, 4]
[system]
charge = -1
[sampling]
walkers = 63
move = "all"
sweeps = 5
step_size = 0.25
equilibration = 100
[optimise]
objective = "reference-variance"
method = "sgd"
momentum = 0.5
freeze = ["pade.*"]
steps = 0
reference_steps = 3
sweeps = 9
samples = 2
clip = "none"
[measure]
target_error = 2.5e-4
steps = 1000
max_steps = 5000
[run]
seed = "0xffffffffffffffff"
devices = 3
microbatch = 128
checkpoint = "1.5 h"
time_limit = "3 h 55 min"
start_from = "../earlier"
)";

TEST(Input, ReadsEveryKey) {
  const Settings s = parse(every_key);
  EXPECT_EQ(s.wavefunction, "/data/water.molden");
  ASSERT_EQ(s.jastrow.terms.size(), 8u);
  EXPECT_EQ(s.jastrow.terms[6].lists.at("layers"), (std::vector<int>{8, 4, 4}));
  EXPECT_EQ(s.jastrow.terms[4].numbers.at("u_order"), 5.0);
  EXPECT_EQ(s.jastrow.terms[4].numbers.at("chi_cutoff"), 3.5);
  EXPECT_EQ(s.jastrow.terms[0].name, "pade");
  EXPECT_EQ(s.jastrow.terms[0].numbers.at("b"), 0.35);
  EXPECT_EQ(s.jastrow.terms[1].name, "boys-handy");
  EXPECT_EQ(s.jastrow.terms[1].triples.at("terms"),
            (std::vector<std::vector<int>>{{0, 0, 1}, {2, 0, 0}, {2, 2, 2}}));
  EXPECT_EQ(s.jastrow.cusp, "pytc");
  EXPECT_EQ(s.jastrow.parameters, "/data/start.json");
  EXPECT_EQ(s.system.charge, -1);
  EXPECT_EQ(s.sampling.walkers, 63);
  EXPECT_EQ(s.sampling.move, Move::all);
  EXPECT_EQ(s.sampling.sweeps, 5);
  EXPECT_EQ(s.sampling.step_size, 0.25);
  EXPECT_EQ(s.sampling.equilibration, 100);
  EXPECT_EQ(s.optimise.objective, Objective::reference_variance);
  EXPECT_EQ(s.optimise.method, OptimiseMethod::sgd);
  EXPECT_EQ(s.optimise.momentum, 0.5);
  EXPECT_EQ(s.optimise.learning_rate, -1.0);
  EXPECT_EQ(s.optimise.freeze, std::vector<std::string>{"pade.*"});
  EXPECT_EQ(s.optimise.steps, 0);
  EXPECT_EQ(s.optimise.reference_steps, 3);
  EXPECT_EQ(s.optimise.sweeps, 9);
  EXPECT_EQ(s.optimise.samples, 2);
  EXPECT_EQ(s.optimise.clip, 0.0);
  EXPECT_EQ(s.measure.target_error, 2.5e-4);
  EXPECT_EQ(s.measure.steps, 1000);
  EXPECT_EQ(s.measure.max_steps, 5000);
  EXPECT_EQ(s.run.seed, 0xffffffffffffffffu);
  EXPECT_EQ(s.run.devices, 3);
  EXPECT_EQ(s.run.microbatch, 128);
  EXPECT_EQ(s.run.checkpoint_seconds, 5400.0);
  EXPECT_EQ(s.run.time_limit_seconds, 14100.0);
  EXPECT_EQ(s.run.start_from, "/earlier");
}

// What the library refuses comes with its place in the file.
TEST(Input, SettingsOfTermsThatDoNotGoTogetherAreNamedWithTheirPlace) {
  const std::string dtn =
      "wavefunction = '/w'\n[jastrow]\nterms = ['dtn']\n[jastrow.dtn]\n";
  std::string text = error_in(dtn + "chi_order = 0\nchi_cutoff = 4.0\n");
  EXPECT_NE(text.find(":6:14: jastrow.dtn.chi_cutoff: has no effect with"),
            std::string::npos)
      << text;
  text = error_in("wavefunction = '/w'\n[jastrow]\nterms = ['boys-handy', 'pade']\n");
  EXPECT_NE(text.find(":3:9: jastrow.terms: 'boys-handy' and 'pade' both carry"),
            std::string::npos)
      << text;
  text = error_in(
      "wavefunction = '/w'\njastrow.terms = ['polynomial']\n"
      "jastrow.polynomial.degree = 4",
      {"jastrow.cusp=pytc"});
  EXPECT_NE(text.find(":3:29: jastrow.polynomial.degree: has no effect"),
            std::string::npos)
      << text;
  // Their defaults are not printed, and what is printed reads back to the same.
  for (const std::string& input :
       {dtn + "chi_order = 0", dtn + "f_nuclear = 0", dtn + "chi_cutoff = 4.0", dtn,
        std::string("jastrow.terms = ['polynomial']\njastrow.cusp = 'pytc'")}) {
    const std::string printed = print_settings(parse(input));
    EXPECT_EQ(print_settings(parse(printed)), printed);
  }
  EXPECT_EQ(print_settings(parse(dtn)).find("chi_cutoff"), std::string::npos);
  EXPECT_NE(print_settings(parse(dtn + "chi_cutoff = 4.0")).find("chi_cutoff = 4"),
            std::string::npos);
}

TEST(Input, EveryKeyHasADefault) {
  const Settings s = parse("wavefunction = '/w'"), defaults;
  EXPECT_EQ(s.sampling.walkers, defaults.sampling.walkers);
  EXPECT_EQ(s.measure.target_error, defaults.measure.target_error);
  EXPECT_EQ(s.jastrow.terms.size(), defaults.jastrow.terms.size());
  EXPECT_EQ(s.run.seed, defaults.run.seed);
}

TEST(Input, PrintsWhatItReads) {
  for (const char* text : {every_key, "wavefunction = '/w'", "[jastrow]\nterms = []",
                           "wavefunction = \"/a \\\"b\\\\ \\u0001 ä\""}) {
    const std::string once = print_settings(parse(text));
    const std::string twice = print_settings(parse(once));
    EXPECT_EQ(once, twice);
  }
  // Written out, a default stands beside its key.
  const std::string printed = print_settings(parse("wavefunction = '/w'"));
  for (const char* line :
       {"wavefunction = \"/w\"", "walkers = 4096", "target_error = 0.001",
        "checkpoint = \"1 min\"", "time_limit = \"none\"", "charge = \"from the file\"",
        "terms = [\"nuclear-cusp\", \"boys-handy\"]", "steps = \"auto\""})
    EXPECT_NE(printed.find(line), std::string::npos) << line << "\n" << printed;
}

TEST(Input, EveryKeyIsPrintedAndSurvivesTheRoundTrip) {
  const Settings changed = parse(every_key);
  const Settings back = parse(print_settings(changed));
  // A polynomial has settings only where cusp is "exact".
  const Settings polynomial = parse("jastrow.terms = ['polynomial']");
  for (const InputKey& key : input_keys()) {
    const bool apart = key.name.rfind("jastrow.polynomial.", 0) == 0;
    ASSERT_TRUE(key.print(apart ? polynomial : changed).has_value()) << key.name;
    EXPECT_EQ(key.print(changed), key.print(back)) << key.name;
    EXPECT_FALSE(key.meaning.empty()) << key.name;
  }
  EXPECT_EQ(forbidden_change(changed, back), "");
}

TEST(Input, EveryKeyStandsInTheDocumentation) {
  std::ifstream stream(DROVER_SOURCE_DIR "/docs/input.md");
  std::ostringstream text;
  text << stream.rdbuf();
  for (const InputKey& key : input_keys())
    EXPECT_NE(text.str().find("| `" + key.name + "` |"), std::string::npos) << key.name;
}

TEST(Input, DoublesKeepTheirBits) {
  for (const double value : {0.1, 1e-3, 1.0 / 3.0, 5e-324, 123456.789, 1e6}) {
    Settings s;
    s.wavefunction = "/w";
    s.measure.target_error = value;
    s.run.checkpoint_seconds = value;
    const Settings back = parse(print_settings(s));
    EXPECT_EQ(back.measure.target_error, value);
    EXPECT_EQ(back.run.checkpoint_seconds, value);
  }
}

TEST(Input, NamesTheNearestKeyOfAMistypedOne) {
  EXPECT_EQ(error_in("[optimise]\nstepz = 3"),
            "water.toml:2:1: unknown key optimise.stepz; did you mean optimise.steps?");
  EXPECT_EQ(error_in("walkers = 3"),
            "water.toml:1:1: unknown key walkers; did you mean sampling.walkers?");
  EXPECT_EQ(error_in("[run]\nsteps = 3"),
            "water.toml:2:1: unknown key run.steps; did you mean optimise.steps?");
  EXPECT_EQ(error_in("\n\n  [optimize]\nsteps = 3"),
            "water.toml:3:4: unknown key optimize; did you mean optimise?");
  EXPECT_EQ(error_in("[measure]\nbanana_split = 1"),
            "water.toml:2:1: unknown key measure.banana_split; the keys of [measure] are "
            "target_error, steps and max_steps");
  EXPECT_EQ(error_in("[jastrow.nuclear-cusp]\nradius = 1"),
            "water.toml:2:1: unknown key jastrow.nuclear-cusp.radius; "
            "jastrow.nuclear-cusp has no settings");
}

TEST(Input, ReportsTheFirstMistakeOfTheFile) {
  const std::string error = error_in("[sampling]\nzeta = 1\nalpha = 2");
  EXPECT_NE(error.find("water.toml:2:1: unknown key sampling.zeta"), std::string::npos)
      << error;
}

TEST(Input, RefusesWrongTypesAndSaysWhatIsAllowed) {
  EXPECT_EQ(error_in("[sampling]\nwalkers = \"many\""),
            "water.toml:2:11: sampling.walkers: expected a whole number from 1 to "
            "4294967296, found the text \"many\"");
  EXPECT_EQ(error_in("[sampling]\nmove = 1"),
            "water.toml:2:8: sampling.move: expected \"one\", \"all\" or \"drift\", "
            "found the whole "
            "number 1");
  EXPECT_EQ(error_in("[sampling]\nmove = \"al\""),
            "water.toml:2:8: sampling.move: expected \"one\", \"all\" or \"drift\", "
            "found the text "
            "\"al\"; did you mean \"all\"?");
  EXPECT_EQ(error_in("sampling = 3"),
            "water.toml:1:1: sampling: expected a table, [sampling], with walkers, move, "
            "sweeps, step_size and equilibration; found the whole number 3");
  std::vector<std::string> terms;
  for (const std::string& name : jastrow_term_names()) terms.push_back(toml_quoted(name));
  const std::string every_term = listed(terms);
  EXPECT_EQ(error_in("[jastrow]\nterms = \"pade\""),
            "water.toml:2:9: jastrow.terms: expected a list of different names out of " +
                every_term +
                "; [] for none, found the text \"pade\"; write a list: " + "[\"pade\"]");
  EXPECT_EQ(error_in("[run]\nseed = true"),
            "water.toml:2:8: run.seed: expected a whole number from 0 to "
            "18446744073709551615; from 9223372036854775808 on in quotes, \"0x\" and "
            "hexadecimal digits are fine too, found true");
  EXPECT_NE(error_in("[measure]\ntarget_error = 2020-01-01").find("found a date"),
            std::string::npos);
  EXPECT_NE(error_in("[measure]\ntarget_error = [1]").find("found a list"),
            std::string::npos);
  EXPECT_NE(error_in("[measure.target_error]").find("found a table"), std::string::npos);
  EXPECT_NE(error_in("wavefunction = 3").find("expected a path in quotes"),
            std::string::npos);
}

TEST(Input, CountsAreExact) {
  EXPECT_EQ(error_in("[sampling]\nwalkers = 1e3"),
            "water.toml:2:11: sampling.walkers: expected a whole number from 1 to "
            "4294967296, found the number 1000.0; counts are exact: write 1000");
  EXPECT_NE(error_in("[sampling]\nwalkers = 63.5").find("never rounded"),
            std::string::npos);
  EXPECT_NE(error_in("[sampling]\nwalkers = \"64\"").find("write it without quotes"),
            std::string::npos);
  EXPECT_EQ(parse("[sampling]\nwalkers = 1_000").sampling.walkers, 1000);
}

TEST(Input, RefusesValuesOutOfRange) {
  for (const char* line : {"sampling.walkers = 0",
                           "sampling.walkers = -1",
                           "sampling.walkers = 4294967297",
                           "sampling.sweeps = 0",
                           "sampling.step_size = 0.0",
                           "sampling.step_size = nan",
                           "sampling.step_size = inf",
                           "sampling.step_size = -0.1",
                           "sampling.equilibration = 0",
                           "optimise.steps = -1",
                           "optimise.samples = 0",
                           "optimise.clip = -5.0",
                           "measure.target_error = 0",
                           "measure.steps = 0",
                           "measure.max_steps = 0",
                           "run.seed = -1",
                           "run.devices = 0",
                           "run.microbatch = 0",
                           "run.time_limit = \"0 s\"",
                           "run.checkpoint = \"-1 s\"",
                           "system.charge = 100000",
                           "jastrow.pade.b = 0"}) {
    const std::string error = error_in(line);
    EXPECT_NE(error.find(": expected "), std::string::npos) << line << ": " << error;
    EXPECT_NE(error.find("water.toml:1:"), std::string::npos) << line << ": " << error;
  }
}

TEST(Input, SeedsHaveSixtyFourBits) {
  EXPECT_EQ(parse("run.seed = 9223372036854775807").run.seed, 9223372036854775807u);
  EXPECT_EQ(parse("run.seed = '18446744073709551615'").run.seed, ~std::uint64_t{0});
  EXPECT_EQ(parse("run.seed = '0xDEADbeef'").run.seed, 0xdeadbeefu);
  EXPECT_EQ(parse("run.seed = 0xff").run.seed, 255u);
  for (const char* wrong : {"'18446744073709551616'", "'0x10000000000000000'", "'0x'",
                            "''", "'seven'", "'-1'", "7.0"})
    EXPECT_NE(error_in(std::string("run.seed = ") + wrong).find("expected"),
              std::string::npos)
        << wrong;
  EXPECT_NE(error_in("run.seed = 9223372036854775808").find("not valid TOML"),
            std::string::npos);
}

TEST(Input, TimesNameTheirUnit) {
  const auto limit = [](const std::string& text) {
    return parse("run.time_limit = \"" + text + "\"").run.time_limit_seconds;
  };
  EXPECT_EQ(limit("60 s"), 60.0);
  EXPECT_EQ(limit("3 h 55 min"), 14100.0);
  EXPECT_EQ(limit("1 d 2 h 3 min 4 s"), 93784.0);
  EXPECT_EQ(limit("90min"), 5400.0);
  EXPECT_EQ(limit("1.5 hours"), 5400.0);
  EXPECT_EQ(limit("none"), 0.0);
  EXPECT_TRUE(std::isinf(parse("run.checkpoint = 'none'").run.checkpoint_seconds));
  EXPECT_EQ(parse("run.checkpoint = '0 s'").run.checkpoint_seconds, 0.0);
  for (const char* wrong :
       {"60", "s", "", "1 s 2 s", "1 fortnight", "1 h,", "-5 s", "0x10 s", "1 h 55"})
    EXPECT_NE(
        error_in(std::string("run.time_limit = \"") + wrong + "\"").find("a time in"),
        std::string::npos)
        << wrong;
  EXPECT_NE(error_in("run.time_limit = 60").find("name the unit"), std::string::npos);
}

TEST(Input, RefusesDuplicatesAndBrokenToml) {
  EXPECT_EQ(
      error_in("[sampling]\nwalkers = 1\nwalkers = 2"),
      "water.toml:3:11: duplicate: cannot redefine existing integer 'walkers'; keep "
      "one of the two");
  EXPECT_NE(error_in("[sampling]\n[sampling]").find("duplicate"), std::string::npos);
  EXPECT_NE(error_in("[sampling\nwalkers = 1").find("water.toml:1:"), std::string::npos);
  EXPECT_NE(error_in("walkers 3").find("not valid TOML"), std::string::npos);
  EXPECT_NE(error_in("a = \"\xff\"").find("not valid TOML"), std::string::npos);
  // toml++ trips over these itself.
  EXPECT_EQ(error_in("\n[run]\n [[=]]"),
            "water.toml:3:4: not valid TOML: expected the name of a table after [");
  EXPECT_NE(error_in("[,").find("water.toml:1:2: not valid TOML"), std::string::npos);
  EXPECT_NE(error_in(std::string(100000, '[')).find("not valid TOML"), std::string::npos);
}

TEST(Input, ChecksTheJastrowTerms) {
  EXPECT_TRUE(parse("[jastrow]\nterms = []").jastrow.terms.empty());
  EXPECT_NE(
      error_in("[jastrow]\nterms = [\"boyshandy\"]").find("did you mean \"boys-handy\"?"),
      std::string::npos);
  EXPECT_NE(error_in("[jastrow]\nterms = [\"pade\", \"pade\"]").find("twice"),
            std::string::npos);
  EXPECT_EQ(
      error_in("[jastrow.pade]\nb = 0.5"),
      "water.toml:1:10: [jastrow.pade] sets up a term that is not in jastrow.terms, "
      "which has nuclear-cusp and boys-handy");
  EXPECT_NE(error_in("jastrow.dtn.u_order = 2.0").find("counts are exact: write 2"),
            std::string::npos);
  EXPECT_NE(error_in("jastrow.dtn.u_order = 13").find("a whole number from 1 to 12"),
            std::string::npos);
  for (const char* wrong : {"[]", "3", "[[0,0,1],[0,0]]", "[[0,0,0]]", "[[0,0,1.0]]",
                            "[[0,0,13]]", "[[2,0,0],[0,2,0]]", "[[-1,0,0]]"})
    EXPECT_NE(error_in(std::string("jastrow.boys-handy.terms = ") + wrong)
                  .find("jastrow.boys-handy.terms: expected"),
              std::string::npos)
        << wrong;
}

TEST(Input, RefusesMoreStepsThanAllowed) {
  EXPECT_EQ(error_in("[measure]\nsteps = 10\nmax_steps = 9"),
            "water.toml:2:9: measure.steps: 10 is above measure.max_steps, which is 9; "
            "raise that too");
}

}  // namespace
}  // namespace drover::app
