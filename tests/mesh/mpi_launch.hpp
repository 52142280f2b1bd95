// Runs a suite of the test program itself under mpirun and looks at how that ends.
//
// Suites that are bodies for several ranks ask launched() and skip themselves alone.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "drover/mesh/communicator.hpp"
#include "drover/mesh/mpi_communicator.hpp"

namespace drover {

inline bool launched() {
  return announced_ranks() > 1;
}

struct Ending {
  int exit_code = -1;
  std::string output;
};

// Runs a command of the shell, in which $DROVER_SELF is this program.
inline Ending run_shell(const std::string& command) {
  char self[4096] = {};
  const auto length = readlink("/proc/self/exe", self, sizeof self - 1);
  setenv("DROVER_SELF", std::string(self, std::size_t(length)).c_str(), 1);
  // What Open MPI's plugins keep cannot be told from a leak of ours, since they are
  // unloaded before it is looked for.
  setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  Ending ending;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    ending.output.append(buffer, n);
  }
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ending.exit_code = WEXITSTATUS(status);
  return ending;
}

// `options` are mpirun's.
inline Ending run_on_ranks(int ranks, const std::string& filter,
                           const std::string& options = "") {
  return run_shell(
      "GTEST_COLOR=no OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "OMPI_MCA_btl_base_warn_component_unused=0 "
      "timeout 120 mpirun --oversubscribe " +
      options + " -n " + std::to_string(ranks) +
      " \"$DROVER_SELF\" --gtest_filter=" + filter);
}

inline bool mpi_is_usable() {
#if defined(__SANITIZE_THREAD__)
  return false;  // MPI's own threads are not built for it
#endif
  return mpi_is_built_in() && std::system("mpirun --version > /dev/null 2>&1") == 0;
}

}  // namespace drover
