#include "drover/app/signals.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <string_view>

namespace drover::app {
namespace {

constexpr std::array<int, 3> stopping = {SIGINT, SIGTERM, SIGHUP};

constexpr std::int64_t same_signal_ns = 500'000'000;

// A handler can reach nothing but globals; lock-free atomics are safe in it.
std::atomic<int> received{0};
std::atomic<std::int64_t> interrupted_at{-1};  // nanoseconds; -1: not yet
std::array<struct sigaction, stopping.size()> before;
static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

extern "C" void ask_to_stop(int signal) {
  const int kept = errno;
  received.store(signal);
  constexpr std::string_view text =
      "\ndrover: stopping with a checkpoint after this step; once more ends it at once\n";
  if (signal == SIGINT) {
    const std::int64_t first = interrupted_at.load(), now = now_ns();
    if (first < 0) {
      interrupted_at.store(now);
      const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
      static_cast<void>(ignored);
    } else if (now - first >= same_signal_ns) {
      // Delivered by the system's own handler as soon as this one returns.
      ::signal(SIGINT, SIG_DFL);
      ::raise(SIGINT);
    }
  }
  errno = kept;
}

}  // namespace

SignalScope::SignalScope() {
  received.store(0);
  interrupted_at.store(-1);
  for (std::size_t i = 0; i < stopping.size(); ++i) {
    ::sigaction(stopping[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = ask_to_stop;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
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
