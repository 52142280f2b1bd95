#include "drover/app/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace drover::app {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The first of these that is set decides, as it does for the C library.
bool locale_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string value = environment(name);
    if (value.empty()) continue;
    std::transform(value.begin(), value.end(), value.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    return value.find("utf-8") != std::string::npos ||
           value.find("utf8") != std::string::npos;
  }
  return false;
}

}  // namespace

void keep_standard_descriptors() {
  // open() gives the lowest free number, so that each round fills a gap of 0, 1, 2.
  int filled = 0;
  do {
    filled = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  } while (filled >= 0 && filled <= STDERR_FILENO);
  if (filled > STDERR_FILENO) ::close(filled);
}

Output::Output(int descriptor)
    : descriptor_(descriptor),
      terminal_(::isatty(descriptor) == 1 && environment("TERM") != "dumb"),
      colours_(terminal_ && environment("NO_COLOR").empty()),
      utf8_(terminal_ && locale_is_utf8()) {}

Output::Output(int descriptor, int width)
    : descriptor_(descriptor),
      terminal_(true),
      colours_(true),
      utf8_(true),
      fixed_width_(width) {}

void Output::write(std::string_view text) {
  while (!text.empty() && error_ == 0) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {  // somebody made the terminal non-blocking
      pollfd ready{descriptor_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
      continue;
    }
    if (written < 0)
      error_ = errno;
    else if (written == 0)
      error_ = EIO;
    else
      text.remove_prefix(static_cast<std::size_t>(written));
  }
}

int Output::width() const {
  if (fixed_width_ > 0) return fixed_width_;
  winsize size{};
  if (terminal_ && ::ioctl(descriptor_, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

bool Output::closed() const {
  return error_ == EPIPE;
}

std::string Output::failure() const {
  return error_ == 0 || error_ == EPIPE ? "" : std::strerror(error_);
}

}  // namespace drover::app
