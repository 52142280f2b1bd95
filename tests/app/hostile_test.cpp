// What a hostile or unlucky user does: streams that are closed, signals that come twice,
// devices in place of files, folders in impossible places, files changed behind a run's
// back, ranks that were started with different input.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "drover/app/hdf5_file.hpp"
#include "drover/app/signals.hpp"
#include "drover/app/whole_file.hpp"
#include "tests/app/program.hpp"

namespace drover::app {
namespace {

TEST(Signals, ComingTwiceAtOnceAreOne) {
  const SignalScope scope;
  EXPECT_FALSE(stop_requested());
  ::raise(SIGTERM);
  ::raise(SIGTERM);  // `timeout` and schedulers send it to the process and to its group
  ::raise(SIGHUP);
  ::raise(SIGHUP);
  ::raise(SIGINT);
  ::raise(SIGINT);
  EXPECT_TRUE(stop_requested());
}

TEST(Signals, ASecondInterruptLaterEndsTheProgram) {
  const auto twice = [] {
    ::signal(SIGINT, SIG_DFL);  // a shell lets what runs in its background ignore it
    const SignalScope scope;
    ::raise(SIGINT);
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    ::raise(SIGINT);
  };
  EXPECT_EXIT(twice(), ::testing::KilledBySignal(SIGINT), "once more ends it at once");
}

TEST(StandardDescriptors, AreFilledWithOnesThatRefuseWriting) {
  const auto child = [] {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::close(fd);
    keep_standard_descriptors();
    const int file = ::open("/dev/null", O_WRONLY);
    Output out(STDOUT_FILENO);
    out.write("lost");
    ::_exit(file > STDERR_FILENO && !out.failure().empty() ? 0 : 1);
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(0), "");
}

TEST_F(InScratch, ADeviceIsNoFile) {
  for (const char* path : {"/dev/zero", "/dev/null", "/dev/full"})
    EXPECT_TRUE(has(error_of([&] { read_whole_file(path); }), "found a device"));
}

// Nobody writes into these pipes: to open one is to wait for ever.
TEST_F(Commands, ANamedPipeIsRefusedAtOnceWhereverAFileIsExpected) {
  ASSERT_EQ(::mkfifo("pipe", 0600), 0);
  const std::string refused = "pipe: expected a regular file, found a pipe";
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check", "pipe"},
        {"run", "pipe"},
        {"check", "water.toml", "--params", "pipe"},
        {"evaluate", "water.toml", "--at", "pipe"},
        {"evaluate", "pipe", "--at", "pipe"}}) {
    const Outcome o = drover(fake, arguments);
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, refused)) << o.err;
  }
  // A run's folder.
  fake.stop_after = 2;
  EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, 3);
  for (const char* file : {"run.h5", "checkpoint.h5", "input.toml", "water.molden"}) {
    const std::string path = std::string("water-1/") + file;
    const bool was_there = std::filesystem::exists(path);
    if (was_there) std::filesystem::rename(path, "kept");
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    const Outcome o = drover(fake, {"resume", "water-1"});
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, std::string(file) + ": expected a regular file, found a pipe"))
        << o.err;
    std::filesystem::remove(path);
    if (was_there) std::filesystem::rename("kept", path);
  }
  // What cannot be logged is a warning.
  std::filesystem::remove("water-1/log.txt");
  ASSERT_EQ(::mkfifo("water-1/log.txt", 0600), 0);
  fake.stop_after = 0;
  const Outcome o = drover(fake, {"resume", "water-1"});
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_TRUE(has(o.out, "water-1/log.txt: cannot be written")) << o.out;
}

TEST_F(InScratch, ContentDigestsTellFilesAndFoldersApart) {
  write("a", "same");
  write("b", "same");
  write("c", "other");
  EXPECT_EQ(content_digest("a").size(), 32u);
  EXPECT_EQ(content_digest("a"), content_digest("b"));
  EXPECT_NE(content_digest("a"), content_digest("c"));
  for (const char* folder : {"one", "two"}) {
    std::filesystem::create_directories(std::string(folder) + "/deep");
    write(std::string(folder) + "/deep/x", "1");
    write(std::string(folder) + "/y", "2");
  }
  EXPECT_EQ(content_digest("one"), content_digest("two"));
  std::filesystem::rename("two/y", "two/z");
  EXPECT_NE(content_digest("one"), content_digest("two"));
  EXPECT_TRUE(has(error_of([] { content_digest("none"); }), "cannot be read"));
}

