#include "drover/core/regular_file.hpp"

#include <filesystem>
#include <system_error>

#include "drover/core/error.hpp"

namespace drover {

void require_regular_file(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_type type = fs::status(path, error).type();
  const char* found = nullptr;
  if (type == fs::file_type::fifo) found = "a pipe";
  if (type == fs::file_type::socket) found = "a socket";
  if (type == fs::file_type::character || type == fs::file_type::block)
    found = "a device";
  if (found != nullptr)
    throw Error(ErrorKind::input,
                path + ": expected a regular file, found " + found +
                    "; copy its contents to a file first",
                {path, -1, "", -1, ""});
}

}  // namespace drover
