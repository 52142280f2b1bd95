// Ends the program with a sentence instead of a bare "Segmentation fault" where a library
// does not survive its input: HDF5 1.10 follows wild pointers in some damaged files.
//
// While it lives, SIGSEGV, SIGBUS, SIGFPE and SIGABRT write texts that were made before
// (nothing else is safe by then) and exit with code 2. One at a time.
#pragma once

#include <string>

namespace drover::app {

class CrashGuard {
 public:
  // `message` goes to standard error and `object`, where not empty, to standard output.
  // `waits`: half a second first, for ranks that should let rank 0 speak.
  CrashGuard(const std::string& message, const std::string& object, bool waits);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;
};

}  // namespace drover::app
