// Checkpoints on the disk: every bit comes back, damage is refused, a full disk or a kill
// leaves the file that was there.
#include "drover/app/hdf5_file.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "drover/app/whole_file.hpp"
#include "tests/app/scratch.hpp"

namespace drover::app {
namespace {

Checkpoint example(double first = 1.0, std::size_t walkers = 3) {
  Checkpoint c;
  std::vector<double> positions(walkers * 2 * 3, first);
  c.add("walkers/positions", positions, {static_cast<std::int64_t>(walkers), 2, 3},
        "bohr");
  c.add("a number before b", 0.1, "hartree");
  c.add("step", std::int64_t{-5});
  c.add_bits("seed", 0xfedcba9876543210u);
  c.add("empty list", std::vector<double>{});
  c.add("empty rows", std::vector<std::int64_t>{}, {0, 7});
  c.add("text", std::string("resolved\ninput with ä"));
  c.add("no text", std::string());
  c.add("words", std::vector<std::string>{"b_raw", "", "c(2,0,0)"});
  c.add("no words", std::vector<std::string>{});
  c.add("counts", std::vector<std::int64_t>{1, std::numeric_limits<std::int64_t>::min()});
  return c;
}

class Hdf5File : public InScratch {};

TEST_F(Hdf5File, GivesBackEveryEntryInItsOrder) {
  const Checkpoint c = example();
  write_hdf5_file("c.h5", c);
  EXPECT_EQ(read_hdf5_file("c.h5"), c);
  EXPECT_EQ(read_hdf5_file("c.h5").bits("seed"), 0xfedcba9876543210u);
  write_hdf5_file("empty.h5", Checkpoint{});
  EXPECT_TRUE(read_hdf5_file("empty.h5").entries().empty());
}

TEST_F(Hdf5File, KeepsTheBitsOfDoublesThatAreNoNumbers) {
  const auto payload = std::bit_cast<double>(std::uint64_t{0x7ff8000000000123u});
  Checkpoint c;
  c.add("odd", std::vector<double>{payload, -0.0, 5e-324, -HUGE_VAL});
  write_hdf5_file("c.h5", c);
  const Checkpoint back = read_hdf5_file("c.h5");
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.reals("odd")[i]),
              std::bit_cast<std::uint64_t>(c.reals("odd")[i]));
}

TEST_F(Hdf5File, WritesTheSameBytesForTheSameContents) {
  write_hdf5_file("a.h5", example());
  write_hdf5_file("b.h5", example());
  EXPECT_EQ(content("a.h5"), content("b.h5"));
}

TEST_F(Hdf5File, LeavesNothingElseInTheFolder) {
  write_hdf5_file("c.h5", example());
  write_hdf5_file("c.h5", example(2.0));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator("."), {}), 1);
  EXPECT_EQ(read_hdf5_file("c.h5"), example(2.0));
}

TEST_F(Hdf5File, RefusesWhatItDidNotWrite) {
  EXPECT_NE(error_of([] { read_hdf5_file("none.h5"); }).find("No such file"),
            std::string::npos);
  std::filesystem::create_directory("folder");
  EXPECT_NE(error_of([] { read_hdf5_file("folder"); }).find("cannot be read"),
            std::string::npos);
  write("empty", "");
  write("text", "hello\n");
  write("zeros", std::string(5000, '\0'));
  write("magic", "\x89HDF\r\n\x1a\n" + std::string(5000, '\xff'));
  for (const char* name : {"empty", "text", "zeros", "magic"})
    EXPECT_NE(error_of([&] { read_hdf5_file(name); }).find("is not a file of Drover"),
              std::string::npos)
        << name;
}

TEST_F(Hdf5File, RefusesEveryTruncation) {
  write_hdf5_file("c.h5", example());
  const std::string whole = content("c.h5");
  // Steps of a prime, and every length near the end, where the hash stands.
  for (std::size_t length = 0;
       length<whole.size(); length += whole.size() - length> 80 ? 97 : 1) {
    write("cut.h5", whole.substr(0, length));
    EXPECT_NE(error_of([] { read_hdf5_file("cut.h5"); }), "no error") << length;
  }
  write("long.h5", whole + "x");
  EXPECT_NE(error_of([] { read_hdf5_file("long.h5"); }), "no error");
}

