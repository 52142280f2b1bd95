// Errors that say what happened, where, what was expected, what was found, what to do.
//
// The library throws Error and never prints or exits; the app turns the kind into an exit
// code (0 done, 1 failed, 2 wrong input, 3 stopped with a checkpoint).
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace drover {

enum class ErrorKind {
  input,      // a file, a key or an argument that the user can correct: exit 2
  numerical,  // a run whose numbers went wrong: exit 1
  system,     // disk full, a device that failed, a file that cannot be written: exit 1
  stopped,    // a signal or the time limit, checkpoint saved: exit 3
  logic       // the library was called wrongly: exit 1
};

// What the message is about; empty or negative members do not apply.
struct ErrorWhere {
  std::string file = {};
  int line = -1;
  std::string key = {};
  std::int64_t walker = -1;
  std::string component = {};
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, ErrorWhere where = {})
      : std::runtime_error(message), kind_(kind), where_(std::move(where)) {}
  ErrorKind kind() const { return kind_; }
  const ErrorWhere& where() const { return where_; }

 private:
  ErrorKind kind_;
  ErrorWhere where_;
};

// "file:line: message", with what is known of the place; for input errors.
Error input_error(const std::string& message, ErrorWhere where = {});

}  // namespace drover
