#include "drover/app/crash_guard.hpp"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace drover::app {
namespace {

constexpr std::array<int, 4> crashes = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
constexpr std::size_t stack_bytes = 1 << 16;

// A handler can reach nothing but globals.
struct Prepared {
  std::string message, object;
  bool waits = false;
  std::vector<char> stack;  // the program's own may be what overflowed
  stack_t stack_before{};
  std::array<struct sigaction, crashes.size()> before{};
};
Prepared& prepared() {
  static Prepared all;
  return all;
}

void write_all(int descriptor, const std::string& text) {
  const ssize_t ignored = ::write(descriptor, text.data(), text.size());
  static_cast<void>(ignored);
}

extern "C" void end_with_a_sentence(int) {
  if (prepared().waits) {
    const timespec half_a_second{0, 500'000'000};
    ::nanosleep(&half_a_second, nullptr);
  }
  write_all(STDERR_FILENO, prepared().message);
  write_all(STDOUT_FILENO, prepared().object);
  ::_exit(2);
}

}  // namespace

CrashGuard::CrashGuard(const std::string& message, const std::string& object,
                       bool waits) {
  Prepared& all = prepared();
  all.message = message;
  all.object = object;
  all.waits = waits;
  all.stack.resize(stack_bytes);
  stack_t stack{};
  stack.ss_sp = all.stack.data();
  stack.ss_size = all.stack.size();
  ::sigaltstack(&stack, &all.stack_before);
  struct sigaction action {};
  action.sa_handler = end_with_a_sentence;
  action.sa_flags = SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < crashes.size(); ++i)
    ::sigaction(crashes[i], &action, &all.before[i]);
}

CrashGuard::~CrashGuard() {
  Prepared& all = prepared();
  for (std::size_t i = 0; i < crashes.size(); ++i)
    ::sigaction(crashes[i], &all.before[i], nullptr);
  ::sigaltstack(&all.stack_before, nullptr);
}

}  // namespace drover::app
