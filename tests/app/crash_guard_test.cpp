// A library that crashes on its input leaves a sentence and exit code 2.
#include "drover/app/crash_guard.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "tests/app/program.hpp"

namespace drover::app {
namespace {

TEST(CrashGuard, TurnsACrashIntoASentence) {
  for (const int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT})
    EXPECT_EXIT(
        {
          const CrashGuard guard("the file is damaged\n", "", false);
          ::raise(crash);
        },
        ::testing::ExitedWithCode(2), "the file is damaged");
}

TEST(CrashGuard, IsOverWhenItsScopeIs) {
  EXPECT_EXIT(
      {
        ::signal(SIGSEGV, SIG_DFL);
        { const CrashGuard guard("the file is damaged\n", "", false); }
        ::raise(SIGSEGV);
      },
      ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Commands, AReaderThatCrashesEndsWithOneObjectAndCodeTwo) {
  Engine engine = fake.engine();
  engine.read_wavefunction = [](const std::string&, const SystemSettings&) -> Molecule {
    ::raise(SIGSEGV);
    return {};
  };
  const auto child = [&] {
    ::dup2(STDERR_FILENO, STDOUT_FILENO);  // what a death test looks at
    Output out(STDOUT_FILENO), err(STDERR_FILENO);
    ::_exit(run_program({"run", "water.molden", "--json"}, engine, out, err) + 100);
  };
  EXPECT_EXIT(child(), ::testing::ExitedWithCode(2),
              "error: .*water.molden: reading it crashed.*\"status\":\"wrong input\"");
}

}  // namespace
}  // namespace drover::app
