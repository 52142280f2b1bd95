// Ctrl-C, SIGTERM and a closed terminal ask a run to stop: it saves a checkpoint and ends
// with exit code 3. A second Ctrl-C, half a second or more after the first, ends the
// program at once; sooner it is taken for the same one, for `timeout` and mpirun send
// theirs to the process and to its group. SIGTERM and SIGHUP may come as often as they
// like: whoever will not wait for the checkpoint has SIGKILL.
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
