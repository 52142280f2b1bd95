// What people see: numbers in the usual notation, calm lines, nothing that a log cannot
// hold.
#include "drover/app/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "drover/app/duration.hpp"
#include "drover/app/numbers.hpp"
#include "drover/core/nearest.hpp"
#include "tests/app/scratch.hpp"

namespace drover::app {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Numbers, PutTheErrorOnTheLastTwoDigits) {
  EXPECT_EQ(with_error(-76.40213, 0.0031), "-76.4021(31)");
  EXPECT_EQ(with_error(-76.40213, 0.00098), "-76.40213(98)");
  EXPECT_EQ(with_error(-76.40213, 0.0999), "-76.40(10)");
  EXPECT_EQ(with_error(-76.40213, 0.0996), "-76.40(10)");
  EXPECT_EQ(with_error(1.43, 1.2), "1.4(1.2)");
  EXPECT_EQ(with_error(1.43, 12.3), "1(12)");
  EXPECT_EQ(with_error(-76.40213, 123.0), "-76(123)");
  EXPECT_EQ(with_error(-0.5, 0.0), "-0.500000");
  EXPECT_EQ(with_error(-0.5, std::nan("")), "-0.500000");
  EXPECT_EQ(with_error(std::nan(""), 0.1), "not a number");
  EXPECT_EQ(with_error(HUGE_VAL, 0.1), "infinite");
  EXPECT_EQ(with_error(-0.5, 1e-20), "-0.500000000000000(1.0e-20)");
}