TEST_F(Commands, AnEmptyValueOnTheCommandLineIsRefused) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"run", "water.toml", "--out", ""},
        {"run", "water.toml", "--devices", ""},
        {"run", "water.toml", "--params", ""},
        {"resume", ""}}) {
    const Outcome o = drover(fake, arguments);
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, "the value is empty")) << o.err;
  }
  EXPECT_EQ(fake.runs, 0);
}

TEST_F(Commands, ACountTooLargeForAnyNumberIsSaidToBeSo) {
  const Outcome o = drover(
      fake, {"run", "water.toml", "--set", "sampling.walkers=99999999999999999999"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "it is too large")) << o.err;
}

TEST_F(Commands, AFolderInAnImpossiblePlaceIsAWrongCommandLine) {
  std::filesystem::create_symlink("nowhere", "dangling");
  for (const auto& [out, error] :
       {std::pair<std::string, std::string>{"water.toml/x", "cannot be made: Not a dir"},
        {std::string(300, 'x'), "cannot be made: File name too long"},
        {"dangling", "is a symbolic link to a folder that is not there"}}) {
    const Outcome o = drover(fake, {"run", "water.toml", "--out", out});
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, error)) << o.err;
  }
}

TEST_F(Commands, AFolderThatCannotBeFilledIsTakenAway) {
  // /dev/zero passes for a file that is there and cannot be copied.
  for (const auto& out :
       {std::optional<std::string>("mine"), std::optional<std::string>()}) {
    std::vector<std::string> arguments = {"run", "water.toml", "--params", "/dev/zero"};
    if (out) arguments.insert(arguments.end(), {"--out", *out});
    EXPECT_EQ(drover(fake, arguments).code, 2);
  }
  EXPECT_FALSE(std::filesystem::exists("mine"));
  EXPECT_FALSE(std::filesystem::exists("water-1"));
  std::filesystem::create_directory("kept");
  EXPECT_EQ(
      drover(fake, {"run", "water.toml", "--params", "/dev/zero", "--out", "kept"}).code,
      2);
  EXPECT_TRUE(std::filesystem::is_empty("kept"));
}

TEST_F(Commands, ARunGoesOnOnlyWithItsOwnWaveFunction) {
  fake.stop_after = 2;
  EXPECT_EQ(drover(fake, {"run", "water.toml"}).code, 3);
  const std::string own = content("water-1/water.molden");
  write("water-1/water.molden", own + "[FREQ]\n");
  Outcome o = drover(fake, {"resume", "water-1"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "water.molden: was changed since the checkpoint")) << o.err;
  std::filesystem::remove("water-1/water.molden");
  o = drover(fake, {"resume", "water-1"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "the run's wave function is gone")) << o.err;
  write("water-1/water.molden", own);
  fake.stop_after = 0;
  EXPECT_EQ(drover(fake, {"resume", "water-1"}).code, 0);
  // Of a finished run only the result is asked for.
  std::filesystem::remove("water-1/water.molden");
  EXPECT_EQ(drover(fake, {"resume", "water-1"}).code, 0);
}

TEST_F(Commands, AForeignOrEmptyFileIsToldFromAnInputFile) {
  write("water.xyz", "3\n\nO 0 0 0\n");
  Outcome o = drover(fake, {"run", "water.xyz"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "not valid TOML")) << o.err;
  EXPECT_TRUE(has(o.err, "nor is the file a wave function that Drover knows")) << o.err;
  write("empty.molden", "\n");
  o = drover(fake, {"run", "empty.molden"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "empty.molden: is empty; expected an input file")) << o.err;
}

TEST_F(Commands, AKeyOfEndlesslyManyPartsIsRefused) {
  std::string key = "a";
  for (int i = 0; i < 100000; ++i) key += ".a";
  write("key.toml", "# 1.1\n" + key + " = 1\n");
  write("table.toml", "[" + key + "]\n");
  write("inline.toml", "x = {" + key + " = 1}\n");
  for (const char* file : {"key.toml", "table.toml", "inline.toml"}) {
    const Outcome o = drover(fake, {"check", file});
    EXPECT_EQ(o.code, 2);
    EXPECT_TRUE(has(o.err, "a key of too many parts")) << o.err.substr(0, 200);
  }
}

