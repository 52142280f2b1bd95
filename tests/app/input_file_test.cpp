// Where input comes from: --set, files of either kind, a run that is resumed.
#include <gtest/gtest.h>

#include <filesystem>

#include "drover/app/input.hpp"
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

TEST(InputSet, GoesThroughTheSameChecks) {
  EXPECT_EQ(parse("", {"optimise.steps=3"}).optimise.steps, 3);
  EXPECT_EQ(parse("[optimise]\nsteps = 5", {"optimise.steps = 3"}).optimise.steps, 3);
  EXPECT_EQ(error_in("", {"optimise.stepz=3"}),
            "--set optimise.stepz=3: unknown key; did you mean optimise.steps?");
  EXPECT_EQ(
      error_in("", {"sampling.walkers=1e3"}),
      "--set sampling.walkers=1e3: sampling.walkers: expected a whole number from 1 "
      "to 4294967296, found the number 1000.0; counts are exact: write 1000");
  EXPECT_EQ(error_in("", {"optimise.steps=1", "optimise.steps=2"}),
            "--set optimise.steps=2: optimise.steps is given twice on the command line");
  EXPECT_NE(
      error_in("", {"optimise=1"}).find("--set optimise=1: optimise: expected a table"),
      std::string::npos);
}

TEST(InputSet, TakesBareWordsAndLists) {
  EXPECT_EQ(parse("", {"jastrow.cusp=pytc"}).jastrow.cusp, "pytc");
  EXPECT_EQ(parse("", {"run.checkpoint=90 s"}).run.checkpoint_seconds, 90.0);
  EXPECT_EQ(parse("", {"run.seed=0xff"}).run.seed, 255u);
  EXPECT_TRUE(parse("", {"jastrow.terms=[]"}).jastrow.terms.empty());
  const Settings s =
      parse("", {"jastrow.terms=[nuclear-cusp, pade]", "jastrow.pade.b=2"});
  ASSERT_EQ(s.jastrow.terms.size(), 2u);
  EXPECT_EQ(s.jastrow.terms[1].numbers.at("b"), 2.0);
  EXPECT_EQ(parse("", {"jastrow.terms=[\"pade\"]"}).jastrow.terms.size(), 1u);
  EXPECT_EQ(parse("", {"system.excite=[up 5 -> 6,  down 5 -> up 6 ]"}).system.excite,
            (std::vector<std::string>{"up 5 -> 6", "down 5 -> up 6"}));
  EXPECT_EQ(parse("", {"system.excite=[up 5 -> 6]"}).system.excite.size(), 1u);
  EXPECT_EQ(parse("", {"optimise.freeze=[pade.*, b?]"}).optimise.freeze,
            (std::vector<std::string>{"pade.*", "b?"}));
  // Not where it could mean something else.
  for (const char* list : {"[\"pade\"", "[\"up 5 -> 6\", up 6 -> 7]", "[a b, ]", "[,]",
                           "[a,,b]", "[a b = 3]", "[[a b], c]", "[a # b]"})
    EXPECT_NE(error_in("", {std::string("system.excite=") + list})
                  .find("neither TOML nor a list of bare words; put texts into double "
                        "quotes and the whole argument into single quotes"),
              std::string::npos)
        << list;
}

TEST(InputSet, NeedsAKeyAndAValue) {
  EXPECT_NE(error_of([] { parse_set("walkers"); }).find("expected key=value"),
            std::string::npos);
  for (const char* wrong : {"=3", ".a=3", "a.=3", "a..b=3"})
    EXPECT_NE(error_of([&] { parse_set(wrong); }).find("expected a dotted key"),
              std::string::npos);
  EXPECT_NE(error_in("", {"run.start_from=\xff"}).find("not UTF-8"), std::string::npos);
}

class InputFile : public InScratch {};

TEST_F(InputFile, ResolvesPathsAgainstItsOwnFolder) {
  std::filesystem::create_directory("deep");
  write("deep/w.molden", "[Molden Format]\n");
  write("deep/in.toml", "wavefunction = \"w.molden\"");
  const Input input = read_input("deep/in.toml");
  EXPECT_EQ(input.settings.wavefunction,
            (std::filesystem::current_path() / "deep/w.molden").string());
  EXPECT_EQ(input.name, "in");
  EXPECT_FALSE(input.bare);
}

TEST_F(InputFile, RecognisesABareWaveFunctionByItsContent) {
  write("a.toml", "[Molden Format]\n[Atoms] AU\n");
  write("b", " [MOLDEN FORMAT]\r\n");
  write("c", std::string("\x89HDF\r\n\x1a\n\0\0", 10));
  write("d", "a title\n[Title]\n\n[Atoms] (Angs)\n");
  write("e", "a title\r[Atoms] AU\r");
  for (const char* file : {"a.toml", "b", "c", "d", "e"}) {
    const Input input = read_input(file, {parse_set("sampling.walkers=64")});
    EXPECT_TRUE(input.bare) << file;
    EXPECT_EQ(input.settings.sampling.walkers, 64);
    EXPECT_EQ(std::filesystem::path(input.settings.wavefunction).filename(), file);
  }
}

TEST_F(InputFile, SaysWhichPathDoesNotExist) {
  EXPECT_NE(error_of([] { read_input("none.toml"); }).find("none.toml: there is no such"),
            std::string::npos);
  write("in.toml", "wavefunction = \"w.molden\"");
  EXPECT_NE(error_of([] {
              read_input("in.toml");
            }).find("in.toml:1:16: wavefunction: there is no file /"),
            std::string::npos);
  write("w.molden", "[Molden Format]\n");
  write("in.toml", "wavefunction = \"w.molden\"\n[run]\nstart_from = \"w.molden\"");
  EXPECT_NE(error_of([] { read_input("in.toml"); }).find("expected a run's folder"),
            std::string::npos);
  write("in.toml", "[sampling]\nwalkers = 3");
  EXPECT_NE(error_of([] {
              read_input("in.toml");
            }).find("in.toml: wavefunction is not given; add"),
            std::string::npos);
  std::filesystem::create_directory("run-1");
  write("run-1/input.toml", "");
  EXPECT_EQ(error_of([] { read_input("run-1"); }),
            "run-1 is a run's folder; to go on with it: drover resume run-1");
}

TEST(InputResume, NamesAKeyThatMustStay) {
  const Settings then = parse("wavefunction = '/w'");
  EXPECT_EQ(forbidden_change(then, parse("wavefunction = '/v'\n[run]\ndevices = 2\n"
                                         "time_limit = '1 h'\nmicrobatch = 64\n"
                                         "[measure]\nsteps = 3")),
            "");
  EXPECT_EQ(
      forbidden_change(then, parse("wavefunction = '/w'\n[sampling]\nwalkers = 64")),
      "sampling.walkers was 4096 and is now 64");
  EXPECT_NE(forbidden_change(then, parse("run.seed = 8")), "");
  EXPECT_NE(forbidden_change(then, parse("jastrow.terms = []")), "");
}

}  // namespace
}  // namespace drover::app
