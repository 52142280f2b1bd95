// The program `drover`.
#include <signal.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "drover/app/commands.hpp"
#include "drover/app/output.hpp"

int main(int argc, char** argv) {
  // A reader that goes away and a file that reaches the limit of sizes are found out when
  // writing; neither must end a run.
  ::signal(SIGPIPE, SIG_IGN);
  ::signal(SIGXFSZ, SIG_IGN);
  drover::app::keep_standard_descriptors();
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  drover::app::Output out(STDOUT_FILENO);
  drover::app::Output err(STDERR_FILENO);
  return drover::app::run_program(arguments, drover::app::real_engine(), out, err);
}
