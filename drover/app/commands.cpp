#include "drover/app/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "drover/app/json_output.hpp"
#include "drover/app/session.hpp"
#include "drover/core/error.hpp"

namespace drover::app {
namespace {

int dispatch(Session& session) {
  const std::string& command = session.line.command;
  if (session.engine.agree) session.engine.agree("the command", command);
  if (command == "run") return run_command(session);
  if (command == "resume") return resume_command(session);
  if (command == "check") return check_command(session);
  if (command == "evaluate") return evaluate_command(session);
  if (command == "export") return export_command(session);
  if (command == "devices") return devices_command(session);
  if (command == "bench") return bench_command(session);
  throw Error(ErrorKind::logic, "the command '" + command + "' has no code behind it");
}

int exit_code(const std::exception& error) {
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours == nullptr) return 1;
  switch (ours->kind()) {
    case ErrorKind::input:
      return 2;
    case ErrorKind::stopped:
      return 3;
    default:
      return 1;
  }
}

// Shows what ended the command and gives its exit code.
int report(const std::exception& error, bool json, const std::string& folder, int rank,
           Output& out, Output& err) {
  const int code = exit_code(error);
  std::string message = error.what();
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    message = "out of memory; fewer walkers or a smaller run.microbatch need less";
  const std::string who = rank > 0 ? fmt::format("drover: rank {}: ", rank) : "drover: ";
  if (code == 3) {
    const bool said = message.rfind("stopped", 0) == 0;
    err.write(fmt::format("{}{}{}\n", who, said ? "" : "stopped: ", message));
    if (!folder.empty())
      err.write(fmt::format("drover: to go on: drover resume {}\n", folder));
  } else {
    err.write(fmt::format("{}error: {}\n", who, message));
    if (code == 1 && !folder.empty())
      err.write(fmt::format("drover: what there is lies in {}\n", folder));
  }
  // A rank above 0 speaks only where rank 0 had nothing to say.
  if (json)
    out.write(failure_json(code == 3   ? "stopped"
                           : code == 2 ? "wrong input"
                                       : "failed",
                           message, folder));
  return code;
}

// Nobody reads a closed pipe: no failure of a command whose output was for people. Lost
// JSON, or a disk that is full, is one.
int check_output(int code, bool json, const Output& out, Output& err) {
  const bool lost = !out.failure().empty() || (json && out.closed());
  if (!lost) return code;
  err.write(fmt::format("drover: error: standard output could not be written: {}\n",
                        out.closed() ? "its reader went away" : out.failure()));
  return code == 0 ? 1 : code;
}

}  // namespace

int run_program(const std::vector<std::string>& arguments, const Engine& engine,
                Output& out, Output& err) {
  const auto began = std::chrono::steady_clock::now();
  const bool json =
      std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  CommandLine line;
  std::exception_ptr wrong;  // thrown again where the ranks speak with one voice
  try {
    if (arguments.empty()) {
      err.write(program_help());
      return 2;
    }
    line = parse_command_line(arguments);
  } catch (...) {
    wrong = std::current_exception();
  }
  if (!line.print.empty()) {
    out.write(line.print);
    return check_output(0, false, out, err);
  }
  Session session{line, engine, out, err, "", {}};
  session.began = began;
  int rank = 0;
  const int code = engine.on_all_ranks(
      [&] {
        rank = engine.rank();
        if (wrong) std::rethrow_exception(wrong);
        return dispatch(session);
      },
      [&](const std::exception& error) {
        return report(error, json, session.folder, rank, out, err);
      });
  return rank == 0 ? check_output(code, json, out, err) : code;
}

}  // namespace drover::app