TEST_F(Commands, AnUnknownKeyInsideATableIsNamed) {
  const Outcome o =
      drover(fake, {"run", "water.toml", "--set", "sampling={walkers=64, x=2}"});
  EXPECT_EQ(o.code, 2);
  EXPECT_TRUE(has(o.err, "unknown key sampling.x; the keys of [sampling] are")) << o.err;
}

TEST(Points, SayWhichNumberIsTooLargeWithoutTheLibrarysPreamble) {
  const std::string error =
      error_of([] { parse_points("{\"positions\": [[[1e999, 0, 0]]]}", "p", 1, 0); });
  EXPECT_EQ(error,
            "p: holds a number that is too large: number overflow parsing '1e999'");
}

// What the ranks are asked to agree on, by name.
struct Agreement {
  std::vector<std::pair<std::string, std::string>> asked;
  void join(Engine& engine) {
    engine.agree = [this](std::string_view what, std::string_view text) {
      asked.emplace_back(what, text);
    };
  }
  std::string text_of(const std::string& what) const {
    for (const auto& [name, text] : asked)
      if (name == what) return text;
    return "not asked";
  }
};

int run_quietly(const Engine& engine, const std::vector<std::string>& arguments) {
  const Captured file;
  Output output(file.descriptor());
  return run_program(arguments, engine, output, output);
}

TEST_F(Commands, RanksAgreeOnWhatTheyReadBeforeTheyBegin) {
  Engine engine = fake.engine();
  Agreement first;
  first.join(engine);
  fake.stop_after = 2;
  EXPECT_EQ(run_quietly(engine, {"run", "water.toml", "--set", "run.seed=11"}), 3);
  EXPECT_EQ(first.text_of("the command"), "run");
  EXPECT_EQ(first.text_of("run.seed"), "11");
  EXPECT_EQ(first.text_of("the wave function"), content_digest("water.molden"));
  EXPECT_EQ(first.text_of("the checkpoint"), "");

  Agreement second;
  second.join(engine);
  const std::string checkpoint = content_digest("water-1/checkpoint.h5");
  EXPECT_EQ(run_quietly(engine, {"resume", "water-1", "--devices", "3"}), 0);
  EXPECT_EQ(second.text_of("the checkpoint"), checkpoint);
  EXPECT_EQ(second.text_of("run.devices"), first.text_of("run.devices"));
}

TEST_F(Commands, RanksThatDifferNeverBegin) {
  Engine engine = fake.engine();
  engine.agree = [](std::string_view what, std::string_view) {
    if (what == "run.seed") throw Error(ErrorKind::input, "the ranks differ in run.seed");
  };
  EXPECT_EQ(run_quietly(engine, {"run", "water.toml"}), 2);
  EXPECT_EQ(fake.runs, 0);
  EXPECT_FALSE(std::filesystem::exists("water-1"));
}

TEST_F(Commands, AWrongCommandLineIsToldWhereTheRanksSpeakWithOneVoice) {
  Engine engine = fake.engine();
  int calls = 0;
  engine.on_all_ranks = [&](const auto& body, const auto& report) {
    ++calls;
    try {
      return body();
    } catch (const std::exception& error) {
      return report(error);
    }
  };
  EXPECT_EQ(run_quietly(engine, {"rnu", "water.toml"}), 2);
  EXPECT_EQ(calls, 1);
}

TEST_F(Commands, ARankThatFailsAloneGivesTheJsonObject) {
  Engine engine = fake.engine();
  engine.rank = [] { return 3; };
  const Captured out_file, err_file;
  Output out(out_file.descriptor()), err(err_file.descriptor());
  EXPECT_EQ(run_program({"run", "none.toml", "--json"}, engine, out, err), 2);
  EXPECT_EQ(nlohmann::json::parse(out_file.text())["status"], "wrong input");
  EXPECT_TRUE(has(err_file.text(), "drover: rank 3: error: none.toml"));
}

}  // namespace
}  // namespace drover::app
