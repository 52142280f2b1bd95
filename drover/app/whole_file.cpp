#include "drover/app/whole_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <span>

#include "drover/core/digest.hpp"
#include "drover/core/error.hpp"
#include "drover/core/regular_file.hpp"

namespace drover::app {
namespace {

// A descriptor that is closed on every way out.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  // Closing can report a write that failed late (network file systems).
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      if (written == 0) errno = ENOSPC;
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A file system that cannot flush says so; that is no failed write.
bool flush(int fd) {
  return ::fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP;
}

[[noreturn]] void cannot_write(const std::string& path, int reason, bool had_old) {
  std::string text = path + ": cannot be written: " + std::strerror(reason);
  if (reason == ENOSPC || reason == EDQUOT)
    text += "; make room on that disk, then go on with drover resume";
  if (reason == EFBIG) text += "; the limit on file sizes (ulimit -f) is too small";
  if (had_old) text += "; the earlier file is as it was";
  throw Error(ErrorKind::system, text, {path, -1, "", -1, ""});
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view bytes) {
  const std::filesystem::path target(path);
  std::filesystem::path folder = target.parent_path();
  if (folder.empty()) folder = ".";
  const std::string temporary =
      (folder / ("." + target.filename().string() + ".new")).string();
  const bool had_old = ::access(path.c_str(), F_OK) == 0;

  const auto fail = [&](int reason) {
    ::unlink(temporary.c_str());
    cannot_write(path, reason, had_old);
  };
  Descriptor file(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (file.get() < 0) cannot_write(path, errno, had_old);
  if (!write_all(file.get(), bytes)) fail(errno);
  if (!flush(file.get())) fail(errno);
  if (!file.close()) fail(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) fail(errno);
  // The rename itself reaches the disk with the folder; without that it is only ordered.
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.get() >= 0) ::fsync(directory.get());
}

std::vector<char> read_whole_file(const std::string& path) {
  const auto fail = [&](int reason) -> void {
    throw Error(ErrorKind::input, path + ": cannot be read: " + std::strerror(reason),
                {path, -1, "", -1, ""});
  };
  require_regular_file(path);
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) fail(errno);
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  std::vector<char> bytes;
  bytes.reserve(static_cast<std::size_t>(status.st_size) + 1);
  constexpr std::size_t block = 1 << 20;
  while (true) {
    const std::size_t have = bytes.size();
    bytes.resize(have + block);
    const ssize_t got = ::read(file.get(), bytes.data() + have, block);
    if (got < 0 && errno != EINTR) fail(errno);
    bytes.resize(have + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got == 0) return bytes;
  }
}

std::string content_digest(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(path, error)) {
    for (auto entry = fs::recursive_directory_iterator(path, error);
         !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
      if (!entry->is_directory())
        files.push_back(entry->path().lexically_relative(path).string());
    if (error)
      throw Error(ErrorKind::input, path + ": cannot be read: " + error.message(),
                  {path, -1, "", -1, ""});
    std::sort(files.begin(), files.end());
  } else {
    files.emplace_back();
  }
  Digest digest;
  std::int64_t number = 0;
  for (const std::string& name : files) {
    const std::vector<char> bytes =
        read_whole_file(name.empty() ? path : (fs::path(path) / name).string());
    digest.add(number, std::as_bytes(std::span(name)), 1);
    digest.add(number++, std::as_bytes(std::span(bytes)), 2);
  }
  return digest.text();
}

bool append_to_file(const std::string& path, std::string_view bytes,
                    std::string& reason) {
  // A pipe that nobody reads fails at once and does not wait.
  constexpr int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK;
  Descriptor file(::open(path.c_str(), flags, 0666));
  if (file.get() < 0 || !write_all(file.get(), bytes) || !file.close()) {
    reason = path + ": cannot be written: " + std::strerror(errno);
    return false;
  }
  return true;
}

}  // namespace drover::app
