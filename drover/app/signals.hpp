// Ctrl-C, SIGTERM and a closed terminal ask a run to stop: it saves a checkpoint and ends
// with exit code 3. A second signal of the same kind ends the program at once.
#pragma once

namespace drover::app {

// Installs the handlers for as long as it lives. A signal that the program was started to
// ignore (nohup) stays ignored.
class SignalScope {
 public:
  SignalScope();
  ~SignalScope();
  SignalScope(const SignalScope&) = delete;
  SignalScope& operator=(const SignalScope&) = delete;
};

// Whether a signal has asked to stop since the scope began; what the engine polls.
bool stop_requested();

// The signal's name, "SIGINT"; "" when none came.
const char* stopping_signal();

}  // namespace drover::app