TEST(Numbers, AreShortForPeople) {
  EXPECT_EQ(significant(0.01213), "0.0121");
  EXPECT_EQ(significant(2.413), "2.41");
  EXPECT_EQ(significant(24.13), "24.1");
  EXPECT_EQ(significant(99.96), "100");
  EXPECT_EQ(significant(1280.4), "1280");
  EXPECT_EQ(significant(1.2e-7), "1.20e-07");
  EXPECT_EQ(significant(0.0), "0");
  EXPECT_EQ(significant(std::nan("")), "nan");
  EXPECT_EQ(bytes_text(999), "999 B");
  EXPECT_EQ(bytes_text(12400), "12.4 kB");
  EXPECT_EQ(bytes_text(999960), "1.0 MB");
  EXPECT_EQ(counted(1, "device"), "one device");
  EXPECT_EQ(counted(0, "device"), "0 devices");
  EXPECT_EQ(percent(0.5008), "50.1 %");
  EXPECT_EQ(readable_time(0.42), "0.42 s");
  EXPECT_EQ(readable_time(59.7), "1 min 00 s");
  EXPECT_EQ(readable_time(200.0), "3 min 20 s");
  EXPECT_EQ(readable_time(14100.0), "3 h 55 min");
  EXPECT_EQ(readable_time(-1.0), "0 s");
  EXPECT_EQ(readable_time(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_EQ(shortened("abcdefgh", 6), "abc...");
  EXPECT_EQ(shortened("äöüäöüäö", 6), "äöü...");
  EXPECT_EQ(columns("bär"), 3);
}

TEST(Nearest, CountsExchangedNeighboursAsOne) {
  EXPECT_EQ(edit_distance("steps", "stesp"), 1);
  EXPECT_EQ(edit_distance("steps", "step"), 1);
  EXPECT_EQ(edit_distance("", "abc"), 3);
  EXPECT_EQ(nearest("rnu", {"check", "run"}), "run");
  EXPECT_EQ(nearest("zzzzzzzz", {"check", "run"}), std::nullopt);
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

RunHeader header() {
  RunHeader h;
  h.system = "water: O H2, 10 electrons (5 up, 5 down)";
  h.wave_function = "determinant x nuclear-cusp";
  h.parameters = 38;
  h.walkers = 4096;
  h.tiles = 64;
  h.devices = 8;
  h.ranks = 2;
  h.collectives_per_step = 1;
  h.bytes_per_step = 12400;
  h.collectives = {"all-reduce of 1550 numbers"};
  h.target_error = 1e-3;
  return h;
}

OptimisationRecord step(std::int64_t number, bool accepted = true) {
  OptimisationRecord r;
  r.step = number;
  r.objective = "reference-variance";
  r.energy = -76.3412;
  r.error = 0.0021;
  r.variance = 2.413;
  r.acceptance = 0.501;
  r.seconds = 0.42;
  r.accepted = accepted;
  r.reason = accepted ? "" : "the energy rose by 4.0 hartree";
  return r;
}

TEST(Table, ShowsTheHeaderInPlainText) {
  const Captured file;
  Output output(file.descriptor());
  Table table(output, "water-1");
  table.started(header());
  const std::string text = file.text();
  for (const char* part : {"water: O H2", "8 devices of 2 ranks", "4096 in 64 tiles",
                           "one collective, at most 12.4 kB from each rank",
                           "- all-reduce of 1550 numbers", "water-1"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
  EXPECT_FALSE(has(text, "\033")) << "no escape sequences outside a terminal";
}

TEST(Table, PrintsPlainLinesAtAFallingRateAndAlwaysTheLastOfAStage) {
  const Captured file;
  Output output(file.descriptor());
  double now = 0.0;
  {
    Table table(output, "", [&] { return now; });
    table.started(header());
    for (int i = 1; i <= 1000; ++i) {
      now += 0.1;
      table.optimisation_step(step(i));
    }
  }
  const std::string text = file.text();
  const auto lines = std::count(text.begin(), text.end(), '\n');
  EXPECT_LT(lines, 40);
  EXPECT_GT(lines, 15);
  EXPECT_TRUE(has(text, "\n       1      -76.3412(21)    0.00210")) << text;
  EXPECT_TRUE(has(text, "    1000      -76.3412(21)"));
}

TEST(Table, ShowsEveryStepOnATerminalAndWhyOneWasNotTaken) {
  const Captured file;
  Output output(file.descriptor(), 120);
  Table table(output, "");
  table.started(header());
  for (int i = 1; i <= 50; ++i) table.optimisation_step(step(i, i != 50));
  const std::string text = file.text();
  EXPECT_TRUE(has(text, "      49"));
  EXPECT_TRUE(has(text, "the energy rose by 4.0 hartree"));
  EXPECT_TRUE(has(text, "optimisation of 38 parameters: reference-variance"));
  OptimisationRecord other = step(51);
  other.objective = "energy";
  table.optimisation_step(other);
  EXPECT_TRUE(has(file.text(), "optimisation of 38 parameters: energy"));
}

TEST(Table, KeepsTheNotesOfAStageForTheLog) {
  const Captured file;
  Output output(file.descriptor());
  {
    Table table(output, "water-1");
    table.started(header());
    table.note("before a stage it is shown");
    table.optimisation_step(step(1));
    table.note("limited: b");
    table.note("limited: c");
  }
  EXPECT_TRUE(has(file.text(), "before a stage"));
  EXPECT_FALSE(has(file.text(), "limited"));
  EXPECT_TRUE(has(file.text(), "2 notes in water-1/log.txt"));
}

TEST(Table, DrawsTheProgressOverItself) {
  const Captured file;
  Output output(file.descriptor(), 100);
  double now = 0.0;
  Table table(output, "", [&] { return now; });
  table.started(header());
  const std::size_t before = file.text().size();
  for (int i = 1; i <= 10; ++i) {
    now += 1.0;
    table.measure_step(i, 20, -76.4021, 0.0031, 20.0 - i);
  }
  table.measure_step(10, 20, -76.4021, 0.0031, 10.0);  // too soon to be drawn again
  const std::string text = file.text().substr(before);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\r'), 10);
  EXPECT_TRUE(has(text, " 50 %"));
  EXPECT_TRUE(has(text, "-76.4021(31)"));
  EXPECT_TRUE(has(text, "10 s left"));
  EXPECT_TRUE(has(text, "measurement until the error is 0.00100 hartree"));
  table.warning("the walkers are fewer than the lanes");
  EXPECT_TRUE(has(file.text(), "\r\033[2K  \033[33mwarning: \033[0mthe walkers"));
}

TEST(Table, EndsWithBothErrorsAndTheWarnings) {
  const Captured file;
  Output output(file.descriptor());
  Table table(output, "water-1");
  RunResult r;
  r.energy = -76.40213;
  r.error = 0.00098;
  r.error_naive = 0.00031;
  r.tau = 9.99;
  r.r_hat = 1.0012;
  r.nonfinite = 3;
  r.warnings = {"no electron-electron cusp: the variance has no error bar"};
  table.finished(r);
  const std::string text = file.text();
  for (const char* part :
       {"-76.40213(98) hartree", "0.000980 hartree, corrected", "0.000310 hartree, naive",
        "9.99 steps", "1.0012", "3 energies that were not finite",
        "warning: no electron-electron cusp", "water-1"})
    EXPECT_TRUE(has(text, part)) << part << "\n" << text;
}

}  // namespace
}  // namespace drover::app