TEST_F(Hdf5File, RefusesEveryFlippedBit) {
  write_hdf5_file("c.h5", example());
  const std::string whole = content("c.h5");
  for (std::size_t i = 0; i<whole.size(); i += whole.size() - i> 80 ? 61 : 1) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    write("damaged.h5", damaged);
    EXPECT_NE(error_of([] { read_hdf5_file("damaged.h5"); }), "no error") << i;
  }
}

// Runs `child` in a process of its own; its exit status, or 128 + its signal.
template <typename Child>
int in_child(Child&& child) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(child());
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// 0 when writing failed as it should, naming the path and keeping the old file.
int writing_fails(const std::string& path, const std::string& reason) {
  try {
    write_hdf5_file(path, example(2.0, 100000));
    return 1;
  } catch (const Error& error) {
    const std::string text = error.what();
    if (error.kind() != ErrorKind::system) return 2;
    if (text.find(path + ": cannot be written: " + reason) != 0) return 3;
    if (text.find("the earlier file is as it was") == std::string::npos) return 4;
  }
  return read_hdf5_file(path) == example() ? 0 : 5;
}

TEST_F(Hdf5File, KeepsTheOldFileWhenTheNewOneMayNotGrow) {
  write_hdf5_file("c.h5", example());
  EXPECT_EQ(in_child([] {
              ::signal(SIGXFSZ, SIG_IGN);
              const rlimit limit{100000, 100000};
              ::setrlimit(RLIMIT_FSIZE, &limit);
              return writing_fails("c.h5", "File too large");
            }),
            0);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator("."), {}), 1);
}

TEST_F(Hdf5File, KeepsTheOldFileWhenTheDiskIsFull) {
  std::filesystem::create_directory("disk");
  if (::mount("tmpfs", "disk", "tmpfs", 0, "size=256k") != 0)
    GTEST_SKIP() << "only root can mount a small disk";
  write_hdf5_file("disk/c.h5", example());
  const int code = writing_fails("disk/c.h5", "No space left on device; make room");
  const auto left = std::distance(std::filesystem::directory_iterator("disk"), {});
  ::umount("disk");
  EXPECT_EQ(code, 0);
  EXPECT_EQ(left, 1);
}

TEST_F(Hdf5File, SaysWhenTheFolderIsGone) {
  EXPECT_NE(error_of([] { write_hdf5_file("gone/c.h5", example()); }, ErrorKind::system)
                .find("gone/c.h5: cannot be written: No such file"),
            std::string::npos);
}

TEST_F(Hdf5File, IsReadableWheneverItsWriterIsKilled) {
  const Checkpoint even = example(0.0, 20000), odd = example(1.0, 20000);
  write_hdf5_file("c.h5", even);
  for (int round = 0; round < 12; ++round) {
    const pid_t pid = ::fork();
    if (pid == 0)
      for (int i = 1;; ++i) write_hdf5_file("c.h5", i % 2 == 0 ? even : odd);
    ::usleep(static_cast<useconds_t>(1000 + 1700 * round));
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    const Checkpoint found = read_hdf5_file("c.h5");
    EXPECT_TRUE(found == even || found == odd);
  }
  // What a killed writer left behind does not hinder the next.
  write_hdf5_file("c.h5", odd);
  EXPECT_EQ(read_hdf5_file("c.h5"), odd);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator("."), {}), 1);
}

TEST(CheckpointEntries, AreCheckedWhenAddedAndWhenRead) {
  Checkpoint c = example();
  const auto logic = [&](auto&& call) { return error_of(call, ErrorKind::logic); };
  EXPECT_NE(logic([&] { c.add("step", 1.0); }).find("added before"), std::string::npos);
  EXPECT_NE(logic([&] {
              c.add("x", std::vector<double>(5), {2, 3});
            }).find("holds 6"),
            std::string::npos);
  EXPECT_NE(logic([&] { c.add("x", std::string("a\0b", 3)); }).find("NUL"),
            std::string::npos);
  EXPECT_NE(logic([&] { c.add("", 1.0); }).find("name"), std::string::npos);
  EXPECT_NE(error_of([&] { c.reals("stop"); }).find("'stop' is missing"),
            std::string::npos);
  EXPECT_NE(error_of([&] { c.reals("step"); }).find("expected real numbers, found whole"),
            std::string::npos);
  EXPECT_NE(error_of([&] { c.integer("counts"); }).find("expected one number, found 2"),
            std::string::npos);
}

}  // namespace
}  // namespace drover::app
