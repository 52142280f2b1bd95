#include "drover/app/signals.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>

namespace drover::app {
namespace {

constexpr std::array<int, 3> stopping = {SIGINT, SIGTERM, SIGHUP};

// A handler can reach nothing but globals; lock-free atomics are safe in it.
std::atomic<int> received{0};
std::array<struct sigaction, stopping.size()> before;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void ask_to_stop(int signal) {
  const int kept = errno;
  received.store(signal);
  constexpr std::string_view text =
      "\ndrover: stopping with a checkpoint after this step; once more ends it at once\n";
  if (signal == SIGINT) {
    const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
    static_cast<void>(ignored);
  }
  errno = kept;
}

}  // namespace

SignalScope::SignalScope() {
  received.store(0);
  for (std::size_t i = 0; i < stopping.size(); ++i) {
    ::sigaction(stopping[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    sigemptyset(&action.sa_mask);
    // The second signal finds the system's own handler, which ends the program.
    action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
    ::sigaction(stopping[i], &action, nullptr);
  }
}

SignalScope::~SignalScope() {
  for (std::size_t i = 0; i < stopping.size(); ++i)
    ::sigaction(stopping[i], &before[i], nullptr);
}

bool stop_requested() {
  return received.load(std::memory_order_relaxed) != 0;
}

const char* stopping_signal() {
  switch (received.load()) {
    case SIGINT:
      return "SIGINT";
    case SIGTERM:
      return "SIGTERM";
    case SIGHUP:
      return "SIGHUP";
    default:
      return "";
  }
}

}  // namespace drover::app
